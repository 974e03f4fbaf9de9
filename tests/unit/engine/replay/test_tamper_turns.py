"""Every field of a log in turns, and of the other rulesets' exchanges, counts: one changed is found where it stands."""

import copy
import json

import pytest

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.replay.verify import verify_lines

LOGS = {
    "president": SimulateOptions(mode="turns", rounds=3, seats=4, variants=("skip", "revolution"), seed=5),
    "presi": SimulateOptions(ruleset="presi", mode="turns", seats=4, seed=6),
    "house": SimulateOptions(ruleset="house", mode="turns", seats=5, seed=7),
}


def events_of(name):
    header, *lines = simulate(LOGS[name])
    return header, [json.loads(line) for line in lines]


BOOKS = {name: events_of(name) for name in LOGS}


def other_seat(value, _event):
    return (value + 1) % 4


TAMPER = {
    ("president", "turn_began", "seat"): other_seat,
    ("president", "turn_began", "rank"): lambda value, _: "3" if value is None else None,
    ("president", "turn_began", "deadline"): lambda value, _: value + 1,
    ("president", "turn_began", "at"): lambda value, _: value + 1,
    ("president", "skipped", "seat"): other_seat,
    ("president", "skipped", "trick"): lambda value, _: value + 1,
    ("president", "trick_opened", "leader"): other_seat,
    ("president", "trick_opened", "deadline"): lambda _, event: event["at"] + 10_000,
    ("president", "played", "deadline"): lambda _, event: event["at"] + 10_000,
    ("president", "played", "seat"): other_seat,
    ("president", "played", "order"): lambda _, __: [0, 1, 2, 3],
    ("president", "played", "by"): lambda _, __: "person",
    ("president", "passed", "seat"): other_seat,
    ("president", "passed", "by"): lambda _, __: "timer",
    ("president", "trick_closed", "why"): lambda value, _: "timer" if value == "passed" else "passed",
    ("presi", "skipped", "seat"): other_seat,
    ("presi", "turn_began", "rank"): lambda _, __: "3",
    ("presi", "trick_closed", "why"): lambda value, _: "finish" if value == "killer" else "killer",
    ("presi", "given", "to"): other_seat,
    ("presi", "given", "cards"): lambda value, _: value[1:],
    ("presi", "exchange_opened", "owes"): lambda value, _: value[1:],
    ("presi", "exchange_opened", "step"): lambda _, __: 1,
    ("presi", "exchange_closed", "moves"): lambda value, _: value[1:],
    ("presi", "round_ended", "points"): lambda value, _: {**value, "0": value["0"] + 1},
    ("presi", "round_ended", "roles"): lambda value, _: {**value, "0": "asshole"},
    ("presi", "game_ended", "winners"): lambda value, _: [(value[0] + 1) % 4],
    ("presi", "game_ended", "why"): lambda _, __: "rounds",
    ("presi", "dealt", "order"): lambda value, _: value[::-1],
    ("house", "exchange_opened", "step"): lambda value, _: 3 - value,
    ("house", "exchange_closed", "step"): lambda value, _: 3 - value,
    ("house", "exchange_opened", "owes"): lambda value, _: [{**value[0], "pick": "worst"}],
    ("house", "trick_opened", "leader"): lambda value, _: (value + 1) % 5,
    ("house", "turn_began", "seat"): lambda value, _: (value + 1) % 5,
    ("house", "round_ended", "standings"): lambda value, _: value[::-1],
}


@pytest.mark.parametrize("name", list(LOGS))
def test_the_logs_are_good(name):
    header, events = BOOKS[name]
    (report,) = verify_lines([header, *map(json.dumps, events)])
    assert report.ok, report


@pytest.mark.parametrize("name, kind, field", list(TAMPER), ids=" ".join)
def test_a_changed_field_is_found_where_it_stands(name, kind, field):
    header, events = BOOKS[name]
    places = [at for at, event in enumerate(events) if event["type"] == kind]
    for at in (places[0], places[len(places) // 2], places[-1]):
        changed = copy.deepcopy(events[at])
        changed[field] = TAMPER[name, kind, field](changed.get(field), changed)
        (report,) = verify_lines(map(json.dumps, [json.loads(header), *events[:at], changed, *events[at + 1 :]]))
        assert not report.ok, changed
        assert report.seq == events[at]["seq"], (report, changed)


@pytest.mark.parametrize("name, kind", [("president", "turn_began"), ("president", "skipped"), ("presi", "skipped")])
def test_an_event_left_out_is_missed(name, kind):
    header, events = BOOKS[name]
    places = [at for at, event in enumerate(events) if event["type"] == kind]
    for at in (places[0], places[-1]):
        rest = [{**event, "seq": event["seq"] - 1} for event in events[at + 1 :]]
        (report,) = verify_lines(map(json.dumps, [json.loads(header), *events[:at], *rest]))
        assert not report.ok
        assert report.seq == events[at]["seq"]
