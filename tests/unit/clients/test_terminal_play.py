"""`play` and `watch` through a pipe, against the scripted peer."""

import asyncio
import io
import json
import os

import pytest
import pytest_asyncio

from rapid.gateway.rulesets import rulesets_body
from rapid_terminal import PlayOptions, WatchOptions, play, watch
from rapid_terminal.options import FAILURE, OK, USAGE
from tests.unit.clients.peer import TABLE, TOKEN, WAIT_S, event, lobby, played, racing

PLACE = {"table": TABLE, "seat": 0, "token": TOKEN, "url": f"/t/{TABLE}"}
FULL = {"type": "about:blank", "title": "Conflict", "status": 409, "detail": "a game is running"}


class Output(io.StringIO):
    """Standard output that can be waited for."""

    def __init__(self):
        super().__init__()
        self._news = asyncio.Event()

    def write(self, text):
        count = super().write(text)
        self._news.set()
        return count

    async def until(self, text):
        async with asyncio.timeout(WAIT_S):
            while text not in self.getvalue():
                self._news.clear()
                await self._news.wait()


class Terminal:
    """A player at a pipe."""

    def __init__(self, state_dir):
        self.stdout = Output()
        self._end, self._writer = os.pipe()
        self.stdin = os.fdopen(self._end, encoding="utf-8")
        self.state_dir = state_dir
        self._game = None

    def start(self, url, **options):
        options = PlayOptions(**({"state_dir": self.state_dir} | options))
        self._game = asyncio.create_task(play(url, options, self.stdin, self.stdout))

    def type(self, text):
        os.write(self._writer, text.encode())

    def hang_up(self):
        if self._writer is not None:
            os.close(self._writer)
        self._writer = None

    async def exit_code(self):
        async with asyncio.timeout(WAIT_S):
            return await self._game

    async def close(self):
        self.hang_up()
        if self._game:
            self._game.cancel()
            await asyncio.gather(self._game, return_exceptions=True)
        self.stdin.close()


@pytest_asyncio.fixture
async def terminal(tmp_path):
    terminal = Terminal(tmp_path / "seats")
    yield terminal
    await terminal.close()
    assert TOKEN not in terminal.stdout.getvalue()


def joins(peer):
    return peer.route("POST", f"/api/tables/{TABLE}/seats", PLACE, 201)


def at(peer):
    return f"{peer.base}/t/{TABLE}"


async def answer(server, *frames, ok=True, **fields):
    request = await server.receive()
    await server.send(*frames, {"t": "reply", "id": request["id"], "ok": ok, **fields})
    return request


async def test_a_bare_address_opens_a_table_and_starts_on_command(peer, terminal):
    async def script(server):
        assert (await server.greet(lobby()))["token"] == TOKEN
        assert (await answer(server, seq=20))["do"] == "start"
        await server.send(event(21, "game_started", game=1, seats=[0, 1, 2], settings=lobby()["settings"]))
        await server.stay()

    opened = peer.route("POST", "/api/tables", PLACE, 201)
    peer.scripts = [script]
    terminal.start(peer.base, name="Ana", bots=2, settings={"rounds": 3})
    await terminal.stdout.until("you are the host: s starts the game")
    assert f"Table {peer.base}/t/{TABLE}" in terminal.stdout.getvalue()
    terminal.type("s\n")
    await peer.until(lambda: peer.received[-1]["t"] == "host")
    terminal.type("quit\n")
    assert await terminal.exit_code() == OK
    assert opened == [{"name": "Ana", "bots": 2, "settings": {"rounds": 3}}]


async def test_a_table_is_joined_cards_are_played_and_verdicts_given(peer, terminal):
    async def script(server):
        await server.greet(racing())
        taken = await answer(server, played(21, 0, ["8S", "8H"], 20), seq=21)
        assert (taken["on"], sorted(taken["cards"])) == (20, ["8H", "8S"])
        refused = await answer(server, ok=False, why="wrong_count")
        assert (refused["on"], refused["cards"]) == (21, ["QD"])
        await server.send(played(22, 2, ["9S", "9H"], 21))
        beaten = await answer(server, ok=False, why="stale", late_ms=7)
        assert (beaten["t"], beaten["on"]) == ("pass", 22)
        await server.stay()

    joined = joins(peer)
    peer.scripts = [script]
    terminal.start(at(peer), name="Ana")
    await terminal.stdout.until("your hand: 3  88  Q  2   (5)")
    terminal.type("88\n")
    await terminal.stdout.until("  you: 8 8 · 3 left")
    terminal.type("q\n")
    await terminal.stdout.until("-> refused: play as many cards as lie there")
    await terminal.stdout.until("[trick 2] 9 9 by Cy")
    terminal.type("p\n")
    await terminal.stdout.until("-> too late by 7 ms")
    terminal.hang_up()
    assert await terminal.exit_code() == OK
    assert joined == [{"name": "Ana"}]


