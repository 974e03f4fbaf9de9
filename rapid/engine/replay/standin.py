"""What a stand-in or a timer does (RULES 8)."""

from __future__ import annotations

from collections.abc import Iterable

from rapid.engine.replay.cards import Deck, rank_of, ranks_held
from rapid.engine.replay.trick import TrickState, is_legal


def _first(deck: Deck, hand: Iterable[str], rank: str, count: int) -> set[str]:
    same = sorted((card for card in hand if rank_of(card) == rank), key=deck.suit_place)
    return set(same[:count])


def opening(deck: Deck, hand: Iterable[str], *, is_turned: bool) -> set[str]:
    """The weakest rank, all its cards."""
    held = ranks_held(hand)
    rank = min(held, key=lambda each: deck.strength(each, is_turned=is_turned))
    return _first(deck, hand, rank, held[rank])


def response(deck: Deck, hand: Iterable[str], state: TrickState, must_rank: str | None = None) -> set[str]:
    """The weakest legal play that breaks no larger set, else the weakest legal; empty if there is none."""
    if state.top is None:
        return opening(deck, hand, is_turned=state.is_turned)
    count = len(state.top.cards)
    held = ranks_held(hand)
    legal = [rank for rank, number in held.items() if number >= count and is_legal(deck, state, rank, count)]
    # V5: that rank or nothing.
    legal = [rank for rank in legal if must_rank in {None, rank}]
    if not legal:
        return set()
    rank = min(legal, key=lambda each: (held[each] > count, deck.strength(each, is_turned=state.is_turned)))
    return _first(deck, hand, rank, count)


def weakest(deck: Deck, hand: Iterable[str], count: int) -> set[str]:
    """The cards given away in an exchange, by the normal order (X2)."""
    ranked = sorted(hand, key=lambda card: (deck.strength(rank_of(card), is_turned=False), deck.suit_place(card)))
    return set(ranked[:count])


def strongest(deck: Deck, hand: Iterable[str], count: int) -> set[str]:
    """X2: the best cards in normal order; among equal ranks spades, hearts, diamonds, clubs."""
    ranked = sorted(hand, key=lambda card: (-deck.strength(rank_of(card), is_turned=False), deck.suit_place(card)))
    return set(ranked[:count])
