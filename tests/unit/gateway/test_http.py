"""Calls that wait for a table's authority, while things happen around them."""

import asyncio
import contextlib
import json
from unittest.mock import Mock

import pytest
from aiohttp import StreamReader
from aiohttp.test_utils import make_mocked_request

from rapid.engine.intents import Leave, OpenTable, TakeSeat
from rapid.engine.refusals import FULL, Refusal
from rapid.errors import LogCorrupt
from rapid.gateway.http import Api
from rapid.wire.records import Answer
from tests.unit.gateway.bench import TABLE, Story
from tests.unit.gateway.hub_bench import Bench, connected

OPENING, SITTING = "/api/tables", f"/api/tables/{TABLE}/seats"


class Call:
    """One call under way, whose client can go."""

    def __init__(self, bench, path):
        self.bench, api = bench, Api(bench.gateway)
        body = StreamReader(Mock(), 2**16, loop=asyncio.get_running_loop())
        body.feed_data(json.dumps({"name": "Dan"}).encode())
        body.feed_eof()
        self.transport = Mock(**{"is_closing.return_value": False})
        self.request = make_mocked_request(
            "POST", path, {"Content-Type": "application/json"}, match_info={"table": TABLE}, payload=body
        )
        self.request.protocol.transport = self.transport
        self.doing = asyncio.create_task((api.open_table if path == OPENING else api.take_seat)(self.request))

    def asked(self):
        """What it is that no authority has answered yet."""
        [pending] = self.bench.gateway.asks._pending.values()
        return pending.entry

    async def accept(self, story):
        """Decide what was asked, as the authority."""
        entry = self.asked()
        record = story.tell(entry.intent, answer=Answer(entry.ask, story.state.seq + 1))
        assert all(await self.bench.worker.log.commit(story.commits([record])))
        await self.bench.settle()

    async def refuse(self, why):
        await self.bench.worker.log.answer([Answer(self.asked().ask, 0, Refusal(why))])
        await self.bench.settle()


@contextlib.asynccontextmanager
async def calling(bench, path):
    call = Call(bench, path)
    await bench.settle()
    yield call
    call.doing.cancel()
    await asyncio.gather(call.doing, return_exceptions=True)


async def story_of(bench, call):
    """Return the story of the table that the call is about; it may be the first of its shard."""
    asked = call.asked()
    if asked.table == TABLE:
        return bench.story
    shard = bench.store.world.shard(asked.table)
    owned = shard == bench.shard
    return Story(asked.table, bench.story.epoch if owned else await bench.worker.lease.acquire(shard, "w"))


@pytest.mark.parametrize("path, intent", [(OPENING, OpenTable), (SITTING, TakeSeat)])
@pytest.mark.parametrize("how", ["closing", "closed"])
async def test_who_went_before_the_answer_leaves_no_seat_taken(bench, path, intent, how):
    async with calling(bench, path) as call:
        assert isinstance(call.asked().intent, intent)
        if how == "closing":
            call.transport.is_closing.return_value = True
        else:
            call.request.protocol.transport = None
        story = await story_of(bench, call)
        await call.accept(story)
        seat = story.state.seats[-1]
        assert (call.asked().intent, call.asked().since) == (Leave(seat.seat), seat.since)
        assert call.asked().until_ms is None
        await call.accept(story)
        assert call.doing.done()
        assert not bench.gateway.asks
        assert story.state.phase == ("closed" if path == OPENING else "lobby")
        assert "Dan" not in [seat.name for seat in story.state.seats]


@pytest.mark.parametrize("path", [OPENING, SITTING])
async def test_who_is_there_keeps_the_seat(bench, path):
    async with calling(bench, path) as call:
        await call.accept(await story_of(bench, call))
        assert (await call.doing).status == 201
        assert not bench.gateway.asks


async def test_who_went_and_was_refused_has_nothing_to_give_back(bench):
    async with calling(bench, SITTING) as call:
        call.transport.is_closing.return_value = True
        await call.refuse(FULL)
        assert (await call.doing).status == 409
        assert not bench.gateway.asks


@pytest.fixture
async def looking():
    """A bench whose gateway looks often."""
    made = Bench(check_every_ms=5)
    await made.start()
    made.story.opened().seated()
    await made.commit(*made.story.entries)
    yield made
    await made.stop()


def drop(bench):
    bench.gateway.hub._drop(bench.gateway.hub.tables[TABLE], LogCorrupt(TABLE, "1-9", "x"))


@pytest.mark.parametrize("comes", ["", "before", "behind"])
@pytest.mark.parametrize("loses", [0, 1])
async def test_a_table_dropped_while_a_seat_is_waited_for_is_read_anew(looking, comes, loses):
    """By this call, or by somebody who `comes` to the table before or behind the decision; Redis may be away once."""
    async with calling(looking, SITTING) as call, contextlib.AsyncExitStack() as others:
        drop(looking)
        looking.store.link.lose_answers(loses)
        if comes == "before":
            await others.enter_async_context(connected(looking))
        await call.accept(looking.story)
        if comes == "behind":
            await others.enter_async_context(connected(looking))
        answer = await call.doing
        assert answer.status == 201
        assert json.loads(answer.body)["seat"] == 3
        assert not looking.gateway.asks


async def test_an_answer_that_is_there_as_the_time_is_over_counts(monkeypatch):
    """The time may be over while a table is still read anew in which the answer stood."""
    bench = Bench(decision_timeout_ms=20)
    await bench.start()
    bench.story.opened().seated()
    await bench.commit(*bench.story.entries)

    async def read_on(_self, _table, answered):
        answered.set_result(None)
        await asyncio.Event().wait()

    monkeypatch.setattr(Api, "_await_at", read_on)
    assert await Api(bench.gateway)._decide(TABLE, Leave(1), of=bench.story.state.seat_at(1)) is None
    await bench.stop()
