"""Who owes whom what before a round (X1-X3)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rapid.rules.ruleset import Ruleset


class Duty(Struct, frozen=True):
    """One swap of this round: `lower` gives its best to `upper`, who returns any."""

    lower: int
    upper: int
    count: int


def duties_of(ruleset: Ruleset, standings: Sequence[int]) -> tuple[Duty, ...]:
    """Return this round's swaps; `standings` of the round before, empty in round 1 (X1)."""
    if not standings:
        return ()
    return tuple(
        Duty(lower=standings[-1 - swap.depth], upper=standings[swap.depth], count=swap.count)
        for swap in ruleset.swaps
        if len(standings) >= swap.least_seats
    )
