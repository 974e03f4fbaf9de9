"""What a viewer sees of a table at one moment (PROTOCOL 3.3)."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from rapid.cards.cardset import card_names
from rapid.engine.events import Cards, Owed
from rapid.engine.state import Exchange, Laid, Results, Seat, State, Trick
from rapid.rules.exchange import Duty
from rapid.rules.scoring import roles_of
from rapid.rules.settings import Settings


class TrickView(Struct, frozen=True, gc=False):
    """The present trick, `plays` oldest first."""

    number: int
    state: int
    top: Laid | None
    plays: tuple[Laid, ...]


class SeatView(Struct, frozen=True, gc=False):
    """A taken chair as everyone sees it; `cards` a count. `until`: an awaited one's game is cancelled then (3.10)."""

    seat: int
    name: str
    kind: str
    connected: bool
    standin: bool
    leaving: bool
    cards: int
    passed: bool
    place: int | None
    role: str | None
    total: int
    level: str | UnsetType = UNSET
    until: int | UnsetType = UNSET


class ExchangeView(Struct, frozen=True, gc=False):
    """What is still owed."""

    owes: tuple[Owed, ...]


class OwesView(Struct, frozen=True, gc=False):
    """What this viewer owes."""

    to: int
    count: int
    pick: str


class YouView(Struct, frozen=True, gc=False):
    """What only this viewer sees."""

    seat: int
    hand: Cards
    owes: OwesView | None
    salted: bool


class ResultsView(Struct, frozen=True, gc=False):
    """The last `round_ended`; `why` and `winners` behind the end of a game."""

    round: int
    standings: tuple[int, ...]
    roles: dict[str, str]
    points: dict[str, int]
    totals: dict[str, int]
    why: str | UnsetType = UNSET
    winners: tuple[int, ...] | UnsetType = UNSET


class View(Struct, frozen=True, gc=False):
    """The whole view; nothing in it that this viewer may not know."""

    table: str
    phase: str
    settings: Settings
    host: int
    order: tuple[int, ...]
    seats: tuple[SeatView, ...]
    game: int | None
    round: int | None
    trick: TrickView | None
    revolution: bool
    turn: int | None
    must_rank: str | None
    deadline: int | None
    exchange: ExchangeView | None
    you: YouView | None
    results: ResultsView | None
    commit: str
    deal: int


def owed_of(duty: Duty) -> Owed:
    """Return a duty as the outside names it."""
    return Owed(from_=duty.giver, to=duty.taker, count=duty.count, pick=duty.pick)


def view_of(state: State, viewer: int | None) -> View:
    """Return what this viewer sees; `viewer` is a seat, or None for a spectator."""
    round_, trick = state.round, state.trick
    must_rank = None if trick is None or trick.must_rank is None else state.rules.deck.ranks[trick.must_rank]
    return View(
        table=state.table,
        phase=state.phase,
        settings=state.settings,
        host=state.host,
        order=round_.order if round_ else tuple(seat.seat for seat in state.seats),
        seats=_seats(state),
        game=state.game,
        round=_round_number(state),
        trick=_trick(trick),
        revolution=bool(round_ and round_.revolution),
        turn=None if trick is None else trick.turn,
        must_rank=must_rank,
        deadline=state.deadline,
        exchange=_exchange(state.exchange),
        you=None if viewer is None else _you(state, viewer),
        results=_results(state.results),
        commit=state.commit,
        deal=state.deal,
    )


def _round_number(state: State) -> int | None:
    if state.round is not None:
        return state.round.number
    return state.rounds_played or None if state.game is not None else None


def _seats(state: State) -> tuple[SeatView, ...]:
    roles = roles_of(state.rules.ruleset, state.standings)
    places = _places(state)
    round_ = state.round
    passed = state.trick.passed if state.trick else 0
    return tuple(
        SeatView(
            seat=seat.seat,
            name=seat.name,
            kind=seat.kind,
            level=UNSET if seat.level is None else seat.level,
            connected=seat.connected or seat.kind == "bot",
            standin=seat.standin,
            leaving=seat.leaving is not None,
            cards=round_.hands[seat.seat].bit_count() if round_ else 0,
            passed=bool(passed >> seat.seat & 1),
            place=places.get(seat.seat),
            role=roles.get(seat.seat),
            total=seat.total,
            until=state.awaited_until(seat) if state.is_awaited(seat.seat) else UNSET,
        )
        for seat in state.seats
    )


def _places(state: State) -> dict[int, int]:
    """Places from 1: known as soon as a seat has finished (V4 reserves from below)."""
    round_ = state.round
    if round_ is None:
        standings = state.results.standings if state.results else ()
        return {seat: place for place, seat in enumerate(standings, 1)}
    places = {seat: place for place, seat in enumerate(round_.clean, 1)}
    last = len(round_.order)
    places |= {seat: last - before for before, seat in enumerate(round_.penalised)}
    return places


def _trick(trick: Trick | None) -> TrickView | None:
    if trick is None:
        return None
    plays = trick.plays
    return TrickView(trick.number, trick.state, plays[-1] if plays else None, plays)


def _exchange(exchange: Exchange | None) -> ExchangeView | None:
    if exchange is None:
        return None
    return ExchangeView(tuple(owed_of(duty) for duty in exchange.owed))


def _you(state: State, viewer: int) -> YouView | None:
    seat: Seat | None = state.seat_at(viewer)
    if seat is None:
        return None
    hand = state.round.hands[viewer] if state.round else 0
    owes = None
    for duty in state.exchange.owed if state.exchange else ():
        if duty.giver == viewer:
            owes = OwesView(duty.taker, duty.count, duty.pick)
    return YouView(
        seat=viewer,
        hand=card_names(state.rules.deck, hand),
        owes=owes,
        salted=seat.salt is not None,
    )


def _results(results: Results | None) -> ResultsView | None:
    if results is None:
        return None
    return ResultsView(
        round=results.round,
        standings=results.standings,
        roles=results.roles,
        points=results.points,
        totals=results.totals,
        why=UNSET if results.why is None else results.why,
        winners=UNSET if results.winners is None else results.winners,
    )
