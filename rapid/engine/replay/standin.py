"""What a stand-in or a timer does (RULES 8), and which cards an exchange asks for (X2, 3.9)."""

from __future__ import annotations

from collections.abc import Iterable

from rapid.engine.replay.cards import rank_of, ranks_held
from rapid.engine.replay.rulebook import Rulebook
from rapid.engine.replay.trick import TrickState, is_legal
from rapid.engine.replay.wild import TWO, as_rank, is_wild

_ABOVE_ALL = 1000


def _first(book: Rulebook, hand: Iterable[str], rank: str, count: int) -> set[str]:
    """In the deck's suit order; the killer two last, which ranks above the twos (RULES 9)."""
    same = [card for card in hand if rank_of(card) == rank]
    same.sort(key=lambda card: (card == book.killer, book.deck.suit_place(card)))
    return set(same[:count])


def opening(book: Rulebook, hand: Iterable[str], *, is_turned: bool) -> set[str]:
    """The weakest rank, all its cards; wild ones are kept, then twos are laid, then jokers as the strongest rank."""
    kept = [card for card in hand if is_wild(book, card)]
    twos = [card for card in kept if rank_of(card) == TWO]
    free = [card for card in hand if card not in kept] or twos
    if not free:
        return set(as_rank(book, kept, book.deck.strongest(is_turned=is_turned)))
    held = ranks_held(free)
    rank = min(held, key=lambda each: book.deck.strength(each, is_turned=is_turned))
    return _first(book, free, rank, held[rank])


def response(book: Rulebook, hand: set[str], state: TrickState, must_rank: str | None = None) -> set[str]:
    """The weakest legal play that breaks no larger set, else the weakest legal; empty if there is none.

    Wild cards are kept while others do.
    """
    if state.top is None:
        return opening(book, hand, is_turned=state.is_turned)
    plain = {card for card in hand if not is_wild(book, card)}
    return _plain_response(book, plain, state, must_rank) or _completed(book, hand - plain, plain, state)


def _completed(book: Rulebook, kept: set[str], plain: set[str], state: TrickState) -> set[str]:
    """With the fewest wild cards, twos before jokers, the killer behind the twos, the weakest rank that they make."""
    count = len(state.top.cards) if state.top else 1
    killer = {str(book.killer)} & kept
    wild = sorted(kept, key=lambda card: (rank_of(card) != TWO, card in killer, book.deck.suit_place(card)))
    if count == 1 and wild[:1] == list(killer):
        return killer
    ranks = sorted(book.deck.ranks, key=lambda rank: book.deck.strength(rank, is_turned=state.is_turned))
    for number in range(1, min(count, len(wild)) + 1):
        for rank in ranks:
            own = [card for card in plain if rank_of(card) == rank]
            cards = [*own, *as_rank(book, wild[:number], rank)]
            if len(cards) == count and is_legal(book, state, cards):
                return set(cards)
    return killer


def _plain_response(book: Rulebook, hand: set[str], state: TrickState, must_rank: str | None) -> set[str]:
    count = len(state.top.cards) if state.top else 1
    held = ranks_held(hand)
    found: list[tuple[bool, int, set[str]]] = []
    for rank, number in held.items():
        # V5: that rank or nothing.
        for size in range(count, number + 1) if must_rank in {None, rank} else ():
            cards = _first(book, hand, rank, size)
            if cards != {book.killer} and is_legal(book, state, tuple(cards)):
                found.append((number > size, book.deck.strength(rank, is_turned=state.is_turned), cards))
    if book.killer in hand:
        # Playing it alone breaks a set of twos (RULES 9).
        found.append((held[rank_of(str(book.killer))] > 1, _ABOVE_ALL, {str(book.killer)}))
    return min(found, key=lambda each: each[:2])[2] if found else set()


def _goodness(book: Rulebook, card: str) -> tuple[int, bool]:
    """Normal order (X2); the best card is a rank of its own above its equals (3.9)."""
    return book.deck.strength(rank_of(card), is_turned=False), card == book.best_card


def extreme(book: Rulebook, hand: Iterable[str], count: int, *, is_best: bool) -> set[str]:
    """The best or worst cards of a hand, among equals in the deck's suit order (X2, RULES 8)."""
    ranked = sorted(hand, key=book.deck.suit_place)
    ranked.sort(key=lambda card: _goodness(book, card), reverse=is_best)
    return set(ranked[:count])


def forced(book: Rulebook, hand: Iterable[str], count: int, pick: str) -> set[str]:
    """RULES 8: what is forced, else the weakest cards."""
    return extreme(book, hand, count, is_best=pick == "best")


def is_choice(book: Rulebook, hand: Iterable[str], cards: Iterable[str], pick: str) -> bool:
    """Whether these cards settle what is owed: any, or those only equal ranks leave a choice among (3.9)."""
    chosen = list(cards)
    due = forced(book, hand, len(chosen), pick)
    return pick == "any" or sorted(_goodness(book, card) for card in chosen) == sorted(
        _goodness(book, card) for card in due
    )
