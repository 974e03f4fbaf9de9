"""A worker, a gateway and a Redis as processes of their own, on a folder that goes with them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from loadtests.life.memory import Held, held_by, held_by_redis
from rapid.store.embedded import EmbeddedRedis

READY_SECONDS = 60.0
END_SECONDS = 30.0
ROOT = Path(__file__).parents[2]
# One address opens them all, faster than any person.
LIMITS = {"RAPID_TABLES_PER_ADDRESS_BURST": "100000", "RAPID_TABLES_PER_ADDRESS_PER_MINUTE": "1000000"}
SECONDS_PER_DAY = 86_400


class Servers:
    """What is measured; `url` is the gateway's."""

    def __init__(self, redis: EmbeddedRedis, url: str, processes: dict[str, asyncio.subprocess.Process]) -> None:
        self.redis = redis
        self.url = url
        self._processes = processes

    async def held(self) -> list[Held]:
        """Collect garbage everywhere, and return what is held then."""
        for process in self._processes.values():
            process.send_signal(signal.SIGUSR1)
        await asyncio.sleep(2)
        assert self.redis.pid is not None
        ours = [held_by(name, process.pid) for name, process in self._processes.items()]
        return [*ours, await held_by_redis(self.redis.url, self.redis.pid)]


@asynccontextmanager
async def servers(data: Path, *, log_kept_seconds: float) -> AsyncIterator[Servers]:
    """Start them, and end them with the block."""
    redis, processes = EmbeddedRedis(data), dict[str, asyncio.subprocess.Process]()
    await redis.start()
    common = ("--redis", redis.url, "--log-level", "warning")
    try:
        days = repr(log_kept_seconds / SECONDS_PER_DAY)
        processes["worker"] = await _start("worker", *common, "--log-kept-days", days)
        await _ready(processes["worker"])
        processes["gateway"] = await _start("gateway", *common, "--host", "127.0.0.1", "--port", "0", "--dev")
        url = (await _ready(processes["gateway"])).rpartition(" ")[2]
        yield Servers(redis, url, processes)
    finally:
        for process in reversed(processes.values()):
            process.terminate()
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
        await redis.stop()


async def _start(*arguments: str) -> asyncio.subprocess.Process:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RAPID_")}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "loadtests.life.collecting", *arguments),
        cwd=ROOT,
        env={**environ, **LIMITS},
        stdout=asyncio.subprocess.PIPE,
    )


async def _ready(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(READY_SECONDS):
        line = (await process.stdout.readline()).decode().strip()
    if "is ready" not in line:
        raise RuntimeError(f"did not start: {line}")
    return line
