"""`evolve(state, event, at) → state`: what a fact does to the state, a function a fact.

Here nothing is judged: events come from `decide` or from the log, where they were judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from rapid.cards.cardset import parse_cards
from rapid.cards.shuffle import deal_key
from rapid.engine import events as ev
from rapid.engine.state import (
    CHAIRS_MOST,
    Closed,
    Exchange,
    Laid,
    Past,
    Results,
    Round,
    Seat,
    State,
    Trick,
)
from rapid.rules.exchange import Duty
from rapid.rules.settings import rules_of


def evolve(state: State, event: ev.AnyEvent, at: int) -> State:
    """Return the state behind this event; `at` in milliseconds."""
    return _EVOLVE[type(event)](state, event, at)


def fold(state: State, events: Iterable[ev.AnyEvent], at: int) -> State:
    """Return the state behind a decision's events."""
    for event in events:
        state = _EVOLVE[type(event)](state, event, at)
    return state


def _step(state: State, at: int, **changes: Any) -> State:
    return replace(state, seq=state.seq + 1, at=at, **changes)


def _with_seat(state: State, seat: int, **changes: Any) -> tuple[Seat, ...]:
    return tuple(replace(s, **changes) if s.seat == seat else s for s in state.seats)


def _all_seats(state: State, **changes: Any) -> tuple[Seat, ...]:
    return tuple(replace(seat, **changes) for seat in state.seats)


# Who sits at the table


def _table_opened(state: State, event: ev.TableOpened, at: int) -> State:
    return _step(state, at, phase="lobby", settings=event.settings, rules=rules_of(event.settings))


def _settings_changed(state: State, event: ev.SettingsChanged, at: int) -> State:
    return _step(state, at, settings=event.settings, rules=rules_of(event.settings))


def _seat_taken(state: State, event: ev.SeatTaken, at: int) -> State:
    seat = Seat(
        seat=event.seat,
        name=event.name,
        kind=event.kind,
        since=state.seq + 1,
        level=None if event.level is UNSET else event.level,
        token_hash=None if event.token_hash is UNSET else event.token_hash,
        lost_at=at,
    )
    seats = tuple(sorted((*state.seats, seat), key=lambda taken: taken.seat))
    return _step(state, at, seats=seats)


def _leaving(state: State, event: ev.Leaving, at: int) -> State:
    seats = _with_seat(state, event.seat, leaving=event.why, token_hash=None, standin=False, connected=False)
    return _step(state, at, seats=seats, parted_at=_parted_at(state, event.seat, at))


def _parted_at(state: State, seat: int, at: int) -> int:
    """When the seat that goes was connected last; only `idle` asks for it (G9)."""
    gone = state.seat_at(seat)
    if gone is None or gone.kind == "bot":
        return state.parted_at
    return at if gone.connected else max(state.parted_at, gone.lost_at)


def _seat_freed(state: State, event: ev.SeatFreed, at: int) -> State:
    return _step(
        state,
        at,
        seats=tuple(seat for seat in state.seats if seat.seat != event.seat),
        standings=tuple(seat for seat in state.standings if seat != event.seat),
        parted_at=_parted_at(state, event.seat, at),
    )


def _host_changed(state: State, event: ev.HostChanged, at: int) -> State:
    return _step(state, at, host=event.seat)


def _connection_lost(state: State, event: ev.ConnectionLost, at: int) -> State:
    return _step(state, at, seats=_with_seat(state, event.seat, connected=False, lost_at=at))


def _connection_back(state: State, event: ev.ConnectionBack, at: int) -> State:
    return _step(state, at, seats=_with_seat(state, event.seat, connected=True))


def _standin_started(state: State, event: ev.StandinStarted, at: int) -> State:
    return _step(state, at, seats=_with_seat(state, event.seat, standin=True))


