"""A worker on the storage twin, whose faults are exact: lost answers, outages, lost tails, fences (DESIGN 5, 10)."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from msgspec import structs

from rapid.engine.intents import AddBot, CloseTable, Connect, Leave, Newcomer, OpenTable, Pass, TakeSeat
from rapid.engine.timers import fire_due
from rapid.rules.presets import PRESIDENT
from rapid.rules.settings import default_settings
from rapid.store import MemoryClock, MemoryStore, memory_store
from rapid.table.ports import shard_of
from rapid.table.worker import Worker
from rapid.wire.records import Ask, Entry
from tests.integration.worker_bench import POLL_SECONDS, TABLE, Bench, moves_of

SHARDS = 4


@pytest.fixture
async def bench():
    store = memory_store(shards=SHARDS, clock=MemoryClock(ticking=True))
    bench = Bench(store)
    yield bench
    await bench.close()


@asynccontextmanager
async def working(bench, name="w1"):
    """A worker with a link of its own to the same twin."""
    store = MemoryStore(bench.store.world)
    worker = Worker(store, name)
    task = asyncio.create_task(worker.run())
    try:
        async with asyncio.timeout(10):
            await worker.supervisor.ready.wait()
        yield worker, store.link
    finally:
        await worker.stop()
        await task


async def finish(bench):
    await bench.until_all_answered()
    await bench.judge()


class Nth:
    """Makes the n-th call of a method from now on take effect and lose its answer."""

    def __init__(self, monkeypatch, owner, name, link, n=1):
        self.calls = 0
        original = getattr(owner, name)

        async def call(*args, **kwargs):
            self.calls += 1
            if self.calls == n:
                link.lose_answers()
            return await original(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)


@pytest.mark.parametrize("n", [1, 2, 3])
async def test_a_commit_whose_answer_was_lost_is_read_back_not_repeated(bench, monkeypatch, n):
    async with working(bench) as (worker, link):
        await bench.open()
        await bench.until_all_answered()
        fault = Nth(monkeypatch, worker.runner._stores.log, "commit", link, n)
        while fault.calls <= n:
            await bench.race()
            await bench.until_all_answered()
        assert await bench.events("resumed")
        await finish(bench)


async def test_refusals_whose_sending_failed_are_answered_all_the_same(bench, monkeypatch):
    async with working(bench) as (worker, link):
        await bench.open()
        await bench.until_all_answered()
        fault = Nth(monkeypatch, worker.runner._stores.log, "answer", link)
        await bench.ask(Pass(1, 1), AddBot(2))
        await bench.until_all_answered()
        assert fault.calls
        await finish(bench)


async def test_a_store_that_is_away_for_a_while_is_waited_for(bench):
    async with working(bench) as (worker, link):
        await bench.open()
        await bench.race()
        link.cut()
        state = await bench.state()
        await bench.ask(*moves_of(state))
        async with asyncio.timeout(10):
            while worker.is_ready:
                await asyncio.sleep(POLL_SECONDS)
        assert (await bench.state()) == state
        link.mend()
        await bench.until(lambda now: now.seq > state.seq)
        await finish(bench)
        async with asyncio.timeout(10):
            await worker.supervisor.ready.wait()


async def test_a_store_that_comes_back_as_another_run_without_its_tail_is_folded_anew(bench):
    world = bench.store.world
    async with working(bench):
        await bench.open()
        await bench.race()
        await bench.until_all_answered()
        checkpoint, kept = world.checkpoint(), await bench.state()
        await bench.race()
        await bench.until_all_answered()
        assert (await bench.state()).seq > kept.seq
        world.restart(checkpoint)
        again = Bench(bench.store)
        resumed = await again.until_event("resumed")
        assert resumed
        state = await again.state()
        assert state.seq == kept.seq + 1
        # It goes on from there, over no hole.
        played = len(await again.events("played"))
        await bench.store.inbox.post([Entry(TABLE, move) for move in moves_of(state)])
        await again.until_event("played", played + 1)
        seqs = [record.seq for record in await again.records()]
        assert seqs == sorted(set(seqs))


async def test_a_worker_whose_shard_was_taken_stops_writing_at_the_fence(bench):
    """Its lease says nothing to it: only the epoch does."""
    async with working(bench) as (worker, _):
        await bench.open()
        await bench.until_all_answered()
        shard = shard_of(TABLE, SHARDS)
        old = worker.runner.charge.shards[shard].epoch
        # Another one raises the epoch under the same lease, as if a stalled owner had come back.
        assert await bench.store.lease.raise_epoch(shard, worker.name, old + 5) == old + 5
        await bench.ask(*moves_of(await bench.state()))
        (resumed,) = await bench.until_event("resumed")
        assert resumed.epoch > old + 4
        await finish(bench)


async def another_raised_the_epoch(bench, worker, shard):
    """Under the same lease, as if a stalled owner had come back."""
    await bench.store.lease.raise_epoch(shard, worker.name, worker.runner.charge.shards[shard].epoch + 5)


async def its_tail_was_lost(bench, worker, shard):
    """By a Redis that was restarted, which the worker has not noticed yet."""
    log = bench.store.world.data.logs[TABLE]
    log.entries.pop()
    log.last_id = log.entries[-1][0]
    bench._entries.clear()  # what it has read of the log


@pytest.mark.parametrize("happened", [another_raised_the_epoch, its_tail_was_lost])
async def test_an_owner_of_yesterday_refuses_nothing(bench, happened):
    """Found by the simulation: a refusal does not go to the log, so no fence was in its way."""
    async with working(bench) as (worker, _):
        await bench.open()
        await bench.until_all_answered()
        shard, log = shard_of(TABLE, SHARDS), worker.runner._stores.log
        said, answer = [], log.answer

        async def noting(answers):
            said.append((worker.runner.charge.shards.get(shard), [one.refusal.why for one in answers]))
            await answer(answers)

        log.answer = noting
        stale = worker.runner.charge.shards[shard]
        await happened(bench, worker, shard)
        await bench.ask(Pass(1, 1))
        (resumed,) = await bench.until_event("resumed")
        await bench.until_all_answered()
        assert said
        assert all(owner is not stale and owner.epoch == resumed.epoch for owner, _ in said)
        await finish(bench)


async def test_a_shard_handed_over_while_a_batch_is_written_is_let_go_behind_it(bench, monkeypatch):
    """Whoever takes it next goes on behind what was decided, and nobody who asked is left without an answer."""
    async with working(bench) as (worker, _):
        await bench.open()
        await bench.until_all_answered()
        runner, shard = worker.runner, shard_of(TABLE, SHARDS)
        commit, leaving, was_served = runner._stores.log.commit, [], []

        async def handing_over(commits):
            if not leaving:
                leaving.append(asyncio.create_task(runner.hand_over(shard)))
                await asyncio.sleep(0)
            written = await commit(commits)
            was_served.append(shard in runner.charge.shards)
            return written

        monkeypatch.setattr(runner._stores.log, "commit", handing_over)
        await bench.ask(*moves_of(await bench.state()))
        while not leaving:
            await asyncio.sleep(POLL_SECONDS)
        left = await leaving[0]
        assert was_served == [True]
        assert left.cursor == left.tables[TABLE]._cursor == await bench.store.inbox.cursor(shard)
        assert left.tables[TABLE].state == await bench.state()
        assert shard not in runner.charge.shards
        await bench.store.lease.release(shard, worker.name, planned=True)
        await finish(bench)


async def test_a_store_that_forgot_its_epochs_is_claimed_above_what_the_logs_hold(bench):
    shard = shard_of(TABLE, SHARDS)
    async with working(bench) as (worker, _):
        await bench.open()
        await bench.until_all_answered()
        before = worker.runner.charge.shards[shard].epoch
    bench.store.world.data.epochs[shard] = 0
    async with working(bench, "w2") as (worker, _):
        assert worker.runner.charge.shards[shard].epoch > before
        await bench.race()
        await finish(bench)


async def test_a_shard_taken_anew_has_a_new_epoch_even_without_tables(bench):
    """A table whose opening is still on its way has no log yet that could be claimed: the epoch alone refuses it."""
    async with working(bench) as (worker, _):
        charge = worker.runner.charge
        before = {number: shard.epoch for number, shard in charge.shards.items()}
        charge.retake(list(charge.shards), "a test")
        async with asyncio.timeout(10):
            while len(charge.shards) < SHARDS:
                await asyncio.sleep(POLL_SECONDS)
        assert all(charge.shards[number].epoch > epoch for number, epoch in before.items())


async def test_entries_of_a_table_that_was_opened_and_closed_before_come_again_and_do_nothing(bench):
    short = "table0000009"
    shard = shard_of(short, SHARDS)
    settings = structs.replace(default_settings(PRESIDENT), bot_delay_ms=0)
    entries = [
        Entry(short, OpenTable(short, settings, Newcomer("Ann", "hash"), 0), Ask("g", 1)),
        Entry(short, Connect(0)),
        Entry(short, Leave(0), Ask("g", 2)),
        Entry(short, TakeSeat(Newcomer("Ben", "hash")), Ask("g", 3)),
    ]
    async with working(bench):
        await bench.store.inbox.post(entries)
        closed = Bench(bench.store, short)
        await closed.until_event("table_closed")
    before = await bench.store.log.read(short, "0-0", limit=100)
    for life in ("w2", "w3"):
        bench.store.world.data.cursors[shard] = "0-0"
        async with working(bench, life) as (worker, _):
            await bench.open() if life == "w2" else await bench.race()
            await bench.until_all_answered()
            async with asyncio.timeout(10):
                while worker.runner.charge.shards[shard].cursor == "0-0":
                    await asyncio.sleep(POLL_SECONDS)
    assert await bench.store.log.read(short, "0-0", limit=100) == before
    await finish(bench)


async def test_a_table_that_fails_by_itself_is_set_aside_and_its_neighbour_goes_on(bench, monkeypatch):
    other = next(f"table{n:07}" for n in range(2, 99) if shard_of(f"table{n:07}", SHARDS) == shard_of(TABLE, SHARDS))
    neighbour = Bench(bench.store, other)

    def fails_at_one(state, at):
        if state.table == TABLE:
            raise RuntimeError("a bug")
        return fire_due(state, at)

    async with working(bench) as (worker, _):
        await bench.open(race_seconds=0.2)
        await neighbour.open()
        await bench.until_all_answered()
        monkeypatch.setattr("rapid.table.authority.fire_due", fails_at_one)
        async with asyncio.timeout(10):
            while not worker.runner.charge.shards[shard_of(TABLE, SHARDS)].aside:
                await asyncio.sleep(POLL_SECONDS)
        await bench.ask(*moves_of(await bench.state()))
        await neighbour.race()
        await bench.until_all_answered()
        assert {answer.refusal.why for answer in bench.refused} == {"unavailable"}
        await finish(neighbour)
        await neighbour.close()


async def test_bytes_that_are_no_entry_are_passed_over(bench):
    async with working(bench):
        await bench.open()
        bench.store.world.post(TABLE, b"\xc1 no entry")
        await bench.race()
        await finish(bench)


async def test_a_worker_that_is_stopped_leaves_every_shard_free_and_planned(bench):
    async with working(bench):
        await bench.open(race_seconds=60)
        before = await bench.state()
    assert await bench.store.lease.owners(range(SHARDS)) == {}
    async with working(bench, "w2"):
        (resumed,) = await bench.until_event("resumed")
        assert resumed.deadline == before.deadline
        await bench.ask(CloseTable())
        await bench.until_event("table_closed")
        await finish(bench)


async def test_a_worker_that_is_stopped_while_it_takes_shards_keeps_none(bench, monkeypatch):
    """A lease that nobody serves would keep its tables from everybody until it has run out."""
    store = MemoryStore(bench.store.world)
    worker = Worker(store, "w1")
    original, is_asking, may_go_on = store.lease.acquire, asyncio.Event(), asyncio.Event()

    async def slow(shard, name):
        is_asking.set()
        await may_go_on.wait()
        return await original(shard, name)

    monkeypatch.setattr(store.lease, "acquire", slow)
    running = asyncio.create_task(worker.run())
    await is_asking.wait()
    stopping = asyncio.create_task(worker.stop())
    await asyncio.sleep(0)
    may_go_on.set()
    await stopping
    await running
    assert await bench.store.lease.owners(range(SHARDS)) == {}
    assert worker.runner.charge.owned == set()


@pytest.mark.parametrize("is_planned", [True, False])
async def test_R9_a_hand_over_handed_on_by_a_worker_that_was_only_taking_it_is_as_planned_as_before(
    bench, monkeypatch, is_planned
):
    """A rolling restart may stop a worker in the moment in which it takes a shard from the one before."""
    for shard in range(SHARDS):
        await bench.store.lease.acquire(shard, "w0")
        await bench.store.lease.release(shard, "w0", planned=is_planned)
    store = MemoryStore(bench.store.world)
    worker = Worker(store, "w1")
    is_taking = asyncio.Event()

    async def never(_shard):
        is_taking.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(store.log, "tables", never)
    running = asyncio.create_task(worker.run())
    await is_taking.wait()
    await worker.stop()
    await running
    assert await bench.store.lease.owners(range(SHARDS)) == {}
    assert [await bench.store.lease.was_planned(shard) for shard in range(SHARDS)] == [is_planned] * SHARDS
