"""When intents are due, and from when their latency counts, on a clock that stands still between two steps."""

import random

import pytest

from loadtests.generator.schedule import Resting, Steady, Thinking
from tests.unit.loadtests.paper import Clock, Paper


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def test_a_steady_schedule_spaces_intents_evenly_over_the_tables_in_turn(clock):
    tables = [Paper(clock) for _ in range(4)]
    schedule = Steady(tables, rate=8.0, begin_s=100.0, end_s=101.0)
    for step in range(1, 9):
        clock.now = 100.0 + step / 8
        schedule.pump(clock.now)
        for table in tables:
            if table.is_busy:
                table.arrive()
    # The last would be due when the window is over.
    assert sum(table.recorder.due for table in tables) == 7
    assert sorted(len(table.sent) for table in tables) == [1, 2, 2, 2]
    assert all(table.recorder.latencies_s == [0.0, 0.0] * table.recorder.counted for table in tables)


def test_pump_says_when_the_next_is_due_and_never_goes_behind_the_end(clock):
    schedule = Steady([Paper(clock)], rate=4.0, begin_s=100.0, end_s=100.6)
    assert schedule.pump(100.0) == pytest.approx(100.25)
    assert schedule.pump(100.25) == pytest.approx(100.5)
    assert schedule.pump(100.5) == 100.6
    assert schedule.pump(200.0) == 100.6
    assert Resting(7.0).pump(1.0) == 7.0


def test_a_server_that_stalls_is_asked_no_less_and_its_latencies_count_from_the_schedule(clock):
    """Coordinated omission: ten intents a second, the first answered after a second."""
    table = Paper(clock)
    schedule = Steady([table], rate=10.0, begin_s=100.0, end_s=101.05)
    for step in range(1, 11):
        clock.now = 100.0 + step / 10
        schedule.pump(clock.now)
    assert (len(table.sent), len(table.backlog), table.recorder.due) == (1, 9, 10)
    clock.now = 101.1
    for _ in range(10):
        table.arrive()
    expected = [1.0 - step / 10 for step in range(10) for _seat in range(2)]
    assert table.recorder.latencies_s == pytest.approx(expected)
    assert table.recorder.counted == 10
    assert not table.backlog
    # The generator itself was never late: it sent each the moment that it could.
    assert table.recorder.late_s == pytest.approx([0.0] * 10)


def test_lateness_is_the_generators_own_only(clock):
    table = Paper(clock)
    schedule = Steady([table], rate=10.0, begin_s=100.0, end_s=102.0)
    clock.now = 100.103
    schedule.pump(clock.now)
    assert table.recorder.late_s == pytest.approx([0.003])


def test_a_refused_intent_lets_the_table_go_on(clock):
    table = Paper(clock)
    table.due(100.0)
    table.due(100.1)
    clock.now = 100.2
    table.give_up("stale", clock.now)
    assert (table.recorder.refused, table.recorder.counted) == ({"stale": 1}, 0)
    assert len(table.sent) == 2
    table.arrive()
    assert table.recorder.open == 0


def test_what_somebody_was_away_for_has_no_latency_and_is_not_asked_for(clock):
    table = Paper(clock)
    table.due(100.0)
    table.is_disturbed = table.is_paused = True
    table.due(100.1)
    clock.now = 105.0
    table.arrive()
    assert (table.recorder.due, table.recorder.counted, table.recorder.latencies_s) == (1, 1, [])


def test_people_think_before_each_intent_and_not_while_they_wait(clock):
    tables = [Paper(clock) for _ in range(50)]
    schedule = Thinking(tables, random.Random(1), 100.0, 110.0)
    while clock.now < 110.0:
        schedule.pump(clock.now)
        for table in tables[1:]:
            if table.is_busy:
                table.arrive()
        clock.now += 0.01
    assert (len(tables[0].sent), len(tables[0].backlog)) == (1, 0)
    # A median of 0.45 s between two.
    assert 15 <= sum(len(table.sent) for table in tables[1:]) / 49 <= 25


def test_a_hurried_table_goes_on_by_itself(clock):
    table = Paper(clock)
    table.hurry()
    for _ in range(3):
        table.arrive()
    assert len(table.sent) == 4
    table.is_hurried = False
    table.arrive()
    assert (len(table.sent), table.is_busy) == (4, False)
