"""The HTTP calls of PROTOCOL section 2, over real sockets, with a worker and a real Redis behind them."""

import asyncio
import gzip
import json

import aiohttp
import pytest

from rapid.rules.settings_check import VARIANT_NAMES
from rapid.store import open_store
from tests.integration.gateway_bench import gateway_on, served_by

PROBLEM = "application/problem+json"


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


async def refused(server, method, path, status, **sent):
    """The answer is a problem, whole; return it and its headers."""
    async with server.http.request(method, server.url + path, **sent) as answer:
        assert answer.status == status, await answer.text()
        assert answer.content_type == PROBLEM
        body = json.loads(await answer.read())
        assert {"type", "title", "status", "detail"} <= set(body)
        assert body["status"] == status
        return body, answer.headers


def fields_of(body):
    return [row["field"] for row in body["errors"]]


async def test_a_table_is_opened_and_its_row_is_there_at_once(server):
    opened = await server.open("  Zoe\u0308 ", bots=2, visibility="public")
    table = opened["table"]
    assert set(opened) == {"table", "seat", "token", "url"}
    assert (opened["seat"], opened["url"], len(opened["token"])) == (0, f"/t/{table}", 43)
    row = await server.get(f"/api/tables/{table}")
    assert row == {
        "table": table, "phase": "lobby", "mode": "rapid", "ruleset": "president", "people": 1, "bots": 2,
        "seats": 6, "spectators": 0, "round": None,
    }  # fmt: skip
    assert await server.get("/api/tables") == {"tables": [row]}
    _, welcome = await server.join(table)
    assert [seat["name"] for seat in welcome["view"]["seats"]] == ["Zoë", "Bot 2", "Bot 3"]


async def test_the_list_shows_public_tables_newest_first(server):
    first = await server.open(visibility="public")
    private = await server.open()
    second = await server.open(visibility="public")
    listed = [row["table"] for row in (await server.get("/api/tables"))["tables"]]
    assert listed == [second["table"], first["table"]]
    assert (await server.get(f"/api/tables/{private['table']}"))["table"] == private["table"]


async def test_seats_are_taken_from_the_lowest(server):
    table = (await server.open(seats=3))["table"]
    assert [(await server.sit(table, name))["seat"] for name in ("Bob", "Bob")] == [1, 2]
    body, _ = await refused(server, "POST", f"/api/tables/{table}/seats", 409, json={"name": "Cy"})
    assert body["type"].endswith(":full")


async def test_no_seat_in_a_game_nor_behind_a_closed_door(server):
    opened = await server.open(bots=2)
    client, _ = await server.join(opened["table"], opened["token"])
    assert (await client.ask("host", do="start"))["ok"]
    body, _ = await refused(server, "POST", f"/api/tables/{opened['table']}/seats", 409, json={"name": "Cy"})
    assert body["type"].endswith(":wrong_phase")
    closed = await server.open(door="closed")
    body, _ = await refused(server, "POST", f"/api/tables/{closed['table']}/seats", 409, json={"name": "Cy"})
    assert body["type"].endswith(":door_closed")


@pytest.mark.parametrize(
    "path, method",
    [
        ("/api/tables/aaaaaaaaaaaa", "GET"), ("/api/tables/x", "GET"), ("/api/tables/aaaaaaaaaaaa/log", "GET"),
        ("/api/tables/AAAAAAAAAAAA/log", "GET"), ("/api/nothing", "GET"), ("/api/tables/aaaaaaaaaaaa/x", "GET"),
        ("/nothing", "GET"), ("/t/x", "GET"),
    ],
)  # fmt: skip
async def test_what_is_not_there_is_a_404(server, path, method):
    await refused(server, method, path, 404)


async def test_an_unknown_table_has_no_seats(server):
    await refused(server, "POST", "/api/tables/aaaaaaaaaaaa/seats", 404, json={"name": "Cy"})
    await refused(server, "POST", "/api/tables/x/seats", 404, json={"name": "Cy"})
    assert "aaaaaaaaaaaa" not in server.gateway.hub.tables


