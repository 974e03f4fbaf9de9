"""Redis, gateways and workers of one run, what can be done to them, and how long one waits for what."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import aiohttp

from loadtests.faults.relay import Relay
from loadtests.faults.servers import Process, Redis
from loadtests.faults.table import Table
from rapid.errors import StoreUnavailable
from rapid.store.redis_store import RedisStore, open_store
from rapid.table.ports import shard_of

POLL_SECONDS = 0.01
PATIENCE_SECONDS = 40.0
PACE_MS = (5.0, 40.0)


class TookTooLong(Exception):
    """Something that had to come about did not."""


class Bench:
    """Two workers and two gateways at least; whoever was ended is replaced before the next fault."""

    def __init__(self, folder: Path, redis: Redis, store: RedisStore, http: aiohttp.ClientSession) -> None:
        self.folder, self.redis, self.store, self.http = folder, redis, store, http
        self.workers: list[Process] = []
        self.gateways: list[Process] = []
        self.relays: list[Relay] = []
        self.lease_ms = 1_000
        self._numbers = itertools.count(1)

    def bases(self) -> Sequence[str]:
        """Return the addresses that clients know: those of all gateways, as a name of several addresses would be."""
        return [gateway.base for gateway in self.gateways]

    async def add(self, kind: str, *, relay: Relay | None = None) -> Process:
        """Start one more."""
        options = ("--host", "127.0.0.1", "--port", "0", "--dev") if kind == "gateway" else self._worker_options()
        url = self.redis.url if relay is None else relay.url
        process = Process(kind, url, self.folder / f"{kind}-{next(self._numbers)}.log", *options)
        await process.start()
        (self.gateways if kind == "gateway" else self.workers).append(process)
        return process

    def _worker_options(self) -> tuple[str, ...]:
        return ("--lease-ms", str(self.lease_ms))

    async def relay(self) -> Relay:
        """Open one more way to Redis, that can be blocked."""
        relay = Relay(self.folder / f"relay-{next(self._numbers)}.sock", self.redis.url)
        await relay.start()
        self.relays.append(relay)
        return relay

    def forget(self, process: Process) -> None:
        """Count no more on a process that was ended."""
        for known in (self.workers, self.gateways):
            if process in known:
                known.remove(process)

    async def open_tables(self, count: int, pace_ms: tuple[float, float] = PACE_MS) -> list[Table]:
        """Open tables and have them raced on."""
        return [await Table.open(self.http, self.bases, pace_ms=pace_ms) for _ in range(count)]

    async def owner_of(self, table: str) -> Process | None:
        """Return the worker that has the table's shard."""
        name = (await self._owners()).get(shard_of(table, self.store.shards), "")
        return next((worker for worker in self.workers if f"-{worker.pid}-" in name), None)

    async def busiest(self, tables: Sequence[Table]) -> tuple[Process, list[Table]]:
        """Return the worker with the most of these tables, and them."""
        owners = [await self.owner_of(table.table) for table in tables]
        counted = Counter(owner for owner in owners if owner is not None)
        chosen = counted.most_common(1)[0][0]
        return chosen, [table for table, owner in zip(tables, owners, strict=True) if owner is chosen]

    async def is_balanced(self) -> bool:
        """Whether every worker that runs has its share, and nobody else has any."""
        shares = Counter((await self._owners()).values())
        most = -(-self.store.shards // len(self.workers))
        return len(shares) == len(self.workers) and max(shares.values()) <= most and self._has_all(shares)

    def _has_all(self, shares: Counter[str]) -> bool:
        return sum(shares.values()) == self.store.shards

    async def until_balanced(self) -> None:
        """Wait for that."""
        await until(self.is_balanced, "the workers have not shared the shards out among themselves")

    async def _owners(self) -> dict[int, str]:
        try:
            return await self.store.lease.owners(range(self.store.shards))
        except StoreUnavailable:
            return {}

    async def stop(self) -> None:
        """End everything."""
        for process in [*self.gateways, *self.workers]:
            await process.end()
        for relay in self.relays:
            await relay.stop()


async def until(holds: Callable[[], object], otherwise: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until it holds (a value, or an awaitable one); raise `TookTooLong` with these words if it never does."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while True:
        value = holds()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return
        if loop.time() > end:
            raise TookTooLong(otherwise)
        await asyncio.sleep(POLL_SECONDS)


@contextlib.asynccontextmanager
async def bench_in(
    folder: Path, *, workers: int = 2, gateways: int = 2, lease_ms: int = 1_000, is_bundled: bool = False
) -> AsyncIterator[Bench]:
    """Start everything in a folder, and end it again."""
    redis = Redis(folder / "data", is_bundled=is_bundled)
    await redis.start()
    store = await open_store(redis.url)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        bench = Bench(folder, redis, store, http)
        bench.lease_ms = lease_ms
        try:
            for kind, count in (("worker", workers), ("gateway", gateways)):
                await asyncio.gather(*(bench.add(kind) for _ in range(count)))
            await bench.until_balanced()
            yield bench
        finally:
            await bench.stop()
            await store.close()
            await redis.stop()
