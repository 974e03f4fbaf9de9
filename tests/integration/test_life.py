"""Tables come and go, and nothing stays behind of them: in the worker, in the gateway, in Redis.

The whole of it, with processes and ten thousand tables: `python -m loadtests.life`.
"""

import asyncio
import gc
from collections import Counter

import aiohttp
import redis.asyncio
from msgspec import structs

from loadtests.life.table import live
from rapid.gateway import presence
from rapid.store import DEFAULT_LIMITS, open_store
from rapid.store.clock import SAMPLES
from rapid.table.timers import HEAP_SPARE
from tests.integration.gateway_bench import gateway_on, worker_on

LIMITS = structs.replace(DEFAULT_LIMITS, log_kept_ms=200, inbox_kept_ms=100, inbox_kept=100, inbox_trim_every_ms=0)
TABLES = 30
AT_ONCE = 5
PATIENCE_SECONDS = 30.0
BOUNDED = {"RedisClock._samples": SAMPLES, "Timers._heap": HEAP_SPARE}
"""What fills up to a limit and stays there."""


async def live_some(url: str, count: int) -> None:
    left = iter(range(count))
    async with aiohttp.ClientSession() as http:

        async def on() -> None:
            for _ in left:
                assert await live(http, url) > 40

        await asyncio.gather(*(on() for _ in range(AT_ONCE)))


def sizes(part: object, depth: int = 2) -> dict[str, int]:
    """Every collection that a part holds, and those of the parts it holds, by name: how many are in it."""
    found: dict[str, int] = {}
    for name, held in vars(part).items():
        if isinstance(held, dict | list | set) or type(held).__name__ == "deque":
            found[f"{type(part).__name__}.{name}"] = len(held)
        elif depth and type(held).__module__.startswith("rapid.") and hasattr(held, "__dict__"):
            found |= sizes(held, depth - 1)
    return found


def alive() -> Counter[str]:
    gc.collect()
    return Counter(f"{type(one).__module__}.{type(one).__name__}" for one in gc.get_objects())


async def test_of_thirty_tables_nothing_stays_in_memory_or_in_redis(redis_url, monkeypatch):
    monkeypatch.setattr(presence, "SAID_GONE_KEPT_S", 0.2)
    store = await open_store(redis_url, shards=2, limits=LIMITS)
    async with worker_on(redis_url, limits=LIMITS) as worker, gateway_on(store, table_idle_ms=100) as server:
        await live_some(server.url, 10)
        before = await at_rest(worker, server, redis_url)
        await live_some(server.url, TABLES)
        after = await at_rest(worker, server, redis_url)
    await store.close()
    sizes_before, objects_before, keys_before = before
    sizes_after, objects_after, keys_after = after
    assert keys_after == keys_before
    most = {name: max(size, BOUNDED.get(name, 2)) for name, size in sizes_before.items()}
    assert {name: size for name, size in sizes_after.items() if size > most[name]} == {}
    grown = objects_after - objects_before
    ours = {name: n for name, n in grown.items() if name.startswith(("rapid.", "aiohttp.web", "structlog.")) and n > 10}
    assert ours == {}, "something of every third table"
    # Python's own: caches of libraries fill up, and timers that were cancelled wait in the loop for their time.
    assert {name: n for name, n in grown.items() if n > 10 * TABLES} == {}


async def at_rest(worker, server, redis_url: str):
    """Wait until all is forgotten that is to be, and count what is left."""
    async with redis.asyncio.Redis.from_url(redis_url) as client, asyncio.timeout(PATIENCE_SECONDS):
        seats = server.gateway.seats
        while server.gateway.hub.tables or worker.open_tables or seats._said_gone or await client.keys("*:log:*"):
            await asyncio.sleep(0.05)
        keys = sorted(key for key in await client.keys("*") if not key.endswith(b":lease"))
    held = sizes(server.gateway) | sizes(worker) | sizes(worker.runner._stores)
    return held, alive(), keys
