"""kill -9 of the worker that owns the table, another process takes over: nothing accepted is lost or applied twice."""

import asyncio
import signal
from collections import Counter

import pytest

from rapid.cards.cardset import card_names
from rapid.engine.intents import EndGame, Give, NextRound
from rapid.table.ports import shard_of
from tests.integration.worker_bench import POLL_SECONDS, TABLE, Bench, WorkerProcess, bench_on, worker_processes


@pytest.fixture
async def bench(redis_url):
    async with bench_on(redis_url) as bench:
        yield bench


@pytest.fixture
async def workers(redis_url, bench):
    """Two, that have shared the shards out between them already."""
    async with worker_processes(redis_url, 2) as workers:
        async with asyncio.timeout(15):
            while sorted(Counter((await bench.store.lease.owners(range(64))).values()).values()) != [32, 32]:
                await asyncio.sleep(POLL_SECONDS)
        yield workers


async def owner(bench: Bench, workers: list[WorkerProcess]) -> WorkerProcess:
    """The process that owns the table, by the name it leases under."""
    shard = shard_of(TABLE, 64)
    async with asyncio.timeout(10):
        while not (names := await bench.store.lease.owners([shard])):
            await asyncio.sleep(POLL_SECONDS)
    (owning,) = [worker for worker in workers if f"-{worker.pid}-" in names[shard]]
    return owning


async def keep_racing(bench: Bench) -> None:
    while True:
        await bench.race_posts()


@pytest.mark.parametrize("plays", [1, 4, 9])
async def test_killed_in_a_trick(bench, workers, plays):
    await bench.open()
    racing = asyncio.create_task(keep_racing(bench))
    await bench.until_event("played", plays)
    victim = await owner(bench, workers)
    assert await victim.end(signal.SIGKILL) == -signal.SIGKILL
    before = await bench.records()
    (resumed,) = await bench.until_event("resumed")
    assert resumed.epoch >= 2
    await bench.until_event("round_ended")
    racing.cancel()
    await asyncio.gather(racing, return_exceptions=True)
    await bench.until_all_answered()
    await bench.judge()
    # What stood in the log stands there still, word for word.
    assert (await bench.records())[: len(before)] == before


async def test_killed_between_decisions_again_and_again(bench, redis_url):
    """Each owner lives for some decisions only."""
    await bench.open_with(redis_url)
    racing = asyncio.create_task(keep_racing(bench))
    for life in range(1, 4):
        async with worker_processes(redis_url, 1) as (worker,):
            await bench.until_event("played", 3 * life)
            await worker.end(signal.SIGKILL)
    async with worker_processes(redis_url, 1):
        await bench.until_event("round_ended")
        racing.cancel()
        await asyncio.gather(racing, return_exceptions=True)
        await bench.until_all_answered()
        await bench.judge()


async def until_exchange(bench: Bench) -> None:
    racing = asyncio.create_task(keep_racing(bench))
    await bench.until_event("round_ended")
    racing.cancel()
    await asyncio.gather(racing, return_exceptions=True)
    await bench.ask(NextRound(0))
    await bench.until(lambda state: state.phase == "exchange")
    await bench.until_all_answered()


def gives_of(state):
    """What the seats that owe return: the first cards of their hands."""
    return [
        Give(duty.giver, state.round.number, card_names(state.rules.deck, state.round.hands[duty.giver])[: duty.count])
        for duty in state.exchange.owed
    ]


async def test_killed_in_an_exchange_that_goes_on_with_the_next_owner(bench, workers):
    await bench.open()
    await until_exchange(bench)
    first, second = gives_of(await bench.state())
    await bench.ask(first)
    await bench.until_event("given")
    victim = await owner(bench, workers)
    await victim.end(signal.SIGKILL)
    # Sent while nobody is in charge, one of them a second time by hand.
    await bench.ask(first, second)
    (resumed,) = await bench.until_event("resumed")
    assert resumed.deadline is not None
    await bench.until_event("exchange_closed")
    await bench.until_all_answered()
    assert [answer.refusal.why for answer in bench.refused if isinstance(bench.asked[answer.ask.ref], Give)] == [
        "already_given"
    ]
    assert len(await bench.events("given")) == 2
    await bench.judge()


async def test_killed_in_an_exchange_and_the_server_returns_the_cards_in_time(bench, workers):
    await bench.open(action_seconds=1)
    await until_exchange(bench)
    victim = await owner(bench, workers)
    await victim.end(signal.SIGKILL)
    await bench.until_event("exchange_closed")
    assert {event.by for event in await bench.events("given")} == {"timer"}
    await bench.judge()


async def test_SIGTERM_hands_over_and_ends_with_0(bench, workers):
    await bench.open(race_seconds=60)
    await bench.race()
    await bench.until_all_answered()
    before = await bench.state()
    leaving = await owner(bench, workers)
    assert await leaving.end(signal.SIGTERM) == 0
    (resumed,) = await bench.until_event("resumed")
    assert resumed.deadline == before.deadline
    await bench.race()
    await bench.until_all_answered()
    await bench.judge()


async def test_an_owner_that_was_stopped_and_goes_on_writes_nothing_more(bench, workers):
    """A stall longer than the lease: what the old owner decides afterwards, the fence refuses."""
    await bench.open(race_seconds=60)
    await bench.race()
    await bench.until_all_answered()
    stalled = await owner(bench, workers)
    stalled.send(signal.SIGSTOP)
    try:
        racing = asyncio.create_task(keep_racing(bench))
        await bench.until_event("resumed")
        played = len(await bench.events("played"))
        await bench.until_event("played", played + 2)
        stalled.send(signal.SIGCONT)
        await bench.until_event("round_ended")
        racing.cancel()
        await asyncio.gather(racing, return_exceptions=True)
    finally:
        stalled.send(signal.SIGCONT)
    await bench.until_all_answered()
    await bench.judge()
    epochs = await bench.epochs()
    assert epochs == sorted(epochs)
    await bench.ask(EndGame(0))
    await bench.until_event("game_ended")