async def test_a_closed_table_is_a_404_and_its_log_can_still_be_read(server):
    opened = await server.open(bots=2, rounds=1, race_seconds=0.05, bot_delay_ms=0, standin_grace_seconds=0)
    client, _ = await server.join(opened["table"], opened["token"])
    await client.ask("host", do="start")
    await client.event("game_ended")
    await client.ask("leave")
    await client.end()
    await refused(server, "GET", f"/api/tables/{opened['table']}", 404)
    await refused(server, "POST", f"/api/tables/{opened['table']}/seats", 404, json={"name": "Cy"})
    async with server.http.get(f"{server.url}/api/tables/{opened['table']}/log") as answer:
        lines = [json.loads(line) for line in (await answer.text()).splitlines()]
    assert lines[0] == {"log": "rapid", "v": 1, "table": opened["table"]}
    assert lines[-1]["type"] == "table_closed"
    assert [line["seq"] for line in lines[1:]] == list(range(1, len(lines)))


async def test_the_log_is_shown_once_a_game_has_ended_and_up_to_the_running_one(server):
    opened = await server.open(bots=2, rounds=1, race_seconds=0.05, bot_delay_ms=0, standin_grace_seconds=0)
    client, _ = await server.join(opened["table"], opened["token"])
    path = f"/api/tables/{opened['table']}/log"
    await refused(server, "GET", path, 409)
    await client.ask("host", do="start")
    await refused(server, "GET", path, 409)
    await client.event("game_ended")
    await client.ask("host", do="settings", settings={})
    await client.ask("host", do="play_again")
    async with server.http.get(server.url + path) as answer:
        assert answer.content_type == "application/x-ndjson"
        text = await answer.text()
    events = [json.loads(line) for line in text.splitlines()[1:]]
    kinds = [event["type"] for event in events]
    assert kinds.count("game_started") == 1
    assert "game_ended" in kinds
    assert opened["token"] not in text
    assert "token_hash" not in text
    secrets = {event["deal"]: event.get("secret") for event in events if event["type"] == "committed"}
    assert secrets[1] is not None
    assert secrets[2] is None
    dealt = next(event for event in events if event["type"] == "dealt")
    assert sum(len(hand) for hand in dealt["hands"].values()) == 52


async def test_a_log_whose_redis_comes_back_as_another_run_is_cut_off_in_its_middle(redis_url, monkeypatch):
    """It may have lost the end of a game, and then the hands in it are those of a running one."""
    async with served_by(redis_url, is_split=True) as server:
        opened = await server.open(bots=2, rounds=1, race_seconds=0.05, bot_delay_ms=0, standin_grace_seconds=0)
        client, _ = await server.join(opened["table"], opened["token"])
        await client.ask("host", do="start")
        await client.event("game_ended")
        store, asked = server.gateway.store, []

        async def run_id():
            asked.append(None)
            return "before" if len(asked) <= 2 else "behind"  # noted, and behind the one page of the first reading

        monkeypatch.setattr(server.gateway.hub, "_check_run", lambda: asyncio.sleep(0))
        monkeypatch.setattr(store, "run_id", run_id)
        async with server.http.get(f"{server.url}/api/tables/{opened['table']}/log") as answer:
            assert answer.status == 200
            with pytest.raises(aiohttp.ClientPayloadError):
                await answer.read()
        assert server.gateway.health.is_up  # it answers: the others' intents are not refused for that
        asked.clear()
        store.run_id = lambda: asyncio.sleep(0, asked.append(None) or str(len(asked)))
        await server.get(f"/api/tables/{opened['table']}/log", 503)
        assert server.gateway.health.is_up


