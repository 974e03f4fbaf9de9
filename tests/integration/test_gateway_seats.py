"""Seats and spectators over real sockets: take-over, leaving, presence, resuming, several gateways."""

import asyncio
import contextlib
import json

import pytest

from rapid.engine import refusals
from rapid.engine.intents import CloseTable
from rapid.gateway import connection
from rapid.store import Limits, open_store
from tests.integration.gateway_bench import JSON, MSGPACK, gateway_on, served_by, worker_on


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


@contextlib.asynccontextmanager
async def two_gateways(url, **options):
    stores = [await open_store(url) for _ in range(2)]
    async with worker_on(url), gateway_on(stores[0], **options) as one, gateway_on(stores[1], **options) as two:
        yield one, two
    for store in stores:
        await store.close()


async def seat_of(server, table, seat):
    _, welcome = await server.join(table)
    return next(row for row in welcome["view"]["seats"] if row["seat"] == seat)


# Take-over


async def test_the_newest_connection_with_the_token_has_the_seat(server):
    table = await server.open()
    old, _ = await server.join(table["table"], table["token"])
    await old.event("connection_back")
    new, _ = await server.join(table["table"], table["token"])
    assert await old.end() == (4000, "taken_over")
    assert (await new.ask("react", emoji="🔥"))["ok"]
    assert [event["type"] for event in new.events] == []
    assert (await seat_of(server, table["table"], 0))["connected"]


async def test_a_take_over_on_another_gateway_closes_the_old_socket_and_logs_nothing(redis_url):
    async with two_gateways(redis_url) as (one, two):
        table = await one.open()
        old, _ = await one.join(table["table"], table["token"])
        await old.event("connection_back")
        new, welcome = await two.join(table["table"], table["token"])
        assert await old.end() == (4000, "taken_over")
        assert (await new.ask("host", do="add_bot"))["ok"]
        assert [event["type"] for event in new.events] == ["seat_taken"]
        assert new.events[0]["seq"] == welcome["seq"] + 1


async def test_whose_hello_was_being_read_as_the_gateway_went_takes_no_seat_any_more(redis_url, monkeypatch):
    found, has_gone, seat_found = asyncio.Event(), asyncio.Event(), connection.seat_of

    async def slow(table, token):
        seat = await seat_found(table, token)
        found.set()
        await has_gone.wait()
        return seat

    async with two_gateways(redis_url) as (one, two):
        table = await one.open()
        with monkeypatch.context() as patched:
            patched.setattr(connection, "seat_of", slow)
            old = await one.dial(table["table"])
            await old.send({"t": "hello", "v": 1, "token": table["token"]})
            await found.wait()
        await one.gateway.leave()
        assert (await old.end())[1] == "leaving"
        new, _ = await two.join(table["table"], table["token"])
        await new.event("connection_back")
        has_gone.set()
        while one.gateway.viewers:
            await asyncio.sleep(0.01)
        assert (await new.ask("react", emoji="🔥"))["ok"]
        assert [message for message in new.seen if message["t"] == "bye"] == []
        assert await two.gateway.store.presence.leave(table["table"], 0, two.gateway.name, 1, since=None)


async def test_twenty_tabs_one_after_another_leave_one_connection(redis_url):
    async with two_gateways(redis_url) as (one, two):
        table = await one.open()
        joined = [await (one, two)[n % 2].join(table["table"], table["token"]) for n in range(20)]
        ends = await asyncio.gather(*(client.end() for client, _ in joined[:-1]))
        assert ends == [(4000, "taken_over")] * 19
        last, _ = joined[-1]
        assert (await last.ask("react", emoji="🔥"))["ok"]
        assert (await seat_of(one, table["table"], 0))["connected"]
        assert not any(event["type"] == "connection_lost" for event in last.events)


async def test_losing_the_connection_is_an_event_and_so_is_coming_back(server):
    table = await server.open()
    watching, _ = await server.join(table["table"])
    client, _ = await server.join(table["table"], table["token"])
    await watching.event("connection_back", seat=0)
    client.socket._response.connection.transport.abort()
    await watching.event("connection_lost", seat=0)
    await server.join(table["table"], table["token"])
    await watching.event("connection_back", seat=0)
    watching.judge_order()


# Leaving


async def test_leaving_is_replied_to_then_bye_then_closed(server):
    table = await server.open()
    bob = await server.sit(table["table"])
    client, _ = await server.join(table["table"], bob["token"])
    host, _ = await server.join(table["table"], table["token"])
    reply = await client.ask("leave")
    assert reply["ok"]
    freed = client.events[-1]
    assert (freed["type"], freed["seat"], freed["why"], freed["seq"]) == ("seat_freed", 1, "left", reply["seq"])
    assert await client.end() == (1000, "left")
    await host.event("seat_freed", seat=1)
    again = await server.dial(table["table"])
    await again.send({"t": "hello", "v": 1, "token": bob["token"]})
    assert await again.end() == (4005, "bad_token")


