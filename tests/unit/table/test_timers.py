"""When ticks are posted: at the deadline, again if stamped too early, never by themselves a decision."""

import asyncio

import pytest

from rapid.table.timers import AGAIN_MS, LOST_MS, Timers
from tests.unit.table.virtual import Time


@pytest.fixture
def time(monkeypatch):
    time = Time()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: time)
    return time


@pytest.fixture
def ticks(time):
    return []


@pytest.fixture
def timers(time, ticks):
    return Timers(time, lambda table: ticks.append((time.ms, table)))


def test_a_tick_comes_at_the_deadline(time, timers, ticks):
    timers.arm("a", 1_500)
    time.advance(499)
    assert ticks == []
    time.advance(1)
    assert ticks == [(1_500, "a")]


def test_a_deadline_that_moves_away_replaces_the_one_before(time, timers, ticks):
    timers.arm("a", 1_500)
    time.advance(300)
    timers.arm("a", 1_800)
    time.advance(499)
    assert ticks == []
    time.advance(1)
    assert ticks == [(1_800, "a")]


def test_a_deadline_that_comes_nearer_replaces_the_one_before(time, timers, ticks):
    timers.arm("a", 5_000)
    timers.arm("a", 1_200)
    time.advance(200)
    assert ticks == [(1_200, "a")]


def test_a_tick_stamped_too_early_is_posted_again_a_moment_later(time, timers, ticks):
    timers.arm("a", 1_100)
    time.advance(100)
    timers.arm("a", 1_100)  # the decision of that tick: nothing fired, the deadline stands
    time.advance(AGAIN_MS)
    assert ticks == [(1_100, "a"), (1_100 + AGAIN_MS, "a")]


def test_other_decisions_behind_a_deadline_do_not_flood_the_inbox_with_ticks(time, timers, ticks):
    timers.arm("a", 1_100)
    time.advance(100)
    for _ in range(100):
        timers.arm("a", 1_100)
    time.advance(AGAIN_MS - 1)
    assert len(ticks) == 1


def test_a_tick_that_nobody_decided_is_posted_again(time, timers, ticks):
    timers.arm("a", 1_100)
    time.advance(100 + LOST_MS)
    assert ticks == [(1_100, "a"), (1_100 + LOST_MS, "a")]


def test_a_decided_tick_is_not_posted_again(time, timers, ticks):
    timers.arm("a", 1_100)
    time.advance(100)
    timers.arm("a", 1_100 + 10_000)
    time.advance(9_999)
    assert ticks == [(1_100, "a")]
    time.advance(1)
    assert len(ticks) == 2


def test_nothing_comes_for_a_table_that_is_disarmed(time, timers, ticks):
    timers.arm("a", 1_100)
    timers.arm("b", 1_100)
    timers.disarm("a")
    timers.arm("b", None)
    time.advance(10_000)
    assert ticks == []


def test_many_tables_each_at_its_time(time, timers, ticks):
    for n in range(50):
        timers.arm(f"t{n}", 2_000 - 7 * n)
    time.advance(1_000)
    assert ticks == sorted((2_000 - 7 * n, f"t{n}") for n in range(50))


def test_stop_ends_all(time, timers, ticks):
    timers.arm("a", 1_100)
    timers.stop()
    time.advance(10_000)
    assert ticks == []


def test_what_is_forgotten_before_it_is_due_does_not_pile_up(time, timers, ticks):
    """Tables that were closed, each with ten minutes to go until it would have been left alone for too long."""
    for n in range(1_000):
        timers.arm(f"t{n}", 600_000 + n)
        if n >= 10:
            timers.disarm(f"t{n}")
    assert len(timers._heap) <= 10 + 100
    time.advance(700_000)
    assert {table for _, table in ticks} == {f"t{n}" for n in range(10)}
