"""Deals, rounds and games."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from rapid.cards.cardset import parse_cards
from rapid.cards.shuffle import deal_key
from rapid.engine import events as ev
from rapid.engine.evolve.step import Evolvers, all_seats, step, with_seat
from rapid.engine.state import CHAIRS_MOST, Closed, Results, Round, State


def _committed(state: State, event: ev.Committed, at: int) -> State:
    secret = "" if event.secret is UNSET else event.secret
    return step(state, at, deal=event.deal, commit=event.commit, secret=secret)


def _salted(state: State, event: ev.Salted, at: int) -> State:
    return step(state, at, seats=with_seat(state, event.seat, salt=event.salt))


def _game_started(state: State, event: ev.GameStarted, at: int) -> State:
    return step(
        state,
        at,
        game=event.game,
        games=event.game,
        game_at=at,
        seats=all_seats(state, total=0),
        rounds_played=0,
        standings=(),
        results=None,
    )


def committed_key(state: State, seats: tuple[int, ...]) -> bytes:
    """Return the key of the committed deal for a game of these seats (PROTOCOL 5)."""
    salts = [bytes.fromhex(seat.salt or "") for seat in state.seats if seat.seat in seats]
    return deal_key(bytes.fromhex(state.secret), salts)


def _dealt(state: State, event: ev.Dealt, at: int) -> State:
    deck = state.rules.deck
    hands = [0] * CHAIRS_MOST
    for seat, cards in event.hands.items():
        hands[int(seat)] = parse_cards(deck, cards) or 0
    round_ = Round(
        number=event.round,
        deal=event.deal,
        order=event.order,
        hands=tuple(hands),
        holding=sum(1 << seat for seat in event.order),
        secret=state.secret,
        key=committed_key(state, event.order),
    )
    closed = state.closed and Closed(past=state.closed.past, is_over=True)
    seats = all_seats(state, salt=None)
    return step(state, at, phase="playing", round=round_, seats=seats, closed=closed)


def _round_ended(state: State, event: ev.RoundEnded, at: int) -> State:
    assert state.round is not None
    closed = state.closed and replace(state.closed, hands=state.round.hands)
    seats = tuple(replace(s, total=event.totals.get(str(s.seat), s.total)) for s in state.seats)
    results = Results(
        round=event.round,
        standings=event.standings,
        roles=event.roles,
        points=event.points,
        totals=event.totals,
    )
    return step(
        state,
        at,
        phase="results",
        round=None,
        trick=None,
        deadline=None,
        closed=closed,
        seats=seats,
        rounds_played=event.round,
        standings=event.standings,
        results=results,
    )


def _game_ended(state: State, event: ev.GameEnded, at: int) -> State:
    results = state.results and replace(state.results, why=event.why, winners=event.winners)
    return step(
        state,
        at,
        phase="final",
        round=None,
        trick=None,
        exchange=None,
        deadline=None,
        seats=all_seats(state, standin=False),
        results=results,
    )


def _lobby_opened(state: State, _event: ev.LobbyOpened, at: int) -> State:
    return step(
        state,
        at,
        phase="lobby",
        game=None,
        rounds_played=0,
        standings=(),
        results=None,
        seats=all_seats(state, total=0),
    )


def _table_closed(state: State, _event: ev.TableClosed, at: int) -> State:
    return step(state, at, phase="closed", deadline=None)


def _resumed(state: State, event: ev.Resumed, at: int) -> State:
    # Grace times start anew too (PROTOCOL 4): nobody was in charge to hear a return.
    seats = tuple(seat if seat.connected else replace(seat, lost_at=at) for seat in state.seats)
    exchange = state.exchange
    if exchange is not None and event.deadline != state.deadline:
        ends = tuple((giver, None if end is None else event.deadline) for giver, end in exchange.ends)
        exchange = replace(exchange, ends=ends)
    return step(state, at, deadline=event.deadline, seats=seats, parted_at=at, exchange=exchange)


GAMES: Evolvers = {
    ev.Committed: _committed,
    ev.Salted: _salted,
    ev.GameStarted: _game_started,
    ev.Dealt: _dealt,
    ev.RoundEnded: _round_ended,
    ev.GameEnded: _game_ended,
    ev.LobbyOpened: _lobby_opened,
    ev.Resumed: _resumed,
    ev.TableClosed: _table_closed,
}
