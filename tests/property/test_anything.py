"""Whatever is asked of a table by whomever, whenever: what must hold all the same."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rapid.cards.cardset import card_names
from rapid.cards.deck import FRENCH_52
from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.engine.evolve import fold
from rapid.engine.notation import event_line, parse_line
from rapid.engine.project import project_event
from rapid.engine.refusals import Refusal
from rapid.engine.state import State, blank
from rapid.engine.timers import fire_due, next_due
from rapid.engine.view import view_of
from rapid.wire.records import Record, pack_record, unpack_record
from tests.property.anything import TABLE, all_events, happenings, steps, tables
from tests.property.knowledge import Knowledge, Zones, hidden_words
from tests.rules.grammar import assert_decision

VIEWERS = (None, 0, 1, 2, 3, 4, 5)
anything = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Run(list):
    """All that happened in one run; shown by what was asked, which is what a failure is told from."""

    def __repr__(self) -> str:
        return "\n".join(f"{one.at} {one.intent}" for one in self[-12:])


@st.composite
def runs(draw) -> Run:
    """One run: 3 to 6 seats, at least one of them a person's, up to 800 steps."""
    persons = draw(st.integers(1, 4))
    bots = draw(st.integers(max(0, 3 - persons), 6 - persons))
    return Run(happenings(draw(tables), persons, bots, draw(steps)))


@anything
@given(runs())
def test_nothing_raises_and_every_decision_is_one_of_the_protocols(run):
    for one in run:
        if one.outcome.events:
            assert_decision(one.outcome.events)


@anything
@given(runs())
def test_what_is_decided_is_read_back_and_folded_to_the_very_same(run):
    """What a worker goes on from and what gateways read and fold must not differ, in the kind of a number either."""
    for one in run:
        if one.outcome.events:
            read_back(one.before, one.outcome.events, one.at, one.outcome.state)


def read_back(before: State, events: tuple[ev.AnyEvent, ...], at: int, after: State) -> None:
    written = Record(before.seq + 1, at, "1-0", events)
    read = unpack_record(pack_record(written))
    assert repr(read.events) == repr(events), "1 and 1.0 and True are equal, but not the same"
    assert repr(fold(before, read.events, at)) == repr(after)


@anything
@given(runs())
def test_fifty_two_cards_in_all_zones_after_every_event(run):
    zones, state = Zones(), blank(TABLE)
    for one in run:
        for event in one.outcome.events:
            zones.move(event)
            state = fold(state, (event,), one.at)
            if state.round is not None:
                assert zones.all_cards() == sorted(FRENCH_52.names)
                assert_hands(state, zones)


def assert_hands(state: State, zones: Zones) -> None:
    round_ = state.round
    assert round_ is not None
    for seat, cards in zones.hands.items():
        assert set(card_names(FRENCH_52, round_.hands[seat])) == cards


@anything
@given(runs())
def test_at_most_one_accepted_play_a_trick_state(run):
    plays = [event.on for event in all_events(run) if isinstance(event, ev.Played)]
    assert len(set(plays)) == len(plays)


@anything
@given(runs())
def test_folding_the_log_gives_the_live_state(run):
    state = blank(TABLE)
    for one in run:
        state = fold(state, one.outcome.events, one.at)
        assert state == one.outcome.state
    assert state.seq == len(all_events(run))


@anything
@given(runs())
def test_the_written_log_folds_to_the_same_but_for_token_hashes(run):
    seq = 0
    for one in run:
        for event in one.outcome.events:
            seq += 1
            line = parse_line(event_line(event, seq, one.at))
            expected = project_event(event, None) if isinstance(event, ev.SeatTaken) else event
            assert (line.seq, line.at, line.event) == (seq, one.at, expected)


@anything
@given(runs())
def test_no_viewer_is_shown_a_card_or_secret_it_may_not_know(run):
    words = hidden_words(all_events(run))
    for viewer in VIEWERS:
        knowledge = Knowledge(viewer)
        for one in run:
            for event in one.outcome.events:
                knowledge.learn(event)
                shown = project_event(event, viewer)
                assert not knowledge.unknown_cards(shown)
                assert not knowledge.leaked(shown, words)
            view = view_of(one.outcome.state, viewer)
            assert not knowledge.unknown_cards(view)
            assert not knowledge.leaked(view, words)


@anything
@given(runs())
def test_what_a_viewer_sees_keeps_all_but_what_is_hidden(run):
    """Redaction takes nothing from who may see it: own hands, own exchange, everything else as it is."""
    for event in all_events(run):
        for viewer in VIEWERS:
            shown = project_event(event, viewer)
            assert type(shown) is type(event)
            if isinstance(event, ev.Dealt) and str(viewer) in event.hands:
                assert shown.hands == {str(viewer): event.hands[str(viewer)]}
                assert shown.counts == {seat: len(cards) for seat, cards in event.hands.items()}
            if isinstance(event, ev.Played | ev.Passed | ev.TrickClosed | ev.RoundEnded | ev.RaceLost):
                assert shown == event


@anything
@given(runs())
def test_refused_intents_change_nothing(run):
    for one in run:
        refusal = one.outcome.refusal
        if refusal is None:
            continue
        assert isinstance(refusal, Refusal)
        if one.outcome.events:
            (lost,) = one.outcome.events
            assert isinstance(lost, ev.RaceLost)
            assert refusal == Refusal("stale", lost.late_ms)
        else:
            assert one.outcome.state == one.before


@anything
@given(runs())
def test_deadlines_run_exactly_where_something_can_run_out(run):
    for one in run:
        state = one.outcome.state
        runs_out = state.phase in {"playing", "exchange"}
        assert (state.deadline is not None) is runs_out
        assert (state.trick is not None) is (state.phase == "playing")
        assert (state.exchange is not None) is (state.phase == "exchange")
        if state.deadline is not None:
            is_race = state.phase == "playing" and state.settings.mode == "rapid"
            limit = 10_000 if is_race else 30_000
            assert state.deadline <= state.at + limit
            # Between two timers that fire at one entry the second may be overdue.
            assert one.intent is None or state.at <= state.deadline
            assert next_due(state) <= state.deadline


@anything
@given(runs())
def test_nothing_due_is_left_behind_an_entry(run):
    for one in run:
        if one.intent is not None:
            due = next_due(one.before)
            assert due is None or due > one.at
        # Where nobody was there to be the host, whoever comes is it at once: due before they came (G9).
        may_be_due = one.intent is None or isinstance(one.intent, do.Connect)
        assert fire_due(one.outcome.state, one.outcome.state.at - 1) is None or may_be_due


@anything
@given(runs())
def test_time_and_seq_only_go_forward(run):
    state = blank(TABLE)
    for one in run:
        assert one.outcome.state.seq == state.seq + len(one.outcome.events)
        assert one.outcome.state.at >= state.at
        state = one.outcome.state


@anything
@given(runs())
def test_an_accepted_intent_of_a_seat_that_has_no_person_is_never_by_a_person(run):
    """One controller a seat at any moment."""
    for one in run:
        if isinstance(one.intent, do.Play | do.Pass | do.Give) and one.outcome.events and not one.outcome.refusal:
            seat = one.before.seat_at(one.intent.seat)
            assert seat is not None
            assert one.intent.by == seat.controller
            assert one.outcome.events[0].by == seat.controller
