"""The client's view against the engine's: after every event of whole games, for every viewer (PROTOCOL 3.3, 4)."""

import itertools

import msgspec
import pytest

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine import intents as do
from rapid.engine.events import Dealt, TableOpened
from rapid.engine.evolve import evolve
from rapid.engine.notation import parse_line
from rapid.engine.project import project_event
from rapid.engine.state import blank
from rapid.engine.view import view_of
from rapid_client import empty_view, parse_view, reduce
from rapid_client.events import EVENTS, RaceLost, Skipped, parse_event
from rapid_client.fold import _FOLDS, passes_bind
from tests.rules.table import Table, seated
from tests.unit.clients.peer import SETTINGS, event, lobby, played, racing, seat


def as_seen(one, seq, at, viewer):
    return parse_event({"seq": seq, "at": at} | msgspec.to_builtins(project_event(one, viewer)))


def engine_view(state, viewer):
    return parse_view(msgspec.to_builtins(view_of(state, viewer)))


@pytest.mark.parametrize("seats, seed", [(3, 1), (4, 2), (5, 3), (6, 4)])
@pytest.mark.parametrize("variants", ["revolution", "revolution,four_closes,strongest_closes,finish_with_two", "none"])
def test_the_fold_is_the_engines_view_after_every_event(seats, seed, variants):
    lines = [*simulate(SimulateOptions(seats=seats, seed=seed, rounds=3, variants=variants))]
    table = msgspec.json.decode(lines[0])["table"]
    state = blank(table)
    views = {viewer: empty_view(table) for viewer in (None, *range(seats))}
    for line in map(parse_line, lines[1:]):
        state = evolve(state, line.event, line.at)
        for viewer, view in views.items():
            views[viewer] = reduce(view, as_seen(line.event, line.seq, line.at, viewer), viewer)
        # `committed` stands right behind these, in the same decision: no viewer's place is ever between them.
        if not isinstance(line.event, TableOpened | Dealt):
            for viewer, view in views.items():
                assert view == engine_view(state, viewer), line
    assert state.phase == "final"


class Followed(Table):
    """A table whose viewers fold what they are told; behind every decision they see what the engine says."""

    def __init__(self, state):
        super().__init__(state)
        self.views = {viewer: engine_view(state, viewer) for viewer in (None, 0, 1, 2)}

    def _take(self, outcome, *, is_whole=True):
        seq = self.state.seq
        super()._take(outcome, is_whole=is_whole)
        for number, one in enumerate(outcome.events, seq + 1):
            for viewer, view in self.views.items():
                self.views[viewer] = reduce(view, as_seen(one, number, outcome.state.at, viewer), viewer)
        for viewer, view in self.views.items():
            if viewer is None or self.state.seat_at(viewer) is not None:
                assert view == engine_view(self.state, viewer), (viewer, outcome.events)


@pytest.mark.parametrize("mode", ["rapid", "turns"])
def test_3_10_the_fold_knows_until_when_a_chair_waits(mode):
    table = Followed(seated(3, ruleset="presi", mode=mode, rounds=None).state)
    table.send(do.Disconnect(1)).tick(5_000)
    table.send(do.Start(seat=0))
    from_start = table.state.at + 60_000
    table.send(do.Disconnect(2)).tick(1_000)
    assert [one.until for one in table.views[None].seats] == [None, from_start, from_start + 1]
    table.send(do.Connect(1)).send(do.Resume(epoch=2))
    assert [one.until for one in table.views[None].seats] == [None, None, table.state.at + 60_000]
    table.send(do.Disconnect(1)).send(do.Remove(seat=0, target=1)).tick(1_000)
    assert [one.until is None for one in table.views[None].seats] == [True, True, False]
    table.tick(60_000)
    assert table.state.phase == "lobby"
    assert all(one.until is None for one in table.views[None].seats)


def folded(view, *events, viewer=0):
    view = parse_view(view)
    for one in events:
        view = reduce(view, parse_event(one), viewer)
    return view


def test_P4_a_pass_lasts_until_the_next_trick():
    view = folded(racing(), event(21, "passed", seat=2, trick=2, by="bot"), played(22, 0, ["8S", "8H"], 20))
    assert [one.passed for one in view.seats] == [False, False, True]
    view = folded(
        racing(),
        event(21, "passed", seat=2, trick=2, by="bot"),
        event(22, "trick_closed", trick=2, why="timer"),
        event(23, "trick_opened", trick=3, leader=None, deadline=80_000),
    )
    assert not any(one.passed for one in view.seats)
    assert (view.trick.number, view.trick.state, view.trick.top, view.deadline) == (3, 23, None, 80_000)


@pytest.mark.parametrize(
    "ruleset, options, binds",
    [
        ("president", {}, True),
        ("presi", {"passing": "binds"}, True),
        ("presi", {"passing": "free"}, False),
        ("house", {"sit_out": True}, True),
        ("house", {"sit_out": False}, False),
        ("escoria", {"larger_sets": "off"}, False),
        ("tomorrow", {}, True),
    ],
)
def test_section_7_a_new_play_wipes_passes_that_do_not_bind(ruleset, options, binds):
    settings = SETTINGS | {"ruleset": ruleset, "options": options}
    assert passes_bind(settings) is binds
    passed = event(21, "passed", seat=2, trick=2, by="bot")
    view = folded(racing(settings=settings), passed, played(22, 0, ["8S", "8H"], 20))
    assert view.seat(2).passed is binds


