"""What a stand-in or a timer does (RULES 8), and which cards an exchange asks for (X2, 3.9)."""

from __future__ import annotations

from collections.abc import Iterable

from rapid.engine.replay.cards import rank_of, ranks_held
from rapid.engine.replay.rulebook import Rulebook
from rapid.engine.replay.trick import TrickState, is_legal

_ABOVE_ALL = 1000


def _first(book: Rulebook, hand: Iterable[str], rank: str, count: int) -> set[str]:
    """In the deck's suit order; the killer two last, which ranks above the twos (RULES 9)."""
    same = [card for card in hand if rank_of(card) == rank]
    same.sort(key=lambda card: (card == book.killer, book.deck.suit_place(card)))
    return set(same[:count])


def opening(book: Rulebook, hand: Iterable[str], *, is_turned: bool) -> set[str]:
    """The weakest rank, all its cards."""
    held = ranks_held(hand)
    rank = min(held, key=lambda each: book.deck.strength(each, is_turned=is_turned))
    return _first(book, hand, rank, held[rank])


def response(book: Rulebook, hand: set[str], state: TrickState, must_rank: str | None = None) -> set[str]:
    """The weakest legal play that breaks no larger set, else the weakest legal; empty if there is none."""
    if state.top is None:
        return opening(book, hand, is_turned=state.is_turned)
    count = len(state.top.cards)
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
