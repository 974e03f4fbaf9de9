"""When intents are due, and from when their latency counts, on a clock that stands still between two steps."""

import random

import pytest

from loadtests.generator import schedule as schedule_module
from loadtests.generator.schedule import HANDED_AT_ONCE, Resting, Steady, Thinking
from loadtests.generator.table import BACK_OFF_SECONDS
from loadtests.report.measured import put_together
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


def test_a_generator_that_stands_still_is_late_for_all_that_was_due_meanwhile(clock):
    """Also for what waits behind an intent whose answer it has not read."""
    table = Paper(clock)
    schedule = Steady([table], rate=100.0, begin_s=100.0, end_s=105.0)
    stalls = [(101.5, 102.5)]
    while clock.now < 105.0:
        clock.now += 0.001
        if stalls and clock.now > stalls[0][0]:
            clock.now = stalls.pop()[1]
        schedule.pump(clock.now)
        if table.is_busy and (clock.now < 101.45 or not stalls):
            table.arrive()
    late = sorted(table.recorder.late_s)
    assert len(late) == table.recorder.due == 499
    assert sum(one > 0.001 for one in late) >= 99
    assert late[-1] == pytest.approx(1.0, abs=0.011)
    found = put_together([table.recorder.tally(5.0, 0.0)], rate=100, seconds=5, cpu_s={}, memory_kb={}, busy=[])
    assert "late" in found.bottleneck


def test_a_server_that_stands_still_makes_no_generator_late(clock):
    table = Paper(clock)
    schedule = Steady([table], rate=100.0, begin_s=100.0, end_s=105.0)
    while clock.now < 105.0:
        clock.now += 0.0005
        schedule.pump(clock.now)
        while table.is_busy and not 101.5 < clock.now < 102.5:
            table.arrive()
    found = put_together([table.recorder.tally(5.0, 0.0)], rate=100, seconds=5, cpu_s={}, memory_kb={}, busy=[])
    assert found.bottleneck is None
    assert found.p99_ms == pytest.approx(960, abs=20)
    assert found.counted == 499


def test_lateness_behind_the_time_and_behind_an_answer_add_up(clock):
    table = Paper(clock)
    schedule = Steady([table], rate=10.0, begin_s=100.0, end_s=100.25)
    clock.now = 100.101
    schedule.pump(clock.now)
    clock.now = 100.204
    schedule.pump(clock.now)
    clock.now = 100.3
    table.reached(table.seats[0], 100.298)
    table.reached(table.seats[1], 100.298)
    table.settle(100.298)
    assert table.recorder.late_s == pytest.approx([0.001, 0.004 + 0.002])


def test_people_are_not_asked_late_unnoticed(clock):
    tables = [Paper(clock) for _ in range(3)]
    schedule = Thinking(tables, random.Random(1), 100.0, 110.0)
    for table in tables:
        table.is_busy = True
    clock.now = 105.0
    schedule.pump(clock.now)
    assert all(table.recorder.late_s[0] > 3.0 for table in tables)


def test_what_is_not_done_has_taken_as_long_as_it_has_waited(clock):
    """The server stops two seconds before the window's end; two more are waited."""
    table = Paper(clock)
    schedule = Steady([table], rate=100.0, begin_s=100.0, end_s=105.0)
    while clock.now < 105.0:
        clock.now += 0.001
        schedule.pump(clock.now)
        if table.is_busy and clock.now < 103.0:
            table.arrive()
    recorder = table.recorder
    recorder.counted_in_window = recorder.counted
    table.reached(table.seats[0], 103.2)  # one of the two seats has heard of it
    clock.now = 107.0
    table.count_waiting(100.0, clock.now)
    found = put_together([recorder.tally(5.0, 0.0)], rate=100, seconds=5, cpu_s={}, memory_kb={}, busy=[])
    assert found.latency.count == 2 * recorder.due
    assert found.latency.count == 2 * (found.counted + found.behind)
    assert 190 <= found.behind <= 201
    assert found.p99_ms == pytest.approx(3960, abs=30)
    assert found.latency.ms(50) < 2
    assert found.latency.max_ms == pytest.approx(4000, abs=30)


def test_what_was_begun_before_the_window_or_while_somebody_was_away_does_not_wait(clock):
    before, away = Paper(clock), Paper(clock)
    before.due(99.0)
    away.due(100.5)
    away.due(100.6)
    away.hold(100.6)
    for table in (before, away):
        table.count_waiting(100.0, 101.0)
        assert table.recorder.latencies_s == [0.0] * len(table.backlog) * 2


def test_who_asks_too_often_waits_before_asking_again(clock):
    table = Paper(clock)
    for step in range(3):
        table.due(100.0 + step / 1000)
    table.give_up("rate_limited", clock.now)
    table.due(100.003)
    assert (len(table.sent), table.is_busy, len(table.backlog)) == (1, False, 3)
    [(at_s, rested)] = table.loop.calls
    assert at_s == pytest.approx(clock.now + BACK_OFF_SECONDS)
    clock.now = at_s
    rested()
    for _ in range(3):
        table.arrive()
    assert (len(table.sent), table.recorder.counted, table.recorder.open) == (4, 3, 0)


