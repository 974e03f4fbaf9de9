"""How long is waited: as long as anything moves, and not for a server that is gone."""

import pytest

from loadtests.generator import loop as loop_module
from loadtests.generator.loop import Loop
from loadtests.generator.table import STILL_SECONDS, settle
from tests.unit.loadtests.paper import Clock, Paper


@pytest.fixture
def clock(monkeypatch):
    clock = Clock(monkeypatch)
    monkeypatch.setattr(loop_module, "now_s", lambda: clock.now)
    return clock


@pytest.fixture
def loop(clock):
    """A loop in which nothing comes but the time."""

    class Still(Loop):
        def turn(self, wait_s: float) -> bool:
            clock.now += wait_s
            return False

    loop = Still()
    yield loop
    loop.close()


def is_calm(table: Paper) -> bool:
    return not table.is_busy


def test_a_table_that_hears_nothing_is_given_up_and_named_and_the_others_are_waited_for(clock, loop):
    stuck, done = Paper(clock), Paper(clock)
    stuck.due(100.0)
    assert settle(loop, [stuck, done], is_calm, "an intent is not answered") == ["a table: an intent is not answered"]
    assert (stuck.is_stuck, done.is_stuck) == (True, False)
    assert STILL_SECONDS <= clock.now - 100.0 < STILL_SECONDS + 1


def test_only_the_first_few_are_named_and_the_rest_is_counted(clock, loop):
    tables = [Paper(clock) for _ in range(9)]
    told = settle(loop, tables, lambda _: False, "it does not end")
    assert (len(told), told[-1]) == (6, "and so 4 more tables")
    assert all(table.is_stuck for table in tables)


def test_what_moves_is_waited_for(clock, loop):
    slow = Paper(clock)
    slow.due(100.0)

    def holds(table: Paper) -> bool:
        table.seats[0].seq = int(clock.now - 100.0) // 5
        return clock.now >= 140.0

    assert settle(loop, [slow], holds, "it does not end") == []
    assert clock.now >= 140.0


def test_a_server_that_is_gone_is_not_waited_for(clock, loop):
    table = Paper(clock)
    table.due(100.0)
    loop.why_gone = lambda: "the server is gone" if clock.now > 101.0 else None
    assert settle(loop, [table], is_calm, "an intent is not answered") == []
    assert loop.gone == "the server is gone"
    assert clock.now < 102.0