async def test_whoever_is_removed_sees_it_and_is_closed(server):
    table = await server.open()
    bob = await server.sit(table["table"])
    client, _ = await server.join(table["table"], bob["token"])
    host, _ = await server.join(table["table"], table["token"])
    assert (await host.ask("host", do="remove", seat=1))["ok"]
    assert await client.end() == (4003, "removed")
    assert client.events[-1]["type"] == "seat_freed"
    assert client.events[-1]["why"] == "removed"


async def test_removed_in_a_game_the_token_is_void_at_once(server):
    table = await server.open(bots=2)
    bob = await server.sit(table["table"])
    client, _ = await server.join(table["table"], bob["token"])
    host, _ = await server.join(table["table"], table["token"])
    await host.ask("host", do="start")
    await host.ask("host", do="remove", seat=bob["seat"])
    assert await client.end() == (4003, "removed")
    assert client.events[-1]["type"] == "leaving"
    again = await server.dial(table["table"])
    await again.send({"t": "hello", "v": 1, "token": bob["token"]})
    assert await again.end() == (4005, "bad_token")


async def test_a_closed_table_says_so_to_everyone(server):
    table = await server.open()
    host, _ = await server.join(table["table"], table["token"])
    watchers = [(await server.join(table["table"], protocol=protocol))[0] for protocol in (JSON, None)]
    assert (await host.ask("leave"))["ok"]
    assert await host.end() == (1000, "left")
    for watching in watchers:
        assert await watching.end() == (1000, "closed")
        assert watching.events[-1]["type"] == "table_closed"
    late = await server.dial(table["table"])
    await late.send({"t": "hello", "v": 1})
    assert await late.end() == (4004, "no_table")


# Coming back


async def test_since_gives_exactly_the_events_that_were_missed(server):
    table = await server.open()
    client, welcome = await server.join(table["table"], table["token"])
    await client.event("connection_back")
    for _ in range(3):
        await client.ask("host", do="add_bot")
    stands = client.events[-1]["seq"]
    for since in range(welcome["seq"], stands + 1):
        back, again = await server.join(table["table"], table["token"], since=since)
        assert (again["view"], again["seq"]) == (None, since)
        missed = [event for event in client.events if event["seq"] > since]
        while len(back.events) < len(missed):
            await back.next()
        assert back.events == missed
        back.judge_order()


async def test_a_since_that_cannot_be_served_gives_a_view(redis_url):
    async with served_by(redis_url, history_records=2) as server:
        table = await server.open()
        client, welcome = await server.join(table["table"], table["token"])
        for _ in range(4):
            await client.ask("host", do="add_bot")
        for since in (0, 1, 2**53 - 1, welcome["seq"]):
            _, again = await server.join(table["table"], table["token"], since=since)
            assert again["view"] is not None


async def test_the_next_holder_of_a_chair_is_not_shown_what_the_last_one_was_dealt(server):
    table = await server.open(bots=2, rounds=1, race_seconds=0.05, bot_delay_ms=0, standin_grace_seconds=0)
    bob = await server.sit(table["table"])
    client, _ = await server.join(table["table"], bob["token"])
    host, welcome = await server.join(table["table"], table["token"])
    await host.ask("host", do="start")
    dealt = await client.event("dealt") if not client.events else client.events[-1]
    await host.event("game_ended")
    await client.ask("leave")
    eve = await server.sit(table["table"], "Eve")
    assert eve["seat"] == bob["seat"]
    spy, again = await server.join(table["table"], eve["token"], since=welcome["seq"])
    assert again["view"] is not None
    assert not any(event["type"] == "dealt" for event in spy.events)
    assert dealt["hands"].keys() == {str(bob["seat"])}


async def test_no_frame_holds_a_card_that_its_viewer_may_not_know(server):
    table = await server.open(bots=1, rounds=2, race_seconds=0.05, action_seconds=0.05, bot_delay_ms=0)
    tokens = [table["token"], (await server.sit(table["table"]))["token"], (await server.sit(table["table"]))["token"]]
    clients = [(await server.join(table["table"], token))[0] for token in tokens]
    watching, _ = await server.join(table["table"], protocol=JSON)
    await clients[0].ask("host", do="start")
    await clients[0].event("round_ended")
    await clients[0].ask("host", do="next_round")
    await asyncio.gather(*(client.event("game_ended") for client in [*clients, watching]))
    for client, own in [*zip(clients, ("0", "2", "3"), strict=True), (watching, None)]:
        client.judge_order()
        text = json.dumps(client.seen)
        assert "token" not in text
        for event in client.events:
            if event["type"] == "dealt":
                assert set(event["hands"]) == ({own} if own else set())
                assert sum(event["counts"].values()) == 52
            for move in event.get("moves", ()):
                assert ("cards" in move) == (own in {str(move["from"]), str(move["to"])})
            if event["type"] == "given":
                assert ("cards" in event) == (own == str(event["from"]))
            if event["type"] == "committed":
                assert "secret" not in event