def test_a_wild_card_leaves_the_hand_by_its_own_name():
    you = {"seat": 0, "hand": ["*1", "8S"], "owes": None, "salted": True}
    view = folded(racing(you=you), played(21, 0, ["*1=8H", "8S"], 20))
    assert (view.you.hand, view.trick.top.cards, view.seat(0).cards) == ((), ("8S", "*1=8H"), 3)


def test_V4_places_are_known_at_once_from_both_ends():
    finishes = [(0, True), (1, False), (2, True)]
    events = [event(21 + n, "finished", seat=who, penalised=low) for n, (who, low) in enumerate(finishes)]
    view = folded(racing(order=[0, 1, 2, 3], seats=[seat(n, "x") for n in range(4)]), *events)
    assert [one.place for one in view.seats] == [4, 1, 3, None]


def test_G6_a_lost_seat_its_stand_in_and_its_return():
    lost = event(21, "connection_lost", seat=1)
    starts, ends = event(22, "standin_started", seat=1), event(24, "standin_ended", seat=1)
    back = event(23, "connection_back", seat=1)
    states = [(one.connected, one.standin, view.deadline) for view in _steps(lost, starts, back, ends)
              for one in [view.seat(1)]]  # fmt: skip
    assert states == [(False, False, 60_000), (False, True, 60_000), (True, True, 60_000), (True, False, 60_000)]


def _steps(*events):
    return [folded(racing(), *events[: n + 1]) for n in range(len(events))]


@pytest.mark.parametrize("fields, deadline", [({}, 60_000), ({"deadline": None}, None), ({"deadline": 9}, 9)])
def test_3_10_a_deadline_is_replaced_only_where_one_is_given(fields, deadline):
    assert folded(racing(), event(21, "connection_lost", seat=1, **fields)).deadline == deadline
    assert folded(racing(), event(21, "connection_back", seat=1, **fields)).deadline == deadline


def test_G7_who_leaves_in_a_round_is_freed_behind_it_and_titles_are_given_anew():
    seats = [seat(n, f"P{n}", cards=3) for n in range(4)]
    ended = {
        "round": 1, "deal": 1, "standings": [3, 1, 0, 2], "secret": "00" * 32, "points": {"3": 3, "1": 2},
        "roles": {"3": "president", "1": "vice_president", "0": "vice_asshole", "2": "asshole"},
        "totals": {"3": 3, "1": 2, "0": 0, "2": 0},
    }  # fmt: skip
    events = [
        event(21, "leaving", seat=1, why="left"),
        event(22, "trick_closed", trick=2, why="round_over"),
        event(23, "round_ended", **ended),
        event(24, "seat_freed", seat=1, why="left"),
        event(25, "host_changed", seat=3),
    ]
    view = folded(racing(order=[0, 1, 2, 3], seats=seats), *events[:1])
    assert (view.seat(1).leaving, view.seat(1).connected) == (True, False)
    view = folded(racing(order=[0, 1, 2, 3], seats=seats), *events)
    assert (view.phase, view.order, view.host, view.you.hand) == ("results", (0, 2, 3), 3, ())
    assert {one.seat: one.role for one in view.seats} == {3: "president", 0: "neutral", 2: "asshole"}
    assert {one.seat: one.total for one in view.seats} == {3: 3, 0: 0, 2: 0}


def test_ones_own_seat_freed_leaves_a_spectators_view():
    assert folded(lobby(), event(21, "seat_freed", seat=0, why="removed")).you is None


def test_turn_mode_shows_whose_turn_it_is_and_the_only_rank():
    turn = event(21, "turn_began", seat=0, rank="7", deadline=99_000)
    view = folded(racing(), turn)
    assert (view.turn, view.must_rank, view.deadline) == (0, "7", 99_000)
    view = folded(racing(), turn, played(22, 0, ["8S", "8H"], 20, deadline=None, order=[2, 1, 0]))
    assert (view.turn, view.must_rank, view.deadline, view.order) == (None, None, None, (2, 1, 0))


def test_may_act_is_a_matter_of_mode_cards_and_passes():
    turns = SETTINGS | {"mode": "turns"}
    assert parse_view(racing()).may_act
    assert not parse_view(lobby()).may_act
    assert not folded(racing(), event(21, "passed", seat=0, trick=2, by="person")).may_act
    assert not parse_view(racing(settings=turns, turn=1)).may_act
    assert parse_view(racing(settings=turns, turn=0)).may_act


def test_cancelled_game_returns_to_an_empty_lobby():
    events = [
        event(21, "game_ended", game=1, why="cancelled", winners=[], totals={"0": 0, "1": 0}, secret="00" * 32),
        event(22, "lobby_opened"),
        event(23, "table_closed", why="operator"),
    ]
    view = folded(racing(), *events[:2])
    assert (view.phase, view.game, view.round, view.trick, view.deadline) == ("lobby", None, None, None, None)
    assert all((one.cards, one.place, one.total) == (0, None, 0) for one in view.seats)
    assert folded(racing(), *events).phase == "closed"


def test_resumed_gives_the_timer_anew():
    assert folded(racing(), event(21, "resumed", epoch=2, lost_ms=900, deadline=71_000)).deadline == 71_000


def test_every_event_kind_has_a_fold_or_says_nothing_about_the_view():
    assert set(EVENTS.values()) - set(_FOLDS) == {RaceLost, Skipped}
    assert len(EVENTS) == len(set(itertools.chain(EVENTS.values()))) == 30
