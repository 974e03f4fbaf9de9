"""A real Redis server of our own, for who has none: on a unix socket under the data folder, ended with its owner.

`EmbeddedRedis` is for the process that serves; `attach_or_start` is for the other commands, which use the server of
a running `serve` or start one for as long as they need it.

Promise (DESIGN decision 5): nothing accepted is lost when this process is killed. `fsync="always"` extends that to the
server and the machine; with `everysec` the machine may lose the tail that was not synced yet, and a server that is
killed while its disk is slow what it holds back meanwhile, up to two seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from rapid.config import Fsync
from rapid.errors import ConfigError, DataFolderBusy, ServerDidNotStart
from rapid.store import embedded_guard
from rapid.store.embedded_binary import LEAST_VERSION, find_server
from rapid.store.embedded_folder import DataFolder, FileLock

POLL_SECONDS: Final = 0.02
# Another command may hold the folder for the second that it takes; a killed server may still be ending.
OWNER_WAIT_SECONDS: Final = 5.0
SERVER_WAIT_SECONDS: Final = 30.0
# Reading back a long append-only file takes a while; the server says LOADING until it has.
READY_WAIT_SECONDS: Final = 300.0
STOP_WAIT_SECONDS: Final = 30.0
PING_TIMEOUT_SECONDS: Final = 2.0
RESTART_PAUSE_SECONDS: Final = 0.5
LOG_TAIL_LINES: Final = 15
LOG_TAIL_BYTES: Final = 4_096


class EmbeddedRedis:
    """One server process for one data folder. Start and stop it from the thread that runs the event loop."""

    def __init__(self, data: Path, *, fsync: Fsync = "everysec", search_path: str | None = None) -> None:
        self._folder = DataFolder(data)
        self._fsync = fsync
        # Not a setting of ours but how any program is found.
        self._search_path = os.environ.get("PATH", os.defpath) if search_path is None else search_path
        self._owner = FileLock(self._folder.path / "owner.lock")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The server's address, as redis-py reads it."""
        return _url(self._folder)

    @property
    def pid(self) -> int | None:
        """The process to watch, None while stopped. On Linux it is the server itself, elsewhere its guard."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the server and return when it answers; everything it kept is there then.

        Raises `DataFolderBusy` if another process serves this folder, `ServerMissing` if there is nothing to start,
        `ConfigError` if the folder cannot be used, `ServerDidNotStart` with the end of its log.
        """
        if not await _until(self.try_start, OWNER_WAIT_SECONDS):
            raise DataFolderBusy(
                f"another process is using the data folder {self._folder.path}; stop it, or choose another with --data"
            )

    async def try_start(self) -> bool:
        """As `start`, but return False at once if another process has the folder."""
        self._folder.make()
        if not self._owner.try_take():
            return False
        try:
            await self._launch()
        except BaseException:
            await self.stop()
            raise
        return True

    async def stop(self) -> None:
        """End the server in order, what it holds on disk, and give the folder free. Does nothing if it is stopped."""
        process, self._process = self._process, None
        try:
            if process is not None:
                await _end(process)
        finally:
            self._owner.let_go()

    async def keep_running(self) -> None:
        """Start the server again whenever it ends by itself, until `stop`. To be run as a task.

        Cancel the task before `stop`. Raises what `start` raises if the server does not come up again.
        """
        while (process := self._process) is not None:
            if process.poll() is None:
                await asyncio.sleep(POLL_SECONDS)
                continue
            await asyncio.sleep(RESTART_PAUSE_SECONDS)
            if self._process is process:
                _close_pipe(process)
                await self._launch()

    async def _launch(self) -> None:
        program = find_server(
            self._search_path, at_least=(7, 0) if self._folder.holds_newer_than_6() else LEAST_VERSION
        )
        # The server holds this lock itself, so that two never write to one folder, even when an owner was killed
        # and the next one is quicker than the end of the old server.
        lock = FileLock(self._folder.path / "server.lock")

        async def free() -> bool:
            return lock.try_take()

        if not await _until(free, SERVER_WAIT_SECONDS):
            raise DataFolderBusy(f"a Redis server that nobody owns any more still uses {self._folder.path}")
        try:
            self._process = _spawn(_command(program.path, self._folder, self._fsync), self._folder, lock)
        finally:
            lock.let_go()
        await self._wait_until_ready(self._process)

    async def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        async def ready() -> bool:
            if process.poll() is not None:
                raise ServerDidNotStart(f"the Redis server ended at its start:\n{_log_tail(self._folder)}")
            return await is_answering(self._folder.socket)

        if not await _until(ready, READY_WAIT_SECONDS):
            raise ServerDidNotStart(f"the Redis server does not get ready:\n{_log_tail(self._folder)}")