async def test_all_viewers_see_the_same_events_in_the_same_order(redis_url):
    async with two_gateways(redis_url) as (one, two):
        table = await one.open(bots=3, rounds=1, race_seconds=0.05, bot_delay_ms=0, standin_grace_seconds=0)
        clients = [(await server.join(table["table"], protocol=p))[0] for server in (one, two) for p in (JSON, None)]
        host, _ = await one.join(table["table"], table["token"])
        await host.ask("host", do="start")
        await asyncio.gather(*(client.event("game_ended") for client in clients))
        logs = [client.events for client in clients]
        assert all(log == logs[0] for log in logs)
        for client in clients:
            client.judge_order()


# Spectators


async def test_everyone_is_told_how_many_watch_over_all_gateways(redis_url):
    async with two_gateways(redis_url) as (one, two):
        table = await one.open()
        host, _ = await one.join(table["table"], table["token"])
        first, _ = await one.join(table["table"])
        assert (await first.until("presence"))["spectators"] == 1
        second, _ = await two.join(table["table"], protocol=JSON)
        for client in (host, first, second):
            await client.until("presence", spectators=2)
        assert (await one.get(f"/api/tables/{table['table']}"))["spectators"] == 2
        await second.close()
        await host.until("presence", spectators=1)
        await first.until("presence", spectators=1)


async def test_a_gateway_that_dies_loses_its_seats(redis_url):
    short = Limits(gateway_dead_ms=300)
    dying, living = await open_store(redis_url, limits=short), await open_store(redis_url, limits=short)
    async with worker_on(redis_url, limits=short), gateway_on(living) as alive, gateway_on(dying) as dead:
        table = await dead.open()
        watching, _ = await alive.join(table["table"])
        await dead.join(table["table"], table["token"])
        await watching.event("connection_back", seat=0)
        # As good as dead: it beats no more, and its end says nothing.
        await dying.close()
        await watching.event("connection_lost", seat=0)
        back, _ = await alive.join(table["table"], table["token"])
        await watching.event("connection_back", seat=0)
        assert (await back.ask("react", emoji="🔥"))["ok"]
    await living.close()


async def test_a_table_nobody_uses_is_forgotten(redis_url):
    async with served_by(redis_url, table_idle_ms=50) as server:
        table = await server.open()
        client, _ = await server.join(table["table"])
        await client.close()
        async with asyncio.timeout(10):
            while server.gateway.hub.tables:
                await asyncio.sleep(0.01)
        _, welcome = await server.join(table["table"])
        assert welcome["view"]["seats"][0]["name"] == "Ada"


async def test_nothing_is_kept_about_who_watched_a_table_that_was_closed(redis_url):
    async with served_by(redis_url, check_every_ms=60_000) as server:
        table = await server.open()
        host, _ = await server.join(table["table"], table["token"])
        watching, _ = await server.join(table["table"])
        await server.gateway.hub.check()
        redis = server.gateway.store._client
        assert await redis.call("KEYS", "*:watched:*")
        await host.ask("leave")
        assert await watching.end() == (1000, "closed")
        # Long before a gateway that does not beat is taken for dead.
        async with asyncio.timeout(3):
            while await redis.call("KEYS", "*:watched:*"):
                await asyncio.sleep(0.01)


async def test_spectators_see_a_delayed_table_late_and_seats_do_not(server):
    table = await server.open(bots=2, spectator_delay_seconds=1, race_seconds=60, standin_grace_seconds=60)
    host, _ = await server.join(table["table"], table["token"])
    watching, welcome = await server.join(table["table"], protocol=JSON)
    assert welcome["view"]["settings"]["spectator_delay_seconds"] == 1
    assert welcome["view"]["phase"] == "lobby"
    pong = await watching.until("pong", id=await watching.say("ping"))
    live = await host.until("pong", id=await host.say("ping"))
    assert 900 <= live["now"] - pong["now"] <= 6_000
    await host.ask("host", do="start")
    await host.ask("react", emoji="🔥")
    assert not any(event["type"] == "game_started" for event in watching.events)
    started = await watching.event("game_started")
    now = (await host.until("pong", id=await host.say("ping")))["now"]
    assert now - started["at"] >= 1000 - 25
    await watching.until("reaction")
    watching.judge_order()


# Every message gets its reply

