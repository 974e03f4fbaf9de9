"""`rapid play` and `rapid watch` through pipes and terminals, as a new user has them."""

import asyncio
import json
import re
import termios
from collections import Counter

import aiohttp
import pytest

from rapid_client import Api
from tests.integration.cli_bench import PATIENCE_SECONDS, rapid, start
from tests.integration.gateway_bench import served_by
from tests.integration.peers import playing, seats
from tests.integration.terminal_bench import at_terminal

FAST = "bot_delay_ms=15,race_seconds=1"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


@pytest.fixture
def home(tmp_path):
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


async def until_line(process, part):
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for line in process.stdout:
            if part in line.decode():
                return line.decode()
    raise AssertionError(f"never said: {part}")


async def test_a_whole_game_by_one_person_against_three_bots_is_played_watched_exported_and_verified(
    server, home, redis_url
):
    opened = await rapid("play", server.url, "--name", "Ada", "--settings", FAST, given=b"quit\n", env=home)
    assert opened.code == 0, opened
    url = re.search(r"Table (\S+)", opened.out)[1]
    assert f"Your seat stays yours: rapid play {url} takes it back" in opened.out
    watching = await start("watch", url, "--until-final")
    await until_line(watching, "You watch.")
    # The seat is taken back: she is the host, and so starts the game.
    played = await rapid("play", url, "--auto", env=home)
    seen, errors = await watching.communicate()
    assert (played.code, played.err, watching.returncode, errors) == (0, "", 0, b"")
    exported = await rapid("export", url.rpartition("/")[2], "--redis", redis_url)
    verified = await rapid("verify", "-", given=exported.out.encode())
    assert verified.code == 0, verified
    log = [json.loads(line) for line in exported.out.splitlines()[1:]]
    kinds = Counter(row["type"] for row in log)
    mine = [row for row in log if row["type"] == "played" and row["seat"] == 0 and row["by"] == "person"]
    assert kinds["round_ended"] == 5
    assert len(mine) >= 10
    for said, me in ((played.out, "you"), (seen.decode(), "Ada")):
        assert said.count("=== Round ") == kinds["dealt"]
        assert len(re.findall(r"^  .+: .+ · \d+ left", said, re.MULTILINE)) == kinds["played"]
        assert len(re.findall(rf"^  {me}: .+ · \d+ left", said, re.MULTILINE)) == len(mine)
        assert said.count(" closed: ") == kinds["trick_closed"]
        assert "Game over: all rounds are played." in said


async def test_the_rules_asked_for_are_told_as_they_were_asked_for(server, home):
    opened = await rapid(
        *("play", server.url, "--settings", "ruleset=presi,mode=turns"),
        *("--options", "jokers=2,joker=wild,wild_twos=true,deck=spanish40"),
        given=b"rules\nset\nset joker\n?\nquit\n",
        env=home,
    )
    assert opened.code == 0, opened
    assert (
        "\npresi, turns, to 11 points, with deck spanish40, 2 jokers, jokers wild, wild twos. You are Player"
        in opened.out
    )
    assert "\ncards     Weakest first: 3 4 5 6 7 10 11 12 1 2." in opened.out
    assert "A joker stands for any card that its player names." in opened.out
    # The server's own sentences.
    assert "  deck: spanish40 (usually spanish48). 48 cards, or 40 without the eights and nines." in opened.out
    assert "\njoker is wild now (usually high). A joker stands above the twos" in opened.out
    assert "It can be: high, wild." in opened.out
    assert "jokers and twos are wild" in opened.out


async def test_a_person_types_and_the_half_line_stays_whole(server, home):
    async with at_terminal("play", server.url, "--settings", "bot_delay_ms=400,race_seconds=600", env=home) as terminal:
        await terminal.until("you are the host: s starts the game")
        terminal.type(b"s\r")
        await terminal.until("your hand:")
        # Half a line, while the bots play on: it stands below what they do, unbroken.
        terminal.type(b"hal")
        await terminal.until("> hal")
        before = len(terminal.said)
        await terminal.until(" left", before)
        await terminal.until("> hal", before)
        terminal.type(b"f\x7f\x7f\x7fne\x15?\r")
        await terminal.until("Type a line and hit Enter", before)
        assert not re.search(r"hal[^\r]*Bot", terminal.said), "torn apart"
        assert COLOUR.search(terminal.said)
        terminal.type(b"quit\r")
        assert await terminal.end() == 0


