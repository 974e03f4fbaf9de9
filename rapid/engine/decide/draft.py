"""A decision in the making: events are emitted and folded one by one."""

from __future__ import annotations

from msgspec import Struct

from rapid.engine.events import AnyEvent
from rapid.engine.evolve import evolve
from rapid.engine.refusals import Refusal
from rapid.engine.state import State


class Outcome(Struct, frozen=True, gc=False):
    """What came of an intent. `state` has the events folded in.

    Events and a refusal stand together for a lost race. Neither: there was nothing to do.
    """

    state: State
    events: tuple[AnyEvent, ...] = ()
    refusal: Refusal | None = None


class Draft:
    """Collects the events of one decision and keeps the state behind them."""

    __slots__ = ("at", "events", "secret", "state")

    def __init__(self, state: State, at: int, secret: str = "") -> None:
        """`at`: the decision's stamp in ms; `secret`: fresh, for the next deal, hex."""
        self.state = state
        self.at = at
        self.secret = secret
        self.events: list[AnyEvent] = []

    def emit(self, event: AnyEvent) -> None:
        """Add an event to the decision."""
        self.state = evolve(self.state, event, self.at)
        self.events.append(event)

    def outcome(self, refusal: Refusal | None = None) -> Outcome:
        """Return what was decided."""
        return Outcome(self.state, tuple(self.events), refusal)


def refuse(state: State, why: str) -> Outcome:
    """Return the outcome of a refused intent: nothing changes (P6)."""
    return Outcome(state, (), Refusal(why))
