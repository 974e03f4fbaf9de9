"""The WebSocket of PROTOCOL section 3 over real sockets: handshake, hello, replies, limits, close codes."""

import asyncio
import json
import socket
import struct

import aiohttp
import msgpack
import pytest

from tests.integration.gateway_bench import JSON, MSGPACK, served_by


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


@pytest.fixture
async def table(server):
    return await server.open(bots=2)


# Handshake


@pytest.mark.parametrize(
    "protocols, spoken",
    [((), None), ((JSON,), JSON), ((MSGPACK,), MSGPACK), (("x", MSGPACK, JSON), MSGPACK), ((JSON, MSGPACK), JSON)],
)
async def test_the_first_known_subprotocol_is_spoken_and_none_means_json(server, table, protocols, spoken):
    socket = await server.http.ws_connect(f"{server.url}/ws/{table['table']}", protocols=protocols)
    assert socket.protocol == spoken
    hello = {"t": "hello", "v": 1}
    await (socket.send_bytes(msgpack.packb(hello)) if spoken == MSGPACK else socket.send_str(json.dumps(hello)))
    message = await socket.receive()
    assert message.type is (aiohttp.WSMsgType.BINARY if spoken == MSGPACK else aiohttp.WSMsgType.TEXT)
    await socket.close()


@pytest.mark.parametrize("lines", [("chat", MSGPACK), (MSGPACK, "chat"), ("chat, x", f"y, {MSGPACK}", JSON)])
async def test_subprotocols_offered_in_several_header_lines_are_one_list(server, table, lines):
    headers = [("Sec-WebSocket-Protocol", line) for line in lines]
    async with server.http.ws_connect(f"{server.url}/ws/{table['table']}", headers=headers) as socket:
        assert socket._response.headers.getall("Sec-WebSocket-Protocol") == [MSGPACK]
        await socket.send_bytes(msgpack.packb({"t": "hello", "v": 1}))
        assert (await socket.receive()).type is aiohttp.WSMsgType.BINARY


async def handshake_status(server, table, **more):
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await server.http.ws_connect(f"{server.url}/ws/{table['table']}", **more)
    return refused.value.status


async def test_only_unknown_subprotocols_are_a_400(server, table):
    assert await handshake_status(server, table, protocols=("rapid.v2.json", "chat")) == 400


async def test_a_foreign_origin_is_refused_and_none_is_fine(redis_url):
    async with served_by(redis_url, origins=("https://game.example",)) as server:
        table = await server.open()
        for origin in (
            "http://evil.example",
            "null",
            f"http://127.0.0.1:{server.port + 1}",
            "https://game.example:8443",
        ):
            assert await handshake_status(server, table, headers={"Origin": origin}) == 403
        for origin in (f"http://127.0.0.1:{server.port}", "https://game.example", "https://game.example:443"):
            client = await server.dial(table["table"], headers={"Origin": origin})
            await client.send({"t": "hello", "v": 1})
            await client.until("welcome")


async def test_without_an_upgrade_it_is_a_problem(server, table):
    async with server.http.get(f"{server.url}/ws/{table['table']}") as answer:
        assert answer.status == 400
        assert answer.content_type == "application/problem+json"


async def test_more_connections_than_the_limit_are_a_503(redis_url):
    async with served_by(redis_url, {"connections_max": 2}) as server:
        table = await server.open()
        await server.join(table["table"])
        await server.join(table["table"])
        assert await handshake_status(server, table) == 503


# Hello


async def test_a_seat_is_welcomed_with_its_view(server, table):
    client, welcome = await server.join(table["table"], table["token"])
    assert {name: welcome[name] for name in ("t", "v", "table", "seat")} == {
        "t": "welcome", "v": 1, "table": table["table"], "seat": 0,
    }  # fmt: skip
    assert welcome["view"]["you"]["seat"] == 0
    back = await client.event("connection_back", seat=0)
    assert back["seq"] == welcome["seq"] + 1
    client.judge_order()


async def test_a_spectator_is_welcomed_without_a_hand(server, table):
    _, welcome = await server.join(table["table"], protocol=JSON)
    assert welcome["seat"] is None
    assert welcome["view"]["you"] is None


