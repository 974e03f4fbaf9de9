"""Every intent gets exactly one answer, whatever fails (DESIGN decisions 7 and 11)."""

import asyncio

import pytest

from rapid.engine.intents import Pass, Tick
from rapid.engine.refusals import Refusal
from rapid.errors import StoreUnavailable
from rapid.gateway.asks import UNAVAILABLE, Asks
from rapid.gateway.health import Health
from rapid.store import memory_store
from rapid.table.ports import FIRST_ID, shard_of
from rapid.telemetry.metrics import Metrics
from rapid.wire.records import Answer, Ask
from tests.unit.gateway.bench import TABLE


class Bench:
    def __init__(self):
        self.store = memory_store()
        self.metrics = Metrics()
        self.health = Health(self.store.ready, self.metrics, every_ms=1000, while_away_ms=100)
        self.asks = Asks("g1", self.store.inbox, self.store.clock, self.health, self.metrics)
        self.answers = []

    def ask(self, intent, **more):
        asked = len(self.answers)
        self.answers.append([])
        return self.asks.ask(TABLE, intent, lambda seq, why: self.answers[asked].append((seq, why)), **more)

    async def posted(self):
        await self.asks.stop()
        shard = shard_of(TABLE, self.store.shards)
        return [row.entry for row in await self.store.inbox.read({shard: FIRST_ID}, limit=100, block_ms=0)]


@pytest.fixture
async def bench():
    return Bench()


async def test_all_intents_of_a_turn_are_posted_in_one_write_in_order(bench, monkeypatch):
    writes = []
    post = bench.store.inbox.post

    async def counted(entries):
        writes.append(len(entries))
        return await post(entries)

    monkeypatch.setattr(bench.store.inbox, "post", counted)
    refs = [bench.ask(Pass(seat, 1), since=3) for seat in range(4)]
    assert writes == []
    await asyncio.sleep(0)
    entries = await bench.posted()
    assert writes == [4]
    assert [entry.intent.seat for entry in entries] == [0, 1, 2, 3]
    assert [entry.ask for entry in entries] == [Ask("g1", ref) for ref in refs]
    assert {entry.since for entry in entries} == {3}


async def test_an_answer_is_told_once_and_only_to_who_asked(bench):
    ref = bench.ask(Pass(0, 1))
    answer = Answer(Ask("g1", ref), 7)
    bench.asks.answered(Answer(Ask("g2", ref), 9))
    bench.asks.answered(Answer(Ask("g1", 99), 9))
    assert bench.answers == [[]]
    bench.asks.answered(answer)
    bench.asks.answered(answer)
    assert bench.answers == [[(7, None)]]
    assert len(bench.asks) == 0


async def test_who_has_gone_is_not_told_but_what_was_asked_is_decided(bench):
    bench.asks.forget(bench.ask(Tick()))
    await asyncio.sleep(0)
    (entry,) = await bench.posted()
    bench.asks.answered(Answer(entry.ask, 7))
    assert bench.answers == [[]]


async def test_while_redis_is_known_to_be_away_the_answer_is_immediate(bench):
    bench.health.lost()
    assert bench.ask(Tick()) is None
    assert bench.answers == [[(0, UNAVAILABLE)]]


async def test_a_post_that_was_not_written_is_refused_once_redis_is_back(bench):
    bench.store.link.cut()
    bench.ask(Tick())
    await asyncio.sleep(0)
    await bench.asks.stop()
    assert not bench.health.is_up
    assert bench.answers == [[]]
    bench.store.link.mend()
    assert await bench.health.probe()
    assert bench.answers == [[(0, UNAVAILABLE)]]
    assert await bench.posted() == []


async def test_a_post_whose_answer_was_lost_is_waited_for_and_never_posted_twice(bench):
    bench.store.link.lose_answers()
    ref = bench.ask(Tick())
    await asyncio.sleep(0)
    await bench.asks.stop()
    assert await bench.health.probe()
    assert bench.answers == [[]]
    assert len(await bench.posted()) == 1
    bench.asks.answered(Answer(Ask("g1", ref), 0, Refusal("wrong_phase")))
    assert bench.answers == [[(0, Refusal("wrong_phase"))]]


async def test_away_again_while_asking_what_was_written(bench, monkeypatch):
    bench.store.link.lose_answers()
    bench.ask(Tick())
    await asyncio.sleep(0)
    await bench.asks.stop()

    async def fails(_entry, _after_ms):
        raise StoreUnavailable("away again")

    with monkeypatch.context() as patched:
        patched.setattr(bench.store.inbox, "find", fails)
        await bench.health.probe()
    assert not bench.health.is_up
    assert bench.answers == [[]]
    await bench.health.probe()
    assert bench.health.is_up
    assert bench.answers == [[]]


async def test_answered_before_it_is_known_to_be_written(bench):
    bench.store.link.lose_answers()
    ref = bench.ask(Tick())
    await asyncio.sleep(0)
    await bench.asks.stop()
    bench.asks.answered(Answer(Ask("g1", ref), 4))
    await bench.health.probe()
    assert bench.answers == [[(4, None)]]


async def test_what_another_run_of_redis_has_lost_is_refused_and_what_it_kept_is_waited_for(bench):
    bench.ask(Tick())
    await asyncio.sleep(0)
    await bench.asks.stop()
    checkpoint = bench.store.world.checkpoint()
    bench.ask(Tick())
    await asyncio.sleep(0)
    await bench.asks.stop()
    bench.store.world.restart(checkpoint)
    bench.ask(Tick())
    await bench.asks.settle_all()
    assert bench.answers == [[], [(0, UNAVAILABLE)], []]
    await bench.asks.stop()
    assert len(await bench.posted()) == 2


async def test_what_was_found_after_all_and_then_lost_with_a_tail_is_refused_too(bench):
    """Found by the simulation: it counted as confirmed no longer, and was never answered."""
    checkpoint = bench.store.world.checkpoint()
    bench.store.link.lose_answers()
    bench.ask(Tick())
    await asyncio.sleep(0)
    await bench.asks.stop()
    assert await bench.health.probe()
    assert bench.answers == [[]]
    bench.store.world.restart(checkpoint)
    await bench.asks.settle_all()
    assert bench.answers == [[(0, UNAVAILABLE)]]


async def test_results_are_counted(bench):
    bench.asks.answered(Answer(Ask("g1", bench.ask(Tick())), 4))
    bench.asks.answered(Answer(Ask("g1", bench.ask(Tick())), 0, Refusal("stale")))
    text = bench.metrics.render().decode()
    assert 'rapid_intents_total{result="ok"} 1.0' in text
    assert 'rapid_intents_total{result="stale"} 1.0' in text
