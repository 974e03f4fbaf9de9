"""The server under test as its own processes, started by its command line, and a Redis of their own."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rapid.store.embedded import EmbeddedRedis

ROOT: Final = Path(__file__).parents[2]
PATHS: Final = os.pathsep.join(map(str, (ROOT, ROOT / "clients/python", ROOT / "clients/terminal")))
READY_SECONDS: Final = 60.0
END_SECONDS: Final = 30.0
# What is judged is not how many messages one client may send.
NO_LIMITS: Final = {
    f"RAPID_{what}": "1000000"
    for what in (
        "MESSAGES_PER_SECOND",
        "MESSAGES_BURST",
        "INTENTS_PER_SECOND",
        "INTENTS_BURST",
        "TABLES_PER_ADDRESS_BURST",
        "TABLES_PER_ADDRESS_PER_MINUTE",
    )
}
# A disk that is full for so many bytes more than lie there already.
ROOM_LEFT_BYTES: Final = 4_096


class Process:
    """`rapid gateway` or `rapid worker`; what it logs goes to a file."""

    def __init__(self, kind: str, redis_url: str, log: Path, *options: str) -> None:
        self.kind = kind
        self.log = log
        self.base = ""
        """Of a gateway: the address that clients use."""
        self._command = (sys.executable, "-m", "rapid", kind, "--redis", redis_url, *options)
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it says that it is ready."""
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                cwd=ROOT,
                env=_environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            line = (await self._process.stdout.readline()).decode()
        if "is ready" not in line:
            raise RuntimeError(f"{self.kind} did not start: {line!r}; see {self.log}")
        if self.kind == "gateway":
            self.base = line.partition(": ")[2].strip()

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended, stopped or not."""
        return self._process is not None and self._process.returncode is None

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        if self.is_running:
            os.kill(self.pid, number)

    async def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send the signal and wait for the end; its exit code, negative if killed."""
        assert self._process is not None
        self.send(how)
        self.send(signal.SIGCONT)
        async with asyncio.timeout(END_SECONDS):
            return await self._process.wait()


class Redis:
    """A server of our own in a folder of our own, append-only file on."""

    def __init__(self, folder: Path, *, is_bundled: bool = False) -> None:
        """`is_bundled`: the one that comes along (6.2), not what the machine has."""
        self._server = EmbeddedRedis(folder, search_path="" if is_bundled else None)
        self._files = folder / "redis"
        self.url = self._server.url

    async def start(self) -> None:
        """Start it, with what it kept."""
        await self._server.start()

    async def stop(self) -> None:
        """End it in order."""
        await self._server.stop()

    async def kill(self) -> None:
        """End it as a crash would."""
        os.kill(self.pid, signal.SIGKILL)
        await self._server.stop()

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._server.pid is not None
        return self._server.pid

    def fill_disk(self) -> None:
        """Let no file of the server grow any more: its writes fail as those to a full disk do.

        A limit of the process, so that no root is needed. Redis treats every error of a write to its append-only
        file alike; without room it refuses commands that write (MISCONF) until a write goes well again.
        """
        size = max(file.stat().st_size for file in self._files.rglob("*.aof"))
        self._limit_files(size + ROOM_LEFT_BYTES)

    def free_disk(self) -> None:
        """End of that."""
        self._limit_files(resource.RLIM_INFINITY)

    def _limit_files(self, size_bytes: int) -> None:
        _, hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (size_bytes, hard))


def _environment() -> Mapping[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAPID_")}
    return {**clean, "PYTHONPATH": PATHS, **NO_LIMITS}
