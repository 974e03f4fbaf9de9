"""What differs between rulesets, as rows: a ruleset or mode that has no row here is not supported."""

from __future__ import annotations

from dataclasses import dataclass

from rapid.engine.replay.cards import FRENCH, Deck


@dataclass(frozen=True, slots=True)
class Trade:
    """One line of the exchange: places in the standings, 0 the best, -1 the last (X2, X3)."""

    giver: int
    receiver: int
    count: int
    seats_at_least: int


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One ruleset; `roles` by number of seats, best first, `points` by role.

    `leads_first` is the card whose holder leads in round 1 (T1).
    """

    modes: frozenset[str]
    seats_least: int
    seats_most: int
    deck: Deck
    roles: dict[int, tuple[str, ...]]
    points: dict[str, int]
    trades: tuple[Trade, ...]
    never_in_rapid: frozenset[str]
    penalised_rank: str
    leads_first: str


VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two", "skip")

_TOP = ("president", "vice_president")
_BOTTOM = ("vice_asshole", "asshole")

RULEBOOKS: dict[str, Rulebook] = {
    "president": Rulebook(
        modes=frozenset({"rapid", "turns"}),
        seats_least=3,
        seats_most=6,
        deck=FRENCH,
        roles={
            3: ("president", "neutral", "asshole"),
            4: (*_TOP, *_BOTTOM),
            5: (*_TOP, "neutral", *_BOTTOM),
            6: (*_TOP, "neutral", "neutral", *_BOTTOM),
        },
        points={"president": 3, "vice_president": 2, "neutral": 1, "vice_asshole": 0, "asshole": 0},
        trades=(
            Trade(giver=-1, receiver=0, count=2, seats_at_least=3),
            Trade(giver=-2, receiver=1, count=1, seats_at_least=4),
        ),
        never_in_rapid=frozenset({"skip"}),
        penalised_rank="2",
        leads_first="QH",
    ),
}
