"""Connections cut and servers gone in mid-race: the client library comes back by itself, and sends nothing twice."""

import asyncio
import contextlib
import json
import signal

import aiohttp
import pytest

from rapid_client import Api, ConnectionLost, Disconnected, Encoding, Welcome
from rapid_client import events as ev
from tests.integration.cli_bench import rapid, serving
from tests.integration.gateway_bench import served_by
from tests.integration.peers import Autoplay, Road, playing, seats, spectator

# Nobody acts but the tests: no timer, bot or stand-in comes between.
STILL = {"race_seconds": 600, "standin_grace_seconds": 600, "bot_delay_ms": 600_000}
QUIET = {"ping_every_s": 60, "salts": False}


@pytest.fixture(params=["together", "split"])
async def server(redis_url, request):
    # Whoever comes back is told every event, however long a machine under load has kept it away.
    async with served_by(redis_url, is_split=request.param == "split", history_records=10_000) as server:
        yield server


@pytest.fixture
async def http():
    async with aiohttp.ClientSession() as http:
        yield http


async def opened_trick(http, server):
    """A host with three bots that do not stir, and the first trick open."""
    [place] = await seats(http, server.url, "Ann", bots=3, **STILL)
    return place


@pytest.mark.parametrize("encoding", list(Encoding))
async def test_R3_cut_behind_a_play_the_events_tell_and_nothing_is_sent_again(server, http, encoding):
    place = await opened_trick(http, server)
    async with Road(server.port) as road, playing(road.url, place, encoding=encoding, **QUIET) as player:
        await player.table.host("start")
        opened = await player.until(ev.TrickOpened)
        await player.settle()
        async with playing(server.url, spectator(place)) as watching:
            road.is_mute = True
            card = player.table.seen.you.hand[0]
            in_flight = asyncio.create_task(player.table.play([card]))
            # The server has decided; its answer is lost on the road.
            assert (await watching.until(ev.Played)).cards == (card,)
            road.cut()
            with pytest.raises(ConnectionLost):
                await in_flight
            played = await player.until(ev.Played)
            assert (played.on, played.seat, played.cards) == (opened.seq, 0, (card,))
            await player.settle()
            await watching.settle()
            # It resumed where it stood: the second welcome has no view, and nothing is doubled or missing.
            first, second = player.all(Welcome)
            assert first.view is not None
            assert second.view is None
            player.judge_order()
            assert player.all(ev.Played) == watching.all(ev.Played) == [played]
            assert card not in player.table.seen.you.hand


async def test_R3_a_play_swallowed_on_the_road_never_comes_to_be(server, http):
    place = await opened_trick(http, server)
    async with Road(server.port) as road, playing(road.url, place, **QUIET) as player:
        await player.table.host("start")
        await player.until(ev.TrickOpened)
        await player.settle()
        road.is_dead_end, before = True, road.sent
        card = player.table.seen.you.hand[0]
        in_flight = asyncio.create_task(player.table.play([card]))
        await road.until_sent_beyond(before)
        road.cut()
        with pytest.raises(ConnectionLost):
            await in_flight
        await player.until(Welcome, 2)
        # The reply to a later request comes behind all that was sent before it.
        assert (await player.table.react("🔥")).ok
        await player.settle()
        assert player.all(ev.Played) == []
        assert card in player.table.seen.you.hand
        player.judge_order()
        assert (await player.table.play([card])).ok, "the state stands, and a new gesture may aim at it"


async def test_nothing_is_sent_while_the_connection_is_away(server, http):
    [place] = await seats(http, server.url, "Ann", bots=3, **STILL)
    async with Road(server.port) as road, playing(road.url, place, **QUIET) as player:
        await player.settle()
        road.cut()
        await player.until(Disconnected)
        with pytest.raises(ConnectionLost):
            await player.table.host("start")
        await player.until(Welcome, 2)
        await player.settle()
        assert player.all(ev.GameStarted) == []


async def test_cut_again_and_again_in_a_race_no_event_is_doubled_or_lost(server, http):
    settings = {"bot_delay_ms": 15, "rounds": 1, "standin_grace_seconds": 600, "race_seconds": 1}
    [place] = await seats(http, server.url, "Ann", bots=3, **settings)
    async with Road(server.port) as road, playing(road.url, place, auto := Autoplay()) as player:
        plays = 3
        while not player.all(ev.GameEnded):
            await player.until(ev.Event, len(player.all(ev.Event)) + plays)
            road.cut()
            await player.until(Welcome, len(player.all(Welcome)) + 1)
        await player.settle()
        assert len(player.all(Welcome)) > 5
        player.judge_order()
        log = [row async for row in Api(server.url, http).log(place.table)][1:]
        told = {event.seq: event.at for event in player.all(ev.Event)}
        first = min(told)
        assert told == {row["seq"]: row["at"] for row in log if first <= row["seq"] <= max(told)}
        mine = [row for row in log if row["type"] == "played" and row["seat"] == 0 and row["by"] == "person"]
        assert len({row["on"] for row in mine}) == len(mine)
        oks = {on for command, on, reply in auto.replies if reply.ok and reply.why is None and on is not None}
        assert {row["on"] for row in mine} <= oks | {event.on for event in player.all(ev.Played, seat=0)}


async def test_the_server_ended_and_then_killed_in_a_trick_clients_come_back_and_the_game_goes_on(tmp_path, http):
    data = tmp_path / "data"
    settings = {"bot_delay_ms": 60, "rounds": 1, "race_seconds": 1}
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving("--data", data))
        ann, bob = places = await seats(http, server.url, "Ann", "Bob", bots=2, **settings)
        everyone = [
            await stack.enter_async_context(playing(server.url, place, act))
            for place, act in ((ann, Autoplay()), (bob, Autoplay()), (spectator(ann), None))
        ]
        for times, how in enumerate((signal.SIGTERM, signal.SIGKILL), 1):
            await everyone[0].until(ev.Played, 3 * times)
            await server.end(how)
            port = server.url.rpartition(":")[2]
            server = await stack.enter_async_context(serving("--data", data, "--port", port))
            for player in everyone:
                await player.until(ev.Resumed, times)
        for player in everyone:
            await player.until(ev.GameEnded, why="rounds")
            player.judge_order()
            assert len(player.all(Disconnected)) >= 2
            assert all(one.view is None for one in player.all(Welcome)[1:])
        exported = await rapid("export", ann.table, "--data", data)
    assert (await rapid("verify", "-", given=exported.out.encode())).code == 0
    log = [json.loads(line) for line in exported.out.splitlines()[1:]]
    resumed = [row["seq"] for row in log if row["type"] == "resumed"]
    assert len(resumed) == 2
    for place in places:
        mine = [row["seq"] for row in log if row["type"] == "played" and row["seat"] == place.seat]
        assert any(seq > resumed[-1] for seq in mine), "played on"