@pytest.mark.parametrize("refused_first", [0, 1])
async def test_a_verdict_says_which_line_it_answers_when_several_are_under_way(peer, terminal, refused_first):
    async def script(server):
        await server.greet(racing())
        asked = [await server.receive(), await server.receive()]
        for request in (asked[refused_first], asked[1 - refused_first]):
            await server.send({"t": "reply", "id": request["id"], "ok": False, "why": "stale"})
        await answer(server, ok=False, why="too_weak")
        await server.stay()

    joins(peer)
    peer.scripts = [script]
    terminal.start(at(peer))
    await terminal.stdout.until("your hand")
    terminal.type(" 88\nq\n")
    for line in ("88", "q"):
        await terminal.stdout.until(f"-> {line}: refused: the trick had moved on")
    # One alone needs no name.
    terminal.type("3\n")
    await terminal.stdout.until("-> refused: too weak")


async def test_rules_and_help_are_shown_at_the_table(peer, terminal):
    asked = peer.route("GET", "/api/rulesets", json.loads(rulesets_body()))
    joins(peer)
    terminal.start(at(peer))
    await terminal.stdout.until("Lobby:")
    terminal.type("rules\n")
    await terminal.stdout.until("points    Each round: President 3")
    await terminal.stdout.until("set shows all settings")
    terminal.type("set\n")
    await terminal.stdout.until("  revolution: on. Four of a kind")
    await terminal.stdout.until("the host changes them in the lobby: set NAME VALUE")
    terminal.type("set seats\n")
    await terminal.stdout.until("seats is 6 now. How many may sit down. It can be: 3 to 6.")
    terminal.type("?\n")
    await terminal.stdout.until("rules the rules of this table")
    terminal.type("quit\n")
    assert await terminal.exit_code() == OK
    assert len(asked) == 1
    assert [one["t"] for one in peer.received] == ["hello"]


async def test_a_setting_refused_says_what_it_is_and_can_be(peer, terminal):
    async def script(server):
        await server.greet(lobby())
        errors = [{"field": "variants", "message": "revolution must be true or false"}]
        refused = await answer(server, ok=False, why="bad_settings", errors=errors)
        assert refused["settings"] == {"variants": {"revolution": "maybe"}}
        await server.stay()

    peer.route("GET", "/api/rulesets", json.loads(rulesets_body()))
    joins(peer)
    peer.scripts = [script]
    terminal.start(at(peer))
    await terminal.stdout.until("Lobby:")
    terminal.type("set revolution maybe\n")
    await terminal.stdout.until("It can be: on, off.")
    assert "   revolution must be true or false\n   revolution is on now. Four of a kind" in terminal.stdout.getvalue()


@pytest.mark.parametrize("body", ["{", "{}", '{"rulesets": 1}', "[]"])
async def test_a_server_that_does_not_describe_its_rulesets_is_played_at_all_the_same(peer, terminal, body):
    peer.route("GET", "/api/rulesets", body)
    joins(peer)
    terminal.start(at(peer))
    await terminal.stdout.until("president, rapid, 5 rounds, with revolution. You are Ana, seat 1.")


async def test_3_10_who_quits_an_awaited_game_is_told_that_it_is_cancelled(peer, terminal):
    settings = racing()["settings"] | {"ruleset": "presi", "disconnect": "wait"}

    async def script(server):
        await server.greet(racing(settings=settings))
        await server.stay()

    joins(peer)
    peer.scripts = [script]
    terminal.start(at(peer))
    await terminal.stdout.until("your hand:")
    terminal.type("quit\n")
    assert await terminal.exit_code() == OK
    assert "Your seat is awaited for 60 s, then the game is cancelled: rapid play" in terminal.stdout.getvalue()


async def test_R3_a_line_typed_before_a_new_state_was_shown_aims_at_the_old_one(peer, terminal):
    async def script(server):
        await server.greet(racing())
        terminal_ready = await answer(server, seq=20)
        assert terminal_ready["t"] == "react"
        # Enter is hit, then the new state arrives, before the client has read either.
        terminal.type("88\n")
        await server.send(played(21, 2, ["9S", "9H"], 20))
        late = await answer(server, ok=False, why="stale", late_ms=4)
        assert late["on"] == 20
        await server.stay()

    joins(peer)
    peer.scripts = [script]
    terminal.start(at(peer))
    await terminal.stdout.until("your hand")
    terminal.type("react 🔥\n")
    await terminal.stdout.until("-> beaten by Cy by 4 ms")


