"""A seat through a real socket: replies, resumes, reconnects, final closes (PROTOCOL 3, R3)."""

import asyncio
import socket

import pytest

from rapid_client import (
    Backoff,
    BadHello,
    BadToken,
    Bye,
    ConnectionLost,
    Disconnected,
    Encoding,
    NoTable,
    NoTrick,
    Removed,
    Table,
    TakenOver,
    Unreachable,
    Welcome,
)
from rapid_client.events import Played, SeatTaken
from rapid_client.inbox import Inbox
from rapid_client.messages import Presence
from rapid_client.session import Session
from tests.unit.clients.peer import TABLE, TOKEN, event, lobby, played, racing, welcome

AT_ONCE = {"first_s": 0.0, "most_s": 0.0}


def table(peer, token=TOKEN, **options):
    return Table(peer.base, TABLE, token, backoff=Backoff(**AT_ONCE), **options)


async def next_of(connection, kind):
    async for message in connection:
        if isinstance(message, kind):
            return message
    raise AssertionError(f"no {kind.__name__} came")


@pytest.mark.parametrize("encoding", Encoding)
async def test_both_subprotocols_play(peer, encoding):
    async def script(server):
        assert server.socket.ws_protocol == encoding.value
        hello = await server.greet(racing())
        assert hello == {"t": "hello", "v": 1, "token": TOKEN}
        play = await server.receive()
        assert play == {"t": "play", "id": play["id"], "on": 20, "cards": ["8S", "8H"]}
        await server.send(played(21, 0, ["8S", "8H"], 20), {"t": "reply", "id": play["id"], "ok": True, "seq": 21})
        await server.stay()

    peer.scripts = [script]
    async with table(peer, encoding=encoding) as seat:
        reply = await seat.play(["8S", "8H"])
        assert (reply.ok, reply.seq, seat.view.you.hand) == (True, 21, ("3S", "QD", "2C"))


async def test_a_spectator_says_watch_and_has_no_seat(peer):
    async def script(server):
        assert server.request.query_string == "watch"
        assert "token" not in await server.greet(lobby(you=None), seat=None)
        await server.stay()

    peer.scripts = [script]
    async with table(peer, token=None) as watcher:
        assert (watcher.seat, watcher.view.you) == (None, None)


async def test_events_come_in_order_each_once_with_the_view_as_of_them(peer):
    async def script(server):
        await server.greet(racing())
        for one in (played(21, 2, ["9S", "9H"], 20), played(21, 2, ["9S", "9H"], 20), played(22, 1, ["TS", "TH"], 21)):
            await server.send(one)
        await server.stay()

    peer.scripts = [script]
    async with table(peer) as seat:
        seen = []
        async for message in seat:
            seen.append((type(message).__name__, seat.seen.trick.state))
            if seat.seen.trick.state == 22:
                break
        assert seen == [("Welcome", 20), ("Played", 21), ("Played", 22)]


async def test_R3_a_play_aims_at_what_was_seen_not_at_what_has_arrived(peer):
    async def script(server):
        await server.greet(racing())
        await server.send(played(21, 2, ["9S", "9H"], 20), {"t": "presence", "spectators": 1})
        for on in (20, 17):
            play = await server.receive()
            assert play["on"] == on
            await server.send({"t": "reply", "id": play["id"], "ok": False, "why": "stale", "late_ms": 3})
        await server.stay()

    peer.scripts = [script]
    async with table(peer) as seat:
        assert isinstance(await anext(seat), Welcome)
        while seat.view.trick.state != 21:
            await seat.ping()
        assert (seat.seen.trick.state, seat.view.trick.state) == (20, 21)
        assert (await seat.play(["8S", "8H"])).late_ms == 3
        assert (await seat.pass_(on=17)).why == "stale"


async def test_no_trick_no_play(peer):
    async with table(peer) as seat:
        with pytest.raises(NoTrick):
            await seat.play(["3S"])
        with pytest.raises(NoTrick):
            await seat.pass_()


async def test_every_request_has_its_fields(peer):
    async def script(server):
        await server.greet(lobby(round=3))
        for _ in range(7):
            request = await server.receive()
            await server.send({"t": "reply", "id": request["id"], "ok": True, "seq": 20})
        await server.stay()

    peer.scripts = [script]
    async with table(peer) as seat:
        await seat.give(["3S", "4S"])
        await seat.salt(4, bytes(16))
        await seat.react("🔥")
        await seat.host("start")
        await seat.host("add_bot", level="easy")
        await seat.host("remove", seat=0)
        await seat.host("settings", settings={"rounds": 2})
        sent = [{k: v for k, v in one.items() if k != "id"} for one in peer.received[1:]]
    assert sent == [
        {"t": "give", "round": 3, "cards": ["3S", "4S"]},
        {"t": "salt", "deal": 4, "salt": "00" * 16},
        {"t": "react", "emoji": "🔥"},
        {"t": "host", "do": "start"},
        {"t": "host", "do": "add_bot", "level": "easy"},
        {"t": "host", "do": "remove", "seat": 0},
        {"t": "host", "do": "settings", "settings": {"rounds": 2}},
    ]
    ids = [one["id"] for one in peer.received[1:]]
    assert len(set(ids)) == len(ids)


