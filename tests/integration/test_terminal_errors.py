"""What goes wrong with `rapid play` and `rapid watch`: one clear line on standard error, 1; usage is 2."""

import asyncio
import contextlib
import re
import signal
import socket

import aiohttp
import pytest
from aiohttp import web

from tests.integration.cli_bench import PATIENCE_SECONDS, rapid, start
from tests.integration.gateway_bench import served_by
from tests.integration.peers import seats

UNKNOWN = "t/nosuchtable1"
INSIDES = re.compile(r"Traceback|ssl:default|Connect call|Error\b|\[")


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


@pytest.fixture
def home(tmp_path):
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


async def complaints(home, *commands):
    """Run them at the same time; each says nothing else than one line without the insides of libraries."""
    rans = await asyncio.gather(*(rapid(*command, env=home) for command in commands))
    for command, ran in zip(commands, rans, strict=True):
        assert ran.out == "", command
        assert not INSIDES.search(ran.complaint), command
    return [(ran.code, ran.complaint) for ran in rans]


async def test_no_server_there(home):
    with socket.socket() as taken:
        # Bound, but nobody listens: refused, and nobody else can come to listen meanwhile.
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        said = await complaints(home, ("play", url), ("play", f"{url}/{UNKNOWN}"), ("watch", f"{url}/{UNKNOWN}"))
    assert said == [(1, f"rapid: no server can be reached at {url}: connection refused")] * 3


async def test_another_server_there(home):
    async with a_web_server() as url:
        opened, joined, watched = await complaints(
            home, ("play", url), ("play", f"{url}/{UNKNOWN}"), ("watch", f"{url}/{UNKNOWN}")
        )
    assert opened == joined == (1, f"rapid: there is no rapid server at {url}")
    assert watched == (1, f"rapid: no server can be reached at {url}: it answers with HTTP 404")


@contextlib.asynccontextmanager
async def a_web_server():
    runner = web.AppRunner(web.Application())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_http_where_https_was_asked_for(server, home):
    url = server.url.replace("http://", "https://")
    [(code, said)] = await complaints(home, ("play", url))
    assert code == 1
    assert said.startswith(f"rapid: no server can be reached at {url}: ")


async def test_an_unknown_table(server, home):
    played, watched = await complaints(home, ("play", f"{server.url}/{UNKNOWN}"), ("watch", f"{server.url}/{UNKNOWN}"))
    assert played == (1, "rapid: No table: There is no such table, or it is closed")
    assert watched == (1, "rapid: there is no such table (any more)")


async def test_a_full_table_is_no_place_to_play_by_itself(server, home):
    async with aiohttp.ClientSession() as http:
        [place] = await seats(http, server.url, "Ann", bots=2, seats=3)
        [(code, said)] = await complaints(home, ("play", f"{server.url}/t/{place.table}", "--auto"))
    assert (code, said) == (1, "rapid: Full: Every chair is taken")


async def test_wrong_addresses_and_settings_are_usage(server, home):
    wrong = (
        ("play", "ftp://nowhere"),
        ("watch", server.url),
        ("play", server.url, "--bots", "9"),
        ("play", server.url, "--settings", "rounds"),
    )
    for command, (code, said) in zip(wrong, await complaints(home, *wrong), strict=True):
        assert code == 2, (command, said)
    usage = await rapid("play", env=home)
    assert (usage.code, usage.out) == (2, "")
    assert usage.err.startswith("usage: rapid play")


@pytest.mark.parametrize("command", ["play", "watch"])
async def test_ctrl_c_ends_it_quietly(server, home, command):
    async with aiohttp.ClientSession() as http:
        [place] = await seats(http, server.url, "Ann")
    process = await start(command, f"{server.url}/t/{place.table}", env=home)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while b"Lobby:" not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        said, errors = await process.communicate()
    assert (process.returncode, errors) == (130, b"")
    assert (b"Your seat stays yours: rapid play " in said) is (command == "play")


async def test_an_opened_seat_elsewhere_ends_it_with_the_reason(server, home):
    async with aiohttp.ClientSession() as http:
        [place] = await seats(http, server.url, "Ann")
    url = f"{server.url}/t/{place.table}"
    first = await start("play", url, env=home)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while b"Lobby:" not in await first.stdout.readline():
            pass
        second = await start("play", url, env=home)
        _, errors = await first.communicate()
        assert (first.returncode, errors) == (1, b"rapid: this seat was opened elsewhere\n")
        out, _ = await second.communicate(b"quit\n")
    assert b"You are Player, seat 2." in out
    assert second.returncode == 0
