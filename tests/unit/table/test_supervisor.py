"""Shards between workers: taken from the dead, handed over one by one, never left to nobody (DESIGN decision 5)."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from rapid.store import Limits, MemoryClock, MemoryStore, memory_store
from rapid.table.ports import id_order, shard_of
from rapid.table.worker import Worker
from tests.integration.worker_bench import POLL_SECONDS, Bench

SHARDS = 8
LEASE_MS = 400
TABLES = [
    next(name for n in range(10_000) if shard_of(name := f"table{n:07}", SHARDS) == shard) for shard in range(SHARDS)
]


@pytest.fixture
async def world():
    limits = Limits(lease_ms=LEASE_MS, worker_dead_ms=LEASE_MS, planned_ms=60_000)
    return memory_store(shards=SHARDS, limits=limits, clock=MemoryClock(ticking=True)).world


@asynccontextmanager
async def working(world, name):
    worker = Worker(MemoryStore(world), name, beat_seconds=LEASE_MS / 4000)
    task = asyncio.create_task(worker.run())
    try:
        yield worker, task
    finally:
        if not task.done():
            await worker.stop()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def tables_on(world):
    """A table in each shard, in the middle of a trick."""
    async with AsyncExitStack() as opened:
        benches = [Bench(MemoryStore(world), table) for table in TABLES]
        for bench in benches:
            opened.push_async_callback(bench.close)
            await bench.open(race_seconds=60)
        yield benches


async def until(holds):
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(POLL_SECONDS)


def shares(*workers):
    return [len(worker.runner.charge.shards) for worker in workers]


async def test_R9_a_worker_that_leaves_hands_over_one_table_at_a_time_and_every_deadline_is_kept(world, monkeypatch):
    async with working(world, "w1") as (one, _), tables_on(world) as benches, working(world, "w2") as (two, _):
        await until(lambda: shares(one, two) == [SHARDS // 2] * 2)
        before = [await bench.state() for bench in benches]
        without_owner, most = set(), 0
        release = one.supervisor._stores.lease.release

        async def watched(shard, worker, *, planned):
            nonlocal most
            assert planned
            without_owner.difference_update([number for number in without_owner if number in two.runner.charge.shards])
            without_owner.add(shard)
            most = max(most, len(without_owner))
            await release(shard, worker, planned=planned)

        monkeypatch.setattr(one.supervisor._stores.lease, "release", watched)
        await one.stop()
        await until(lambda: shares(two) == [SHARDS])
        assert most == 1
        for bench, state in zip(benches, before, strict=True):
            assert (await bench.state()).deadline == state.deadline
            await bench.race()
            await bench.until_all_answered()
            await bench.judge()


async def test_R9_a_newcomer_is_handed_its_share_and_every_deadline_is_kept(world):
    async with working(world, "w1") as (one, _), tables_on(world) as benches:
        before = [await bench.state() for bench in benches]
        async with working(world, "w2") as (two, _), working(world, "w3") as (three, _):
            await until(lambda: max(shares(one, two, three)) <= 3 and sum(shares(one, two, three)) == SHARDS)
            for bench, state in zip(benches, before, strict=True):
                assert (await bench.state()).deadline == state.deadline


async def test_who_comes_next_and_never_serves_holds_up_a_leaving_worker_for_a_moment_only(world):
    async with working(world, "w1") as (one, _), tables_on(world):
        idle = MemoryStore(world)
        beating = asyncio.create_task(beat_without_end(idle))
        await until(lambda: "idle" in world.data.workers)
        await one.stop()
        beating.cancel()
        assert await idle.lease.owners(range(SHARDS)) == {}
        assert all([await idle.lease.was_planned(shard) for shard in range(SHARDS)])


async def beat_without_end(store):
    while True:
        await store.lease.beat("idle")
        await asyncio.sleep(POLL_SECONDS)


async def test_the_shards_of_a_dead_worker_are_served_again_soon_behind_its_lease(world):
    loop = asyncio.get_running_loop()
    async with working(world, "w1") as (one, task), tables_on(world) as benches, working(world, "w2") as (two, _):
        await until(lambda: shares(one, two) == [SHARDS // 2] * 2)
        died_s = loop.time()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: shares(two) == [SHARDS])
        assert loop.time() - died_s < 4 * LEASE_MS / 1000
        for bench in benches:
            await bench.race()
            await bench.until_all_answered()
            await bench.judge()


async def test_while_it_hands_over_a_worker_keeps_what_is_still_its_own(world, monkeypatch):
    """The rest is served and leased for as long as handing over takes, be it longer than a lease."""
    async with working(world, "w1") as (one, _), tables_on(world), working(world, "w2") as (two, _):
        await until(lambda: shares(one, two) == [SHARDS // 2] * 2)
        store, slow = MemoryStore(world), one.supervisor._is_served_elsewhere
        owned_by_nobody = []

        async def slowly(shard):
            await asyncio.sleep(LEASE_MS / 2000)
            owners = await store.lease.owners(range(SHARDS))
            kept = one.runner.charge.owned
            owned_by_nobody.extend(number for number in kept if owners.get(number) != "w1")
            return await slow(shard)

        monkeypatch.setattr(one.supervisor, "_is_served_elsewhere", slowly)
        await one.stop()
        assert owned_by_nobody == []
        await until(lambda: shares(two) == [SHARDS])
        tails = await store.log.tail(TABLES)
        assert all(id_order(tail.id)[0] > 1 for tail in tails.values())
