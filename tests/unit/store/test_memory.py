"""What the twin alone can do: a clock that is set, faults that are asked for."""

import asyncio

import pytest

from rapid.errors import StoreUnavailable
from rapid.store import MemoryClock, MemoryStore, memory_store
from tests.contract.samples import FIRST, commit, ids, opening


@pytest.fixture
async def store() -> MemoryStore:
    store = memory_store(shards=4)
    assert await store.lease.acquire(0, "w1") == 1
    assert await store.log.commit([opening(1)]) == [True]
    return store


async def test_time_stands_until_it_is_set():
    clock = MemoryClock(500)
    assert clock.now_ms() == 500
    clock.set(700)
    clock.advance(5)
    assert await clock.read_ms() == 705


async def test_time_does_not_run_backwards():
    with pytest.raises(AssertionError):
        MemoryClock(500).set(499)


async def test_a_ticking_clock_ends_a_blocking_read_by_itself():
    store = memory_store(clock=MemoryClock(ticking=True))
    start_ms = store.clock.now_ms()
    assert await store.inbox.read({0: "0-0"}, limit=1, block_ms=20) == []
    assert store.clock.now_ms() >= start_ms + 20


async def test_a_machine_that_was_lost_comes_back_without_the_unsynced_tail(store: MemoryStore):
    feed = store.feed("g1")
    await feed.follow(FIRST)
    synced = store.world.checkpoint()
    await store.log.commit([commit(1, 2)])
    deliveries = feed.deliveries()
    assert (await anext(deliveries)).id == "1-2"
    before = await store.run_id()
    store.world.restart(synced)
    assert await store.run_id() != before
    assert await ids(store) == ["1-1"]
    # The owner's next id does not follow, so the hole is not written over.
    assert await store.log.commit([commit(1, 3)]) == [False]
    assert (await anext(deliveries)).blind


async def test_faults_are_those_of_one_process(store: MemoryStore):
    other = MemoryStore(store.world)
    store.link.cut()
    with pytest.raises(StoreUnavailable):
        await store.log.tables(0)
    assert await other.log.tables(0) == [FIRST]
    store.link.mend()
    assert await store.log.tables(0) == [FIRST]


async def test_calls_let_others_run(store: MemoryStore):
    order: list[str] = []

    async def busy() -> None:
        for _ in range(3):
            await store.log.tables(0)
            order.append("busy")

    async def other() -> None:
        order.append("other")

    await asyncio.gather(busy(), other())
    assert order[0] == "other"


async def test_a_closed_feed_hears_nothing_more(store: MemoryStore):
    feed = store.feed("g1")
    await feed.follow(FIRST)
    await store.close()
    await store.log.commit([commit(1, 2)])
    assert store.world.feeds == []
