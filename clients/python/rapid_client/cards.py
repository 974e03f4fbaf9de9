"""Cards as text (PROTOCOL 1): their parts, and the order in which hands are shown.

What is legal is the server's word alone; the strength here only sorts and dims.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

JOKER = "*"
KILLER = "2O"
FRENCH_RANKS = ("3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2")
SPANISH_RANKS = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2")
_SUITS = "SHDCOEB"
_SPANISH_RULESETS = frozenset({"presi"})
_LISTED = {
    rank: place for place, rank in enumerate(("1", *FRENCH_RANKS[:7], "10", "11", "12", *FRENCH_RANKS[7:], JOKER))
}


def held(card: str) -> str:
    """The card as it lies in a hand: a wild card without what it stands for."""
    return card.partition("=")[0]


def shown(card: str) -> str:
    """The card that counts: what a wild card stands for, else the card itself."""
    return card.partition("=")[2] or card


def rank_of(card: str) -> str:
    """The rank that counts; `*` for a bare joker."""
    counted = shown(card)
    return JOKER if counted.startswith(JOKER) else counted[:-1]


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Cards in one fixed order, so that equal sets are equal tuples."""
    return tuple(sorted(cards, key=_listed))


def _listed(card: str) -> tuple[int, int, str]:
    rank, suit = rank_of(card), shown(card)[-1:]
    return _LISTED.get(rank, -1), _SUITS.find(suit), card


def ranks(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The ranks of the table's deck, weakest first (C2, 3.1)."""
    return SPANISH_RANKS if settings.get("ruleset") in _SPANISH_RULESETS else FRENCH_RANKS


def strength(rank: str, settings: Mapping[str, Any], *, revolution: bool = False) -> int:
    """How strong a rank is in the present order; jokers are the highest in either."""
    order = ranks(settings)
    if rank not in order:
        return len(order)
    place = order.index(rank)
    return len(order) - 1 - place if revolution else place


def by_strength(cards: Iterable[str], settings: Mapping[str, Any], *, revolution: bool = False) -> tuple[str, ...]:
    """Cards weakest first in the present order, equal ranks in one fixed order."""
    return tuple(
        sorted(
            in_order(cards), key=lambda card: (strength(rank_of(card), settings, revolution=revolution), card == KILLER)
        )
    )
