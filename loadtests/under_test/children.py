"""Server processes: started, waited for until they say so, ended."""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from loadtests.stopping import end_with_parent, held_back

ROOT: Final = Path(__file__).parents[2]
PATHS: Final = os.pathsep.join(map(str, (ROOT, ROOT / "clients/python", ROOT / "clients/terminal")))
LOCK: Final = "run.lock"
READY_SECONDS: Final = 60.0
END_SECONDS: Final = 30.0
LOG_TAIL_CHARACTERS: Final = 2_000


def _end_in_order() -> None:
    end_with_parent(signal.SIGTERM)


@contextmanager
def own_folder(prefix: str) -> Iterator[Path]:
    """Give a folder that is gone behind the block, whatever ends it; behind SIGKILL, when the next one is asked for."""
    _remove_left(prefix)
    with held_back():
        folder = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
        lock = _locked(Path(folder.name))
    try:
        yield Path(folder.name)
    finally:
        with held_back():
            folder.cleanup()
            os.close(lock)


def _locked(folder: Path) -> int:
    """Keep a lock on the folder for as long as this process lives: under its name the file is never without."""
    new = folder / f"{LOCK}.new"
    lock = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    new.rename(folder / LOCK)
    return lock


def _remove_left(prefix: str) -> None:
    """Remove our folders whose process is gone; that it is is certain only where nobody holds the lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        with suppress(BlockingIOError), os.fdopen(lock):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


class NotStarted(Exception):
    """A process does not come to listen."""


class Child:
    """`python -m MODULE ARGUMENT…`; what it logs goes to a file in `folder`."""

    def __init__(self, folder: Path, settings: Mapping[str, str], *arguments: str) -> None:
        """`settings`: variables of the server's, without their prefix. No others are handed on."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith("RAPID_")}
        environ |= {f"RAPID_{name}": value for name, value in settings.items()}
        self._log = folder / f"{'-'.join(arguments[:2])}.log"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  our own command lines
                (sys.executable, "-m", *arguments),
                cwd=ROOT,
                env={**environ, "PYTHONPATH": PATHS},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                preexec_fn=_end_in_order,  # noqa: PLW1509  the parent has no thread but its own yet
            )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def port(self) -> int:
        """Wait until it says that it is ready; return the port it names, 0 if none. `NotStarted` if it does not."""
        output = self._process.stdout
        assert output is not None
        is_there = select.select([output], [], [], READY_SECONDS)[0]
        line = output.readline() if is_there else ""
        if "is ready" not in line:
            tail = self._log.read_text(errors="replace")[-LOG_TAIL_CHARACTERS:]
            raise NotStarted(f"{self._log.stem} did not start: {line}{tail}")
        port = line.strip().rstrip("/").rpartition(":")[2]
        return int(port) if port.isdecimal() else 0

    def end(self) -> None:
        """End it in order, else at once."""
        with held_back():
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
            if self._process.returncode is None:
                self._process.kill()
                self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