async def test_running_again_takes_the_seat_back(peer, terminal, tmp_path):
    joined = joins(peer)
    terminal.start(at(peer))
    await terminal.stdout.until("Lobby:")
    terminal.type("quit\n")
    assert await terminal.exit_code() == OK
    terminal.start(at(peer))
    await peer.until(lambda: len(peer.connections) > 1 and peer.connections[1].received)
    assert peer.connections[1].received[0]["token"] == TOKEN
    assert len(joined) == 1


async def test_a_void_token_is_dropped_and_a_seat_asked_for(peer, terminal):
    async def refused(server):
        await server.receive()
        await server.close(4005)

    joined = joins(peer)
    terminal.start(at(peer))
    await terminal.stdout.until("Lobby:")
    terminal.type("quit\n")
    await terminal.exit_code()
    peer.scripts = [refused]
    terminal.start(at(peer))
    await terminal.stdout.until("The seat you had here is gone.")
    await peer.until(lambda: len(joined) > 1)


async def test_leaving_gives_the_seat_up_for_good(peer, terminal):
    async def script(server):
        await server.greet(lobby())
        assert (await answer(server, seq=20))["t"] == "leave"
        await server.send({"t": "bye", "why": "left"})
        await server.close(1000)

    joins(peer)
    peer.scripts = [script]
    terminal.start(at(peer))
    await terminal.stdout.until("Lobby:")
    terminal.type("x\n")
    assert await terminal.exit_code() == OK
    assert list(terminal.state_dir.iterdir()) == []


async def test_without_a_free_seat_one_watches_and_may_join_later(peer, terminal):
    async def watching(server):
        assert "token" not in await server.greet(lobby(you=None), seat=None)
        await server.stay()

    async def seated(server):
        assert (await server.greet(lobby()))["token"] == TOKEN
        await server.stay()

    peer.route("POST", f"/api/tables/{TABLE}/seats", FULL, 409)
    peer.scripts = [watching, seated]
    terminal.start(at(peer))
    await terminal.stdout.until("No seat to be had now (Conflict: a game is running); watching.")
    await terminal.stdout.until("j take a free seat")
    joins(peer)
    terminal.type("j\n")
    await terminal.stdout.until("You are Ana, seat 1.")


async def test_a_lost_connection_is_told_and_play_goes_on(peer, terminal):
    async def first(server):
        await server.greet(racing())
        await server.receive()
        server.cut()

    async def second(server):
        assert (await server.greet(None))["since"] == 20
        await server.send(played(21, 2, ["9S", "9H"], 20))
        await server.stay()

    joins(peer)
    peer.scripts = [first, second]
    terminal.start(at(peer))
    await terminal.stdout.until("your hand")
    terminal.type("88\n")
    await terminal.stdout.until("-> not known: the connection was lost before the answer came")
    await terminal.stdout.until("Connected again.")
    await terminal.stdout.until("[trick 2] 9 9 by Cy")
    assert [one["t"] for one in peer.received] == ["hello", "play", "hello"]


@pytest.mark.parametrize(
    "code,said",
    [
        (4000, "this seat was opened elsewhere"),
        (4003, "the host removed you from the table"),
        (4004, "there is no such table (any more)"),
    ],
)
async def test_final_closes_end_with_the_reason(peer, terminal, code, said):
    async def script(server):
        await server.greet(lobby())
        await server.close(code)

    joins(peer)
    peer.scripts = [script]
    terminal.start(at(peer))
    assert await terminal.exit_code() == FAILURE
    assert f"rapid: {said}" in terminal.stdout.getvalue()
    assert len(list(terminal.state_dir.iterdir())) == (0 if code == 4003 else 1)


async def test_bad_settings_and_bad_addresses_are_usage(peer, terminal):
    errors = [{"field": "settings.rounds", "message": "1 to 50"}]
    peer.route("POST", "/api/tables", {"title": "Unprocessable", "status": 422, "errors": errors}, 422)
    terminal.start(peer.base, settings={"rounds": 99})
    assert await terminal.exit_code() == USAGE
    assert "settings.rounds: 1 to 50" in terminal.stdout.getvalue()
    terminal.start("ftp://nowhere")
    assert await terminal.exit_code() == USAGE
    assert await watch(peer.base, WatchOptions(), terminal.stdout) == USAGE


