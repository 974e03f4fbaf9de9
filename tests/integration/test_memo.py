"""A worker and a gateway in one process: what the one has made the other need not make again, and only that."""

import contextlib

import aiohttp
import pytest

from rapid.gateway import fold as folding
from rapid.store import open_store
from rapid.table.ports import shard_of
from rapid_client import Api
from rapid_client import events as ev
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