NEXT_ROUND, ADD_BOT = ("host", {"do": "next_round"}), ("host", {"do": "add_bot"})
PASS, PLAY = ("pass", {"on": 3}), ("play", {"on": 3, "cards": ["3S"]})
LEAVE, PING = ("leave", {}), ("ping", {})
SALT, GIVE = ("salt", {"deal": 1, "salt": "00" * 16}), ("give", {"round": 1, "cards": ["3S"]})
REMOVE_HOST = ("host", {"do": "remove", "seat": 0})
SAID_ON_SOCKETS = {code for name, code in vars(refusals).items() if name.isupper()} - {
    refusals.DOOR_CLOSED,
    refusals.NO_TABLE,
    refusals.NOT_IN_CHARGE,
}


def reasons(client):
    return {message["why"] for message in client.seen if message["t"] == "reply" and not message["ok"]}


@pytest.mark.parametrize("is_split", [False, True], ids=["together", "split"])
@pytest.mark.parametrize("protocol", [JSON, MSGPACK])
@pytest.mark.parametrize("started", [False, True], ids=["lobby", "game"])
@pytest.mark.parametrize(
    "burst",
    [
        [NEXT_ROUND, NEXT_ROUND, LEAVE],
        [ADD_BOT, PASS, NEXT_ROUND, LEAVE],
        [NEXT_ROUND, LEAVE, NEXT_ROUND, PASS, LEAVE],
        [PLAY, PING, LEAVE, PING, ADD_BOT],
        [LEAVE, LEAVE, LEAVE],
        [LEAVE, PASS, ADD_BOT, LEAVE, SALT, GIVE],
    ],
    ids=lambda burst: " ".join(kind for kind, _ in burst),
)
async def test_what_was_asked_in_one_breath_with_leaving_is_answered(redis_url, burst, started, protocol, is_split):
    async with served_by(redis_url, is_split=is_split) as server:
        table = await server.open(bots=3, bot_delay_ms=600_000)
        client, _ = await server.join(table["table"], table["token"], protocol)
        if started:
            assert (await client.ask("host", do="start"))["ok"]
        asked = [await client.say(kind, **fields) for kind, fields in burst]
        assert await client.end() == (1000, "left")
        answered = [message["id"] for message in client.seen if message["t"] in {"reply", "pong"}]
        assert len(set(answered)) == len(answered)
        # What is sent behind the wish to leave may find nobody any more.
        leaves = next(place for place, (kind, _) in enumerate(burst) if kind == "leave")
        assert set(asked[: leaves + 1]) <= set(answered)
        assert reasons(client) <= SAID_ON_SOCKETS
        client.judge_order()


@pytest.mark.parametrize("is_split", [False, True], ids=["together", "split"])
async def test_behind_leaving_a_game_that_goes_on_everything_is_a_spectators(redis_url, is_split):
    """`spectator` comes before `not_host` and the rest (PROTOCOL 3.4), whether authority or gateway says it."""
    async with served_by(redis_url, is_split=is_split) as server:
        table = await server.open(bots=2, bot_delay_ms=600_000)
        seat = await server.sit(table["table"])
        host, _ = await server.join(table["table"], table["token"])
        guest, _ = await server.join(table["table"], seat["token"])
        assert (await host.ask("host", do="start"))["ok"]
        for kind, fields in (LEAVE, NEXT_ROUND, REMOVE_HOST, PASS, PLAY, SALT, GIVE, LEAVE):
            await guest.say(kind, **fields)
        assert await guest.end() == (1000, "left")
        assert reasons(guest) == {"spectator"}
        guest.judge_order()


async def test_a_table_that_an_operator_closes_answers_what_was_asked(server):
    table = await server.open(bots=3, bot_delay_ms=600_000)
    client, _ = await server.join(table["table"], table["token"])
    server.gateway.asks.ask(table["table"], CloseTable(), lambda *_: None)
    asked = {await client.say(kind, **fields) for kind, fields in (PASS, ADD_BOT, LEAVE)}
    assert await client.end() == (1000, "closed")
    assert {message["id"] for message in client.seen if message["t"] == "reply"} == asked
    assert reasons(client) <= {"empty_trick", "stale", "wrong_phase"}


async def test_who_is_removed_is_answered_first(server):
    table = await server.open()
    seat = await server.sit(table["table"])
    host, _ = await server.join(table["table"], table["token"])
    guest, _ = await server.join(table["table"], seat["token"])
    asked = [await guest.say("host", do="start"), await guest.say("pass", on=1)]
    assert (await host.ask("host", do="remove", seat=seat["seat"]))["ok"]
    assert await guest.end() == (4003, "removed")
    assert {message["id"] for message in guest.seen if message["t"] == "reply"} == set(asked)