@pytest.mark.parametrize("name", ["aaaaaaaaaaaa", "x", "A" * 12, "%20" * 12])
async def test_an_unknown_table_closes_behind_the_upgrade(server, name):
    client = await server.dial(name)
    await client.send({"t": "hello", "v": 1})
    assert await client.end() == (4004, "no_table")


@pytest.mark.parametrize("token", ["", "x", "ñ" * 64, "x" * 3000])
async def test_a_wrong_token_is_told_and_changes_nothing(server, table, token):
    seated, _ = await server.join(table["table"], table["token"])
    await seated.event("connection_back")
    client = await server.dial(table["table"])
    await client.send({"t": "hello", "v": 1, "token": token})
    assert await client.end() == (4005, "bad_token")
    assert (await seated.ask("react", emoji="🔥"))["ok"]
    assert [event["type"] for event in seated.events] == ["connection_back"]


async def test_a_token_of_another_table_is_a_bad_one(server, table):
    other = await server.open()
    client = await server.dial(table["table"])
    await client.send({"t": "hello", "v": 1, "token": other["token"]})
    assert await client.end() == (4005, "bad_token")


@pytest.mark.parametrize(
    "first",
    [
        {"t": "hello"}, {"t": "hello", "v": 2}, {"t": "hello", "v": 1, "since": -1}, {"t": "hello", "v": 1, "token": 3},
        {"t": "ping", "id": 1}, {"t": "play", "id": 1, "on": 1, "cards": []}, {"t": "nothing", "id": 1},
    ],
)  # fmt: skip
@pytest.mark.parametrize("protocol", [JSON, MSGPACK])
async def test_anything_but_a_good_hello_first_is_a_bad_hello(server, table, first, protocol):
    client = await server.dial(table["table"], protocol)
    await client.send(first)
    assert await client.end() == (4001, "bad_hello")


async def test_a_second_hello_is_a_bad_one(server, table):
    client, _ = await server.join(table["table"])
    await client.send({"t": "hello", "v": 1})
    assert await client.end() == (4001, "bad_hello")


async def test_no_hello_in_time_is_a_bad_one(redis_url):
    async with served_by(redis_url, {"hello_timeout_ms": 50}) as server:
        table = await server.open()
        client = await server.dial(table["table"])
        assert await client.end() == (4001, "bad_hello")


async def test_what_is_sent_right_behind_hello_is_answered_behind_welcome(server, table):
    client = await server.dial(table["table"])
    await client.send({"t": "hello", "v": 1, "token": table["token"]})
    await client.say("host", do="start")
    await client.say("ping")
    await client.until("reply", id=1, ok=True)
    await client.until("pong", id=2) if not any(m["t"] == "pong" for m in client.seen) else None
    assert client.seen[0]["t"] == "welcome"
    client.judge_order()


# Replies


async def test_ping_is_answered_with_the_time(server, table):
    client, welcome = await server.join(table["table"], table["token"])
    pong = await client.until("pong", id=await client.say("ping"))
    assert 0 <= pong["now"] - welcome["now"] < 20_000


