"""Whole games of every preset in each mode over real sockets: connections cut, a leaver, exchanges; the log verified.

The people play through the client library as `rapid play --auto` would. One of them is cut off now and then and comes
back, one leaves in the second round; what each of them has folded is held against a view the server makes anew.
"""

import asyncio
import contextlib
import re
from dataclasses import replace

import aiohttp
import pytest

from rapid.engine.replay.verify import verify_lines
from rapid_client import Encoding, Welcome
from rapid_client import events as ev
from tests.integration.cli_bench import rapid
from tests.integration.gateway_bench import served_by
from tests.integration.peers import NO_LIMITS, Autoplay, Road, playing, seats, spectator

# Nobody is slow but a machine under load: no timer acts for who is there.
QUICK = {"race_seconds": 10, "action_seconds": 60, "standin_grace_seconds": 0.05, "bot_delay_ms": 1}
# Whole seconds: fractions are not for the command line.
QUICK_TERMINAL = {"standin_grace_seconds": 0}
PEOPLE = ("Ann", "Bob", "Cid", "Dee")
TO_POINTS = {"target": 4}
# The document's own settings in each mode, then what other tables add: jokers, wild cards, turned orders.
GAMES = {
    "president": {"rounds": 3, "variants": {"four_closes": True, "finish_with_two": True}},
    "president turns": {"rounds": 3, "mode": "turns", "variants": {"skip": True, "strongest_closes": True}},
    "presi": TO_POINTS,
    "presi rapid": TO_POINTS | {"mode": "rapid"},
    "house": TO_POINTS,
    "house rapid": TO_POINTS | {"mode": "rapid", "options": {"sit_out": True}},
    "escoria": TO_POINTS | {"options": {"reseat": True}},
    "escoria rapid": TO_POINTS | {"mode": "rapid"},
    "presi wild": TO_POINTS
    | {
        "options": {
            "deck": "spanish40", "jokers": 2, "joker": "wild", "wild_twos": True, "turning": "order_and_direction",
            "exchange": "one_free", "leader": "president",
        }
    },
    "presi wild rapid": TO_POINTS
    | {"mode": "rapid", "options": {"jokers": 4, "joker": "wild", "three": "below_two", "passing": "free"}},
    "escoria turning": TO_POINTS
    | {
        "options": {
            "equal": True, "skip_next": True, "turning": "run", "jokers": True, "transparent_threes": True,
            "larger_sets": "any", "dealer": "scum",
        }
    },
    "escoria jokers rapid": TO_POINTS
    | {"mode": "rapid", "options": {"equal": True, "turning": "order", "jokers": True, "two_high_low": True}},
}  # fmt: skip


@pytest.fixture
async def server(redis_url):
    # A short memory: who was cut off is now told what it missed, now given a view.
    async with served_by(redis_url, NO_LIMITS, history_records=8) as server:
        yield server


async def at_the_table(stack, server, places, road, autoplay):
    """Everyone in their seats, Cid by the road that is cut; the host, who starts the game, comes last."""
    players = {}
    for index in (3, 2, 1, 0):
        base = road.url if index == 2 else server.url
        encoding = list(Encoding)[index % 2]
        player = playing(base, places[index], autoplay[index], encoding=encoding)
        players[index] = await stack.enter_async_context(player)
    return [players[index] for index in range(4)]


async def patiently(player, kind, count=1, **fields):
    """Wait for an event as long as the game goes on: on a machine under load a round takes its time."""
    await as_long_as_it_goes_on(player, lambda: len(player.all(kind, **fields)) >= count)
    return player.all(kind, **fields)[count - 1]


async def until_over(player):
    """By the view: who comes back from a cut behind many decisions is given one, and no `game_ended`."""
    await as_long_as_it_goes_on(player, lambda: player.table.seen.phase == "final")


async def as_long_as_it_goes_on(player, check):
    while True:
        stood = len(player.seen)
        try:
            return await player.until_true(check)
        except TimeoutError:
            if len(player.seen) == stood:
                raise


async def cut_in_each_round(road, player):
    """Behind a play of its own: it has played then, however long it stays away."""
    cut_in = 0

    def plays():
        return [one for one in player.all(ev.Played, seat=player.table.seat, by="person") if one.seq > cut_in]

    while True:
        await as_long_as_it_goes_on(player, plays)
        road.cut()
        stood = len(player.all(ev.Dealt))
        await patiently(player, ev.Dealt, stood + 1)
        cut_in = player.all(ev.Dealt)[stood].seq


