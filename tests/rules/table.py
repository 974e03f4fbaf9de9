"""A table for tests of the rules: given hands, moves in one line, what came of them in words.

It stands on the real thing: hands are dealt by `dealt` events of our own, everything else
goes through `decide`, with due timers fired in front of each entry as a worker does it.
Every decision is checked against the grammar of PROTOCOL section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from rapid.cards.shuffle import commitment
from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.engine.decide import Outcome, decide
from rapid.engine.decide.draft import Draft
from rapid.engine.decide.exchange import open_exchange
from rapid.engine.decide.tricks import open_first_trick
from rapid.engine.evolve import fold
from rapid.engine.refusals import Refusal
from rapid.engine.state import State, blank
from rapid.engine.timers import fire_due
from rapid.engine.view import View, view_of
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over
from tests.rules.grammar import assert_decision

TABLE = "table00000001"
START_MS = 1_000_000
VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two", "skip")


def settings_with(variants: Sequence[str] = (), **fields: Any) -> Settings:
    on = {name: name in variants for name in VARIANTS}
    laid = lay_over(None, {"variants": on, **fields}, dev=True)
    assert isinstance(laid, Settings), laid
    return laid


def secret_of(number: int) -> str:
    return f"{number:064x}"


class Table:
    """A table under test; `now` is the stamp of the next entry, in milliseconds."""

    def __init__(self, state: State | None = None, now: int = START_MS) -> None:
        self.state = blank(TABLE) if state is None else state
        self.now = now
        self.events: list[ev.AnyEvent] = []
        """All events so far."""
        self.last: tuple[ev.AnyEvent, ...] = ()
        """The events of the last decision."""
        self.refusal: Refusal | None = None
        self.secrets = 0

    # Doing

    def send(self, intent: do.AnyIntent, at: int | None = None) -> Table:
        """An entry, stamped `at` or else a millisecond after the one before."""
        self.now = self.now + 1 if at is None else at
        stamp = max(self.now, self.state.at)
        while (fired := fire_due(self.state, stamp)) is not None:
            self._take(fired)
        self.secrets += 1
        self._take(decide(self.state, intent, stamp, secret_of(self.secrets)))
        return self

    def _take(self, outcome: Outcome, *, is_whole: bool = True) -> None:
        if outcome.events and is_whole:
            assert_decision(outcome.events)
        self.state, self.last, self.refusal = outcome.state, outcome.events, outcome.refusal
        self.events += outcome.events

    def play(self, seat: int, cards: str, *, on: int | None = None, at: int | None = None, by: str = "person") -> Table:
        aim = self.on if on is None else on
        return self.send(do.Play(seat=seat, on=aim, cards=tuple(cards.split()), by=by), at)

    def pass_(self, seat: int, *, on: int | None = None, at: int | None = None, by: str = "person") -> Table:
        return self.send(do.Pass(seat=seat, on=self.on if on is None else on, by=by), at)

    def passes(self, *seats: int) -> Table:
        for seat in seats:
            self.pass_(seat)
        return self

    def give(self, seat: int, cards: str, *, round_: int | None = None, at: int | None = None) -> Table:
        assert self.state.round is not None or round_ is not None
        number = round_ if round_ is not None else self.state.round.number
        return self.send(do.Give(seat=seat, round=number, cards=tuple(cards.split())), at)

    def tick(self, after_ms: int = 0) -> Table:
        """Time passes: `after_ms` behind the last entry something is read."""
        return self.send(do.Tick(), self.now + after_ms)

    def ran_out(self, late_ms: int = 0) -> Table:
        """The running timer runs out and is noticed `late_ms` behind it; `last` is what it did."""
        assert self.state.deadline is not None
        self.now = self.state.deadline + late_ms
        fired = fire_due(self.state, self.now)
        assert fired is not None
        self._take(fired)
        return self

    # Asking

    @property
    def on(self) -> int:
        """The present trick state; behind a round's last trick 0, which is none."""
        return self.state.trick.state if self.state.trick else 0

    @property
    def why(self) -> str | None:
        return self.refusal.why if self.refusal else None

    @property
    def types(self) -> str:
        """The last decision in words: `played trick_closed trick_opened`."""
        return " ".join(name_of(event) for event in self.last)

    def the(self, kind: type) -> Any:
        """The one event of that kind in the last decision."""
        (event,) = [event for event in self.last if isinstance(event, kind)]
        return event

    def all(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def view(self, seat: int | None) -> View:
        return view_of(self.state, seat)

    def hand(self, seat: int) -> set[str]:
        you = self.view(seat).you
        assert you is not None
        return set(you.hand)

    @property
    def turn(self) -> int | None:
        """Whose turn it is."""
        return self.view(None).turn

    @property
    def must_rank(self) -> str | None:
        """The only rank the turn allows (V5)."""
        return self.view(None).must_rank

    @property
    def closing(self) -> str | None:
        """Why the last decision closed the trick, or None."""
        reasons = [event.why for event in self.last if isinstance(event, ev.TrickClosed)]
        return reasons[0] if reasons else None


def name_of(event: ev.AnyEvent) -> str:
    return str(type(event).__struct_config__.tag)


def seated(seats: int, variants: Sequence[str] = (), *, bots: int = 0, **fields: Any) -> Table:
    """A lobby: persons in the first seats, connected, bots behind them."""
    table = Table()
    person = do.Newcomer(name="P0", token_hash="0" * 64)
    table.send(do.OpenTable(table=TABLE, settings=settings_with(variants, **fields), person=person))
    for seat in range(1, seats - bots):
        table.send(do.TakeSeat(do.Newcomer(name=f"P{seat}", token_hash=f"{seat:064x}")))
    for _ in range(bots):
        table.send(do.AddBot(seat=0))
    for seat in range(seats - bots):
        table.send(do.Connect(seat))
    return table


def dealt(
    *hands: str,
    variants: Sequence[str] = (),
    rounds: Any = 5,
    standings: Sequence[int] = (),
    leader: int | None = None,
    **fields: Any,
) -> Table:
    """A table in a round's first, empty trick, with these hands; `standings`: of the round before.

    In turn mode `leader` has the turn, without it whoever the clauses say.
    """
    if "ruleset" not in fields:
        fields["rounds"] = rounds  # the other rulesets play to points
    table = seated(len(hands), variants, **fields)
    seats = tuple(range(len(hands)))
    _put(table, ev.GameStarted(game=1, seats=seats, settings=table.state.settings))
    if standings:
        table.state = structs.replace(table.state, standings=tuple(standings), rounds_played=1)
    deal_round(table, {seat: cards.split() for seat, cards in enumerate(hands)})
    if leader is None:
        draft = Draft(table.state, table.now)
        open_first_trick(draft)
        table._take(draft.outcome(), is_whole=False)
    else:
        _put(table, ev.TrickOpened(trick=1, leader=leader, deadline=None))
        _put(table, ev.TurnBegan(seat=leader, rank=None, deadline=table.now + table.state.rules.action_ms))
    return table


def in_turns(*hands: str, leader: int | None = 0, **fields: Any) -> Table:
    """As `dealt`, in turn mode; the first seat leads unless told otherwise."""
    return dealt(*hands, leader=leader, mode="turns", **fields)


def deal_round(table: Table, hands: Mapping[int, Sequence[str]]) -> None:
    """Deal these hands as the next round, and commit to the one after it."""
    state = table.state
    named = {str(seat): tuple(cards) for seat, cards in hands.items()}
    _put(table, ev.Dealt(round=state.rounds_played + 1, deal=state.deal, order=tuple(hands), hands=named))
    secret = secret_of(1000 + state.deal)
    commit = commitment(bytes.fromhex(secret))
    _put(table, ev.Committed(deal=state.deal + 1, commit=commit, secret=secret))


def _put(table: Table, *events: ev.AnyEvent) -> None:
    """Write events of our own into the table's log."""
    table.state = fold(table.state, events, table.now)
    table.events += events


def in_exchange(
    standings: Sequence[int], hands: Mapping[int, str] | None = None, variants: Sequence[str] = (), **fields: Any
) -> Table:
    """A table in the exchange of round 2, `standings` those of round 1; hands after a deal of our own.

    `hands` without: the whole deck is dealt by the table's own secret.
    """
    table = seated(len(standings), variants, **fields)
    seats = tuple(range(len(standings)))
    _put(table, ev.GameStarted(game=1, seats=seats, settings=table.state.settings))
    table.state = structs.replace(
        table.state, phase="results", standings=tuple(standings), rounds_played=1, results=None
    )
    if hands is None:
        return table.send(do.NextRound(seat=0))
    deal_round(table, {seat: hands[seat].split() for seat in seats})
    draft = Draft(table.state, table.now)
    open_exchange(draft)
    table._take(draft.outcome(), is_whole=False)
    return table


def started(seats: int, variants: Sequence[str] = (), *, bots: int = 0, **fields: Any) -> Table:
    """A game that the host has just started, with hands from the table's own secret."""
    return seated(seats, variants, bots=bots, **fields).send(do.Start(seat=0))
