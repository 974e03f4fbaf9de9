"""Bots and stand-ins: when they try, for what, and what makes a plan die (RULES 8, G6)."""

import asyncio
import itertools
import random

import pytest

from rapid.engine.intents import (
    Connect,
    Disconnect,
    EndGame,
    Give,
    Leave,
    Newcomer,
    NextRound,
    Pass,
    Play,
    Start,
    TakeSeat,
    Tick,
)
from rapid.table.drivers import REFUSED_WAIT_MS, Drivers, mover_of
from rapid.wire.records import Entry
from tests.unit.table.desk import START_MS, TABLE, open_table, passes, playing, weakest
from tests.unit.table.virtual import Time

BOT_DELAY_MS = 400


class Stage:
    """A desk whose durable decisions a driver follows; its attempts are collected."""

    def __init__(self, time: Time, desk) -> None:
        self.time, self.desk = time, desk
        self.posted: list[Entry] = []
        self.drivers = Drivers(time, self.posted.append, random.Random(7))
        time.ms = START_MS
        self.drivers.follow(desk.state)

    def do(self, intent) -> None:
        effects = self.desk.do(intent, self.time.ms)
        self.drivers.follow(self.desk.state)
        seat = mover_of(Entry(TABLE, intent))
        if effects.refused and seat is not None:
            self.drivers.refused(TABLE, seat)

    def do_posted(self) -> None:
        """What was posted is decided."""
        posted, self.posted[:] = list(self.posted), []
        for entry in posted:
            self.do(entry.intent)

    @property
    def tried(self) -> list[tuple[int, str]]:
        return sorted((entry.intent.seat, entry.intent.by) for entry in self.posted)


@pytest.fixture
def time(monkeypatch):
    time = Time()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: time)
    return time


def test_every_bot_in_the_trick_tries_after_its_waiting_time_and_no_person(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS))
    time.advance(BOT_DELAY_MS - 1)
    assert stage.posted == []
    time.advance(1)
    assert stage.tried == [(1, "bot"), (2, "bot"), (3, "bot")]


def test_without_a_set_delay_bots_wait_a_human_time(time):
    stage = Stage(time, playing())
    time.advance(1_000)
    assert stage.posted == []
    time.advance(5_000)
    assert {seat for seat, _ in stage.tried} == {1, 2, 3}


def test_a_new_trick_state_replaces_all_plans(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS))
    time.advance(BOT_DELAY_MS - 100)
    stage.do(weakest(stage.desk, 0, by="person"))
    time.advance(BOT_DELAY_MS - 1)
    assert stage.posted == []
    time.advance(1)
    assert all(entry.intent.on == stage.desk.state.trick.state for entry in stage.posted)
    assert {seat for seat, _ in stage.tried} == {1, 2, 3}


def test_a_pass_of_another_leaves_plans_as_they_are(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS))
    stage.do(weakest(stage.desk, 0, by="person"))
    time.advance(300)
    stage.do(passes(stage.desk, 1, by="bot"))
    time.advance(BOT_DELAY_MS - 300)
    assert [seat for seat, _ in stage.tried] == [2, 3]


def test_a_bot_that_has_passed_has_nothing_to_do_until_the_next_trick(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS))
    stage.do(weakest(stage.desk, 0, by="person"))
    for seat in (1, 2):
        stage.do(passes(stage.desk, seat, by="bot"))
    time.advance(BOT_DELAY_MS)
    assert [seat for seat, _ in stage.tried] == [3]
    stage.posted.clear()
    stage.do(passes(stage.desk, 3, by="bot"))
    time.advance(BOT_DELAY_MS)
    assert [seat for seat, _ in stage.tried] == [1, 2, 3]


def test_G6_a_planned_move_of_a_standin_dies_when_the_person_is_back(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS, standin_grace_seconds=0))
    stage.do(Disconnect(0))
    stage.do(Tick())
    assert stage.desk.state.seat_at(0).controller == "standin"
    time.advance(BOT_DELAY_MS - 1)
    stage.do(Connect(0))
    time.advance(10 * BOT_DELAY_MS)
    assert 0 not in {seat for seat, _ in stage.tried}


def test_G6_a_standin_moves_after_the_grace_and_only_it(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS, standin_grace_seconds=5))
    stage.do(Disconnect(0))
    time.advance(4_999)
    stage.do(Tick())
    assert (0, "standin") not in stage.tried
    time.advance(1)
    stage.do(Tick())
    time.advance(BOT_DELAY_MS)
    assert (0, "standin") in stage.tried


def test_G7_a_bot_finishes_the_round_for_a_leaver(time):
    desk = open_table(bot_delay_ms=BOT_DELAY_MS, bots=2)
    desk.do(TakeSeat(Newcomer("Ben", "ben")), START_MS)
    desk.do(Connect(3), START_MS)
    desk.do(Start(0), START_MS)
    stage = Stage(time, desk)
    time.advance(BOT_DELAY_MS - 1)
    stage.do(Leave(3))
    time.advance(BOT_DELAY_MS)
    assert (3, "bot") in stage.tried


def test_a_refused_attempt_is_tried_again_more_and_more_slowly(time):
    stage = Stage(time, playing(bot_delay_ms=0))
    times = []
    for _ in range(5):
        while not stage.posted:
            time.advance(1)
        times.append(time.ms)
        stage.posted.clear()
        for seat in (1, 2, 3):
            stage.drivers.refused(TABLE, seat)
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert gaps == [REFUSED_WAIT_MS << n for n in range(4)]


def test_a_bot_that_lost_the_race_plays_on(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS))
    time.advance(BOT_DELAY_MS)
    assert len(stage.posted) == 3
    stage.do_posted()  # one wins, two lose the race
    time.advance(BOT_DELAY_MS)
    assert stage.posted


def test_bots_alone_play_whole_games_exchanges_included(time):
    """Nobody touches the person's seat but the stand-in; it ends by the rules, not by the timer."""
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS, rounds=2, standin_grace_seconds=0))
    stage.do(Disconnect(0))
    stage.do(Tick())
    gave = set()
    for _ in range(4_000):
        if stage.desk.state.phase == "results":
            stage.do(NextRound(0))
        if stage.desk.state.phase == "final":
            break
        gave |= {entry.intent.by for entry in stage.posted if isinstance(entry.intent, Give)}
        stage.do_posted()
        time.advance(50)
    assert stage.desk.state.phase == "final"
    assert stage.desk.state.results.why == "rounds"
    assert gave


def test_a_dropped_table_is_left_alone(time):
    stage = Stage(time, playing(bot_delay_ms=BOT_DELAY_MS))
    stage.drivers.drop(TABLE)
    time.advance(10 * BOT_DELAY_MS)
    stage.drivers.refused(TABLE, 1)
    time.advance(10 * BOT_DELAY_MS)
    assert stage.posted == []


def test_nobody_moves_in_the_lobby(time):
    stage = Stage(time, open_table(bot_delay_ms=0))
    time.advance(60_000)
    assert stage.posted == []
    stage.do(Start(0))
    time.advance(1)
    assert stage.posted


@pytest.mark.parametrize(
    "intent, seat",
    [
        (Play(2, 9, ("3S",), "bot"), 2),
        (Pass(1, 9, "standin"), 1),
        (Give(0, 2, ("3S",), "bot"), 0),
        (Play(2, 9, ("3S",)), None),
        (EndGame(0), None),
    ],
)
def test_whose_attempts_are_bots(intent, seat):
    assert mover_of(Entry(TABLE, intent)) == seat
