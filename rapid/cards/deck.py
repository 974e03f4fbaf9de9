"""Decks: which cards there are, their text and their place in a card set.

A card is an integer, the *index* `4 * rank + suit`, where `rank` counts in the order of
PROTOCOL section 1 and `suit` in the deck's suit order; jokers follow behind the last rank.
A set of cards is an `int` with the bit of each card's index set, so a hand is one number
and "are these held" is one operation.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

SUITS_PER_RANK = 4


class Deck(Struct, frozen=True):
    """One deck. `names[i]` is the text of card `i`, `index` the way back."""

    name: str
    ranks: tuple[str, ...]
    suits: tuple[str, ...]
    jokers: int
    names: tuple[str, ...]
    index: dict[str, int]
    start: tuple[int, ...]
    """The order before the shuffle (PROTOCOL 5): suit by suit, jokers last."""

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.names)

    @property
    def full(self) -> int:
        """The set of all cards."""
        return (1 << len(self.names)) - 1


@lru_cache(maxsize=32)
def make_deck(name: str, ranks: tuple[str, ...], suits: tuple[str, ...], jokers: int = 0) -> Deck:
    """Return the deck with these ranks (order of PROTOCOL section 1), four suits and jokers."""
    if len(suits) != SUITS_PER_RANK:
        msg = f"a deck has {SUITS_PER_RANK} suits, not {len(suits)}"
        raise ValueError(msg)
    names = [rank + suit for rank in ranks for suit in suits]
    start = [4 * rank + suit for suit in range(4) for rank in range(len(ranks))]
    start += range(len(names), len(names) + jokers)
    names += [f"*{number}" for number in range(1, jokers + 1)]
    return Deck(
        name=name,
        ranks=ranks,
        suits=suits,
        jokers=jokers,
        names=tuple(names),
        index={text: i for i, text in enumerate(names)},
        start=tuple(start),
    )


SPANISH_48 = make_deck("spanish48", tuple(str(n) for n in range(1, 13)), tuple("OCEB"))
SPANISH_40 = make_deck("spanish40", tuple(str(n) for n in (1, 2, 3, 4, 5, 6, 7, 10, 11, 12)), tuple("OCEB"))
FRENCH_52 = make_deck("french52", tuple("3456789TJQKA2"), tuple("SHDC"))


def with_jokers(deck: Deck, jokers: int) -> Deck:
    """Return the deck with so many jokers."""
    return make_deck(deck.name, deck.ranks, deck.suits, jokers)
