"""The command line as a person runs it: processes, exit codes, lines."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 60.0
PATHS = os.pathsep.join(map(str, (ROOT, ROOT / "clients/python", ROOT / "clients/terminal")))


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line that a failure is told by."""
        lines = [line for line in self.err.splitlines() if not line.startswith("{")]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("rapid"), self.err
        return lines[0]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Ours, without any option of the server's."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAPID_")}
    return {**clean, "PYTHONPATH": PATHS, **(extra or {})}


async def start(*arguments: object, env: Mapping[str, str] | None = None) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "rapid", *map(str, arguments)),
        cwd=ROOT,
        env=environment(env),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def rapid(*arguments: object, given: bytes = b"", env: Mapping[str, str] | None = None) -> Ran:
    """Run a command to its end."""
    process = await start(*arguments, env=env)
    async with asyncio.timeout(PATIENCE_SECONDS):
        out, err = await process.communicate(given)
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


class Server:
    """`rapid serve` (or `gateway`) until its block ends."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.url = ""
        self._errors: list[bytes] = []
        self._reading: asyncio.Task[None] | None = None

    async def until_ready(self) -> None:
        assert self.process.stdout is not None
        self._reading = asyncio.create_task(self._read_errors())
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = (await self.process.stdout.readline()).decode()
        assert line.startswith("rapid is ready: http://"), (line, self.log)
        self.url = line.removeprefix("rapid is ready: ").strip()

    async def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.process.returncode is None:
            self.process.send_signal(how)
        async with asyncio.timeout(PATIENCE_SECONDS):
            code = await self.process.wait()
        if self._reading is not None:
            await self._reading
        return code

    @property
    def log(self) -> str:
        return b"".join(self._errors).decode()

    async def _read_errors(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self._errors.append(line)


@asynccontextmanager
async def serving(
    *options: object, command: str = "serve", env: Mapping[str, str] | None = None
) -> AsyncIterator[Server]:
    server = Server(await start(command, "--host", "127.0.0.1", "--port", "0", "--dev", *options, env=env))
    try:
        await server.until_ready()
        yield server
    finally:
        await server.end()
