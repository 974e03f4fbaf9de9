"""Who is away, who is back, and what was lost with a connection."""

import random
from types import SimpleNamespace

import pytest

from loadtests.generator import churn as churn_module
from loadtests.generator.churn import LOST_SECONDS, Churn
from loadtests.generator.plan import Plan
from tests.unit.loadtests.paper import Clock, Paper


@pytest.fixture
def clock(monkeypatch):
    clock = Clock(monkeypatch)
    monkeypatch.setattr(churn_module, "now_s", lambda: clock.now)
    return clock


def looked_after(table: Paper, churn: Churn, clock: Clock, at_s: float) -> None:
    clock.now = at_s
    churn._look_after(at_s)


@pytest.mark.parametrize("back_s", [100.2, 107.0])
def test_what_is_lost_with_its_connection_is_not_refused_and_was_not_asked_for(clock, back_s):
    table = Paper(clock)
    churn = Churn(SimpleNamespace(racing=[table]), Plan(host="", port=0), random.Random(1))
    table.due(100.0)
    table.is_one_away = True
    looked_after(table, churn, clock, 100.1)
    looked_after(table, churn, clock, back_s)
    table.is_one_away = False
    looked_after(table, churn, clock, back_s + LOST_SECONDS - 0.01)
    assert (table.is_busy, churn.done.lost) == (True, 0)
    looked_after(table, churn, clock, back_s + LOST_SECONDS + 0.01)
    assert (table.is_busy, churn.done.lost, table.held_since_s) == (False, 1, None)
    recorder = table.recorder
    assert (recorder.due, recorder.counted, recorder.open, recorder.refused) == (0, 0, 0, {})
    table.due(clock.now)
    table.arrive()
    assert recorder.latencies_s == [0.0, 0.0]


def test_a_table_goes_on_when_all_are_back(clock):
    table = Paper(clock)
    churn = Churn(SimpleNamespace(racing=[table]), Plan(host="", port=0), random.Random(1))
    table.is_one_away = True
    looked_after(table, churn, clock, 100.1)
    table.due(100.2)
    assert (table.sent, table.recorder.due) == ([], 0)
    table.is_one_away = False
    looked_after(table, churn, clock, 100.3)
    table.due(100.4)
    assert (len(table.sent), churn.done.lost) == (1, 0)