def _standin_ended(state: State, event: ev.StandinEnded, at: int) -> State:
    return _step(state, at, seats=_with_seat(state, event.seat, standin=False))


# Games and rounds


def _committed(state: State, event: ev.Committed, at: int) -> State:
    secret = "" if event.secret is UNSET else event.secret
    return _step(state, at, deal=event.deal, commit=event.commit, secret=secret)


def _salted(state: State, event: ev.Salted, at: int) -> State:
    return _step(state, at, seats=_with_seat(state, event.seat, salt=event.salt))


def _game_started(state: State, event: ev.GameStarted, at: int) -> State:
    return _step(
        state,
        at,
        game=event.game,
        games=event.game,
        game_at=at,
        seats=_all_seats(state, total=0),
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
    seats = _all_seats(state, salt=None)
    return _step(state, at, phase="playing", round=round_, seats=seats, closed=closed)


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
    return _step(
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
    return _step(
        state,
        at,
        phase="final",
        round=None,
        trick=None,
        exchange=None,
        deadline=None,
        seats=_all_seats(state, standin=False),
        results=results,
    )


def _lobby_opened(state: State, _event: ev.LobbyOpened, at: int) -> State:
    return _step(
        state,
        at,
        phase="lobby",
        game=None,
        rounds_played=0,
        standings=(),
        results=None,
        seats=_all_seats(state, total=0),
    )


def _table_closed(state: State, _event: ev.TableClosed, at: int) -> State:
    return _step(state, at, phase="closed", deadline=None)


def _resumed(state: State, event: ev.Resumed, at: int) -> State:
    # Grace times start anew too (PROTOCOL 4): nobody was in charge to hear a return.
    seats = tuple(seat if seat.connected else replace(seat, lost_at=at) for seat in state.seats)
    return _step(state, at, deadline=event.deadline, seats=seats, parted_at=at)


# Exchange


def _moved(state: State, moves: Iterable[ev.Move], *, takes: bool) -> Round:
    assert state.round is not None
    hands = list(state.round.hands)
    for move in moves:
        cards = parse_cards(state.rules.deck, move.cards or ()) or 0
        if takes:
            hands[move.from_] &= ~cards
        hands[move.to] |= cards
    return replace(state.round, hands=tuple(hands))


def _exchange_opened(state: State, event: ev.ExchangeOpened, at: int) -> State:
    owed = tuple(Duty(lower=owed.to, upper=owed.from_, count=owed.count) for owed in event.owes)
    return _step(
        state,
        at,
        phase="exchange",
        round=_moved(state, event.moves, takes=True),
        exchange=Exchange(owed=owed),
        deadline=event.deadline,
    )


def _given(state: State, event: ev.Given, at: int) -> State:
    assert state.round is not None
    assert state.exchange is not None
    cards = parse_cards(state.rules.deck, event.cards or ()) or 0
    hands = list(state.round.hands)
    hands[event.from_] &= ~cards
    duty = next(owed for owed in state.exchange.owed if owed.upper == event.from_)
    exchange = Exchange(
        owed=tuple(owed for owed in state.exchange.owed if owed is not duty),
        given=(*state.exchange.given, (duty, cards)),
    )
    return _step(state, at, round=replace(state.round, hands=tuple(hands)), exchange=exchange)


def _exchange_closed(state: State, event: ev.ExchangeClosed, at: int) -> State:
    round_ = _moved(state, event.moves, takes=False)
    return _step(state, at, phase="playing", round=round_, exchange=None, deadline=None)


# Tricks


def _trick_opened(state: State, event: ev.TrickOpened, at: int) -> State:
    assert state.round is not None
    return _step(
        state,
        at,
        phase="playing",
        round=replace(state.round, tricks=event.trick),
        trick=Trick(number=event.trick, state=state.seq + 1),
        deadline=event.deadline,
    )


def _past(state: State, trick: Trick, at: int) -> tuple[Past, ...]:
    assert state.round is not None
    now = Past(
        state=trick.state,
        ended_at=at,
        top=trick.top,
        revolution=state.round.revolution,
        passed=trick.passed,
    )
    return (*trick.past, now)


def _played(state: State, event: ev.Played, at: int) -> State:
    round_, trick = state.round, state.trick
    assert round_ is not None
    assert trick is not None
    index = state.rules.deck.index
    cards = 0
    for text in event.cards:
        card = index[text]
        cards |= 1 << card
    rank, count, seat = card >> 2, len(event.cards), event.seat
    hands = list(round_.hands)
    left = hands[seat] & ~cards
    hands[seat] = left
    same_rank = trick.top is not None and trick.top[0] == rank
    seq = state.seq + 1
    return replace(
        state,
        seq=seq,
        at=at,
        round=replace(
            round_,
            hands=tuple(hands),
            holding=round_.holding if left else round_.holding & ~(1 << seat),
            revolution=event.revolution,
        ),
        trick=Trick(
            number=trick.number,
            state=seq,
            top=(rank, count),
            last_player=seat,
            run=trick.run + count if same_rank else count,
            passed=trick.passed,
            plays=(*trick.plays, Laid(seat, event.cards)),
            past=_past(state, trick, at),
        ),
        deadline=event.deadline,
    )


def _passed(state: State, event: ev.Passed, at: int) -> State:
    assert state.trick is not None
    trick = replace(state.trick, passed=state.trick.passed | 1 << event.seat)
    return _step(state, at, trick=trick)


def _lost_in(past: tuple[Past, ...], event: ev.RaceLost) -> tuple[Past, ...]:
    return tuple(replace(one, lost=one.lost | 1 << event.seat) if one.state == event.on else one for one in past)


def _race_lost(state: State, event: ev.RaceLost, at: int) -> State:
    trick = state.trick and replace(state.trick, past=_lost_in(state.trick.past, event))
    closed = state.closed and replace(state.closed, past=_lost_in(state.closed.past, event))
    return _step(state, at, trick=trick, closed=closed)


def _finished(state: State, event: ev.Finished, at: int) -> State:
    assert state.round is not None
    if event.penalised:
        round_ = replace(state.round, penalised=(*state.round.penalised, event.seat))
    else:
        round_ = replace(state.round, clean=(*state.round.clean, event.seat))
    return _step(state, at, round=round_)


def _trick_closed(state: State, _event: ev.TrickClosed, at: int) -> State:
    assert state.trick is not None
    closed = Closed(past=_past(state, state.trick, at))
    return _step(state, at, trick=None, closed=closed, deadline=None)


_EVOLVE: dict[type, Callable[[State, Any, int], State]] = {
    ev.TableOpened: _table_opened,
    ev.SeatTaken: _seat_taken,
    ev.Leaving: _leaving,
    ev.SeatFreed: _seat_freed,
    ev.HostChanged: _host_changed,
    ev.SettingsChanged: _settings_changed,
    ev.ConnectionLost: _connection_lost,
    ev.ConnectionBack: _connection_back,
    ev.StandinStarted: _standin_started,
    ev.StandinEnded: _standin_ended,
    ev.Committed: _committed,
    ev.Salted: _salted,
    ev.GameStarted: _game_started,
    ev.Dealt: _dealt,
    ev.ExchangeOpened: _exchange_opened,
    ev.Given: _given,
    ev.ExchangeClosed: _exchange_closed,
    ev.TrickOpened: _trick_opened,
    ev.Played: _played,
    ev.Passed: _passed,
    ev.RaceLost: _race_lost,
    ev.Finished: _finished,
    ev.TrickClosed: _trick_closed,
    ev.RoundEnded: _round_ended,
    ev.GameEnded: _game_ended,
    ev.LobbyOpened: _lobby_opened,
    ev.Resumed: _resumed,
    ev.TableClosed: _table_closed,
}
