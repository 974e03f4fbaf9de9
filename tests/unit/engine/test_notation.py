"""The log as text: what is shown, what is kept back."""

import json

import pytest

from rapid.engine import events as ev
from rapid.engine.notation import Decided, event_line, header_line, log_lines, open_deals, parse_line

COMMITTED = ev.Committed(deal=3, commit="c" * 64, secret="5" * 64)


def test_a_line_is_one_json_object_with_the_position_first():
    line = event_line(ev.Passed(seat=2, trick=4, by="bot"), 17, 1_700_000_000_123)
    assert line == '{"seq":17,"at":1700000000123,"type":"passed","seat":2,"trick":4,"by":"bot"}'


def test_an_event_without_fields():
    assert event_line(ev.LobbyOpened(), 1, 2) == '{"seq":1,"at":2,"type":"lobby_opened"}'


def test_the_header():
    assert header_line("abcdefghij") == '{"log":"rapid","v":1,"table":"abcdefghij"}'


def test_a_token_hash_is_never_in_a_line():
    taken = ev.SeatTaken(seat=0, name="Ada", kind="person", token_hash="f" * 64)
    line = json.loads(event_line(taken, 3, 5))
    assert line == {"seq": 3, "at": 5, "type": "seat_taken", "seat": 0, "name": "Ada", "kind": "person"}


@pytest.mark.parametrize("open_, is_shown", [((), True), ({2}, True), ({3}, False)])
def test_a_secret_is_kept_back_while_its_deal_is_open(open_, is_shown):
    line = json.loads(event_line(COMMITTED, 1, 1, open_deals=open_))
    assert ("secret" in line) is is_shown
    assert line["commit"] == "c" * 64


def test_names_stand_as_they_are():
    line = event_line(ev.SeatTaken(seat=0, name='é "東" 👍', kind="person"), 1, 1)
    assert json.loads(line)["name"] == 'é "東" 👍'
    assert parse_line(line).event.name == 'é "東" 👍'


def test_keys_of_moves_are_those_of_the_protocol():
    given = ev.Given(from_=1, to=3, count=1, by="person", cards=("3S",))
    assert json.loads(event_line(given, 1, 1))["from"] == 1


def dealt(deal):
    return ev.Dealt(round=1, deal=deal, order=(0,), hands={"0": ("3S",)})


def ended(deal):
    return ev.RoundEnded(round=1, deal=deal, standings=(0,), roles={}, points={}, totals={}, secret=f"{deal}" * 64)


def committed(deal):
    return ev.Committed(deal=deal, commit="c", secret=f"{deal}" * 64)


CUT_SHORT = ev.GameEnded(game=1, why="cancelled", winners=(), totals={}, secret="1" * 64)
WHOLE = ev.GameEnded(game=1, why="rounds", winners=(), totals={})


@pytest.mark.parametrize(
    "events, open_",
    [
        ([], set()),
        ([committed(1)], {1}),
        ([committed(1), dealt(1), committed(2)], {1, 2}),
        ([committed(1), dealt(1), committed(2), ended(1)], {2}),
        ([committed(1), dealt(1), committed(2), ended(1), WHOLE], {2}),
        ([committed(1), dealt(1), committed(2), CUT_SHORT], {2}),
        ([committed(1), dealt(1), committed(2), ended(1), dealt(2), committed(3)], {2, 3}),
    ],
)
def test_open_deals(events, open_):
    assert open_deals(events) == open_


def test_a_log_for_everybody_holds_no_secret_of_an_open_deal():
    log = [Decided(1, 10, (committed(1),)), Decided(2, 20, (dealt(1), committed(2))), Decided(4, 30, (ended(1),))]
    shown = [json.loads(line) for line in log_lines("abcdefghij", log, hides_open_deals=True)]
    whole = [json.loads(line) for line in log_lines("abcdefghij", log)]
    assert [line.get("secret", "") for line in shown[1:]] == ["1" * 64, "", "", "1" * 64]
    assert [line.get("secret", "") for line in whole[1:]] == ["1" * 64, "", "2" * 64, "1" * 64]
    assert [line["seq"] for line in shown[1:]] == [1, 2, 3, 4]
    assert [line["at"] for line in shown[1:]] == [10, 20, 20, 30]
