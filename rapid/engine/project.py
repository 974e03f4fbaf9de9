"""What a viewer may see of an event: redaction lives here and nowhere else (PROTOCOL 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import UNSET, structs

from rapid.engine.events import (
    AnyEvent,
    Committed,
    Dealt,
    ExchangeClosed,
    ExchangeOpened,
    Given,
    Move,
    SeatTaken,
)


def project_event(event: AnyEvent, viewer: int | None) -> AnyEvent:
    """Return the event as this viewer (a seat, or None: a spectator) may see it.

    What may be seen of an event hangs on the event and the viewer alone, so it never
    changes later.
    """
    hide = _HIDE.get(type(event))
    return event if hide is None else hide(event, viewer)


def is_same_for_all(event: AnyEvent) -> bool:
    """Return whether all viewers see the event alike, the log included."""
    return type(event) not in _HIDE


def are_same_for_all(events: Iterable[AnyEvent]) -> bool:
    """Return whether all viewers see all of these alike."""
    return _HIDE.keys().isdisjoint(map(type, events))


def _seat_taken(event: SeatTaken, _viewer: int | None) -> SeatTaken:
    return structs.replace(event, token_hash=UNSET)


def _committed(event: Committed, _viewer: int | None) -> Committed:
    return structs.replace(event, secret=UNSET)


def _dealt(event: Dealt, viewer: int | None) -> Dealt:
    own = str(viewer)
    return structs.replace(
        event,
        hands={seat: hand for seat, hand in event.hands.items() if seat == own},
        counts={seat: len(hand) for seat, hand in event.hands.items()},
    )


def _move(move: Move, viewer: int | None) -> Move:
    if viewer in (move.from_, move.to):
        return move
    return structs.replace(move, cards=UNSET)


def _moves(event: Any, viewer: int | None) -> Any:
    return structs.replace(event, moves=tuple(_move(move, viewer) for move in event.moves))


def _given(event: Given, viewer: int | None) -> Given:
    return event if viewer == event.from_ else structs.replace(event, cards=UNSET)


_HIDE: dict[type, Callable[[Any, int | None], Any]] = {
    SeatTaken: _seat_taken,
    Committed: _committed,
    Dealt: _dealt,
    ExchangeOpened: _moves,
    ExchangeClosed: _moves,
    Given: _given,
}
