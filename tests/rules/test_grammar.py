"""PROTOCOL section 4: which events stand together. The checker itself, and all that simulations decide."""

import pytest

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.notation import parse_line
from tests.rules.grammar import assert_decision, is_decision

GOOD = [
    "table_opened committed seat_taken",
    "table_opened committed seat_taken seat_taken seat_taken",
    "game_started dealt committed trick_opened",
    "dealt committed exchange_opened",
    "given",
    "given given exchange_closed trick_opened",
    "played",
    "played finished",
    "played finished trick_closed trick_opened",
    "played finished trick_closed round_ended seat_freed seat_freed host_changed game_ended lobby_opened",
    "played trick_closed round_ended game_ended",
    "passed",
    "passed trick_closed trick_opened",
    "trick_closed trick_opened",
    "leaving host_changed",
    "leaving game_ended lobby_opened table_closed",
    "seat_freed host_changed game_ended lobby_opened",
    "connection_back standin_ended",
    "game_ended lobby_opened table_closed",
    "table_closed",
    "race_lost",
    "resumed",
    "salted",
    "game_ended",
]
BAD = [
    "table_opened committed",
    "table_opened seat_taken committed",
    "dealt committed",
    "dealt trick_opened",
    "committed",
    "trick_opened",
    "exchange_closed",
    "finished",
    "round_ended",
    "played played",
    "played trick_closed",
    "played finished trick_opened",
    "passed passed",
    "passed finished",
    "race_lost race_lost",
    "standin_ended",
    "trick_closed round_ended game_ended seat_freed",
    "connection_lost standin_started",
    "game_ended seat_freed lobby_opened",
    "given exchange_closed",
]


@pytest.mark.parametrize("names", GOOD)
def test_4_a_decision(names):
    assert is_decision(names + " ")


@pytest.mark.parametrize("names", BAD)
def test_4_no_decision(names):
    assert not is_decision(names + " ")


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("variants", [(), ("revolution", "four_closes", "strongest_closes", "finish_with_two")])
def test_4_events_of_one_time_are_decisions_one_behind_the_other(seats, variants):
    """Each run of lines with one `at` must split into decisions; mostly it is one."""
    lines = list(simulate(SimulateOptions(seats=seats, rounds=6, seed=seats, variants=variants)))[1:]
    by_time = {}
    for line in map(parse_line, lines):
        by_time.setdefault(line.at, []).append(line.event)
    assert len(by_time) > 200
    for events in by_time.values():
        assert splits(events), [type(event).__name__ for event in events]


def splits(events):
    if not events:
        return True
    for length in range(len(events), 0, -1):
        try:
            assert_decision(events[:length])
        except AssertionError:
            continue
        if splits(events[length:]):
            return True
    return False
