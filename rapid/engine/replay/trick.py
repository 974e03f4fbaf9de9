"""A trick: its states, what may be laid on it, and why it closes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rapid.engine.replay.cards import JOKER, bare, common_rank
from rapid.engine.replay.rulebook import Rulebook
from rapid.engine.replay.wild import FOUR, sets_of


@dataclass(frozen=True, slots=True)
class Play:
    """An accepted combination; `rank` is what counts: transparent threes take that of what they answer (5.5)."""

    seat: int
    cards: tuple[str, ...]
    rank: str
    is_plain: bool = True


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


def is_killer(book: Rulebook, cards: Sequence[str]) -> bool:
    """3.5: this card alone, whatever it says it stands for (RULES 9)."""
    return [bare(card) for card in cards] == [book.killer]


def _rules_all(book: Rulebook, rank: str, *, is_turned: bool) -> bool:
    """A rank that beats everything and is beaten by everything of the same count (5.5)."""
    return (book.two_high_low and rank == "2") or (book.turning == "run" and is_turned and rank == "A")


def has_power(book: Rulebook, rank: str, *, is_turned: bool) -> bool:
    """5.6: a power over all of the same count."""
    is_transparent = book.has_transparent_threes and rank == "3"
    return rank == JOKER or is_transparent or _rules_all(book, rank, is_turned=is_turned)


def is_legal(book: Rulebook, state: TrickState, cards: Sequence[str]) -> bool:
    """P1: anything opens; a response has the count of the top and a rank at least as strong, or stronger (4.1, 5.6)."""
    # 3.5: against any count and in a turned order.
    if state.top is None or is_killer(book, cards):
        return True
    turned, rank, top = state.is_turned, str(common_rank(cards)), state.top
    if len(cards) < len(top.cards):
        return False
    if len(cards) > len(top.cards):
        # Equal rank with more cards does not beat (RULES 9).
        is_higher = _height(book, rank, is_turned=turned) > _height(book, top.rank, is_turned=turned)
        return book.larger_sets == "any" or (book.larger_sets == "higher" and is_higher)
    if has_power(book, rank, is_turned=turned) or _rules_all(book, top.rank, is_turned=turned):
        return True
    floor = book.deck.strength(top.rank, is_turned=turned) + book.is_strict
    return book.deck.strength(rank, is_turned=turned) >= floor


def _height(book: Rulebook, rank: str, *, is_turned: bool) -> float:
    """For larger sets: a 2 under `two_high_low`, or a turned ace, counts as high (RULES 9).

    Of both the ace is higher, as in the turned order that has it (5.5).
    """
    has_high_ace = book.turning == "run" and is_turned
    if rank == "2" and book.two_high_low and not has_high_ace:
        return len(book.deck.ranks) - 0.5
    return book.deck.strength(rank, is_turned=is_turned)


def laid(book: Rulebook, seat: int, cards: tuple[str, ...], top: Play | None) -> Play:
    """The play that these cards are on this top."""
    rank = str(common_rank(cards))
    if top is not None and book.has_transparent_threes and rank == "3":
        return Play(seat, cards, top.rank, is_plain=False)
    return Play(seat, cards, rank)


def is_equal(top: Play | None, play: Play) -> bool:
    """3.4, V5, 5.5: an answer of the same rank and count; transparent threes never are."""
    return top is not None and play.is_plain and play.rank == top.rank and len(play.cards) == len(top.cards)


def turns_order(book: Rulebook, plays: list[Play], *, has_revolution: bool) -> bool:
    """V1, 5.5, 6: four of a kind at once; under `run` four consecutive singles of one rank too."""
    if len(plays[-1].cards) == FOUR:
        return has_revolution or book.turning != "off"
    last = plays[-FOUR:]
    are_singles = all(len(play.cards) == 1 and play.is_plain and play.rank == last[-1].rank for play in last)
    return book.turning == "run" and len(last) == FOUR and are_singles


def has_legal(book: Rulebook, state: TrickState, hand: Iterable[str]) -> bool:
    """Whether the hand holds any legal play at that state."""
    count, cards = len(state.top.cards) if state.top else 1, list(hand)
    counts = range(count, FOUR + 1) if book.larger_sets != "off" else (count,)
    tries = (most[:size] for most in sets_of(book, cards) for size in counts)
    return book.killer in cards or any(len(some) >= count and is_legal(book, state, some) for some in tries)


def same_at_top(plays: list[Play]) -> int:
    """How many consecutive cards of the top's rank lie at the top (V2)."""
    count = 0
    for play in reversed(plays):
        if play.rank != plays[-1].rank or not play.is_plain:
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
    if is_killer(book, top.cards):
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
