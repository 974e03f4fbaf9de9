"""Seats through the client library and a real server: take-over, leaving, removing, spectators."""

import aiohttp
import pytest

from rapid_client import BadToken, NoTable, Removed, Table, TakenOver, Welcome
from rapid_client import events as ev
from tests.integration.gateway_bench import served_by
from tests.integration.peers import Autoplay, playing, seats, soon, spectator


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


@pytest.fixture
async def http():
    async with aiohttp.ClientSession() as http:
        yield http


async def test_the_newest_connection_has_the_seat_and_the_first_does_not_fight(server, http):
    [place] = await seats(http, server.url, "Ann")
    async with playing(server.url, spectator(place)) as watching, playing(server.url, place) as first:
        await first.until(ev.ConnectionBack)
        async with playing(server.url, place) as second:
            assert isinstance(await first.end(), TakenOver)
            with pytest.raises(TakenOver):
                await first.table.react("🔥")
            assert (await second.table.host("add_bot")).ok
            await second.settle()
            await watching.settle()
            assert len(second.all(Welcome)) == 1, "nobody took it back"
            assert len(watching.all(ev.ConnectionBack)) == 1
            assert watching.all(ev.ConnectionLostEvent) == []


async def test_leaving_ends_the_iteration_and_frees_the_seat(server, http):
    ann, bob = await seats(http, server.url, "Ann", "Bob")
    async with playing(server.url, ann) as host, playing(server.url, bob) as leaver:
        assert (await leaver.table.leave()).ok
        assert await leaver.end() is None
        assert (await host.until(ev.SeatFreed)).why == "left"
        assert host.table.view.seat(bob.seat) is None
    with pytest.raises(BadToken):
        await Table(server.url, bob.table, bob.token, http=http, backoff=soon()).__aenter__()


async def test_the_removed_one_is_told_and_does_not_come_back(server, http):
    ann, bob = await seats(http, server.url, "Ann", "Bob", bots=2)
    async with playing(server.url, ann) as host, playing(server.url, bob) as removed:
        assert (await host.table.host("remove", seat=bob.seat)).ok
        assert isinstance(await removed.end(), Removed)
        assert (await host.until(ev.SeatFreed)).why == "removed"
        refused = await host.table.host("remove", seat=bob.seat)
        assert refused.why == "no_such_seat"


async def test_a_table_that_is_not_there(server, http):
    with pytest.raises(NoTable):
        await Table(server.url, "nosuchtable1", http=http).__aenter__()


async def test_a_delayed_spectator_sees_all_of_it_later_and_by_its_own_clock(server, http):
    delay_ms, slack_ms = 1000, 50  # PROTOCOL 1: `now` is right within 20 ms, for each of the two
    settings = {"spectator_delay_seconds": 1, "bot_delay_ms": 10, "rounds": 1, "race_seconds": 1}
    [place] = await seats(http, server.url, "Ann", bots=3, **settings)
    ages_ms, own_ages_ms = [], []
    async with playing(server.url, place, Autoplay()) as player:

        async def take_the_time(watching):
            message = watching.seen[-1]
            if isinstance(message, ev.Event):
                ages_ms.append(player.table.now_ms() - message.at)
                own_ages_ms.append(watching.table.now_ms() - message.at)

        async with playing(server.url, spectator(place), take_the_time) as watching:
            await watching.until(ev.GameEnded)
            await player.settle()
            watching.judge_order()
            seen = [one for one in watching.seen if isinstance(one, ev.Event)]
            theirs = {one.seq: one.at for one in player.seen if isinstance(one, ev.Event)}
            assert {one.seq: one.at for one in seen if one.seq in theirs} == {
                seq: at for seq, at in theirs.items() if seq <= seen[-1].seq
            }
            assert all(not one.hands and one.counts for one in watching.all(ev.Dealt))
    assert min(ages_ms) >= delay_ms - slack_ms
    assert -slack_ms <= min(own_ages_ms) < delay_ms / 2
