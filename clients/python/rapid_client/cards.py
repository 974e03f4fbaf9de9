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


def is_spanish(settings: Mapping[str, Any]) -> bool:
    """Whether the table's cards are Spanish."""
    return settings.get("ruleset") in _SPANISH_RULESETS


def ranks(settings: Mapping[str, Any], *, revolution: bool = False) -> tuple[str, ...]:
    """The ranks of the table's deck, weakest first in the present order (C2, 3.1, 5.5, RULES 6)."""
    options = settings.get("options", {})
    order: tuple[str, ...] = SPANISH_RANKS if is_spanish(settings) else FRENCH_RANKS
    if options.get("deck") == "spanish40":
        order = tuple(rank for rank in order if rank not in {"8", "9"})
    if options.get("three") == "below_two":
        order = (*(rank for rank in order if rank not in {"3", "2"}), "3", "2")
    if revolution and options.get("turning") == "run":  # A 2 3 4 … K A, the strongest first
        return (*reversed(order[: order.index("A")]), "2", "A")
    return tuple(reversed(order)) if revolution else order


def strength(rank: str, settings: Mapping[str, Any], *, revolution: bool = False) -> int:
    """How strong a rank is in the present order; jokers are the highest in either."""
    order = ranks(settings, revolution=revolution)
    return order.index(rank) if rank in order else len(order)


def is_wild(card: str, settings: Mapping[str, Any]) -> bool:
    """Whether the card may stand for another (RULES 6)."""
    options = settings.get("options", {})
    if held(card).startswith(JOKER):
        return bool(options.get("joker") == "wild")
    return bool(options.get("wild_twos")) and held(card)[:-1] == "2"


def has_jokers(settings: Mapping[str, Any]) -> bool:
    """Whether there are jokers in the deck, high or wild."""
    return bool(settings.get("options", {}).get("jokers"))


def has_wild(settings: Mapping[str, Any]) -> bool:
    """Whether there are cards that may stand for others."""
    return (has_jokers(settings) and is_wild(JOKER, settings)) or is_wild("2" + _SUITS[-1], settings)


def declared(cards: Iterable[str], rank: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The cards of a play of that rank as the server wants them: a wild one says what it stands for (PROTOCOL 1).

    What a two is by itself it does not say; the two of coins alone is what it is (RULES 9).
    """
    cards = tuple(cards)
    suits = iter([suit for suit in ("OCEB" if is_spanish(settings) else "SHDC") if rank + suit not in cards])
    if cards == (KILLER,) and settings.get("options", {}).get("killer"):
        return cards
    return tuple(
        f"{card}={rank}{next(suits)}" if is_wild(card, settings) and "=" not in card and card[:-1] != rank else card
        for card in cards
    )


def by_strength(cards: Iterable[str], settings: Mapping[str, Any], *, revolution: bool = False) -> tuple[str, ...]:
    """Cards weakest first in the present order, equal ranks in one fixed order."""
    return tuple(
        sorted(
            in_order(cards), key=lambda card: (strength(rank_of(card), settings, revolution=revolution), card == KILLER)
        )
    )
