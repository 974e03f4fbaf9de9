"""Events and views have the fields of PROTOCOL sections 3.3 and 4, and no others."""

import inspect

import msgspec
import pytest

from rapid.engine import events as ev
from rapid.engine import state as st
from rapid.engine import view as vw
from rapid.engine.evolve import _EVOLVE
from rapid.engine.project import is_same_for_all, project_event

FIELDS = {
    "table_opened": "settings",
    "seat_taken": "seat name kind level? token_hash?",
    "leaving": "seat why",
    "seat_freed": "seat why",
    "host_changed": "seat",
    "settings_changed": "settings",
    "connection_lost": "seat until? deadline?",
    "connection_back": "seat deadline?",
    "standin_started": "seat",
    "standin_ended": "seat",
    "committed": "deal commit secret?",
    "salted": "seat deal salt",
    "game_started": "game seats settings",
    "dealt": "round deal order hands counts?",
    "exchange_opened": "round step? moves owes deadline",
    "given": "from to count cards? by",
    "exchange_closed": "round step? moves",
    "trick_opened": "trick leader deadline",
    "turn_began": "seat rank deadline",
    "skipped": "seat trick",
    "played": "seat cards on trick by revolution order? deadline",
    "passed": "seat trick by",
    "race_lost": "seat on late_ms",
    "finished": "seat penalised",
    "trick_closed": "trick why",
    "round_ended": "round deal standings roles points totals secret",
    "game_ended": "game why winners totals secret?",
    "lobby_opened": "",
    "resumed": "epoch lost_ms deadline",
    "table_closed": "why",
}
EVENTS = {
    kind.__struct_config__.tag: kind
    for _, kind in inspect.getmembers(ev, inspect.isclass)
    if issubclass(kind, ev.Event) and kind is not ev.Event
}


def fields_of(kind):
    return {
        field.encode_name + ("?" if field.default is not msgspec.NODEFAULT else "")
        for field in msgspec.structs.fields(kind)
    }


def test_every_kind_of_the_protocol():
    assert set(EVENTS) == set(FIELDS)


@pytest.mark.parametrize("name", list(FIELDS))
def test_fields(name):
    assert fields_of(EVENTS[name]) == set(FIELDS[name].split())


def test_every_kind_is_folded():
    assert set(_EVOLVE) == set(EVENTS.values())


HIDDEN = {"seat_taken", "committed", "dealt", "exchange_opened", "given", "exchange_closed"}


@pytest.mark.parametrize("name", list(FIELDS))
def test_what_is_hidden_from_somebody(name):
    blank = EVENTS[name](**{field.name: None for field in msgspec.structs.fields(EVENTS[name])})
    hides = not is_same_for_all(blank)
    assert hides is (name in HIDDEN)


@pytest.mark.parametrize("viewer, is_shown", [(None, False), (0, True), (1, True), (2, False)])
def test_moves_are_for_both_sides(viewer, is_shown):
    move = ev.Move(from_=0, to=1, count=1, cards=("3S",))
    event = ev.ExchangeClosed(round=2, moves=(move,))
    shown = project_event(event, viewer).moves[0]
    assert (shown.cards == ("3S",)) is is_shown
    assert (shown.from_, shown.to, shown.count) == (0, 1, 1)


@pytest.mark.parametrize("viewer, is_shown", [(None, False), (0, True), (1, False), (2, False)])
def test_what_was_given_is_for_the_giver_alone(viewer, is_shown):
    event = ev.Given(from_=0, to=1, count=1, by="person", cards=("3S",))
    assert (project_event(event, viewer).cards == ("3S",)) is is_shown


def test_view_fields():
    named = {
        vw.View: "table phase settings host order seats game round trick revolution turn must_rank deadline exchange "
        "you results commit deal",
        vw.SeatView: "seat name kind level? connected standin leaving cards passed place role total until?",
        vw.TrickView: "number state top plays",
        st.Laid: "seat cards",
        vw.ExchangeView: "owes",
        vw.YouView: "seat hand owes salted",
        vw.OwesView: "to count pick",
        vw.ResultsView: "round standings roles points totals why? winners?",
    }
    for kind, fields in named.items():
        assert fields_of(kind) == set(fields.split()), kind
