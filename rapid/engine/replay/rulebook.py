"""What differs between rulesets, as rows: a ruleset or mode that has no row here is not supported."""

from __future__ import annotations

from dataclasses import dataclass

from rapid.engine.replay.cards import FRENCH, SPANISH, Deck


@dataclass(frozen=True, slots=True)
class Trade:
    """One line of the exchange: places in the standings, 0 the best, -1 the last (X2, X3).

    `pick` says which cards the receiver gives back, `best` goes the other way.
    """

    giver: int
    receiver: int
    count: int
    seats_at_least: int
    back: str


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One ruleset with the options of a table laid over it.

    `roles` by number of seats, best first, `points` by role (others none). `leads_first` is the card whose holder leads
    in round 1 (T1), None the seat behind the dealer; `leads_later`: `last`, `first` of the standings, or `dealer`.
    `deals`: `standings` (C3), `turning` (3.2), `dealer` (4.2), `ranked` (5.1). `exchange`: `taken` (X2), `checked`
    (3.9), `steps` (4.4) or `none`. `best_card` stands above its rank in the exchange (3.9).
    `larger_sets`, `turning` (also `order_and_direction`) and what is behind it are options of 5.5 and 6.
    """

    modes: frozenset[str]
    seats_least: int
    seats_most: int
    deck: Deck
    roles: dict[int, tuple[str, ...]]
    points: dict[str, int]
    trades: tuple[Trade, ...]
    penalised_rank: str
    variants: frozenset[str]
    leads_first: str | None
    leads_later: str
    deals: str
    exchange: str
    has_target: bool = True
    rounds_set: int | None = None
    policies: frozenset[str] = frozenset({"standin"})
    never_in_rapid: frozenset[str] = frozenset({"skip"})
    is_strict: bool = False
    is_binding: bool = True
    is_sharing: bool = True
    closes_on_finish: bool = False
    equal_skips: bool = False
    keeps_leavers: bool = False
    killer: str | None = None
    best_card: str | None = None
    dealer_place: int = 0
    larger_sets: str = "off"
    turning: str = "off"
    two_high_low: bool = False
    has_transparent_threes: bool = False
    has_wild_twos: bool = False


VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two", "skip")
_FOR_ALL = frozenset(VARIANTS) - {"skip"}
_BOTH = frozenset({"rapid", "turns"})
_TOP = ("president", "vice_president")


def _between(top: tuple[str, ...], bottom: tuple[str, ...], *middles: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """Roles by number of seats, for so many in the middle."""
    return {len(top) + len(middle) + len(bottom): (*top, *middle, *bottom) for middle in middles}


LAST_TO_FIRST = Trade(giver=-1, receiver=0, count=1, seats_at_least=3, back="any")

RULEBOOKS: dict[str, Rulebook] = {
    "president": Rulebook(
        modes=_BOTH,
        seats_least=3,
        seats_most=6,
        deck=FRENCH,
        roles={
            3: ("president", "neutral", "asshole"),
            **_between(_TOP, ("vice_asshole", "asshole"), (), ("neutral",), ("neutral", "neutral")),
        },
        points={"president": 3, "vice_president": 2, "neutral": 1},
        trades=(
            Trade(giver=-1, receiver=0, count=2, seats_at_least=3, back="any"),
            Trade(giver=-2, receiver=1, count=1, seats_at_least=4, back="any"),
        ),
        penalised_rank="2",
        variants=frozenset(VARIANTS),
        leads_first="QH",
        leads_later="last",
        deals="standings",
        exchange="taken",
        has_target=False,
    ),
    "presi": Rulebook(
        modes=_BOTH,
        seats_least=3,
        seats_most=6,
        deck=SPANISH,
        roles={
            3: (*_TOP, "culo"),
            **_between(_TOP, ("vice_culo", "culo"), (), ("neutral",), ("neutral", "neutral")),
        },
        points={"president": 2, "vice_president": 1},
        trades=(
            Trade(giver=-1, receiver=0, count=2, seats_at_least=3, back="worst"),
            Trade(giver=-2, receiver=1, count=1, seats_at_least=4, back="worst"),
        ),
        penalised_rank="2",
        variants=_FOR_ALL,
        leads_first="3O",
        leads_later="last",
        deals="turning",
        exchange="checked",
        policies=frozenset({"standin", "wait"}),
        is_sharing=False,
        closes_on_finish=True,
        equal_skips=True,
        killer="2O",
        best_card="2O",
    ),
    "house": Rulebook(
        modes=_BOTH,
        seats_least=4,
        seats_most=7,
        deck=FRENCH,
        roles={seats: (*_TOP, *(f"place_{place}" for place in range(3, seats + 1))) for seats in range(4, 8)},
        points={"president": 2, "vice_president": 1},
        trades=(LAST_TO_FIRST,),
        penalised_rank="2",
        variants=_FOR_ALL,
        leads_first=None,
        leads_later="first",
        deals="dealer",
        exchange="steps",
        is_strict=True,
        is_binding=False,
        keeps_leavers=True,
    ),
    "escoria": Rulebook(
        modes=_BOTH,
        seats_least=4,
        seats_most=7,
        deck=FRENCH,
        roles={
            **_between(_TOP, ("vice_scum", "scum"), (), ("neutral",), ("upper_neutral", "lower_neutral")),
            7: (*_TOP, "upper_neutral", "neutral", "lower_neutral", "vice_scum", "super_scum"),
        },
        points={"president": 2, "vice_president": 1, "vice_scum": -1, "scum": -2, "super_scum": -2},
        trades=(LAST_TO_FIRST,),
        penalised_rank="2",
        variants=_FOR_ALL,
        leads_first=None,
        leads_later="dealer",
        deals="ranked",
        exchange="steps",
        is_strict=True,
        is_binding=False,
    ),
}
