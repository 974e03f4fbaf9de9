"""What all facts do: count on, and change the few fields they are about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from rapid.engine.state import Seat, State

Evolvers = dict[type, Callable[[State, Any, int], State]]
"""A function a fact: (state, event, at in ms) → state."""


def step(state: State, at: int, **changes: Any) -> State:
    """Return the state behind one more event, with these changes."""
    return replace(state, seq=state.seq + 1, at=at, **changes)


def with_seat(state: State, seat: int, **changes: Any) -> tuple[Seat, ...]:
    """Return the seats with changes to one of them."""
    return tuple(replace(s, **changes) if s.seat == seat else s for s in state.seats)


def all_seats(state: State, **changes: Any) -> tuple[Seat, ...]:
    """Return the seats with changes to all of them."""
    return tuple(replace(seat, **changes) for seat in state.seats)
