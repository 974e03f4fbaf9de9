"""Whatever is read, there is a report with a reason, and never an exception."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.replay.shape import SHAPES
from rapid.engine.replay.verify import verify_lines
from rapid.rules.presets import PRESETS
from tests.unit.engine.replay.judge import fault, verdict
from tests.unit.engine.replay.logbook import whole_game

HEADER = '{"log": "rapid", "v": 1, "table": "abcdefghij"}'
BOOK = whole_game(seats=3, rounds=2, seed=4)

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(0, 80)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["person", "bot", "timer", "3S", "2H", "president", "rapid", "passed", 2**53, 2**64, -1]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.sampled_from("0123"), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "lines, reason",
    [
        ([], "no log"),
        (["", "\n"], "no log"),
        (["nonsense"], "not JSON"),
        ([b"\xff\xfe"], "not JSON"),
        (["[]"], "not a JSON object"),
        (["7"], "not a JSON object"),
        (["[" * 200_000], "not JSON"),
        (['{"log": "rapid"'], "not JSON"),
        ([None], "not text"),
        (['{"seq": 1, "at": 0, "type": "table_opened"}'], "no header"),
        (['{"log": "chess", "v": 1, "table": "abcdefghij"}'], "not a log of rapid"),
        (['{"log": "rapid", "v": 2, "table": "abcdefghij"}'], "version 2"),
        (['{"log": "rapid", "v": true, "table": "abcdefghij"}'], "v of the header"),
        (['{"log": "rapid", "v": 1, "table": "short"}'], "table of the header"),
        (['{"log": "rapid", "v": 1, "table": "ABCDEFGHIJ"}'], "table of the header"),
        (['{"log": "rapid", "v": 1, "v": 1, "table": "abcdefghij"}'], "twice"),
        ([HEADER], "table_opened must follow"),
        ([HEADER, '{"seq": 1, "at": NaN, "type": "x"}'], "NaN"),
        ([HEADER, '{"seq": 1, "at": 1e999, "type": "x"}'], "at is malformed"),
        ([HEADER, '{"seq": 1, "at": 0.0, "type": "x"}'], "at is malformed"),
        ([HEADER, '{"seq": true, "at": 0, "type": "x"}'], "seq is malformed"),
        ([HEADER, '{"seq": "1", "at": 0, "type": "x"}'], "seq is malformed"),
        ([HEADER, '{"seq": 1, "at": 9007199254740992, "type": "x"}'], "at is malformed"),
        ([HEADER, '{"seq": 1, "at": ' + "9" * 5000 + ', "type": "x"}'], "not JSON"),
        ([HEADER, '{"seq": 1, "at": 0}'], "type is malformed"),
        ([HEADER, '{"seq": 1, "at": 0, "type": "table_opened"}'], "lacks settings"),
        ([HEADER, '{"seq": 1, "at": 0, "type": "dealt"}'], "dealt lacks round"),
    ],
)
def test_garbage_is_reported_with_its_reason(lines, reason):
    (report,) = verify_lines(lines)
    assert not report.ok
    assert reason in report.reason
    assert report.line is not None


def test_a_text_file_that_does_not_decode_is_reported():
    def broken():
        yield HEADER
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    (report,) = verify_lines(broken())
    assert not report.ok
    assert "not UTF-8" in report.reason


@pytest.mark.parametrize(
    "changes",
    [{"ruleset": "presidente"}, {"mode": "race"}, {"ruleset": "bridge", "mode": "turns"}, {"ruleset": "bridge"}],
)
def test_rulesets_and_modes_not_known_here_are_not_supported(changes):
    opened = BOOK.lines[0]
    seq, reason = fault(BOOK, opened, settings=opened["settings"] | changes)
    assert seq == 1
    assert "not supported" in reason


OF_EVERY_TYPE = (None, False, True, 0, -1, 2**53, 0.0, 1.5, 1e308, "", "x" * 99, [], [[]], ["x"], {}, {"x": []})


def settings_with(value, settings):
    """These settings with each of their values replaced in turn, those in maps too."""
    for name, inner in settings.items():
        yield settings | {name: value}
        for key in inner if isinstance(inner, dict) else ():
            yield settings | {name: inner | {key: value}}


@pytest.mark.parametrize("ruleset", PRESETS)
@pytest.mark.parametrize("kind", ["table_opened", "settings_changed", "game_started"])
def test_any_type_in_any_setting_gives_a_report(ruleset, kind):
    header, *lines = map(json.loads, simulate(SimulateOptions(ruleset=ruleset, mode="rapid", rounds=1)))
    at = next(place for place, line in enumerate(lines) if line["type"] == "game_started")
    settings_there = lines[0]["settings"]
    for value in OF_EVERY_TYPE:
        for changed in settings_with(value, settings_there):
            changed_lines = {
                "table_opened": [lines[0] | {"settings": changed}, *lines[1:]],
                "settings_changed": [*lines[:at], lines[at] | {"type": kind, "settings": changed}],
                "game_started": [*lines[:at], lines[at] | {"settings": changed}, *lines[at + 1 :]],
            }[kind]
            (report,) = verify_lines(map(json.dumps, [header, *changed_lines]))
            assert report.ok or report.reason
            # To the letter: `False == 0.0` is no reason to call them the same.
            is_same = json.dumps(changed, sort_keys=True) == json.dumps(settings_there, sort_keys=True)
            assert kind != "game_started" or report.ok is is_same, (changed, report.reason)


@given(st.lists(st.binary(max_size=40) | st.text(max_size=40) | values.map(json.dumps) | st.just(HEADER), max_size=6))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_any_lines_give_reports(lines):
    reports = list(verify_lines(lines))
    assert reports
    assert all(not report.ok and report.reason for report in reports)


@given(st.data())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_value_in_any_field_gives_a_report(data):
    lines = json.loads(json.dumps(BOOK.lines))
    at = data.draw(st.integers(0, len(lines) - 1))
    event = data.draw(st.sampled_from([lines[at], {"seq": at + 1, "at": lines[at]["at"]}]))
    event["type"] = data.draw(st.just(lines[at]["type"]) | st.sampled_from(sorted(SHAPES)))
    for row in SHAPES[event["type"]].split():
        name = row.split(":")[0].rstrip("?")
        if data.draw(st.booleans()):
            event[name] = data.draw(values)
    if isinstance(event.get("settings"), dict) and data.draw(st.booleans()):
        event["settings"][data.draw(st.sampled_from(sorted(BOOK.settings)))] = data.draw(values)
    lines[at] = event
    report = verdict(BOOK, lines)
    assert report.ok or report.reason
