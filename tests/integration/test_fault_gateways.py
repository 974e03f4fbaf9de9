"""A gateway that goes or is cut off from Redis: its people are sent away at once and go on with another one."""

import asyncio
from urllib.parse import unquote

import aiohttp
import pytest

from rapid.store import open_store
from rapid_client import Api, Table, Unreachable, Welcome
from tests.contract.relay import Relay
from tests.integration.gateway_bench import gateway_on, worker_on
from tests.integration.peers import Player, soon

LONG_MS = 20_000
STILL = {"race_seconds": 600, "standin_grace_seconds": 600}


@pytest.fixture
async def stores(redis_url):
    """Two, as two gateways have them."""
    opened = [await open_store(redis_url) for _ in range(2)]
    async with worker_on(redis_url):
        yield opened
    for store in opened:
        await store.close()


async def presence_events(watching):
    """The kinds of presence events seen up to now."""
    await watching.until("pong", id=await watching.say("ping"))
    return [event["type"] for event in watching.events if event["type"].startswith(("connection_", "standin_"))]


async def test_a_gateway_that_drains_says_1001_and_a_seat_that_comes_back_elsewhere_was_never_lost(stores):
    first, second = stores
    async with gateway_on(second) as there, gateway_on(first, hand_over_ms=LONG_MS) as here:
        table = await here.open(**STILL)
        seat, _ = await here.join(table["table"], table["token"])
        since = (await seat.ask("host", do="add_bot"))["seq"]
        watching, _ = await there.join(table["table"])
        gone, _ = await here.join(table["table"])
        stopping = asyncio.create_task(here.gateway.stop())
        assert await seat.end() == (1001, "leaving")
        assert await gone.end() == (1001, "leaving")
        assert not stopping.done()
        back, welcome = await there.join(table["table"], table["token"], since=since)
        assert (welcome["seat"], welcome["seq"], welcome["view"]) == (0, since, None)
        await stopping
        assert (await back.ask("host", do="add_bot"))["ok"]
        assert await presence_events(watching) == []
        back.judge_order()


async def test_a_seat_that_does_not_come_back_from_a_gateway_that_drains_is_a_lost_connection(stores):
    first, second = stores
    async with gateway_on(second) as there, gateway_on(first, hand_over_ms=50) as here:
        table = await here.open(**STILL)
        seat, _ = await here.join(table["table"], table["token"])
        assert (await seat.ask("host", do="add_bot"))["ok"]
        watching, _ = await there.join(table["table"])
        await here.gateway.stop()
        assert await seat.end() == (1001, "leaving")
        await watching.event("connection_lost", seat=0)


async def test_new_connections_are_refused_by_a_gateway_that_drains(stores):
    first, _ = stores
    async with gateway_on(first) as here:
        table = await here.open(**STILL)
        await here.gateway.leave()
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await here.dial(table["table"])
        assert refused.value.status == 503


async def test_a_gateway_cut_off_from_a_redis_that_others_reach_sends_its_people_to_them(stores, redis_url, tmp_path):
    relay = Relay(tmp_path / "relay.sock", unquote(redis_url.removeprefix("unix://")))
    await relay.open()
    cut_off = await open_store(relay.url)
    async with gateway_on(stores[0]) as there, gateway_on(cut_off, cut_off_ms=200) as here:
        table = await here.open(**STILL)
        seat, _ = await here.join(table["table"], table["token"])
        relay.hang()
        assert await seat.end() == (1001, "leaving")
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await here.dial(table["table"])
        assert refused.value.status == 503
        back, _ = await there.join(table["table"], table["token"])
        assert (await back.ask("host", do="add_bot"))["ok"]
        relay.flow()
        async with asyncio.timeout(20):
            while not here.gateway.health.is_up:
                await asyncio.sleep(0.01)
        again, welcome = await here.join(table["table"], table["token"])
        assert welcome["seat"] == 0
        assert await back.end() == (4000, "taken_over")
        assert (await again.ask("host", do="add_bot"))["ok"]
    await cut_off.close()
    await relay.cut()


async def test_the_python_client_goes_on_with_the_next_gateway_it_knows(stores):
    first, second = stores
    async with (
        gateway_on(second) as there,
        gateway_on(first, hand_over_ms=LONG_MS) as here,
        aiohttp.ClientSession() as http,
    ):
        place = await Api(here.url, http).open_table("Ada", STILL, bots=1)
        nowhere = "http://127.0.0.1:9"
        with pytest.raises(Unreachable):
            await Table([nowhere, nowhere], place.table, place.token, http=http).__aenter__()
        bases = [nowhere, here.url, there.url]
        async with Table(bases, place.table, place.token, http=http, backoff=soon()) as seat:
            player = Player(seat)
            assert (await seat.host("add_bot")).ok
            await here.gateway.stop()
            assert (await player.until(Welcome, view=None)).seat == 0
            assert (await seat.host("add_bot")).ok
            assert len(seat.view.seats) == 4
            player.judge_order()
            await player.stop()