@pytest.mark.parametrize(
    "message",
    [
        {"t": "play", "on": 1}, {"t": "play", "on": True, "cards": ["QH"]}, {"t": "play", "on": 1.0, "cards": ["QH"]},
        {"t": "play", "on": 1, "cards": [["QH"]]}, {"t": "play", "on": 2**63, "cards": ["QH"]},
        {"t": "host", "do": "remove", "seat": "1"}, {"t": "what"}, {"t": "react", "emoji": "x"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("protocol", [JSON, MSGPACK])
async def test_a_fault_in_a_message_is_answered(server, table, message, protocol):
    client, _ = await server.join(table["table"], table["token"], protocol)
    fields = dict(message)
    reply = await client.ask(fields.pop("t"), **fields)
    assert (reply["ok"], reply["why"]) == (False, "malformed")


@pytest.mark.parametrize(
    "cards, why",
    [
        ([], "not_a_combination"), (["3S", "3S"], "not_your_cards"), (["12B"], "not_your_cards"),
        (["*1=KD"], "not_your_cards"), (["3S"] * 60, "not_your_cards"),
    ],
)  # fmt: skip
async def test_strange_cards_are_refused_by_the_table(server, table, cards, why):
    client, _ = await server.join(table["table"], table["token"])
    await client.ask("host", do="start")
    opened = next(event for event in client.events if event["type"] == "trick_opened")
    reply = await client.ask("play", on=opened["seq"], cards=cards)
    assert (reply["ok"], reply["why"]) == (False, why)


async def test_spectators_are_refused_and_may_leave(server, table):
    client, _ = await server.join(table["table"])
    for message in (
        {"t": "play", "on": 1, "cards": ["QH"]},
        {"t": "pass", "on": 1},
        {"t": "give", "round": 1, "cards": []},
        {"t": "salt", "deal": 1, "salt": "0" * 32},
        {"t": "host", "do": "start"},
        {"t": "react", "emoji": "🔥"},
    ):
        fields = dict(message)
        assert (await client.ask(fields.pop("t"), **fields))["why"] == "spectator"
    assert (await client.ask("leave"))["ok"]
    assert await client.end() == (1000, "left")


async def test_bad_settings_are_told_field_by_field(server, table):
    client, _ = await server.join(table["table"], table["token"])
    reply = await client.ask("host", do="settings", settings={"rounds": 0, "what": None})
    assert reply["why"] == "bad_settings"
    assert [row["field"] for row in reply["errors"]] == ["rounds", "what"]
    assert (await client.ask("host", do="settings", settings={"rounds": 3, "race_seconds": 0.5}))["ok"]
    assert client.events[-1]["settings"]["race_seconds"] == 0.5


async def test_host_commands_are_the_hosts(server, table):
    bob = await server.sit(table["table"])
    client, _ = await server.join(table["table"], bob["token"])
    for do in ("start", "next_round", "end_game", "play_again", "to_lobby", "add_bot"):
        assert (await client.ask("host", do=do))["why"] == "not_host"
    host, _ = await server.join(table["table"], table["token"])
    assert (await host.ask("host", do="next_round"))["why"] == "wrong_phase"
    assert (await host.ask("host", do="add_bot", level="hard"))["ok"]
    assert host.events[-1]["level"] == "hard"
    assert (await host.ask("host", do="remove", seat=0))["why"] == "no_such_seat"


async def test_a_salt_is_taken_once(server, table):
    client, welcome = await server.join(table["table"], table["token"])
    deal = welcome["view"]["deal"]
    assert (await client.ask("salt", deal=deal, salt="ab" * 16))["ok"]
    assert client.events[-1] | {"at": 0, "seq": 0} == {
        "t": "event", "type": "salted", "seat": 0, "deal": deal, "salt": "ab" * 16, "at": 0, "seq": 0,
    }  # fmt: skip
    assert (await client.ask("salt", deal=deal, salt="ab" * 16))["why"] == "already_given"
    assert (await client.ask("salt", deal=deal + 1, salt="ab" * 16))["why"] == "stale"


# Frames and floods


@pytest.mark.parametrize(
    "frame",
    [b"", b"\x80", b"\x82\xa1t\xa4ping\xa2id", b"\x90", b"\x83\xa1t\xa4ping\xa2id\x01\xa2id\x01", b"x" * 5000,
     b"x" * 70_000, "{}"],
)  # fmt: skip
async def test_no_message_of_msgpack_closes(server, table, frame):
    client, _ = await server.join(table["table"])
    await (client.socket.send_str(frame) if isinstance(frame, str) else client.socket.send_bytes(frame))
    assert await client.end() == (4010, "malformed")


@pytest.mark.parametrize(
    "frame", ["", "{", "[]", '{"t":"ping"}', '{"t":"ping","id":1}{}', '{"t":"ping","id":1,"id":1}', "x" * 5000, b"{}"]
)
async def test_no_message_of_json_closes(server, table, frame):
    client, _ = await server.join(table["table"], protocol=JSON)
    await (client.socket.send_str(frame) if isinstance(frame, str) else client.socket.send_bytes(frame))
    assert await client.end() == (4010, "malformed")


async def test_text_that_is_no_utf8_closes(server, table):
    client, _ = await server.join(table["table"], protocol=JSON)
    writer = client.socket._writer
    await writer.send_frame(b'{"t":"ping","id":1,"x":"\xff"}', aiohttp.WSMsgType.TEXT)
    assert await client.end() == (4010, "malformed")


async def test_a_flood_closes(server, table):
    client, _ = await server.join(table["table"])
    for _ in range(400):
        await client.say("ping")
    assert await client.end() == (4009, "too_many")
    assert sum(message["t"] == "pong" for message in client.seen) >= 199


async def test_too_many_intents_are_refused_and_the_connection_stays(server, table):
    client, _ = await server.join(table["table"], table["token"])
    ids = [await client.say("pass", on=1) for _ in range(100)]
    replies = {}
    while len(replies) < 100:
        reply = await client.until("reply")
        assert reply["id"] not in replies
        replies[reply["id"]] = reply["why"]
    assert set(replies) == set(ids)
    assert list(replies.values()).count("wrong_phase") >= 60
    refused = list(replies.values()).count("rate_limited")
    assert refused > 0
    await client.until("pong", id=await client.say("ping"))
    assert (await client.ask("react", emoji="🎉"))["ok"]
    assert (await client.ask("react", emoji="🎉"))["why"] == "rate_limited"
    hits = server.gateway.metrics.limit_hits
    assert (hits["intents_per_second"], hits["reactions_per_second"]) == (refused, 1)


async def test_reactions_reach_everyone_once_a_second(server, table):
    seated, _ = await server.join(table["table"], table["token"])
    watching, _ = await server.join(table["table"], protocol=JSON)
    assert (await seated.ask("react", emoji="🎉"))["ok"]
    assert (await seated.ask("react", emoji="🎉"))["why"] == "rate_limited"
    reaction = await watching.until("reaction")
    assert (reaction["seat"], reaction["emoji"]) == (0, "🎉")
    await seated.until("reaction") if not any(m["t"] == "reaction" for m in seated.seen) else None
    assert sum(message["t"] == "reaction" for message in [*seated.seen, *watching.seen]) == 2


async def test_a_client_that_closes_gets_its_close_back(server, table):
    client, _ = await server.join(table["table"])
    await client.socket.close(code=3001)
    assert client.socket.close_code == 3001


async def test_the_servers_ping_of_websocket_is_answered(server, table):
    client, _ = await server.join(table["table"])
    await client.socket.ping(b"x")
    await client.until("pong", id=await client.say("ping"))


async def test_a_viewer_who_does_not_read_is_cut_off_and_nobody_waits_for_it(redis_url):
    async with served_by(redis_url, {"viewer_buffer_max_bytes": 20_000, "messages_burst": 10**9}) as server:
        table = await server.open()
        slow, _ = await server.join(table["table"])
        brisk, _ = await server.join(table["table"], table["token"])
        slow.socket._response.connection.transport.pause_reading()
        # What the kernel takes on both sides is much more than our limit.
        viewer = next(iter(server.gateway.viewers.values()))
        flood = b"\x82\x7e\xff\xff" + b"\x00" * 65_535
        async with asyncio.timeout(20):
            while viewer.ending is None:
                viewer.send(flood)
                await asyncio.sleep(0)
        await brisk.until("pong", id=await brisk.say("ping"))
        async with asyncio.timeout(20):
            while len(server.gateway.viewers) > 1:
                await asyncio.sleep(0.01)
        assert viewer.ending.code == 4008


async def test_a_server_that_goes_says_so(redis_url):
    async with served_by(redis_url) as server:
        table = await server.open()
        seated, _ = await server.join(table["table"], table["token"])
        watching, _ = await server.join(table["table"], protocol=JSON)
        ends = asyncio.gather(seated.end(), watching.end())
        await server.gateway.leave()
        assert await ends == [(1001, "leaving"), (1001, "leaving")]
        assert await handshake_status(server, table) == 503


async def test_a_client_that_is_gone_before_the_handshake_is_answered_is_no_fault(server, caplog):
    """Many at once on a busy server: its socket is closed while its request waits."""
    table = await server.open()
    request = (
        f"GET /ws/{table['table']} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            # Reset, not closed: the answer cannot be written.
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            gone.sendall(request.encode())
    _, welcome = await server.join(table["table"], table["token"])
    assert welcome["seat"] == 0
    assert [line for line in caplog.records if line.levelname == "ERROR"] == []
