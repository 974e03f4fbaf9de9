"""The data folder of a server of our own: what lies in it, who holds it, and where its socket is.

DATA/owner.lock    locked by the process that runs the server
DATA/server.lock   locked by the server itself: it outlives a killed owner by the moment it needs to end
DATA/redis/        what the server writes
DATA/redis.log     what it says, and DATA/redis.log.old what the one before said
DATA/redis.sock    its socket, unless the path is too long for one
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
from pathlib import Path
from typing import Final

from rapid.errors import ConfigError

# A socket's path must fit in 108 bytes on Linux, 104 on macOS, a closing zero included.
SOCKET_PATH_MAX_BYTES: Final = 103
# Not TMPDIR or XDG_RUNTIME_DIR: two commands of one person may see different ones and must find the same socket.
RUN_FOLDERS: Final = Path("/tmp")  # noqa: S108  # the folder made in it is private, and checked to be


class DataFolder:
    """Paths under one data folder; the same for every command that names the folder, however it is spelt."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().resolve()
        self.redis = self.path / "redis"
        self.log = self.path / "redis.log"

    def make(self) -> None:
        """Make what is missing. Raises `ConfigError` if the folder cannot be used."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.redis.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the data folder {self.path} cannot be used: {error.strerror}") from error
        if not os.access(self.redis, os.W_OK | os.X_OK):
            raise ConfigError(f"the data folder {self.path} cannot be written to")

    @property
    def socket(self) -> Path:
        """Where the server listens. A short path elsewhere if the one in the folder would not fit."""
        inside = self.path / "redis.sock"
        if len(os.fsencode(inside)) <= SOCKET_PATH_MAX_BYTES:
            return inside
        name = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:32]
        return _private_run_folder() / f"{name}.sock"

    def holds_newer_than_6(self) -> bool:
        """Whether Redis 7 or later wrote here: an older one would not see its files and start with nothing."""
        return (self.redis / "appendonlydir").is_dir()


def _private_run_folder() -> Path:
    """Make and check the folder for sockets: ours alone, for anyone may have made one of that name before us."""
    folder = RUN_FOLDERS / f"rapid-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise ConfigError(
            f"{folder} is needed for a socket, but is not a folder that you alone may use. "
            "Remove it, or choose a data folder with a shorter path."
        )
    return folder


class FileLock:
    """An exclusive lock on a file, let go by the system when the last process that holds its descriptor ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def try_take(self) -> bool:
        """Take the lock if nobody has it; say whether it is ours now."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    @property
    def descriptor(self) -> int:
        """The open file, to hand the lock on to a child."""
        assert self._descriptor is not None, "the lock is not held"
        return self._descriptor

    def let_go(self) -> None:
        """Close our descriptor. The lock is free once a child that got it has ended too."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
