"""Addresses, waiting times, the clock, the HTTP calls."""

import random

import aiohttp
import pytest

from rapid_client import Address, Api, Backoff, BadAddress, Problem, Unreachable, parse_address
from rapid_client.cards import by_strength, rank_of
from rapid_client.clock import Clock
from rapid_client.errors import BadFrame
from tests.unit.clients.peer import SETTINGS, TABLE, TOKEN


@pytest.mark.parametrize(
    "typed, base, table",
    [
        ("localhost:8080", "http://localhost:8080", None),
        (" http://localhost:8080/ ", "http://localhost:8080", None),
        ("https://play.example/t/abcdefgh2345", "https://play.example", "abcdefgh2345"),
        ("ws://play.example/club/t/abcdefgh2345/", "http://play.example/club", "abcdefgh2345"),
        ("wss://play.example", "https://play.example", None),
        ("x/t/ABCdefgh2345", "http://x", "abcdefgh2345"),
        ("[::1]:80/t/abcdefgh2345", "http://[::1]:80", "abcdefgh2345"),
    ],
)
def test_addresses(typed, base, table):
    assert parse_address(typed) == Address(base, table)
    assert parse_address(Address(base, table).table_url) == Address(base, table)


@pytest.mark.parametrize(
    "typed", ["", "http://", "ftp://x", "x:99999", "http://u:p@x", "x/t/short", "x/t/ABCDEFGH-345"]
)
def test_no_addresses(typed):
    with pytest.raises(BadAddress):
        parse_address(typed)


def test_waits_grow_with_jitter_to_a_most_and_never_end():
    waits = Backoff(first_s=1.0, most_s=8.0, jitter=random.Random(1))
    for most in (1, 2, 4, 8, 8, *[8] * 2000):
        assert 0 <= waits.next_s(code=None, lasted_s=0) <= most


def test_1001_comes_back_at_once_but_not_for_ever():
    waits = Backoff(first_s=1.0, jitter=random.Random(1))
    assert waits.next_s(code=1001, lasted_s=0) == 0
    assert waits.next_s(code=1001, lasted_s=0) > 0


def test_a_connection_that_lasted_makes_waits_short_again():
    waits = Backoff(first_s=1.0, most_s=64.0, jitter=random.Random(1))
    for _ in range(6):
        waits.next_s(code=None, lasted_s=0)
    assert waits.next_s(code=None, lasted_s=10) <= 1.0


def test_the_clock_believes_the_quickest_exchange():
    clock = Clock()
    assert (clock.server_ms(0), clock.round_trip_ms) == (None, None)
    clock.observe(1_000, 0, 100)
    clock.observe(1_210, 200, 210)
    clock.observe(1_900, 300, 900)
    assert clock.server_ms(400) == 400 + 1_210 - 205
    assert clock.round_trip_ms == 600
    clock.forget()
    assert clock.server_ms(0) is None


def test_hands_are_sorted_by_the_present_strength():
    hand = ["2C", "3S", "TD", "AH"]
    assert by_strength(hand, SETTINGS) == ("3S", "TD", "AH", "2C")
    assert by_strength(hand, SETTINGS, revolution=True) == ("2C", "AH", "TD", "3S")
    spanish = SETTINGS | {"ruleset": "presi"}
    assert by_strength(["2O", "2E", "1B", "12C", "*1", "3O"], spanish) == ("3O", "12C", "1B", "2E", "2O", "*1")
    assert [rank_of(card) for card in ("10O", "*1", "*1=KD", "2S=KD")] == ["10", "*", "K", "K"]


async def test_api_opens_and_joins(peer):
    place = {"table": TABLE, "seat": 0, "token": TOKEN, "url": f"/t/{TABLE}"}
    opened = peer.route("POST", "/api/tables", place, 201)
    joined = peer.route("POST", f"/api/tables/{TABLE}/seats", place | {"seat": 2}, 201)
    async with aiohttp.ClientSession() as http:
        api = Api(peer.base, http)
        mine = await api.open_table("Ana", {"rounds": 2}, 3)
        assert (await api.open_table("Ana")).seat == 0
        assert (await api.join(TABLE, "Bo")).seat == 2
    assert opened == [{"name": "Ana", "settings": {"rounds": 2}, "bots": 3}, {"name": "Ana"}]
    assert joined == [{"name": "Bo"}]
    assert (mine.table, mine.token) == (TABLE, TOKEN)
    assert TOKEN not in repr(mine)


async def test_api_reads(peer):
    row = {"table": TABLE, "phase": "lobby"}
    peer.route("GET", "/api/tables", {"tables": [row]})
    peer.route("GET", f"/api/tables/{TABLE}", row)
    peer.route("GET", "/api/rulesets", {"rulesets": [{"ruleset": "president"}]})
    peer.route("GET", f"/api/tables/{TABLE}/log", '{"log":"rapid","v":1}\n{"seq":1}\n\n')
    async with aiohttp.ClientSession() as http:
        api = Api(peer.base, http)
        assert (await api.tables(), await api.table(TABLE)) == ([row], row)
        assert await api.rulesets() == [{"ruleset": "president"}]
        assert [line async for line in api.log(TABLE)] == [{"log": "rapid", "v": 1}, {"seq": 1}]


async def test_api_refusals_say_why(peer):
    errors = [{"field": "settings.rounds", "message": "1 to 50"}]
    problem = {"type": "about:blank", "title": "Bad settings", "status": 422, "detail": "see errors", "errors": errors}
    peer.route("POST", "/api/tables", problem, 422)
    peer.route("GET", "/api/tables", "<html>busy</html>", 429, **{"Retry-After": "7"})
    peer.route("GET", "/api/rulesets", "<html>hello</html>")
    async with aiohttp.ClientSession() as http:
        api = Api(peer.base, http)
        with pytest.raises(Problem) as bad:
            await api.open_table("Ana", {"rounds": 99})
        with pytest.raises(Problem) as busy:
            await api.tables()
        with pytest.raises(BadFrame):
            await api.rulesets()
        await peer.stop()
        with pytest.raises(Unreachable):
            await api.tables()
    assert (bad.value.status, bad.value.errors[0].field) == (422, "settings.rounds")
    assert str(bad.value) == "Bad settings: see errors (settings.rounds: 1 to 50)"
    assert (busy.value.status, busy.value.retry_after_s) == (429, 7.0)