@pytest.mark.parametrize(
    "typed, code", [(b"quit\r", 0), (b"\x04", 0), (b"\x03", 130)], ids=["quit", "ctrl_d", "ctrl_c"]
)
async def test_however_one_goes_the_seat_is_told_of(server, home, typed, code):
    for first in (b"", b"s\r"):
        async with at_terminal("play", server.url, "--fresh", env=home) as terminal:
            await terminal.until("you are the host")
            if first:
                terminal.type(first)
                await terminal.until("your hand:")
            terminal.type(typed)
            assert await terminal.end() == code
            await terminal.until("Your seat stays yours: rapid play ")
            assert "Traceback" not in terminal.said


async def test_the_terminal_is_given_back_as_it_was_also_by_ctrl_c(server, home):
    async with at_terminal("play", server.url, env=home) as terminal:
        await terminal.until("you are the host")
        assert not terminal.modes()[3] & termios.ICANON
        terminal.type(b"\x03")
        assert await terminal.end() == 130
        assert terminal.modes()[3] & termios.ICANON
        assert terminal.modes()[3] & termios.ECHO
        assert "Traceback" not in terminal.said


async def test_a_setting_that_cannot_be_is_refused_by_its_name(server, home):
    values = ("nan", "-inf", "1e999", "9" * 400, "x" * 3000, "2,rounds=3", '"', "{}")
    lines = "".join(f"set race_seconds {value}\nset race_seconds={value}\n" for value in values)
    ran = await rapid("play", server.url, given=f"{lines}quit\n".encode(), env=home)
    assert ran.code == 0, ran
    assert ran.out.count("refused: these settings do not work\n") == 2 * len(values), ran.out
    assert ran.out.count("   race_seconds: ") == 2 * len(values)


async def test_NO_COLOR_and_a_dumb_terminal(server, home):
    for env, has_row in (({"NO_COLOR": "1"}, True), ({"TERM": "dumb"}, False)):
        async with at_terminal("play", server.url, env={**home, **env}) as terminal:
            await terminal.until("you are the host")
            assert not COLOUR.search(terminal.said)
            assert ("\x1b" in terminal.said) is has_row
            terminal.type(b"\x04")
            assert await terminal.end() == 0


async def test_a_full_table_is_watched_with_one_clear_line(server, home):
    async with aiohttp.ClientSession() as http:
        [place] = await seats(http, server.url, "Ann", bots=2, seats=3)
        ran = await rapid("play", f"{server.url}/t/{place.table}", given=b"quit\n", env=home)
    assert ran.code == 0
    assert ran.err == ""
    assert len(re.findall(r"^No seat to be had now \(Full: .*\); watching\.$", ran.out, re.MULTILINE)) == 1


async def test_cards_are_typed_through_a_pipe_and_x_does_not_leave_a_game(server, home):
    async with aiohttp.ClientSession() as http:
        [place] = await seats(http, server.url, "Ann", bots=1, bot_delay_ms=600_000, race_seconds=600)
        url = f"{server.url}/t/{place.table}"
        joined = await start("play", url, "--name", "Bob", env=home)
        await until_line(joined, "Lobby:")
        async with playing(server.url, place) as host:
            await host.table.host("start")
            hand = (await until_line(joined, "your hand:")).partition(":")[2].split()
            rank = hand[0]
            joined.stdin.write(f"x\n{rank}\nquit\n".encode())
            async with asyncio.timeout(PATIENCE_SECONDS):
                out, _ = await joined.communicate()
            said = out.decode()
            assert "leaving a game is for good" in said
            assert f"  you: {' '.join(rank)} · " in said
            assert await Api(server.url, http).table(place.table)