async def test_a_broken_connection_is_resumed_where_it_broke(peer):
    async def first(server):
        await server.greet(racing())
        await server.send(played(21, 2, ["9S", "9H"], 20))
        await server.receive()
        server.cut()

    async def second(server):
        seen = {"since": 21, "since_at": played(21, 2, ["9S", "9H"], 20)["at"]}
        assert await server.greet(None, 21) == {"t": "hello", "v": 1, "token": TOKEN, **seen}
        await server.send(played(22, 1, ["TS", "TH"], 21))
        await server.stay()

    peer.scripts = [first, second]
    async with table(peer) as seat:
        await next_of(seat, Played)
        with pytest.raises(ConnectionLost):
            await seat.react("🔥")
        assert isinstance(await anext(seat), Disconnected)
        assert (await anext(seat)).view is None
        assert (await anext(seat)).seq == 22


async def test_R3_an_intent_in_flight_is_lost_with_its_connection_and_never_sent_again(peer):
    async def first(server):
        await server.greet(racing())
        assert (await server.receive())["t"] == "play"
        server.cut()

    async def second(server):
        await server.greet(None)
        react = await server.receive()
        assert react["t"] == "react"
        await server.send({"t": "reply", "id": react["id"], "ok": True, "seq": 20})
        await server.stay()

    peer.scripts = [first, second]
    async with table(peer) as seat:
        with pytest.raises(ConnectionLost):
            await seat.play(["8S", "8H"])
        await next_of(seat, Disconnected)
        await next_of(seat, Welcome)
        await seat.react("🔥")
    assert [one["t"] for one in peer.received] == ["hello", "play", "hello", "react"]


async def test_what_is_asked_while_offline_is_not_sent_later(peer):
    async def first(server):
        await server.greet(racing())
        await server.close(1001)

    comes_back = asyncio.Event()

    async def second(server):
        await server.receive()
        await comes_back.wait()
        await server.send(welcome(None))
        await server.stay()

    peer.scripts = [first, second]
    async with table(peer) as seat:
        await next_of(seat, Disconnected)
        assert not seat.is_connected
        with pytest.raises(ConnectionLost):
            await seat.play(["8S", "8H"], on=20)
        comes_back.set()
        await next_of(seat, Welcome)
        assert seat.is_connected
    assert "play" not in [one["t"] for one in peer.received]


@pytest.mark.parametrize("code", [1001, 1011, 4008, 4009, 4010])
async def test_other_closes_are_no_end(peer, code):
    async def first(server):
        await server.greet(lobby())
        await server.send({"t": "bye", "why": "leaving"})
        await server.close(code)

    async def second(server):
        await server.greet(None)
        await server.send({"t": "presence", "spectators": 7})
        await server.stay()

    peer.scripts = [first, second]
    async with table(peer) as seat:
        assert (await next_of(seat, Bye)).why == "leaving"
        assert (await next_of(seat, Disconnected)).code == code
        assert (await next_of(seat, Presence)).spectators == 7


@pytest.mark.parametrize(
    "code, error", [(4000, TakenOver), (4001, BadHello), (4003, Removed), (4004, NoTable), (4005, BadToken)]
)
async def test_final_closes_say_why_and_are_not_retried(peer, code, error):
    async def script(server):
        await server.greet(lobby())
        await server.close(code)

    async def never(server):
        raise AssertionError("came again")

    peer.scripts = [script, never]
    async with table(peer) as seat:
        with pytest.raises(error) as raised:
            await next_of(seat, Disconnected)
        with pytest.raises(error):
            await seat.react("🔥")
        assert str(raised.value) == error.text
    assert len(peer.connections) == 1


async def test_a_final_close_instead_of_a_welcome_raises_on_entering(peer):
    async def script(server):
        await server.receive()
        await server.close(4005)

    peer.scripts = [script]
    with pytest.raises(BadToken):
        async with table(peer):
            raise AssertionError("entered")


async def test_an_ordinary_close_ends_the_iteration(peer):
    async def script(server):
        await server.greet(lobby())
        leave = await server.receive()
        await server.send({"t": "reply", "id": leave["id"], "ok": True, "seq": 20}, {"t": "bye", "why": "left"})
        await server.close(1000)

    peer.scripts = [script]
    async with table(peer) as seat:
        assert (await seat.leave()).ok
        assert [type(message) async for message in seat] == [Welcome, Bye]
    assert len(peer.connections) == 1


async def test_a_fault_of_the_library_is_no_orderly_end(peer, monkeypatch):
    async def script(server):
        await server.greet(lobby())
        await server.send({"t": "presence", "spectators": 1})
        await server.receive()

    original = Session.receive

    def receive(session, frame):
        if frame["t"] == "presence":
            raise ZeroDivisionError
        return original(session, frame)

    monkeypatch.setattr(Session, "receive", receive)
    peer.scripts = [script]
    async with table(peer) as seat:
        with pytest.raises(ZeroDivisionError):
            async for _ in seat:
                pass


