"""`rapid serve` and the commands around it, as a person runs them (PROTOCOL section 6)."""

import asyncio
import json
import os
import re
import signal
import socket
from typing import NamedTuple

import aiohttp
import pytest
import redis
import redis.asyncio

from rapid_client import Api, Table
from tests.integration.cli_bench import Ran, rapid, serving, start
from tests.integration.worker_bench import worker_processes

FAST = "bot_delay_ms=1,rounds=1,standin_grace_seconds=0"
POLL_SECONDS = 0.02


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def home(tmp_path):
    """Where the terminal client keeps the seats it has taken."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


async def tables_of(*where):
    ran = await rapid("tables", *where)
    assert ran.code == 0, ran
    return [line.split() for line in ran.out.splitlines()[1:]]


async def until_tables(data):
    async with asyncio.timeout(30):
        while not (rows := await tables_of("--data", data)):
            await asyncio.sleep(POLL_SECONDS)
        return rows


async def until_in_log(data, table, kind):
    async with asyncio.timeout(30):
        while f'"type":"{kind}"' not in (await rapid("export", table, "--data", data)).out:
            await asyncio.sleep(POLL_SECONDS)


async def open_table(url):
    """A table whose first trick is open; the person at it waits for ever."""
    async with aiohttp.ClientSession() as http:
        place = await Api(url, http).open_table("Ann", {"race_seconds": 600, "standin_grace_seconds": 600}, 3)
        async with Table(url, place.table, place.token, http=http) as table:
            await table.host("start")
        return place.table


class Game(NamedTuple):
    """A whole game as a new user sees it: `serve`, `play`, `tables`, `export`, and what the server logged of it."""

    played: Ran
    tables: list[list[str]]
    exported: Ran
    code: int
    log: list[str]
    tokens: list[str]


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    return asyncio.run(whole_game(tmp_path_factory.mktemp("game")))


async def whole_game(folder):
    data, state = folder / "data", folder / "state"
    async with serving("--data", data, "--log-level", "debug") as server:
        played = await rapid("play", server.url, "--auto", "--settings", FAST, env={"XDG_STATE_HOME": str(state)})
        tables = await tables_of("--data", data)
        exported = await rapid("export", tables[0][0], "--data", data)
        code = await server.end()
    kept = "".join(path.read_text() for path in state.rglob("*") if path.is_file())
    return Game(played, tables, exported, code, server.log.splitlines(), re.findall(r"[\w-]{43}", kept))


async def test_one_command_then_a_whole_game_then_its_log(game):
    assert game.played.code == 0, game.played
    assert "Game over: all rounds are played." in game.played.out
    ((table, owner, phase, mode, ruleset, seats, *_),) = game.tables
    assert (phase, mode, ruleset, seats) == ("final", "rapid", "president", "1+3/6")
    assert owner.startswith("worker-")
    verified = await rapid("verify", "-", given=game.exported.out.encode())
    assert verified.code == 0, verified
    assert f"table {table}: ok, " in verified.out
    assert game.code == 0


def test_an_export_hides_nothing_but_token_hashes(game):
    header, *events = map(json.loads, game.exported.out.splitlines())
    assert header == {"log": "rapid", "v": 1, "table": game.tables[0][0]}
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert all(event["secret"] for event in events if event["type"] == "committed")
    assert all(len(event["hands"]) == 4 for event in events if event["type"] == "dealt")
    assert "token_hash" not in game.exported.out


def test_no_card_no_secret_and_no_token_is_in_any_log_line_of_a_full_game(game):
    events = [json.loads(line) for line in game.exported.out.splitlines()[1:]]
    secrets = [event["secret"] for event in events if event["type"] == "committed"]
    assert game.log
    assert game.tokens
    for line in game.log:
        assert not any(hidden in line for hidden in (*game.tokens, *secrets))
        assert not re.search(r"\b[2-9TJQKA][SHDC]\b", line), line


def test_log_lines_of_a_connection_have_its_table_and_seat_bound(game):
    lines = [json.loads(line) for line in game.log if line.startswith("{")]
    assert [(line["table"], line["seat"]) for line in lines if line["event"] == "joined"] == [(game.tables[0][0], 0)]


async def test_tables_are_there_again_after_a_restart_and_a_running_game_goes_on(data, home):
    async with serving("--data", data) as server:
        table = await open_table(server.url)
        assert await server.end() == 0
    assert [row[0] for row in await tables_of("--data", data)] == [table]
    async with serving("--data", data) as server:
        await until_in_log(data, table, "resumed")
        closed = await rapid("close", table, "--data", data)
        assert (closed.code, closed.out) == (0, f"table {table} is closed\n")
        assert await tables_of("--data", data) == []
        exported = await rapid("export", table, "--data", data)
        assert json.loads(exported.out.splitlines()[-1])["why"] == "operator"
        assert (await rapid("verify", "-", given=exported.out.encode())).code == 0


async def test_SIGINT_ends_it_in_order(data):
    async with serving("--data", data) as server:
        assert await server.end(signal.SIGINT) == 0
        assert "Traceback" not in server.log
    # Its Redis has ended with it: the folder is free at once.
    async with serving("--data", data) as again:
        assert await again.end() == 0


async def test_a_table_is_closed_without_any_server(data):
    async with serving("--data", data) as server:
        table = await open_table(server.url)
        await server.end(signal.SIGKILL)
    closed = await rapid("close", table, "--data", data)
    assert closed.code == 0, closed
    assert await tables_of("--data", data) == []
    exported = await rapid("export", table, "--data", data)
    assert json.loads(exported.out.splitlines()[-1])["type"] == "table_closed"


async def test_its_Redis_killed_in_a_game_is_started_again_and_the_game_goes_on(data, home):
    async with serving("--data", data) as server:
        game = asyncio.create_task(
            rapid("play", server.url, "--auto", "--settings", "bot_delay_ms=250,rounds=1", env=home)
        )
        ((table, *_),) = await until_tables(data)
        await until_in_log(data, table, "played")
        with redis.Redis.from_url(f"unix://{data}/redis.sock") as client:
            pid = client.info("server")["process_id"]
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)
        played = await game
        assert played.code == 0, played
        assert "Game over: all rounds are played." in played.out
        exported = await rapid("export", table, "--data", data)
        assert '"type":"resumed"' in exported.out
        assert (await rapid("verify", "-", given=exported.out.encode())).code == 0


async def test_worker_and_gateway_on_their_own(redis_url, home):
    async with (
        serving("--redis", redis_url, command="gateway") as gateway,
        worker_processes(redis_url, 1),
    ):
        played = await rapid("play", gateway.url, "--auto", "--settings", FAST, env=home)
        assert "Game over: all rounds are played." in played.out, played
        ((table, *_),) = await tables_of("--redis", redis_url)
        watching = await start("watch", f"{gateway.url}/t/{table}")
        assert watching.stdout is not None
        async with asyncio.timeout(30):
            assert await watching.stdout.readline()
        assert (await rapid("close", table, "--redis", redis_url)).code == 0
        async with asyncio.timeout(30):
            await watching.communicate()
        assert watching.returncode == 0
        exported = await rapid("export", table, "--redis", redis_url)
        assert (await rapid("verify", "-", given=exported.out.encode())).code == 0


async def test_a_port_in_use_is_one_line_and_1(data):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = await rapid("serve", "--data", data, "--host", "127.0.0.1", "--port", port)
    assert ran.code == 1
    assert ran.complaint == f"rapid: cannot listen on 127.0.0.1 port {port}: the port is in use"
    assert not data.exists()


async def test_an_address_that_is_not_ours_is_one_line_and_1(data):
    ran = await rapid("serve", "--data", data, "--host", "192.0.2.77", "--port", "0")
    assert ran.code == 1
    assert "cannot listen on 192.0.2.77" in ran.complaint


async def test_a_data_folder_in_use_is_one_line_and_1(data):
    async with serving("--data", data):
        ran = await rapid("serve", "--data", data, "--host", "127.0.0.1", "--port", "0")
    assert ran.code == 1
    assert "another process is using the data folder" in ran.complaint


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("gateway", "--port", "0"), ("worker",), ("tables",)])
async def test_a_Redis_that_is_not_there_is_one_line_and_1(command):
    ran = await rapid(*command, "--redis", "redis://127.0.0.1:1")
    assert ran.code == 1
    assert "no Redis at redis://127.0.0.1:1" in ran.complaint


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("gateway", "--port", "0"), ("worker",)])
async def test_a_Redis_that_would_lose_tables_is_refused(redis_url, command):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        await client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            ran = await rapid(*command, "--redis", redis_url)
        finally:
            await client.config_set("maxmemory-policy", "noeviction")
    assert ran.code == 1
    assert "maxmemory-policy allkeys-lru" in ran.complaint


async def test_a_Redis_with_another_number_of_shards_is_refused(redis_url):
    assert (await rapid("tables", "--redis", redis_url)).code == 0
    ran = await rapid("tables", "--redis", redis_url, "--shards", "7")
    assert ran.code == 1
    assert "64 shards" in ran.complaint


@pytest.mark.parametrize("command", ["export", "close"])
async def test_an_unknown_table_is_one_line_and_1(redis_url, command):
    ran = await rapid(command, "nosuchtable1", "--redis", redis_url)
    assert (ran.code, ran.out) == (1, "")
    assert "nosuchtable1" in ran.complaint


async def test_a_misspelt_data_folder_does_not_look_like_one_without_tables(tmp_path):
    ran = await rapid("tables", "--data", tmp_path / "misspelt")
    assert ran.code == 1
    assert "there is no data folder" in ran.complaint


async def test_an_address_of_the_local_network_is_printed_for_friends(data):
    async with serving("--data", data, "--host", "0.0.0.0") as server:
        assert re.fullmatch(r"http://localhost:\d+", server.url)
        await server.end()
        assert server.process.stdout is not None
        others = (await server.process.stdout.read()).decode().splitlines()
        assert all(re.fullmatch(r"  on your network: http://[\d.]+:\d+", line) for line in others)


async def test_a_worker_by_itself_shows_its_metrics_where_it_is_told_to(redis_url):
    process = await start("worker", "--redis", redis_url, "--metrics-port", "0")
    try:
        async with asyncio.timeout(30):
            line = (await process.stdout.readline()).decode()
        address = re.search(r"http://\S+/metrics", line)
        assert address, line
        async with aiohttp.ClientSession() as http, http.get(address[0]) as answer:
            text = await answer.text()
        assert "rapid_epoch_takeovers_total" in text
        assert "rapid_open_tables 0.0" in text
        taken = await rapid("worker", "--redis", redis_url, "--metrics-port", address[0].split(":")[2].split("/")[0])
        assert taken.code == 1
        assert "metrics cannot be shown on port" in taken.complaint
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
