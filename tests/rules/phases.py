"""Tables brought to a phase: results, final standings, any by its name."""

from __future__ import annotations

from typing import Any

from rapid.engine import intents as do
from tests.rules.table import Table, dealt, seated, started


def at_results(*, rounds: Any = 5, seats: int = 3, **fields: Any) -> Table:
    """A table at the results of round 1: seat 0 is President."""
    hands = [f"{rank}S" for rank in "34567"[: seats - 1]] + ["KH KD"]
    table = dealt(*hands, rounds=rounds, **fields)
    for seat in range(seats - 1):
        table.play(seat, hands[seat])
    return table


def at_final(why: str = "rounds") -> Table:
    """A table behind a game that ended so."""
    if why == "ended":
        return at_results(rounds="unlimited").send(do.EndGame(seat=0))
    if why == "stopped":
        return at_results().send(do.EndGame(seat=0))
    return at_results(rounds=1)


def in_phase(phase: str) -> Table:
    """A table of three in this phase."""
    makers = {
        "lobby": lambda: seated(3),
        "playing": lambda: started(3),
        "exchange": lambda: at_results().send(do.NextRound(seat=0)),
        "results": at_results,
        "final": at_final,
    }
    table = makers[phase]()
    assert table.state.phase == phase
    return table
