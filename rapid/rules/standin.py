"""The stand-in's rule (RULES section 8), used for timeouts too.

Wild cards are kept: what needs none of them comes first, then what needs fewest (RULES 6).
"""

from __future__ import annotations

from functools import lru_cache

from rapid.cards.cardset import RANK_MASK, first_of, of_rank
from rapid.rules.legal import answer_fault
from rapid.rules.plays import Combination
from rapid.rules.ruleset import Rules


@lru_cache(maxsize=64)
def ranks_by_strength(strength: tuple[int, ...]) -> tuple[int, ...]:
    """Return the deck's ranks, weakest first; `strength` that of the current order (C2, V1)."""
    return tuple(sorted(range(len(strength)), key=strength.__getitem__))


def ranks_held(rules: Rules, hand: int, *, reversed_: bool) -> list[int]:
    """Return the ranks in the hand, weakest first in the current order; a wild joker has none."""
    ranks = ranks_by_strength(rules.turned if reversed_ else rules.strength)
    return [rank for rank in ranks if (hand >> (4 * rank)) & RANK_MASK]


def standin_opening(rules: Rules, hand: int, *, reversed_: bool) -> Combination:
    """Return the opening: the weakest rank, all its cards. `hand` is not empty."""
    if rules.wild is not None:
        hand = hand & ~rules.wild.cards or of_rank(hand, rules.penalty_rank) or hand
    ranks = ranks_held(rules, hand, reversed_=reversed_)
    if not ranks:  # wild jokers alone are played as the strongest rank
        return rules.closing_ranks[reversed_], hand
    return ranks[0], of_rank(hand, ranks[0])


def part_of(rules: Rules, held: int, count: int) -> int:
    """Return `count` of the cards held of one rank: the first in suit order, the killer last (RULES 9)."""
    plain = held & ~rules.killer
    return first_of(plain, count) if plain.bit_count() >= count else held


def standin_answer(rules: Rules, hand: int, top: tuple[int, int], *, reversed_: bool) -> Combination | None:
    """Return the weakest legal play that breaks no larger set, else the weakest legal; None: pass."""
    if rules.wild is None:
        return _plain_answer(rules, hand, top, reversed_=reversed_)
    plain = _plain_answer(rules, hand & ~rules.wild.cards, top, reversed_=reversed_)
    return plain or wild_answer(rules, hand, top, reversed_=reversed_)


def _plain_answer(rules: Rules, hand: int, top: tuple[int, int], *, reversed_: bool) -> Combination | None:
    """The killer two stands above the twos, and alone breaks a set of twos (RULES 9)."""
    count = top[1]
    breaking = None
    for rank in ranks_held(rules, hand, reversed_=reversed_):
        held = of_rank(hand, rank)
        size = held.bit_count()
        if size < count or held == rules.killer:
            continue
        if not answer_fault(rules, top, rank, size, reversed_=reversed_):
            return rank, held
        if breaking is None:
            least = next(
                (n for n in range(count, size) if not answer_fault(rules, top, rank, n, reversed_=reversed_)), 0
            )
            breaking = (rank, part_of(rules, held, least)) if least else None
    killer = hand & rules.killer
    if killer and (breaking is None or of_rank(hand, rules.penalty_rank) == killer):
        return rules.penalty_rank, killer
    return breaking


def wild_answer(rules: Rules, hand: int, top: tuple[int, int], *, reversed_: bool) -> Combination | None:
    """Return the answer with the fewest wild cards, of those the weakest; None if there is none.

    The wild cards are the weakest held: twos, the killer behind them, then jokers.
    """
    assert rules.wild is not None
    count, plain = top[1], hand & ~rules.wild.cards
    held = [1 << card for card in rules.wild.order if hand >> card & 1]
    killer = hand & rules.killer & rules.wild.cards
    if count == 1 and held and held[0] == killer:
        return rules.penalty_rank, killer  # alone it is the killer, whatever it says it stands for
    for wild in range(1, min(count, len(held)) + 1):
        for rank in ranks_by_strength(rules.turned if reversed_ else rules.strength):
            same = of_rank(plain, rank)
            if rank >= len(rules.deck.ranks) or same.bit_count() != count - wild:
                continue  # no card stands for a joker
            if not answer_fault(rules, top, rank, count, reversed_=reversed_):
                return rank, same | sum(held[:wild])
    return (rules.penalty_rank, killer) if killer else None


def standin_choice(
    rules: Rules, hand: int, top: tuple[int, int] | None, must_rank: int | None, *, reversed_: bool
) -> Combination | None:
    """Return what the stand-in lays, None if it passes; `must_rank`: the only rank that the turn allows (V5)."""
    if top is None:
        return standin_opening(rules, hand, reversed_=reversed_)
    if must_rank is not None:
        hand = of_rank(hand, must_rank)
    return standin_answer(rules, hand, top, reversed_=reversed_)
