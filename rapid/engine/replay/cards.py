"""Decks, and how strong a card is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deck:
    """Ranks weakest first, ranks as the deck starts, suits in the deck's order (PROTOCOL sections 1, 5)."""

    ranks: tuple[str, ...]
    listed: tuple[str, ...]
    suits: str

    def cards(self) -> list[str]:
        """The deck before the shuffle: suit by suit."""
        return [rank + suit for suit in self.suits for rank in self.listed]

    def strength(self, rank: str, *, is_turned: bool) -> int:
        """Higher is stronger, in the present order (C2, V1)."""
        place = self.ranks.index(rank)
        return len(self.ranks) - 1 - place if is_turned else place

    def strongest(self, *, is_turned: bool) -> str:
        """The rank nothing beats in the present order."""
        return self.ranks[0] if is_turned else self.ranks[-1]

    def suit_place(self, card: str) -> int:
        """Place of the card's suit in the deck's order, which settles ties (X2, RULES 8)."""
        return self.suits.index(card[-1])


_FRENCH_RANKS = tuple("3456789TJQKA2")
FRENCH = Deck(ranks=_FRENCH_RANKS, listed=_FRENCH_RANKS, suits="SHDC")
SPANISH = Deck(
    ranks=tuple("3 4 5 6 7 8 9 10 11 12 1 2".split()), listed=tuple(map(str, range(1, 13))), suits="OCEB"
)
SPANISH_40 = Deck(
    ranks=tuple("3 4 5 6 7 10 11 12 1 2".split()), listed=tuple("1 2 3 4 5 6 7 10 11 12".split()), suits="OCEB"
)


def rank_of(card: str) -> str:
    """The rank of a card's text form."""
    return card[:-1]


def ranks_held(cards: Iterable[str]) -> dict[str, int]:
    """How many of each rank."""
    held: dict[str, int] = {}
    for card in cards:
        held[rank_of(card)] = held.get(rank_of(card), 0) + 1
    return held


def common_rank(cards: Iterable[str]) -> str | None:
    """The rank all the cards share, or None: more than one, or no card."""
    held = ranks_held(cards)
    return next(iter(held)) if len(held) == 1 else None