async def test_no_server_is_said_on_entering():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(Unreachable):
        async with Table(f"http://127.0.0.1:{port}", TABLE):
            raise AssertionError("entered")


async def test_a_gap_is_filled_by_another_connection(peer):
    async def first(server):
        await server.greet(racing())
        await server.send(played(22, 1, ["TS", "TH"], 21))
        await server.stay()

    async def second(server):
        assert (await server.greet(None))["since"] == 20
        await server.send(played(21, 2, ["9S", "9H"], 20), played(22, 1, ["TS", "TH"], 21))
        await server.stay()

    peer.scripts = [first, second]
    async with table(peer) as seat:
        assert [(await next_of(seat, Played)).seq for _ in range(2)] == [21, 22]


@pytest.mark.parametrize("bad", [played(21, 0, ["KS"], 20), {"t": "event"}, {"t": []}])
async def test_what_cannot_be_leads_to_one_full_view(peer, bad):
    async def first(server):
        await server.greet(racing())
        await server.send(bad)
        await server.stay()

    async def second(server):
        assert "since" not in await server.greet(lobby(), 40)
        await server.stay()

    peer.scripts = [first, second]
    async with table(peer) as seat:
        await next_of(seat, Disconnected)
        assert seat.view.phase == "playing"
        assert (await next_of(seat, Welcome)).seq == 40
        assert seat.view.phase == "lobby"


async def test_a_silent_peer_is_found_dead(peer):
    async def first(server):
        await server.receive()
        await server.send(welcome(racing()))
        while not server.socket.closed:
            await server.socket.receive()

    async def second(server):
        await server.greet(None)
        await server.stay()

    peer.scripts = [first, second]
    async with table(peer, ping_every_s=0.05) as seat:
        await next_of(seat, Disconnected)
        await next_of(seat, Welcome)


async def test_a_greeting_without_an_answer_is_tried_again(peer):
    async def silent(server):
        await server.receive()
        await server.stay()

    peer.scripts = [silent]
    async with table(peer, ping_every_s=0.05) as seat:
        assert seat.view.phase == "lobby"
    assert len(peer.connections) > 1


async def test_PROTOCOL_5_a_salt_is_sent_for_each_committed_deal(peer):
    you = {"seat": 0, "hand": [], "owes": None, "salted": False}

    async def script(server):
        await server.greet(lobby(you=you, commit="c" * 64, deal=1))
        for deal in (1, 2):
            salt = await server.receive()
            assert (salt["t"], salt["deal"], len(bytes.fromhex(salt["salt"]))) == ("salt", deal, 16)
            salted = event(18 + 3 * deal, "salted", seat=0, deal=deal, salt=salt["salt"])
            await server.send(salted, {"t": "reply", "id": salt["id"], "ok": True, "seq": 21})
            await server.send(event(19 + 3 * deal, "committed", deal=deal + 1, commit="d" * 64))
            await server.send(event(20 + 3 * deal, "host_changed", seat=0))
        await server.stay()

    peer.scripts = [script]
    async with table(peer) as seat:
        while seat.view.deal != 3:
            await anext(seat)
    salts = [one["salt"] for one in peer.received if one["t"] == "salt"]
    assert len(set(salts)) == len(salts)


async def test_the_servers_clock_is_known(peer):
    async with table(peer) as seat:
        await seat.ping()
        assert seat.now_ms() == pytest.approx(50_000, abs=5_000)
        assert seat.remaining_s(None) is None
        assert seat.remaining_s(int(seat.now_ms()) - 1) == 0.0
        assert seat.remaining_s(int(seat.now_ms()) + 4_000) == pytest.approx(4, abs=1)


async def test_a_reader_far_behind_gets_a_welcome_with_the_present_view(peer):
    inbox = Inbox(limit=3)
    async with table(peer) as seat:
        newest = Welcome(v=1, table=TABLE, seat=0, seq=99, now=1, view=seat.view)
        for number in range(4):
            presence = Presence(spectators=number)
            inbox.put(presence, seat.view, lambda: newest)
        inbox.put(Presence(spectators=9), seat.view, lambda: newest)
        inbox.end(None)
        assert [(await inbox.get())[0] for _ in range(2)] == [newest, Presence(spectators=9)]
        with pytest.raises(StopAsyncIteration):
            await inbox.get()


async def test_a_newcomer_is_known_by_name(peer):
    async def script(server):
        await server.greet(lobby())
        await server.send(event(21, "seat_taken", seat=3, name="Di", kind="person"))
        await server.stay()

    peer.scripts = [script]
    async with table(peer) as seat:
        assert (await next_of(seat, SeatTaken)).level is None
        assert (seat.view.name(3), seat.view.order, seat.view.name(5)) == ("Di", (0, 1, 2, 3), "seat 5")


async def test_a_token_is_in_no_repr(peer):
    async with table(peer) as seat:
        assert TOKEN not in repr(seat)
        assert TOKEN not in repr(vars(seat)["_session"])
