"""Sets of cards as bit masks: reading them from text, writing them, taking from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rapid.cards.deck import Deck

RANK_MASK = 0xF


def members(cards: int) -> Iterator[int]:
    """Yield the indices in the set, ascending (by rank, then suit order)."""
    while cards:
        low = cards & -cards
        yield low.bit_length() - 1
        cards ^= low


def parse_cards(deck: Deck, texts: Iterable[str]) -> int | None:
    """Return the set of these cards, or None if one is unknown to the deck or stands twice."""
    index = deck.index
    cards = 0
    for text in texts:
        i = index.get(text)
        if i is None:
            return None
        bit = 1 << i
        if cards & bit:
            return None
        cards |= bit
    return cards


def card_names(deck: Deck, cards: int) -> tuple[str, ...]:
    """Return the texts of the set, ascending by index: the inverse of `parse_cards`."""
    names = deck.names
    found = []
    while cards:  # `members`, written out: views and events name cards all the time
        low = cards & -cards
        found.append(names[low.bit_length() - 1])
        cards ^= low
    return tuple(found)


def of_rank(cards: int, rank: int) -> int:
    """Return the cards of this rank within the set."""
    return cards & (RANK_MASK << (4 * rank))


def first_of(cards: int, count: int) -> int:
    """Return the `count` first cards of the set: among equal ranks, first in suit order (RULES 8)."""
    taken = 0
    for _ in range(count):
        low = cards & -cards
        taken |= low
        cards ^= low
    return taken
