"""Redis away, restarted, or with a tail lost: every call says so and everything resumes by itself."""

import asyncio

import pytest

from rapid.errors import StoreUnavailable
from tests.contract.bench import Bench
from tests.contract.samples import FIRST, SHARD, commit, entry, ids, opening, owned, refused, row


async def test_every_call_says_that_redis_is_away(bench: Bench):
    await owned(bench.store, FIRST)
    store = bench.store
    await bench.go_away()
    assert not await store.ready()
    calls = [
        store.inbox.post([entry(1)]),
        store.inbox.read({SHARD: "0-0"}, limit=1, block_ms=100),
        store.inbox.find(entry(1), 0),
        store.inbox.set_cursor(SHARD, 1, "1-1"),
        store.inbox.cursor(SHARD),
        store.log.commit([commit(1, 2)]),
        store.log.claim(SHARD, [FIRST], 1),
        store.log.read(FIRST, "0-0", limit=1),
        store.log.tail([FIRST]),
        store.log.last_epochs([FIRST]),
        store.log.last_ids([FIRST]),
        store.log.tables(SHARD),
        store.log.answer([refused(1)]),
        store.lease.beat("w1"),
        store.lease.acquire(SHARD, "w1"),
        store.lease.raise_epoch(SHARD, "w1", 2),
        store.lease.renew([SHARD], "w1"),
        store.lease.owners([SHARD]),
        store.lease.release(SHARD, "w1", planned=False),
        store.lease.was_planned(SHARD),
        store.lease.retire("w1"),
        store.presence.enter(FIRST, 0, "g1", 1),
        store.presence.leave(FIRST, 0, "g1", 1),
        store.presence.watch(FIRST, "g1", 1),
        store.presence.spectators([FIRST]),
        store.presence.beat("g1"),
        store.presence.reap(),
        store.presence.retire("g1"),
        store.listing.row(FIRST),
        store.listing.public(1),
        store.listing.count(),
        store.run_id(),
    ]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * len(calls)
    await bench.come_back()
    assert await store.ready()
    assert await store.listing.row(FIRST) == row()
    assert await ids(store) == ["1-1"]


async def test_a_blocked_read_ends_when_redis_goes_away_and_goes_on_after(bench: Bench):
    reading = asyncio.ensure_future(bench.store.inbox.read({SHARD: "0-0"}, limit=9, block_ms=60_000))
    await asyncio.sleep(0)
    await bench.go_away()
    with pytest.raises(StoreUnavailable):
        await reading
    (one,) = await bench.owner.inbox.post([entry(1)])
    await bench.come_back()
    read = await bench.store.inbox.read({SHARD: "0-0"}, limit=9, block_ms=60_000)
    assert [posted.id for posted in read] == [one]


async def test_a_restarted_redis_is_another_run_and_has_kept_everything(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    await bench.store.log.commit([commit(epoch, 2)])
    before = await bench.store.run_id()
    assert await bench.owner.run_id() == before
    await bench.restart()
    await bench.until(bench.owner.ready)
    after = await bench.store.run_id()
    assert after != before
    assert await bench.owner.run_id() == after
    assert await ids(bench.store) == ["1-1", "1-2"]
    assert await bench.store.listing.row(FIRST) == row()
    # Scripts that the new run does not know are told it; nothing runs twice.
    assert await bench.store.log.commit([commit(epoch, 3), commit(epoch, 4), commit(epoch, 4)]) == [True, True, False]


async def test_the_store_is_ready(bench: Bench):
    assert await bench.store.ready()


async def test_the_clock_is_that_of_the_streams(bench: Bench):
    """PROTOCOL 1: within 20 ms."""
    before_ms = bench.store.clock.now_ms()
    redis_ms = await bench.store.clock.read_ms()
    after_ms = bench.store.clock.now_ms()
    assert before_ms - 20 <= redis_ms <= after_ms + 20
    assert after_ms >= before_ms


async def test_the_same_table_cannot_be_opened_by_two_owners(bench: Bench):
    await bench.store.lease.acquire(SHARD, "w1")
    opened = await asyncio.gather(bench.store.log.commit([opening(1)]), bench.owner.log.commit([opening(1)]))
    assert sorted(opened) == [[False], [True]]
