"""The two storages that the contract is tried on, with the same handles on time and trouble."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import redis.asyncio

from rapid.store import Limits, MemoryStore, RedisStore, Store, keys, memory_store, open_store
from tests.contract.relay import Relay
from tests.simulation.redis_model import SimStore, SimWorld, simulated_store

SHARDS = 4
LIMITS = Limits(
    lease_ms=250,
    planned_ms=250,
    worker_dead_ms=250,
    gateway_dead_ms=250,
    gateway_forgotten_ms=2_000,
    log_kept_ms=400,
    inbox_kept_ms=100,
    inbox_kept=50,
    inbox_trim_every_ms=0,
    inbox_max=400,
    answers_max=500,
)
PATIENCE_S = 10.0


class Bench(Protocol):
    """`store` may be put into trouble; `owner` is another process at the same Redis, which is not."""

    store: Store
    owner: Store

    async def until(self, is_so: Callable[[], Awaitable[Any]]) -> None:
        """Let time pass until something is so."""

    async def post_bytes(self, shard: int, data: bytes) -> None:
        """Put any bytes into an inbox."""

    def lose_answer(self) -> None:
        """The next write of `store` takes effect, its answer is lost."""

    async def go_away(self) -> None:
        """Nothing answers `store`, its subscriptions are broken."""

    async def come_back(self) -> None:
        """End of that."""

    async def restart(self) -> None:
        """End Redis and start it again with what it kept."""


class MemoryBench:
    def __init__(self) -> None:
        self.store: MemoryStore = memory_store(shards=SHARDS, limits=LIMITS)
        self.owner = MemoryStore(self.store.world)
        self._world = self.store.world

    async def until(self, is_so: Callable[[], Awaitable[Any]]) -> None:
        for _ in range(1_000):
            if await is_so():
                return
            self.store.clock.advance(10)
            await asyncio.sleep(0)
        raise AssertionError("never so")

    async def post_bytes(self, shard: int, data: bytes) -> None:
        self._world.data.inboxes[shard].add(data, self.store.clock.now_ms())

    def lose_answer(self) -> None:
        self.store.link.lose_answers()

    async def go_away(self) -> None:
        self.store.link.cut()

    async def come_back(self) -> None:
        self.store.link.mend()

    async def restart(self) -> None:
        self._world.restart()


class SimulatedBench(MemoryBench):
    """The model of Redis that the simulation runs on: a network with delays between it and each process."""

    store: SimStore
    _world: SimWorld

    def __init__(self) -> None:
        self.store = simulated_store(SHARDS, LIMITS)
        self.owner = SimStore(self.store.world)
        self._world = self.store.world

    async def until(self, is_so: Callable[[], Awaitable[Any]]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not await is_so():
                self._world.clock.advance(10)
                await asyncio.sleep(0.001)

    async def go_away(self) -> None:
        self.store.cut()

    async def come_back(self) -> None:
        self.store.mend()

    async def restart(self) -> None:
        self._world.go_down()
        self._world.come_up()
        await self.until(self.store.ready)


class RedisBench:
    def __init__(self, relay: Relay, server: Any, store: RedisStore, owner: RedisStore) -> None:
        self.relay = relay
        self._server = server
        self.store = store
        self.owner = owner

    @classmethod
    async def opened(cls, server: Any, relay_path: Path) -> "RedisBench":
        relay = Relay(relay_path, server.url.partition("unix://")[2].partition("?")[0])
        await relay.open()
        return cls(
            relay,
            server,
            await open_store(relay.url, shards=SHARDS, limits=LIMITS),
            await open_store(server.url, shards=SHARDS, limits=LIMITS),
        )

    async def closed(self) -> None:
        await self.store.close()
        await self.owner.close()
        await self.relay.cut()

    async def until(self, is_so: Callable[[], Awaitable[Any]]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not await is_so():
                await asyncio.sleep(0.01)

    async def post_bytes(self, shard: int, data: bytes) -> None:
        async with redis.asyncio.Redis.from_url(self._server.url) as client:
            await client.xadd(keys.inbox(shard), {"e": data})

    def lose_answer(self) -> None:
        self.relay.lose_answer_to(b"EVALSHA")
        self.relay.lose_answer_to((b"XADD", b"EVALSHA"))

    async def go_away(self) -> None:
        await self.relay.cut()

    async def come_back(self) -> None:
        await self.relay.open()
        await self.until(self.store.ready)

    async def restart(self) -> None:
        await self._server.restart()
        await self.until(self.store.ready)
