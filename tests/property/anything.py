"""Anything may happen at a table: steps that Hypothesis draws, read against the table as it stands.

A step is a few plain numbers, drawn from a seed: lists that Hypothesis draws element by element
stay too short to finish a round. Most plays aim well and lay what is legal, or nothing would
ever happen; the rest is arbitrary. A failing run shrinks to its shortest beginning.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hypothesis import strategies as st

from rapid.bots.levels import legal_plays
from rapid.bots.sight import look
from rapid.cards.cardset import card_names
from rapid.cards.deck import FRENCH_52
from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.engine.decide import Outcome, decide
from rapid.engine.state import State, blank
from rapid.engine.timers import fire_due
from rapid.engine.view import view_of
from rapid.rules.plays import named
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over

TABLE = "anything0001"
NAMES = FRENCH_52.names
AFTER_CLOSE = 5
"""Steps that a closed table still has to bear."""
GAPS_MS = (0, 0, 1, 3, 40, 700, 2_500, 5_000, 9_999, 10_000, 31_000, 70_000, 700_000)


class Step(NamedTuple):
    kind: int
    seat: int
    a: int
    b: int
    gap: int


class Happened(NamedTuple):
    """One entry or timer: the state before it, what came of it, what was asked (None: a timer)."""

    before: State
    outcome: Outcome
    intent: do.AnyIntent | None
    at: int


def drawn_steps(seed: int, length: int) -> list[Step]:
    """The first `length` steps that belong to this seed."""
    rng = random.Random(seed)
    return [
        Step(rng.randrange(100), rng.randrange(7), rng.randrange(10_000), rng.randrange(10_000), rng.randrange(90))
        for _ in range(length)
    ]


steps = st.builds(drawn_steps, st.integers(0, 2**32), st.sampled_from((5, 60, 300, 800)))
modes = st.sampled_from(("rapid", "rapid", "turns"))
tables = st.fixed_dictionaries(
    {
        "mode": modes,
        "variants": st.fixed_dictionaries(
            {
                name: st.booleans()
                for name in ("revolution", "four_closes", "strongest_closes", "finish_with_two", "skip")
            }
        ),
        "rounds": st.sampled_from([1, 2, 5, "unlimited"]),
        "standin_grace_seconds": st.sampled_from([0, 5]),
    }
)


def happenings(fields: dict, persons: int, bots: int, drawn: list[Step]) -> Iterator[Happened]:
    """Yield all that happens at a table opened with these settings, a started game and these steps."""
    # R10: skip is a variant of turn mode.
    if fields["mode"] == "rapid":
        fields = {**fields, "variants": {**fields["variants"], "skip": False}}
    settings = lay_over(None, fields)
    assert isinstance(settings, Settings)
    run = _Run()
    host = do.Newcomer(name="host", token_hash="a" * 64)
    yield from run.enter(do.OpenTable(table=TABLE, settings=settings, person=host, bots=bots), 0)
    for number in range(1, persons):
        yield from run.enter(do.TakeSeat(do.Newcomer(name=f"person {number}", token_hash=f"{number:064x}")), 0)
    for seat in range(6):
        yield from run.enter(do.Connect(seat=seat), 0)
    yield from run.enter(do.Start(seat=0), 1)
    after_close = 0
    for step in drawn:
        after_close += run.state.phase == "closed"
        if after_close > AFTER_CLOSE:
            return
        gap = GAPS_MS[step.gap] if step.gap < len(GAPS_MS) else 90
        yield from run.enter(intent_of(run.state, step), gap)


class _Run:
    def __init__(self) -> None:
        self.state = blank(TABLE)
        self.now = 5_000_000
        self.secrets = 0

    def enter(self, intent: do.AnyIntent, gap_ms: int) -> Iterator[Happened]:
        self.now += gap_ms
        at = max(self.now, self.state.at)
        while (fired := fire_due(self.state, at)) is not None:
            yield self._take(fired, None, at)
        self.secrets += 1
        yield self._take(decide(self.state, intent, at, f"{self.secrets:064x}"), intent, at)

    def _take(self, outcome: Outcome, intent: do.AnyIntent | None, at: int) -> Happened:
        happened = Happened(self.state, outcome, intent, at)
        self.state = outcome.state
        return happened


def intent_of(state: State, step: Step) -> do.AnyIntent:
    """Return what the step means at this table; mostly it is somebody who sits there."""
    if state.seats and step.b % 20:
        step = step._replace(seat=state.seats[step.seat % len(state.seats)].seat)
    turn = state.trick.turn if state.trick else None
    if turn is not None and step.b % 3:
        step = step._replace(seat=turn)  # or hardly a turn would be taken
    for below, make in _KINDS:
        if step.kind < below:
            return make(state, step)
    raise AssertionError(step)


def _by(state: State, step: Step) -> str:
    seat = state.seat_at(step.seat)
    right = seat.controller if seat else "person"
    return right if step.b % 10 else ("person", "bot", "standin")[step.a % 3]


def _aim(state: State, step: Step) -> int:
    """Mostly the present state; else an earlier one, or any number."""
    trick, closed = state.trick, state.closed
    known = [past.state for group in (trick, closed) if group for past in group.past]
    if step.b % 4 == 0 and known:
        return known[step.a % len(known)]
    if step.b % 17 == 0 or trick is None:
        return step.a % (state.seq + 3)
    return trick.state


def _play(state: State, step: Step) -> do.AnyIntent:
    """A play that is legal for the seat, if it has one."""
    view = view_of(state, step.seat)
    plays = legal_plays(look(view, view.you)) if view.you and view.trick else []
    if not plays:
        return _any_play(state, step)
    cards = named(state.rules, *plays[step.a % len(plays)])
    return do.Play(seat=step.seat, on=_aim(state, step), cards=cards, by=_by(state, step))


def _any_play(state: State, step: Step) -> do.AnyIntent:
    cards = tuple(NAMES[(step.a + i * step.b) % 52] for i in range(step.a % 5))
    return do.Play(seat=step.seat, on=_aim(state, step), cards=cards, by=_by(state, step))


def _pass(state: State, step: Step) -> do.AnyIntent:
    return do.Pass(seat=step.seat, on=_aim(state, step), by=_by(state, step))


def _give(state: State, step: Step) -> do.AnyIntent:
    exchange, round_ = state.exchange, state.round
    if exchange is None or round_ is None or not exchange.owed:
        return do.Give(seat=step.seat, round=step.a % 4, cards=(NAMES[step.b % 52],), by=_by(state, step))
    duty = exchange.owed[step.a % len(exchange.owed)]
    seat = step.seat if step.b % 7 == 0 else duty.giver
    hand = card_names(FRENCH_52, round_.hands[seat])
    cards = tuple(hand[(step.a + i) % len(hand)] for i in range(duty.count if step.b % 5 else 1)) if hand else ()
    controller = state.seat_at(seat)
    by = controller.controller if controller else "person"
    return do.Give(seat=seat, round=round_.number, cards=cards, by=by)


def _host(state: State, step: Step) -> do.AnyIntent:
    seat = state.host if step.b % 8 else step.seat
    wanted: dict[str, type] = {"lobby": do.Start, "results": do.NextRound, "final": do.PlayAgain}
    kinds = (do.Start, do.NextRound, do.EndGame, do.PlayAgain, do.ToLobby)
    kind = wanted.get(state.phase, do.NextRound) if step.a % 4 else kinds[step.b % len(kinds)]
    return kind(seat=seat)


def _people(state: State, step: Step) -> do.AnyIntent:
    match step.a % 24:
        case 0:
            return do.Leave(seat=step.seat)
        case 1:
            return do.Remove(seat=state.host, target=step.seat)
        case 2:
            return do.TakeSeat(do.Newcomer(name="new", token_hash=f"{step.b:064x}"))
        case 3:
            return do.AddBot(seat=state.host, level=("easy", None, "hard")[step.b % 3])
        case 4 | 5 | 6 | 7 | 8 | 9:
            return do.Disconnect(seat=step.seat)
        case _:
            return do.Connect(seat=step.seat)


def _table(state: State, step: Step) -> do.AnyIntent:
    match step.a % 6:
        case 0:
            return do.AddSalt(seat=step.seat, deal=state.deal + (step.b % 5 == 0), salt=f"{step.b:032x}")
        case 1:
            return do.ChangeSettings(seat=state.host, fields={"rounds": step.b % 60})
        case 2:
            return do.Resume(epoch=step.b, keeps_deadline=bool(step.b % 2))
        case 3 if step.b % 9 == 0:
            return do.CloseTable()
        case _:
            return do.Tick()


_KINDS: tuple[tuple[int, Callable[[State, Step], do.AnyIntent]], ...] = (
    (60, _play),
    (66, _any_play),
    (78, _pass),
    (86, _give),
    (94, _host),
    (97, _people),
    (100, _table),
)


def all_events(happened: list[Happened]) -> list[ev.AnyEvent]:
    return [event for one in happened for event in one.outcome.events]
