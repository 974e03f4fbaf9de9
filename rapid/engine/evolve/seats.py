"""Who sits at the table, and how it is set up."""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rapid.engine import events as ev
from rapid.engine.evolve.step import Evolvers, step, with_seat
from rapid.engine.state import Closed, Seat, State
from rapid.rules.shared import shared


def _table_opened(state: State, event: ev.TableOpened, at: int) -> State:
    settings, rules = shared(event.settings)
    return step(state, at, phase="lobby", settings=settings, rules=rules)


def _settings_changed(state: State, event: ev.SettingsChanged, at: int) -> State:
    settings, rules = shared(event.settings)
    # What was held and played by other rules is not judged by these.
    closed = state.closed and Closed(past=state.closed.past, is_over=True)
    return step(state, at, settings=settings, rules=rules, closed=closed)


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
    return step(state, at, seats=seats)


def _leaving(state: State, event: ev.Leaving, at: int) -> State:
    if state.is_awaited(event.seat) and _stands(state, event.seat):
        state = _own_timer(state, event.seat, at + state.rules.action_ms)  # a bot acts for it from here (G7)
    seats = with_seat(state, event.seat, leaving=event.why, token_hash=None, standin=False, connected=False)
    return step(state, at, seats=seats, parted_at=_parted_at(state, event.seat, at))


def _stands(state: State, seat: int) -> bool:
    """Whether the seat has something to do and its own timer has stopped."""
    if state.exchange is not None:
        return (seat, None) in state.exchange.ends
    return state.trick is not None and state.trick.turn == seat


def _parted_at(state: State, seat: int, at: int) -> int:
    """When the seat that goes was connected last; only `idle` asks for it (G9)."""
    gone = state.seat_at(seat)
    if gone is None or gone.kind == "bot":
        return state.parted_at
    return at if gone.connected else max(state.parted_at, gone.lost_at)


def _seat_freed(state: State, event: ev.SeatFreed, at: int) -> State:
    closed = state.closed
    if closed is not None and closed.hands:
        # Whoever takes the chair now has held none of those cards.
        hands = tuple(0 if seat == event.seat else hand for seat, hand in enumerate(closed.hands))
        closed = replace(closed, hands=hands)
    return step(
        state,
        at,
        closed=closed,
        seats=tuple(seat for seat in state.seats if seat.seat != event.seat),
        standings=tuple(seat for seat in state.standings if seat != event.seat),
        parted_at=_parted_at(state, event.seat, at),
    )


def _host_changed(state: State, event: ev.HostChanged, at: int) -> State:
    return step(state, at, host=event.seat)


def _connection_lost(state: State, event: ev.ConnectionLost, at: int) -> State:
    state = _own_timer(state, event.seat, event.deadline)
    return step(state, at, seats=with_seat(state, event.seat, connected=False, lost_at=at))


def _connection_back(state: State, event: ev.ConnectionBack, at: int) -> State:
    state = _own_timer(state, event.seat, event.deadline)
    return step(state, at, seats=with_seat(state, event.seat, connected=True))


def _own_timer(state: State, seat: int, deadline: int | UnsetType | None) -> State:
    """The seat's own timer stops (None) or starts anew; UNSET: as it was (3.10)."""
    if deadline is UNSET:
        return state
    if state.exchange is None:
        return replace(state, deadline=deadline)
    ends = tuple((giver, deadline if giver == seat else end) for giver, end in state.exchange.ends)
    exchange = replace(state.exchange, ends=ends)
    return replace(state, exchange=exchange, deadline=exchange.deadline)


def _standin_started(state: State, event: ev.StandinStarted, at: int) -> State:
    return step(state, at, seats=with_seat(state, event.seat, standin=True))


def _standin_ended(state: State, event: ev.StandinEnded, at: int) -> State:
    return step(state, at, seats=with_seat(state, event.seat, standin=False))


SEATS: Evolvers = {
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
}