def test_who_is_hurried_and_asks_too_often_waits_too(clock):
    table = Paper(clock)
    table.hurry()
    table.give_up("rate_limited", clock.now)
    assert (len(table.sent), table.is_busy) == (1, False)
    table.loop.calls[0][1]()
    assert (len(table.sent), table.is_busy) == (2, True)


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


def away_from(clock: Clock, until_s: float) -> Paper:
    """One intent is on its way and one waits behind it for 0.2 s when a seat goes; it is back by then."""
    table = Paper(clock)
    table.due(100.0)
    clock.now = 100.1
    table.due(100.1)
    table.hold(100.3)
    table.is_one_away = True
    table.due(100.4)
    clock.now = until_s
    return table


def test_what_somebody_was_away_for_has_no_latency_and_is_not_asked_for(clock):
    table = away_from(clock, 105.0)
    table.is_one_away = False
    table.due(104.9)
    table.arrive()
    assert (table.recorder.due, table.recorder.counted, table.recorder.latencies_s) == (2, 1, [])


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.parametrize("until_s", [100.5, 103.7])
def test_what_waits_behind_it_has_the_latency_that_the_server_made_and_no_more(clock, until_s, is_lost):
    """However long we are away, and whether what was on its way was lost with the connection or done."""
    table = away_from(clock, until_s)
    table.is_one_away = False
    if is_lost:
        table.withdraw(clock.now)
    else:
        table.arrive()
    assert table.held_since_s is None
    assert len(table.sent) == 2
    clock.now += 0.05
    table.arrive()
    assert table.recorder.latencies_s == pytest.approx([0.25, 0.25])
    assert (table.recorder.open, table.recorder.refused) == (0, {})
    assert table.recorder.counted == table.recorder.due == 2 - is_lost


def test_nothing_is_sent_while_somebody_is_away(clock):
    table = away_from(clock, 101.0)
    table.arrive()
    table.hurry()
    assert (len(table.sent), table.is_busy) == (1, False)
    table.is_one_away = False
    table.go_on(clock.now)
    assert (len(table.sent), table.is_busy) == (2, True)


def test_a_server_that_is_slow_when_all_are_back_is_so_in_the_figures(clock):
    table = away_from(clock, 101.0)
    table.is_one_away = False
    table.arrive()
    clock.now = 104.0
    table.arrive()
    assert table.recorder.latencies_s == pytest.approx([3.2, 3.2])


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


def test_a_schedule_that_is_far_behind_lets_the_sockets_have_their_turn(clock):
    table = Paper(clock)
    schedule = Steady([table], rate=1e6, begin_s=100.0, end_s=101.0)
    clock.now = 100.5
    assert schedule.pump(clock.now) < clock.now
    assert table.recorder.due == HANDED_AT_ONCE


def test_what_waits_is_bounded_and_the_window_ends_there_and_says_so(clock, monkeypatch):
    monkeypatch.setattr(schedule_module, "OPEN_MAX", 5000)
    table = Paper(clock)
    schedule = Steady([table], rate=1e6, begin_s=100.0, end_s=110.0)
    clock.now = 100.5
    while schedule.pump(clock.now) < schedule.end_s:
        pass
    assert schedule.end_s < clock.now
    schedule.pump_out()
    recorder = table.recorder
    assert (recorder.due, recorder.open, len(table.backlog), recorder.is_overrun) == (5000, 5000, 4999, True)
    found = put_together([recorder.tally(5.0, 0.0)], rate=1e6, seconds=5, cpu_s={}, memory_kb={}, busy=[])
    assert "1,000,000 intents a second are far more than is carried" in found.bottleneck
    recorder.reset()
    assert not recorder.is_overrun


def test_what_is_done_does_not_wait_however_much_it_is(clock, monkeypatch):
    monkeypatch.setattr(schedule_module, "OPEN_MAX", 5)
    table = Paper(clock)
    schedule = Steady([table], rate=100.0, begin_s=100.0, end_s=101.0)
    while clock.now < 101.0:
        clock.now += 0.01
        schedule.pump(clock.now)
        if table.is_busy:
            table.arrive()
    assert (table.recorder.is_overrun, table.recorder.due, schedule.end_s) == (False, 99, 101.0)


@pytest.mark.parametrize("is_human", [False, True])
def test_the_rest_of_a_window_is_handed_out_at_its_end(clock, is_human):
    tables = [Paper(clock) for _ in range(3)]
    rng = random.Random(1)
    schedule = Thinking(tables, rng, 100.0, 110.0) if is_human else Steady(tables, 1000.0, 100.0, 110.0)
    schedule.pump_out()
    assert sum(table.recorder.due for table in tables) == (0 if is_human else 9999)


def test_a_hurried_table_goes_on_by_itself(clock):
    table = Paper(clock)
    table.hurry()
    for _ in range(3):
        table.arrive()
    assert len(table.sent) == 4
    table.is_hurried = False
    table.arrive()
    assert (len(table.sent), table.is_busy) == (4, False)