BAD_BODIES = [
    ({}, ["name"]),
    ({"name": 3}, ["name"]),
    ({"name": ""}, ["name"]),
    ({"name": "x" * 25}, ["name"]),
    ({"name": "a\u202eb"}, ["name"]),
    ({"name": "\ud800"}, ["name"]),
    ({"name": "Ada", "bots": 6}, ["bots"]),
    ({"name": "Ada", "bots": True}, ["bots"]),
    ({"name": "Ada", "bots": 1.0}, ["bots"]),
    ({"name": "Ada", "bots": -1}, ["bots"]),
    ({"name": "Ada", "bots": 10**20}, ["bots"]),
    ({"name": "Ada", "bots": 99, "settings": {"seats": 99}}, ["bots", "seats"]),
    ({"name": "Ada", "settings": {"ruleset": "bridge", "mode": 7, "seats": "x"}}, ["ruleset", "mode", "seats"]),
    ({"name": "Ada", "bots": 3, "settings": {"seats": 3}}, ["bots"]),
    ({"name": "Ada", "settings": None}, ["settings"]),
    ({"name": "Ada", "settings": {"rounds": 51, "seats": 9, "x": 1}}, ["rounds", "seats", "x"]),
    ({"name": "Ada", "settings": {"mode": "slow"}}, ["mode"]),
    ({"name": "Ada", "settings": {"ruleset": "bridge"}}, ["ruleset"]),
    ({"name": "", "bots": -1, "settings": {"rounds": 0}}, ["name", "bots", "rounds"]),
]


@pytest.mark.parametrize("body, fields", BAD_BODIES)
async def test_bad_input_is_a_422_with_a_row_for_each_field(server, body, fields):
    problem, _ = await refused(server, "POST", "/api/tables", 422, json=body)
    assert fields_of(problem) == fields


async def test_dev_settings_are_refused_without_dev(redis_url):
    store = await open_store(redis_url)
    async with gateway_on(store, dev=False) as server:
        body = {"name": "Ada", "settings": {"race_seconds": 0.5, "bot_delay_ms": 0}}
        problem, _ = await refused(server, "POST", "/api/tables", 422, json=body)
        assert fields_of(problem) == ["race_seconds", "bot_delay_ms"]
    await store.close()


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'"x"', b"null", b"{} {}", b'{"name":"a","name":"b"}', b"\xff\xfe", b"[" * 5000],
)
async def test_what_is_no_json_object_is_a_400(server, data):
    await refused(server, "POST", "/api/tables", 400, data=data, headers={"Content-Type": "application/json"})