async def test_an_unknown_table_is_a_failure(peer, terminal):
    peer.route("POST", f"/api/tables/{TABLE}/seats", {"title": "Not found", "status": 404}, 404)
    terminal.start(at(peer))
    assert await terminal.exit_code() == FAILURE


async def test_auto_plays_once_each_and_ends_with_the_game(peer, terminal):
    ended = {
        "round": 1, "deal": 1, "standings": [0, 1, 2], "secret": "00", "points": {"0": 3, "1": 1, "2": 0},
        "roles": {"0": "president", "1": "neutral", "2": "asshole"}, "totals": {"0": 3, "1": 1, "2": 0},
    }  # fmt: skip

    async def script(server):
        await server.greet(racing())
        assert sorted((await answer(server, ok=False, why="too_weak"))["cards"]) == ["8H", "8S"]
        assert (await answer(server, ok=False, why="rate_limited"))["t"] == "pass"
        assert (await answer(server, event(21, "passed", seat=0, trick=2, by="person"), seq=21))["t"] == "pass"
        await server.send(event(22, "trick_closed", trick=2, why="round_over"), event(23, "round_ended", **ended))
        assert (await answer(server, ok=False, why="wrong_phase"))["do"] == "next_round"
        await server.send(event(24, "game_ended", game=1, why="rounds", winners=[0], totals={"0": 3, "1": 1, "2": 0}))
        await server.stay()

    joins(peer)
    peer.scripts = [script]
    terminal.hang_up()
    terminal.start(at(peer), is_auto=True)
    assert await terminal.exit_code() == OK
    assert "Winner: you." in terminal.stdout.getvalue()


async def test_auto_starts_again_what_was_lost_with_its_connection_but_plays_nothing_twice(peer, terminal):
    async def first(server):
        await server.greet(racing())
        assert (await server.receive())["t"] == "play"
        server.cut()

    async def second(server):
        await server.greet(lobby(), 30)
        assert (await server.receive())["do"] == "start"
        server.cut()

    async def third(server):
        await server.greet(None, 30)
        assert (await server.receive())["do"] == "start"
        await server.stay()

    joins(peer)
    peer.scripts = [first, second, third]
    terminal.start(at(peer), is_auto=True)
    await peer.until(lambda: [one["t"] for one in peer.received] == ["hello", "play", *["hello", "host"] * 2])


async def test_watching_ends_with_the_game_if_asked(peer):
    async def script(server):
        await server.greet(racing(you=None), seat=None)
        await server.send(played(21, 1, ["9S", "9H"], 20))
        await server.send(event(22, "game_ended", game=1, why="stopped", winners=[], totals={}))
        await server.stay()

    peer.scripts = [script]
    output = Output()
    assert await watch(at(peer), WatchOptions(until_final=True, use_json=True), output) == OK
    assert "  Bo: 9 9 · 1 left" in output.getvalue()
    assert peer.connections[0].socket.ws_protocol == "rapid.v1.json"


async def test_watching_ends_when_the_table_closes(peer):
    async def script(server):
        await server.greet(lobby(you=None), seat=None)
        await server.send(event(21, "table_closed", why="empty"), {"t": "bye", "why": "closed"})
        await server.close(1000)

    peer.scripts = [script]
    output = Output()
    assert await watch(at(peer), WatchOptions(), output) == OK
    assert "The table is closed: nobody is left" in output.getvalue()


async def test_a_reader_who_has_seen_enough_ends_it_quietly(peer):
    reading, writing = os.pipe()
    os.close(reading)
    output = os.fdopen(writing, "w", encoding="utf-8")
    async with asyncio.timeout(WAIT_S):
        assert await watch(at(peer), WatchOptions(), output) == OK
    with pytest.raises(BrokenPipeError):
        output.close()


async def test_a_file_as_standard_input_is_read_too(peer, tmp_path):
    async def script(server):
        await server.greet(racing())
        assert (await answer(server, played(21, 0, ["8S", "8H"], 20), seq=21))["t"] == "play"
        await server.stay()

    joins(peer)
    peer.scripts = [script]
    typed = tmp_path / "typed"
    typed.write_text("88\n")
    output = Output()
    with typed.open(encoding="utf-8") as stdin:
        async with asyncio.timeout(WAIT_S):
            assert await play(at(peer), PlayOptions(), stdin, output) == OK
    assert "  you: 8 8 · 3 left" in output.getvalue()
