"""Wild cards: what they may say they stand for in a play (PROTOCOL 1, RULES 6)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rapid.cards.deck import Deck

STANDS_FOR = "="


class Wild(Struct, frozen=True):
    """The wild cards of a table, and how the cards of a play are written there."""

    cards: int
    """As a set."""
    order: tuple[int, ...]
    """Weakest first: which of them is spared longest."""
    index: dict[str, int]
    """By the text of a card in a play: the card. A bare joker is not among them."""
    ranks: dict[str, int]
    """By the same text: the rank that it is played as."""


def make_wild(deck: Deck, order: Sequence[int]) -> Wild:
    """Return how plays are written where these cards of the deck are wild."""
    wild = sum(1 << card for card in order)
    faces = [card for card in range(deck.size) if card >> 2 < len(deck.ranks)]
    plain = (card for card in range(deck.size) if card in faces or not wild >> card & 1)
    index = {deck.names[card]: card for card in plain}
    ranks = {text: card >> 2 for text, card in index.items()}
    for card in order:
        for face in faces:
            if face >> 2 != card >> 2:  # what it is by itself it says bare, in one way only
                text = f"{deck.names[card]}{STANDS_FOR}{deck.names[face]}"
                index[text], ranks[text] = card, face >> 2
    return Wild(cards=wild, order=tuple(order), index=index, ranks=ranks)