async def answer_to(server, path, headers, body=b""):
    """Send a POST by hand, no more of its body than `body`; return status and problem."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", *headers, "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    try:
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode()
        length = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0])
        problem = json.loads(await reader.readexactly(length))
    finally:
        writer.close()
        await writer.wait_closed()
    assert f"Content-Type: {PROBLEM}" in head
    return int(head.split()[1]), problem["status"]


GZIP_CUT_SHORT = gzip.compress(b'{"name":"Ada"}', mtime=0)[:9] + b"\xff" * 9


@pytest.mark.parametrize("path", ["/api/tables", "/api/tables/{table}/seats"])
@pytest.mark.parametrize(
    "headers, body",
    [
        (["Content-Encoding: gzip", "Content-Length: 14"], b'{"name":"Ada"}'),
        (["Content-Encoding: gzip", f"Content-Length: {len(GZIP_CUT_SHORT)}"], GZIP_CUT_SHORT),
    ],
)
async def test_a_body_that_cannot_be_decoded_is_a_400(server, path, headers, body):
    opened = await server.open()
    assert await answer_to(server, path.format(table=opened["table"]), headers, body) == (400, 400)


async def test_a_body_announced_as_too_long_is_not_waited_for(server):
    assert await answer_to(server, "/api/tables", ["Content-Length: 16385"]) == (413, 413)


async def test_numbers_of_thousands_of_digits_are_bad_input(server):
    data = b'{"name":"Ada","bots":' + b"9" * 5000 + b',"settings":{"rounds":' + b"9" * 5000 + b"}}"
    problem, _ = await refused(
        server, "POST", "/api/tables", 422, data=data, headers={"Content-Type": "application/json"}
    )
    assert fields_of(problem) == ["bots", "rounds"]


async def test_other_types_methods_and_sizes(server):
    await refused(server, "POST", "/api/tables", 415, data={"name": "Ada"})
    await refused(server, "POST", "/api/tables", 415, data=b'{"name":"Ada"}')
    await refused(server, "POST", "/api/tables", 413, json={"name": "x" * 20_000})
    for method, path, allowed in (
        ("DELETE", "/api/tables", "GET,HEAD,POST"),
        ("GET", "/api/tables/aaaaaaaaaaaa/seats", "POST"),
        ("POST", "/api/rulesets", "GET,HEAD"),
        ("POST", "/healthz", "GET,HEAD"),
        ("PUT", "/", "GET,HEAD"),
    ):
        _, headers = await refused(server, method, path, 405)
        assert headers["Allow"] == allowed


async def test_tables_opened_are_limited_per_address_and_in_all(redis_url):
    async with served_by(redis_url, {"tables_per_address_burst": 2, "tables_per_address_per_minute": 6}) as server:
        await server.open()
        await server.open()
        _, headers = await refused(server, "POST", "/api/tables", 429, json={"name": "Ada"})
        assert 1 <= int(headers["Retry-After"]) <= 10
    async with served_by(redis_url, {"tables_max": 2}) as server:
        _, headers = await refused(server, "POST", "/api/tables", 429, json={"name": "Ada"})
        assert int(headers["Retry-After"]) > 0


@pytest.mark.parametrize("before", [0, 2])
async def test_no_more_tables_are_opened_at_once_than_may_be_open(redis_url, before):
    async with served_by(redis_url, {"tables_max": 3}) as server:
        for _ in range(before):
            await server.open()

        async def status():
            async with server.http.post(server.url + "/api/tables", json={"name": "Ada"}) as answer:
                return answer.status

        statuses = await asyncio.gather(*(status() for _ in range(30)))
        # Beside others one may be counted twice, while its opening ends; alone none is.
        assert 1 <= statuses.count(201) <= 3 - before
        assert set(statuses) == {201, 429}
        for _ in range(3 - before - statuses.count(201)):
            await server.open()
        await refused(server, "POST", "/api/tables", 429, json={"name": "Ada"})


async def test_without_a_worker_a_request_is_told_to_try_again(redis_url):
    store = await open_store(redis_url)
    async with gateway_on(store, decision_timeout_ms=50) as server:
        _, headers = await refused(server, "POST", "/api/tables", 503, json={"name": "Ada"})
        assert headers["Retry-After"] == "1"
        await refused(server, "GET", "/readyz", 503)
    await store.close()


async def test_rulesets_say_what_can_be_played_here(server):
    president, *_ = (await server.get("/api/rulesets"))["rulesets"]
    assert president["ruleset"] == "president"
    assert president["seats"] == {"min": 3, "max": 6}
    assert president["modes"] == ["rapid", "turns"]
    assert president["plays_to"] == "rounds"
    assert president["variants"] == list(VARIANT_NAMES)
    assert president["roles"]["3"] == ["president", "neutral", "asshole"]
    assert president["options"] == []
    assert president["defaults"]["rounds"] == 5
    assert (await server.open(**president["defaults"]))["seat"] == 0


async def test_probes_and_metrics(server):
    async with server.http.get(server.url + "/healthz") as answer:
        assert answer.status == 200
    async with server.http.get(server.url + "/readyz") as answer:
        assert answer.status == 200
    await server.open()
    async with server.http.get(server.url + "/metrics") as answer:
        text = await answer.text()
        assert answer.content_type == "text/plain"
    assert 'rapid_intents_total{result="ok"} 1.0' in text
    assert "rapid_redis_up 1.0" in text


async def test_every_answer_carries_the_security_headers(server):
    for path in ("/", "/api/tables", "/nothing"):
        async with server.http.get(server.url + path) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert f"connect-src 'self' ws://127.0.0.1:{server.port} wss://127.0.0.1:{server.port}" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"


async def test_many_open_tables_at_once(server):
    opened = await asyncio.gather(*(server.open(f"Ada {n}") for n in range(50)))
    assert len({row["table"] for row in opened}) == 50


async def test_a_host_that_plays_with_the_policy_is_left_out_of_it(server):
    headers = {"Host": "evil.example; script-src *"}
    try:
        async with server.http.get(server.url + "/", headers=headers) as answer:
            assert "script-src *" not in answer.headers.get("Content-Security-Policy", "")
    except aiohttp.ClientError:
        pass  # refused altogether