@contextlib.asynccontextmanager
async def attach_or_start(data: Path, *, fsync: Fsync = "everysec") -> AsyncIterator[str]:
    """Give the address of the server of this data folder: of the one that runs, else of one started for the while.

    Raises `ConfigError` if there is no such folder (a misspelt one must not look like one without tables), and what
    `EmbeddedRedis.start` raises.
    """
    folder = DataFolder(data)
    if not folder.path.is_dir():
        raise ConfigError(f"there is no data folder {folder.path}")
    server = EmbeddedRedis(data, fsync=fsync)

    async def reached() -> bool:
        return await server.try_start() or await is_answering(folder.socket)

    # Neither is true for a moment while another process is starting or ending its server.
    if not await _until(reached, READY_WAIT_SECONDS):
        raise DataFolderBusy(f"another process holds {folder.path}, and its Redis server does not answer")
    try:
        yield server.url
    finally:
        await server.stop()


async def is_answering(socket: Path) -> bool:
    """Whether a server answers there and has loaded what it kept.

    Not through redis-py: `keep_running` is cancelled while it asks, and that client may swallow a cancellation.
    """
    # Not there yet, not its turn in time, or LOADING: all the same to who waits.
    with contextlib.suppress(OSError):
        async with asyncio.timeout(PING_TIMEOUT_SECONDS):
            reader, writer = await asyncio.open_unix_connection(socket)
            try:
                writer.write(b"PING\r\n")
                return await reader.readline() == b"+PONG\r\n"
            finally:
                writer.close()
    return False


def _url(folder: DataFolder) -> str:
    return "unix://" + quote(str(folder.socket))


def settings_file() -> Path:
    """Where the server's settings are: beside this module once installed, else in the source's `ops`."""
    installed = Path(__file__).with_name("redis.conf")
    return installed if installed.exists() else Path(__file__).parents[2] / "ops" / "redis.conf"


def _command(program: Path, folder: DataFolder, fsync: Fsync) -> list[str]:
    own = {"dir": str(folder.redis), "unixsocket": str(folder.socket), "appendfsync": fsync}
    settings = [part for name, value in own.items() for part in (f"--{name}", value)]
    return [str(program), str(settings_file()), *settings]


def _spawn(command: list[str], folder: DataFolder, lock: FileLock) -> subprocess.Popen[bytes]:
    if folder.log.exists():
        folder.log.replace(folder.log.with_name("redis.log.old"))
    guard = [sys.executable, "-I", "-S", str(Path(embedded_guard.__file__)), str(os.getpid())]
    with folder.log.open("wb") as log:
        return subprocess.Popen(  # noqa: S603  # a program that `find_server` chose
            guard + command,
            stdin=subprocess.PIPE,  # never written to: its end tells a guard that we are gone
            stdout=log,
            stderr=log,
            pass_fds=(lock.descriptor,),
            # Out of the terminal's reach: Ctrl-C must end the server after the tables, not together with them.
            start_new_session=True,
        )


async def _end(process: subprocess.Popen[bytes]) -> None:
    async def ended() -> bool:
        return process.poll() is not None

    process.terminate()  # the server syncs its append-only file and ends; a guard hands it on
    try:
        if not await _until(ended, STOP_WAIT_SECONDS):
            process.kill()
            await _until(ended, STOP_WAIT_SECONDS)
    finally:
        _close_pipe(process)


def _close_pipe(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()


async def _until(holds: Callable[[], Awaitable[bool]], limit_seconds: float) -> bool:
    """Try until it holds; False after the limit. At least one try is made."""
    loop = asyncio.get_running_loop()
    end = loop.time() + limit_seconds
    while not await holds():
        if loop.time() >= end:
            return False
        await asyncio.sleep(POLL_SECONDS)
    return True


def _log_tail(folder: DataFolder) -> str:
    """Return the last lines of the server's log. Redis writes no keys and no values into it."""
    with folder.log.open("rb") as log:
        log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_TAIL_BYTES))
        lines = log.read().decode("utf-8", "replace").splitlines()
    return "\n".join(lines[-LOG_TAIL_LINES:])
