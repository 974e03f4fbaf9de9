"""Plays as they are written: which cards, and the rank they are played as (P1, P2, PROTOCOL 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from rapid.cards.cardset import card_names, members, of_rank, parse_cards
from rapid.cards.combination import combination_rank
from rapid.cards.wild import STANDS_FOR, Wild
from rapid.rules.ruleset import Rules

Combination = tuple[int, int]
"""A rank and the cards laid as it."""
CARDS_MOST = 4


def read_play(rules: Rules, texts: Sequence[str], hand: int) -> Combination | str:
    """Return the combination that these texts are, or why they are none of this hand (R4).

    A card in the hand that says something it may not, or leaves open what it stands for, makes no combination.
    """
    if rules.wild is not None:
        return _read_wild(rules, rules.wild, texts, hand)
    cards = parse_cards(rules.deck, texts)
    if cards is None:
        return _fault(rules, texts, hand)
    if cards & ~hand:
        return "not_your_cards"
    rank = combination_rank(cards)
    return "not_a_combination" if rank is None else (rank, cards)


def _read_wild(rules: Rules, wild: Wild, texts: Sequence[str], hand: int) -> Combination | str:
    ranks = {wild.ranks.get(text, -1) for text in texts}
    if len(ranks) != 1 or -1 in ranks or len(texts) > CARDS_MOST:
        return _fault(rules, texts, hand)
    cards = 0
    for text in texts:
        cards |= 1 << wild.index[text]
    if cards & ~hand or cards.bit_count() != len(texts):
        return "not_your_cards"
    return ranks.pop(), cards


def _fault(rules: Rules, texts: Sequence[str], hand: int) -> str:
    cards = parse_cards(rules.deck, [text.partition(STANDS_FOR)[0] for text in texts])
    return "not_your_cards" if cards is None or cards & ~hand else "not_a_combination"


def named(rules: Rules, rank: int, cards: int) -> tuple[str, ...]:
    """Return the texts of a play: a wild card stands for the first card of the rank that is not named yet."""
    wild = 0 if rules.wild is None else cards & rules.wild.cards
    wild ^= of_rank(wild, rank)
    if not wild:
        return card_names(rules.deck, cards)
    names = rules.deck.names
    free = of_rank(rules.deck.full, rank) & ~cards
    texts = list(card_names(rules.deck, cards ^ wild))
    for card in members(wild):
        stands_for = free & -free
        free ^= stands_for
        texts.append(f"{names[card]}{STANDS_FOR}{names[stands_for.bit_length() - 1]}")
    return tuple(texts)


def all_plays(rules: Rules, hand: int) -> Iterator[Combination]:
    """Yield every combination in the hand: each set of cards, once for each rank it can be played as."""
    ranks = len(rules.deck.ranks)
    wild = 0 if rules.wild is None else hand & rules.wild.cards
    jokers = hand & ~wild & ~((1 << (4 * ranks)) - 1)
    for rank in range(ranks):
        yield from ((rank, cards) for cards in _sets_of(of_rank(hand, rank) | wild))
    yield from ((ranks, cards) for cards in _sets_of(jokers))


def _sets_of(cards: int) -> Iterator[int]:
    """Yield the sets of one to four of these cards."""
    held = [1 << card for card in members(cards)]
    for count in range(1, min(len(held), CARDS_MOST) + 1):
        yield from map(sum, combinations(held, count))
