"""A worker and a gateway in one process: what the one has made the other need not make again, and only that."""

import asyncio
import contextlib

import aiohttp
import pytest
from msgspec import structs

from rapid.engine.events import TurnBegan
from rapid.engine.state import blank
from rapid.errors import StoreUnavailable
from rapid.gateway import fold as folding
from rapid.store import keys, open_store, subscription
from rapid.table.ports import Commit, shard_of
from rapid.wire.records import Record, unpack_record
from rapid_client import Api
from rapid_client import events as ev
from tests.contract.samples import FIRST, commit
from tests.integration.gateway_bench import gateway_on, worker_beside, worker_on
from tests.integration.peers import NO_LIMITS, Autoplay, playing, seats

GAME = {"bot_delay_ms": 1, "action_seconds": 60, "race_seconds": 10}


@pytest.fixture
def folded(monkeypatch):
    """The first `seq` of each decision that a gateway has folded itself."""
    seen, fold = [], folding.fold

    def counted(state, events, at):
        seen.append(state.seq + 1)
        return fold(state, events, at)

    monkeypatch.setattr(folding, "fold", counted)
    return seen


@contextlib.asynccontextmanager
async def game_over(server, **settings):
    """A game that is played to its end; gives the place of who played it, and how many decisions it took."""
    async with aiohttp.ClientSession() as http:
        [place] = await seats(http, server.url, "Ann", bots=3, **GAME, **settings)
        async with playing(server.url, place, Autoplay()) as player:
            await player.until(ev.GameEnded)
            player.judge_order()
            log = [row async for row in Api(server.url, http).log(place.table)][1:]
            yield place, len({row["at"] for row in log})


def states(server, worker, table):
    [gateways] = [one.fold.state for one in server.gateway.hub.tables.values() if one.table == table]
    shard = worker.runner.charge.shards[shard_of(table, server.gateway.hub._store.shards)]
    return gateways, shard.tables[table].state


@pytest.mark.parametrize(
    "rules", [{"rounds": 2}, *({"ruleset": name, "target": 3} for name in ("presi", "house", "escoria"))]
)
async def test_in_one_process_a_decision_is_folded_once(redis_url, folded, rules):
    store = await open_store(redis_url)
    async with (
        worker_beside(store) as worker,
        gateway_on(store, NO_LIMITS) as server,
        game_over(server, **rules) as (place, took),
    ):
        of_gateway, of_worker = states(server, worker, place.table)
        assert of_gateway is of_worker
        assert len(folded) < took / 3, "the opening, and until both go on from one state"
    await store.close()


async def test_what_another_process_has_written_is_folded_here(redis_url, folded):
    store = await open_store(redis_url)
    async with (
        worker_on(redis_url) as worker,
        gateway_on(store, NO_LIMITS) as server,
        game_over(server, rounds=2) as (place, took),
    ):
        of_gateway, of_worker = states(server, worker, place.table)
        assert of_gateway is not of_worker
        assert of_gateway == of_worker
        assert len(set(folded)) >= took
    await store.close()


async def test_a_table_goes_on_with_a_worker_elsewhere_and_then_here_again(redis_url, folded):
    store = await open_store(redis_url)
    async with gateway_on(store, NO_LIMITS) as server:
        async with worker_beside(store, "here"), game_over(server, rounds=1) as (place, _):
            pass
        async with worker_on(redis_url, "there") as there:
            await closed_round(server, place)
            of_gateway, of_worker = states(server, there, place.table)
            assert of_gateway == of_worker
        async with worker_beside(store, "here again") as here:
            await closed_round(server, place)
            of_gateway, of_worker = states(server, here, place.table)
            assert of_gateway is of_worker
    await store.close()


async def closed_round(server, place):
    """One more game at a table."""
    async with playing(server.url, place, Autoplay()) as player:
        assert (await player.table.host("play_again")).ok
        await player.until(ev.GameEnded)
        player.judge_order()


def with_states(made):
    before = blank(made.table)
    return structs.replace(made, before=before, after=structs.replace(before, seq=made.record.seq))


@pytest.fixture
async def store(redis_url):
    store = await open_store(redis_url)
    yield store
    await store.close()


async def commits(store, *numbers):
    """Try them; how many are kept then. Nobody is in charge, so all are refused."""
    assert not any(await store.log.commit([with_states(commit(7, n)) for n in numbers]))
    return len(store._memo)


async def test_who_has_stopped_listening_keeps_nothing(store):
    one, other = store.feed("g1"), store.feed("g2")
    assert await commits(store, 2) == 0
    for feed in (one, one, other):
        await feed.follow(FIRST)
    assert await commits(store, 3, 4) == 2
    await one.unfollow(FIRST)
    await one.unfollow(FIRST)
    assert len(store._memo) == 0
    assert await commits(store, 5) == 1, "the other follows still"
    await one.follow(FIRST)
    await other.close()
    assert len(store._memo) == 0
    assert await commits(store, 6) == 1
    await one.close()
    assert await commits(store, 7, 8) == 0


async def test_a_follow_that_fails_keeps_nothing(store, monkeypatch):
    monkeypatch.setattr(subscription, "FOLLOW_TIMEOUT_MS", 0)
    with pytest.raises(StoreUnavailable):
        await store.feed("g1").follow(FIRST)
    assert await commits(store, 2) == 0


async def test_a_follow_that_is_given_up_keeps_nothing_once_it_is_ended(store):
    feed = store.feed("g1")
    following = asyncio.create_task(feed.follow(FIRST))
    await asyncio.sleep(0)
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    await feed.unfollow(FIRST)
    assert await commits(store, 2) == 0


async def test_the_record_kept_is_the_one_that_is_read_back(store):
    """One that is written in a later version than it was made in, too."""
    await store.feed("g1").follow(FIRST)
    record = Record(2, 5, "5-0", (TurnBegan(0, None, 9),))
    channel = keys.channel(FIRST, store.shards)
    data = store.log._packed(with_states(Commit(FIRST, 7, 2, record)), channel)
    made = store._memo.take(channel, data)
    assert made.record == unpack_record(data)
    assert made.record.version > record.version
