"""A Redis whose memory is full refuses what would need more (`noeviction`): said, nothing half done, and it goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import redis.asyncio

from rapid.errors import StoreUnavailable
from rapid.table.ports import Commit, stamp_of
from tests.contract.bench import LIMITS, RedisBench
from tests.contract.samples import FIRST, SECOND, SHARD, commit, entry, ids, opening, owned, record, refused, row


@asynccontextmanager
async def full(bench: RedisBench) -> AsyncIterator[None]:
    async with redis.asyncio.Redis.from_url(bench._server.url) as client:
        await client.config_set("maxmemory", "1")
        try:
            yield
        finally:
            await client.config_set("maxmemory", "0")


async def everything(bench: RedisBench) -> dict[bytes, bytes]:
    """All that Redis holds, leases left out: they end by themselves."""
    async with redis.asyncio.Redis.from_url(bench._server.url) as client:
        keys = [key for key in await client.keys("*") if not key.endswith(b":lease")]
        return {key: await client.dump(key) for key in keys}


async def test_every_write_is_refused_whole_and_reading_goes_on(real_bench: RedisBench):
    store = real_bench.store
    epoch = await owned(store, FIRST)
    await store.presence.beat("g1")
    await store.presence.enter(FIRST, 0, "g1", 1)
    await store.inbox.post([entry(1)])
    before = await everything(real_bench)
    async with full(real_bench):
        writes = [
            store.inbox.post([entry(2), entry(3)]),
            store.inbox.set_cursor(SHARD, epoch, "5-5"),
            store.log.commit([commit(epoch, 2), commit(epoch, 3)]),
            store.log.commit([Commit(FIRST, epoch, 2, record(2), row(phase="playing"))]),
            store.log.commit([Commit(FIRST, epoch, 2, record(2), closes=True)]),
            store.log.commit([opening(epoch, SECOND)]),
            store.log.answer([refused(1)]),
            store.lease.beat("w1"),
            store.lease.acquire(SHARD, "w1"),
            store.lease.acquire(1, "w1"),
            store.lease.raise_epoch(SHARD, "w1", 9),
            store.lease.renew([SHARD], "w1"),
            store.presence.enter(FIRST, 1, "g1", 2),
            store.presence.watch(FIRST, "g1", 3),
            store.presence.beat("g2"),
        ]
        outcomes = await asyncio.gather(*writes, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * len(writes)
        assert await store.ready()
        assert await ids(store) == ["1-1"]
        assert await store.listing.row(FIRST) == row()
        assert await everything(real_bench) == before
    assert await store.log.commit([commit(epoch, 2), opening(epoch, SECOND)]) == [True, True]
    assert len(await store.inbox.post([entry(2)])) == 1
    assert await ids(store) == ["1-1", "1-2"]


async def test_a_claim_that_is_refused_leaves_the_log_as_it_was(real_bench: RedisBench):
    await owned(real_bench.store, FIRST)
    await real_bench.store.lease.raise_epoch(SHARD, "w1", 2)
    async with full(real_bench):
        with pytest.raises(StoreUnavailable):
            await real_bench.store.log.claim(SHARD, [FIRST], 2)
        assert await ids(real_bench.store) == ["1-1"]
    assert await real_bench.store.log.claim(SHARD, [FIRST], 2) == [True]


async def test_what_makes_room_is_done_all_the_same(real_bench: RedisBench):
    """Seats are left, shards given up, and what is decided and old leaves the inbox, with the cursor noted."""
    store = real_bench.store
    epoch = await store.lease.acquire(SHARD, "w1")
    await store.presence.beat("g1")
    await store.presence.enter(FIRST, 0, "g1", 1)
    posted = await store.inbox.post([entry(ref) for ref in range(390)])

    async def is_old() -> bool:
        return await store.clock.read_ms() > stamp_of(posted[-1]) + LIMITS.inbox_kept_ms

    await real_bench.until(is_old)
    async with full(real_bench):
        await store.inbox.set_cursor(SHARD, epoch, posted[-1])
        assert await store.inbox.cursor(SHARD) == posted[-1]
        assert (await store.inbox.lengths())[SHARD] < 200
        assert await store.presence.leave(FIRST, 0, "g1", 1)
        await store.lease.release(SHARD, "w1", planned=True)
        assert await store.lease.owners([SHARD]) == {}
    read = await store.inbox.read({SHARD: posted[-1]}, limit=9, block_ms=0)
    assert [type(one.entry.intent).__name__ for one in read] == ["Disconnect"]
