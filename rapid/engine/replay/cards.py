"""Decks, and how strong a card is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

JOKER = "*"
"""The rank of all jokers."""


@dataclass(frozen=True, slots=True)
class Deck:
    """Ranks weakest first, ranks as the deck starts, suits in the deck's order (PROTOCOL sections 1, 5).

    `turned`: the ranks weakest first while the order is turned, where that is not the reverse (5.5). Wild jokers
    have no rank of their own (6).
    """

    ranks: tuple[str, ...]
    listed: tuple[str, ...]
    suits: str
    jokers: int = 0
    turned: tuple[str, ...] | None = None
    has_wild_jokers: bool = False

    def cards(self) -> list[str]:
        """The deck before the shuffle: suit by suit, jokers last."""
        plain = [rank + suit for suit in self.suits for rank in self.listed]
        return plain + [f"{JOKER}{number}" for number in range(1, self.jokers + 1)]

    def strength(self, rank: str, *, is_turned: bool) -> int:
        """Higher is stronger, in the present order (C2, V1); a joker is highest in either."""
        if rank == JOKER:
            return len(self.ranks)
        order = self._turned if is_turned else self.ranks
        return order.index(rank)

    @property
    def _turned(self) -> tuple[str, ...]:
        return self.turned or self.ranks[::-1]

    def strongest(self, *, is_turned: bool) -> str:
        """The rank nothing beats in the present order: of a deck with jokers that have one it is theirs (5.5, V3)."""
        if self.jokers and not self.has_wild_jokers:
            return JOKER
        return self._turned[-1] if is_turned else self.ranks[-1]

    def suit_place(self, card: str) -> int:
        """Place of the card's suit in the deck's order, which settles ties (X2, RULES 8)."""
        return self.suits.index(card[-1]) if rank_of(card) != JOKER else int(card[1:])


_FRENCH_RANKS = tuple("3456789TJQKA2")
FRENCH = Deck(ranks=_FRENCH_RANKS, listed=_FRENCH_RANKS, suits="SHDC")
_SPANISH_LISTED = tuple(str(number) for number in range(1, 13))


def _spanish(left_out: tuple[str, ...] = ()) -> Deck:
    """3.1: from the three up, then the ace, the two highest."""
    listed = tuple(rank for rank in _SPANISH_LISTED if rank not in left_out)
    return Deck(ranks=(*listed[2:], *listed[:2]), listed=listed, suits="OCEB")


SPANISH = _spanish()
SPANISH_40 = _spanish(left_out=("8", "9"))


STANDS_FOR = "="


def bare(card: str) -> str:
    """The card itself, without what a wild one says it stands for (PROTOCOL section 1)."""
    return card.partition(STANDS_FOR)[0]


def rank_of(card: str) -> str:
    """The rank of a card's text form, in a play that of what it stands for."""
    return card.rpartition(STANDS_FOR)[2][:-1]


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
