"""Bots and stand-ins in turn mode: a plan is made when the turn begins, and for nobody else (T3, T5, G6)."""

import asyncio

import pytest

from rapid.engine.intents import Connect, Disconnect, Play, Start, Tick
from tests.unit.table.desk import START_MS, hand_of, open_table
from tests.unit.table.test_drivers import BOT_DELAY_MS, Stage
from tests.unit.table.virtual import Time

TURN_MS = 30_000


@pytest.fixture
def time(monkeypatch):
    time = Time()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: time)
    return time


def in_turns():
    desk = open_table(mode="turns", bot_delay_ms=BOT_DELAY_MS, standin_grace_seconds=0)
    desk.do(Start(0), START_MS)
    return desk


def turn_of(stage):
    return stage.desk.state.trick.turn


def go_on(stage, time):
    """Whoever's turn it is acts: a bot by its plan, the person by its first card or a tick of the turn timer."""
    if turn_of(stage) == 0:
        time.ms = stage.desk.state.deadline
        stage.do(Tick())
    else:
        time.advance(BOT_DELAY_MS)
        stage.do_posted()


def test_only_the_bot_whose_turn_it_is_tries(time):
    stage = Stage(time, in_turns())
    for _ in range(40):
        seat = turn_of(stage)
        if seat == 0:
            time.advance(5_000)
            assert stage.posted == []
        else:
            time.advance(BOT_DELAY_MS - 1)
            assert stage.posted == []
            time.advance(1)
            assert stage.tried == [(seat, "bot")]
            stage.do_posted()
            continue
        go_on(stage, time)
        if stage.desk.state.phase != "playing":
            break


def test_a_stand_in_moves_for_a_lost_person_when_its_turn_comes_and_not_once_it_is_back(time):
    stage = Stage(time, in_turns())
    while turn_of(stage) != 0:
        go_on(stage, time)
    deadline = stage.desk.state.deadline
    time.advance(100)
    stage.do(Disconnect(0))
    time.advance(1)
    stage.do(Tick())
    assert stage.desk.state.seat_at(0).standin
    assert stage.desk.state.deadline == deadline  # no timer is reset
    stage.do(Connect(0))
    time.advance(8_000)
    assert stage.posted == []
    stage.do(Disconnect(0))
    time.advance(1)
    stage.do(Tick())
    time.advance(8_000)
    assert stage.tried == [(0, "standin")]
    stage.do_posted()
    assert turn_of(stage) != 0


def test_a_play_out_of_turn_leaves_everything_as_it_is(time):
    stage = Stage(time, in_turns())
    while turn_of(stage) == 0:
        go_on(stage, time)
    before = stage.desk.state
    effects = stage.desk.do(Play(0, before.trick.state, hand_of(stage.desk, 0)[:1]), time.ms)
    assert effects.refused
    assert effects.answer.refusal.why == "not_your_turn"
    assert stage.desk.state is before
