"""The hard level in the race: lays what would be hardest to get rid of later, and knows the variants.

It races on its own play like on anyone's: without turns a top of one's own is a chance to
lay the next card. It keeps what breaks a set for too little, and passes instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapid.bots.sight import Sight
from rapid.bots.worth import LEAST_GAIN, Gains, cost_of, gains, standing
from rapid.cards.cardset import RANK_MASK, first_of, members, of_rank
from rapid.rules.legal import answer_fault, turns_order
from rapid.rules.plays import CARDS_MOST
from rapid.rules.ruleset import LargerSets, Rules
from rapid.rules.standin import part_of

ANY = -1e9
RIDDANCE = 6.0
"""What it is worth to lose 2s before the last other set goes (V4), shared by the sets left."""
WILD = 1.0
"""What a wild card is worth while there are others that it can still help to lay."""


class Candidate(NamedTuple):
    """What may be laid: of `size` plain cards held of its rank `laid` ones, and wild ones beside them."""

    rank: int
    cards: int
    size: int
    laid: int


@lru_cache(maxsize=16)
def _counts(size: int) -> range:
    return range(1, size + 1)


def expert_play(sight: Sight) -> tuple[int, int] | None:
    """Return the legal play that leaves the hand easiest to empty, None to keep all."""
    rules, hand, top = sight.rules, sight.hand, sight.top
    strengths = standing(rules, hand | sight.laid, reversed_=sight.reversed_)
    table = gains(rules.strongest)
    penalty = RANK_MASK << (4 * rules.penalty_rank) if rules.finish_with_two else 0
    best: Candidate | None = None
    best_gain = ANY if top is None else LEAST_GAIN
    for one in _candidates(sight):
        rank, cards, size, laid = one
        rest = hand & ~cards
        if penalty and not rest & ~penalty and (rest or rank == rules.penalty_rank):
            continue  # V4: only 2s would be left, or laid last: the lowest free place
        if not rest:
            return rank, cards
        gain = table[strengths[rank]][size][laid]
        if turns_order(rules, cards.bit_count()):
            gain = _turning_gain(sight, strengths, table, rest)
        if rules.wild is not None and cards & rules.wild.cards:
            gain -= WILD * (cards & rules.wild.cards).bit_count() if rest & ~rules.wild.cards else -1
        if cards & penalty:
            gain += RIDDANCE / _set_count(hand & ~penalty)
        if gain > best_gain:
            best, best_gain = one, gain
    return None if best is None else (best.rank, best.cards)


def _candidates(sight: Sight) -> Iterable[Candidate]:
    rules, hand = sight.rules, sight.hand
    if rules.wild is None:
        return plain_candidates(sight, hand)
    return (*plain_candidates(sight, hand & ~rules.wild.cards), *_with_wild(sight, hand & rules.wild.cards))


def plain_candidates(sight: Sight, hand: int) -> Iterator[Candidate]:
    """Yield what of these cards, none of them wild, may be laid."""
    rules, top = sight.rules, sight.top
    for rank, held, size in sets_of(hand):
        if sight.must_rank is not None and rank != sight.must_rank:
            continue  # V5
        for count in _laid_counts(rules, top, rank, size, reversed_=sight.reversed_):
            yield Candidate(rank, held if count == size else part_of(rules, held, count), size, count)
        if held & rules.killer and top is not None:
            yield Candidate(rank, rules.killer, size, 1)  # against any count (3.5)


def _with_wild(sight: Sight, wild: int) -> Iterable[Candidate]:
    """Yield what takes all the plain cards of a rank and wild ones beside them, the weakest first."""
    rules, top = sight.rules, sight.top
    assert rules.wild is not None
    order = [1 << card for card in rules.wild.order if wild >> card & 1]
    for rank in range(len(rules.deck.ranks)) if order else ():
        same = of_rank(sight.hand & ~rules.wild.cards, rank)
        size = same.bit_count()
        for count in range(size + 1, min(size + len(order), CARDS_MOST) + 1) if top is None else (top[1],):
            cards = same | sum(order[: count - size])
            if count <= size or count > size + len(order) or cards == rules.killer:
                continue
            if top is None or not answer_fault(rules, top, rank, count, reversed_=sight.reversed_):
                yield Candidate(rank, cards, size, size)
    if wild & rules.killer:
        yield Candidate(rules.penalty_rank, rules.killer, 0, 0)


def sets_of(hand: int) -> Iterable[tuple[int, int, int]]:
    """Yield rank, cards and number of cards of each rank held."""
    while hand:
        rank = ((hand & -hand).bit_length() - 1) >> 2
        held = hand & (RANK_MASK << (4 * rank))
        hand ^= held
        yield rank, held, held.bit_count()


def _set_count(hand: int) -> int:
    return sum(1 for _ in sets_of(hand)) or 1


def _laid_counts(rules: Rules, top: tuple[int, int] | None, rank: int, size: int, *, reversed_: bool) -> Iterable[int]:
    """Return how many cards of this rank may be laid."""
    if top is None:
        return _counts(size)
    count = top[1]
    if rules.larger_sets is not LargerSets.OFF:
        return (n for n in range(count, size + 1) if not answer_fault(rules, top, rank, n, reversed_=reversed_))
    if count > size or answer_fault(rules, top, rank, count, reversed_=reversed_):
        return ()
    return (count,)


def _turning_gain(sight: Sight, strengths: Sequence[int], table: Gains, rest: int) -> float:
    """V1: what a revolution gains is the hand's cost before it less the rest's cost behind it."""
    turned = standing(sight.rules, sight.hand | sight.laid, reversed_=not sight.reversed_)
    return cost_of(sight.hand, strengths, table) - cost_of(rest, turned, table)


def expert_return(rules: Rules, hand: int, count: int) -> int:
    """Return the cards that leave the hand easiest to empty (X3); a new round has normal order (X4)."""
    strengths = standing(rules, hand, reversed_=False)
    table = gains(rules.strongest)
    given = 0
    while given.bit_count() < count:
        wanted = count - given.bit_count()
        given |= _best_return(hand & ~given, wanted, strengths, table)
    return given


def _best_return(hand: int, wanted: int, strengths: Sequence[int], table: Gains) -> int:
    """Return the cards of one rank that gain most a card."""
    best, best_gain = 0, ANY
    for rank, held, size in sets_of(hand):
        if rank >= len(strengths):
            continue  # wild jokers
        for laid in range(1, min(size, wanted) + 1):
            gain = table[strengths[rank]][size][laid] / laid
            if gain > best_gain:
                best, best_gain = first_of(held, laid), gain
    return best or 1 << next(members(hand))