async def leave_in_round_two(player):
    await patiently(player, ev.Dealt, round=2)
    await patiently(player, ev.TrickOpened, len(player.all(ev.TrickOpened)) + 1)
    assert (await player.table.leave()).ok
    assert await player.end() is None


async def same_view(server, place, player):
    """The view that a client has folded is the one that the server makes anew for somebody who comes."""
    async with playing(server.url, place, salts=False) as late:
        await player.settle()
        now = (await late.until(Welcome)).view
        assert shown(player.table.view) == shown(now)


def shown(view):
    """Without what the coming and going of the comparing client itself changes."""
    return replace(view, deadline=None, seats=tuple(replace(seat, connected=True) for seat in view.seats))


@pytest.mark.parametrize("name", GAMES)
async def test_a_game_with_disconnects_a_leaver_and_exchanges(server, name):
    settings = {"ruleset": name.split()[0], **QUICK, **GAMES[name]}
    async with contextlib.AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        road = await stack.enter_async_context(Road(server.port))
        bots = 1 if settings["ruleset"] == "presi" else 2
        places = await seats(http, server.url, *PEOPLE, bots=bots, **settings)
        autoplay = [Autoplay() for _ in places]
        watching = await stack.enter_async_context(playing(server.url, spectator(places[0])))
        players = await at_the_table(stack, server, places, road, autoplay)
        work = [
            asyncio.create_task(cut_in_each_round(road, players[2])),
            asyncio.create_task(leave_in_round_two(players[3])),
        ]
        try:
            ended = await patiently(watching, ev.GameEnded)
            await work[1]
            for player in (*players[:3], watching):
                await until_over(player)
            await judge(server, places, players, watching, ended)
            judge_replies(autoplay)
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)


async def judge(server, places, players, watching, ended):
    assert ended.why in {"rounds", "target"}
    assert ended.winners
    for player in (*players, watching):
        player.judge_order()
    await same_view(server, spectator(places[0]), watching)
    kinds = {kind: len(watching.all(kind)) for kind in (ev.RoundEnded, ev.ExchangeOpened, ev.Given, ev.Leaving)}
    assert kinds[ev.RoundEnded] >= 2
    assert kinds[ev.Leaving] == 1
    assert min(kinds[ev.ExchangeOpened], kinds[ev.Given]) >= kinds[ev.RoundEnded] - 1
    assert watching.all(ev.ConnectionLostEvent, seat=places[2].seat)
    taken = {place.seat: watching.all(ev.Played, seat=place.seat, by="person") for place in places}
    assert all(taken.values()), "every person has played"
    if watching.table.view.settings["options"].get("jokers") == 4:
        assert any("=" in card for event in watching.all(ev.Played) for card in event.cards), "wild cards are played"
    async with server.http.get(f"{server.url}/api/tables/{places[0].table}/log") as answer:
        reports = list(verify_lines((await answer.text()).splitlines()))
    assert [report.ok for report in reports] == [True], reports


def judge_replies(autoplay):
    """What was asked for was well said; a hand lags at most behind what was just decided."""
    for played in autoplay:
        whys = [reply.why for _, _, reply in played.replies if not reply.ok]
        assert not {"malformed", "not_a_combination", "wrong_cards", "nothing_owed"} & set(whys), whys


@pytest.mark.parametrize("name", ["president turns", "presi", "house", "escoria", "presi wild", "escoria turning"])
async def test_the_terminal_client_plays_a_game_by_itself(server, redis_url, tmp_path, name):
    game = {"ruleset": name.split()[0], **QUICK, **GAMES[name]}
    settings = written({key: value for key, value in game.items() if not isinstance(value, dict)} | QUICK_TERMINAL)
    options = ["--options", written(game["options"])] if "options" in game else []
    played = await rapid(
        *("play", server.url, "--auto", "--settings", settings), *options, env={"XDG_STATE_HOME": str(tmp_path)}
    )
    assert (played.code, played.err) == (0, ""), played.out[-2000:]
    assert "Game over: " in played.out
    assert "=== Round 2" in played.out
    assert re.search(r"^  you: .+ left", played.out, re.MULTILINE)
    assert "refused: those cards are not in your hand" not in played.out
    table = re.search(r"Table \S+/t/(\S+)", played.out)[1]
    exported = await rapid("export", table, "--redis", redis_url)
    verified = await rapid("verify", "-", given=exported.out.encode())
    assert verified.code == 0, verified


def written(fields):
    return ",".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in fields.items()
    )
