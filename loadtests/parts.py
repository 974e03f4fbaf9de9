"""What the benches of memory and fan-out share: server processes, what they use, and many files open."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from loadtests.life.memory import held_by
from rapid.store.embedded import EmbeddedRedis

ROOT = Path(__file__).parents[1]
HOST = "127.0.0.1"
READY_SECONDS = 60.0
SETTLE_SECONDS = 1.5
TICKS = os.sysconf("SC_CLK_TCK")
# One address opens and plays it all.
LIMITS = {
    "RAPID_TABLES_PER_ADDRESS_BURST": "1000000",
    "RAPID_INTENTS_PER_SECOND": "1000",
    "RAPID_INTENTS_BURST": "1000",
    "RAPID_MESSAGES_PER_SECOND": "1000",
    "RAPID_MESSAGES_BURST": "1000",
}


class Process:
    """A server of ours; `port` is what it listens on, 0 for a worker."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.port = port
        self.pid = process.pid
        self._process = process

    @property
    def cpu_seconds(self) -> float:
        """Return the processor time used up to now, of all threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def rss_kib(self) -> int:
        """Return what it holds in memory."""
        return held_by("", self.pid).rss_kb

    def tell(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    async def line(self) -> str:
        """Read a line it prints."""
        assert self._process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            return (await self._process.stdout.readline()).decode().strip()

    async def end(self) -> None:
        """End it."""
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.communicate()


@asynccontextmanager
async def running(module: str, *arguments: str) -> AsyncIterator[Process]:
    """Run `python -m MODULE …` until the block ends; its first line ends with its address, if it has one."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RAPID_")}
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        cwd=ROOT,
        env={**environ, **LIMITS},
        stdout=asyncio.subprocess.PIPE,
    )
    process = Process(started, 0)
    try:
        line = await process.line()
        if "ready" not in line:
            raise SystemExit(f"{module} {' '.join(arguments)} did not start: {line}")
        process.port = int(line.rpartition(":")[2]) if "://" in line else 0
        yield process
    finally:
        await process.end()


class Servers:
    """A worker, gateways and a Redis."""

    def __init__(self, redis: EmbeddedRedis, worker: Process, gateways: list[Process]) -> None:
        self.redis = redis
        self.worker = worker
        self.gateways = gateways


@asynccontextmanager
async def servers(data: Path, *, gateways: int = 1, module: str = "rapid") -> AsyncIterator[Servers]:
    """Start them, each a process of its own; `module` takes the arguments of `rapid`."""
    redis = EmbeddedRedis(data)
    await redis.start()
    common = ("--redis", redis.url, "--log-level", "warning")
    try:
        async with AsyncExitStack() as parts:
            worker = await parts.enter_async_context(running(module, "worker", *common))
            listening = ("--host", HOST, "--port", "0", "--dev")
            started = [
                await parts.enter_async_context(running(module, "gateway", *common, *listening))
                for _ in range(gateways)
            ]
            yield Servers(redis, worker, started)
    finally:
        await redis.stop()


def need_files(count: int) -> None:
    """Let this process and its children open so many files, or say what to do."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < count:
        raise SystemExit(f"this needs {count} open files, and {most} are allowed: ulimit -Hn {count}, as root")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, most))
