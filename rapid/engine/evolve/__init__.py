"""`evolve(state, event, at) → state`: what a fact does to the state, a function a fact.

Here nothing is judged: events come from `decide` or from the log, where they were judged.
"""

from __future__ import annotations

from collections.abc import Iterable

from rapid.engine.events import AnyEvent
from rapid.engine.evolve.exchange import EXCHANGE
from rapid.engine.evolve.games import GAMES, committed_key
from rapid.engine.evolve.seats import SEATS
from rapid.engine.evolve.step import Evolvers
from rapid.engine.evolve.tricks import TRICKS
from rapid.engine.state import State

__all__ = ["committed_key", "evolve", "fold"]

_EVOLVE: Evolvers = SEATS | GAMES | EXCHANGE | TRICKS


def evolve(state: State, event: AnyEvent, at: int) -> State:
    """Return the state behind this event; `at` in milliseconds."""
    return _EVOLVE[type(event)](state, event, at)


def fold(state: State, events: Iterable[AnyEvent], at: int) -> State:
    """Return the state behind a decision's events."""
    for event in events:
        state = _EVOLVE[type(event)](state, event, at)
    return state
