"""Plays with wild cards: what may be said, and what a hand can make (RULES 6, PROTOCOL section 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rapid.engine.replay.cards import JOKER, STANDS_FOR, bare, common_rank, rank_of
from rapid.engine.replay.rulebook import Rulebook

FOUR = 4
TWO = "2"


def is_wild(book: Rulebook, card: str) -> bool:
    """Whether this card may stand for another."""
    rank = rank_of(bare(card))
    return (rank == JOKER and book.deck.has_wild_jokers) or (rank == TWO and book.has_wild_twos)


def is_combination(book: Rulebook, cards: Iterable[str]) -> bool:
    """1 to 4 cards, all of one rank or standing for it (P2: no straights)."""
    listed = list(cards)
    is_one_rank = common_rank(listed) in (*book.deck.ranks, JOKER)
    is_size = 1 <= len(listed) <= FOUR and len({bare(card) for card in listed}) == len(listed)
    return is_size and is_one_rank and all(_is_said_well(book, card) for card in listed)


def _is_said_well(book: Rulebook, card: str) -> bool:
    """A wild card says what it stands for, a joker always, a two unless it is one; no other card says anything."""
    itself, sign, face = card.partition(STANDS_FOR)
    if not sign:
        return not (rank_of(itself) == JOKER and book.deck.has_wild_jokers)
    is_face = face in book.deck.cards() and rank_of(face) not in {JOKER, rank_of(itself)}
    return is_wild(book, itself) and is_face


def as_rank(book: Rulebook, cards: Iterable[str], rank: str) -> list[str]:
    """These wild cards as that rank: one of that rank is what it is."""
    suit = book.deck.suits[0]
    return [card if rank_of(card) == rank else f"{card}{STANDS_FOR}{rank}{suit}" for card in cards]


def sets_of(book: Rulebook, hand: Iterable[str]) -> Iterator[list[str]]:
    """For each rank the hand can lay, the most cards it can lay as it, up to four: its own ones first."""
    held = list(hand)
    wild = [card for card in held if is_wild(book, card)]
    for rank in (*book.deck.ranks, JOKER):
        own = [card for card in held if rank_of(card) == rank and _is_said_well(book, card)]
        others = [card for card in wild if rank_of(card) != rank] if rank != JOKER else []
        yield [*own, *as_rank(book, others, rank)][:FOUR]
