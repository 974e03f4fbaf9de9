"""A trick: its states, what may be laid on it, and why it closes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rapid.engine.replay.cards import common_rank, rank_of, ranks_held
from rapid.engine.replay.rulebook import Rulebook

FOUR = 4


@dataclass(frozen=True, slots=True)
class Play:
    """An accepted combination."""

    seat: int
    cards: tuple[str, ...]

    @property
    def rank(self) -> str:
        """The rank all its cards share."""
        return rank_of(self.cards[0])


@dataclass(frozen=True, slots=True)
class TrickState:
    """What plays are aimed at (R2): the top, the order, and who could still act when it came about."""

    top: Play | None
    is_turned: bool
    in_trick: frozenset[int]


@dataclass(slots=True)
class Trick:
    """The trick with its plays, oldest first; `ended_ms` tells when each past state was left behind.

    In turn mode `turn` is the seat to act, `must_rank` the only rank it may play (V5), `turns` who had the turn
    at each state, and with which rank.
    """

    number: int
    state: int
    states: dict[int, TrickState] = field(default_factory=dict)
    plays: list[Play] = field(default_factory=list)
    passed: set[int] = field(default_factory=set)
    ended_ms: dict[int, int] = field(default_factory=dict)
    lost: set[tuple[int, int]] = field(default_factory=set)
    turn: int | None = None
    must_rank: str | None = None
    turns: dict[int, dict[int, str | None]] = field(default_factory=dict)

    @property
    def top(self) -> Play | None:
        """The last accepted play."""
        return self.plays[-1] if self.plays else None


def is_combination(book: Rulebook, cards: Iterable[str]) -> bool:
    """1 to 4 cards of the deck, all of one rank (P2: no straights)."""
    listed = list(cards)
    return 1 <= len(listed) <= FOUR and common_rank(listed) in book.deck.ranks


def is_legal(book: Rulebook, state: TrickState, cards: Sequence[str]) -> bool:
    """P1: anything opens; a response has the count of the top and a rank at least as strong, or stronger (4.1)."""
    # 3.5: against any count and in a turned order.
    if state.top is None or list(cards) == [book.killer]:
        return True
    turned, rank = state.is_turned, str(common_rank(cards))
    floor = book.deck.strength(state.top.rank, is_turned=turned) + book.is_strict
    return len(cards) == len(state.top.cards) and book.deck.strength(rank, is_turned=turned) >= floor


def has_legal(book: Rulebook, state: TrickState, hand: Iterable[str]) -> bool:
    """Whether the hand holds any legal play at that state."""
    count, cards = len(state.top.cards) if state.top else 1, list(hand)
    tries = ([card for card in cards if rank_of(card) == rank][:count] for rank in ranks_held(cards))
    return book.killer in cards or any(len(some) == count and is_legal(book, state, some) for some in tries)


def same_at_top(plays: list[Play]) -> int:
    """How many consecutive cards of the top's rank lie at the top (V2)."""
    count = 0
    for play in reversed(plays):
        if play.rank != plays[-1].rank:
            break
        count += len(play.cards)
    return count


def closing_reason(
    book: Rulebook, variants: dict[str, bool], trick: Trick, in_round: set[int], before: TrickState
) -> str | None:
    """Why a play by itself closes the trick, the first reason of V6, or None; `before` is the state it answered."""
    top = trick.plays[-1]
    if len(in_round) == 1:
        return "round_over"
    if list(top.cards) == [book.killer]:
        return "killer"
    if variants["four_closes"] and same_at_top(trick.plays) >= FOUR:
        return "four"
    # V3: by the order before the play.
    if variants["strongest_closes"] and top.rank == book.deck.strongest(is_turned=before.is_turned):
        return "strongest"
    return "finish" if book.closes_on_finish and top.seat not in in_round else None


def all_passed(trick: Trick, in_round: set[int]) -> bool:
    """R6: every seat in the round other than the last player has passed."""
    return bool(trick.plays) and in_round - {trick.plays[-1].seat} <= trick.passed
