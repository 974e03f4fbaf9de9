"""The stand-in's rule (RULES section 8), used for timeouts too."""

from __future__ import annotations

from functools import lru_cache

from rapid.cards.cardset import RANK_MASK, first_of, of_rank
from rapid.rules.legal import answer_fault
from rapid.rules.ruleset import Rules


@lru_cache(maxsize=64)
def ranks_by_strength(strength: tuple[int, ...]) -> tuple[int, ...]:
    """Return the deck's ranks, weakest first; `strength` that of the current order (C2, V1)."""
    return tuple(sorted(range(len(strength)), key=strength.__getitem__))


def ranks_held(rules: Rules, hand: int, *, reversed_: bool) -> list[int]:
    """Return the ranks in the hand, weakest first in the current order."""
    ranks = ranks_by_strength(rules.turned if reversed_ else rules.strength)
    return [rank for rank in ranks if (hand >> (4 * rank)) & RANK_MASK]


def standin_opening(rules: Rules, hand: int, *, reversed_: bool) -> int:
    """Return the opening: the weakest rank, all its cards. `hand` is not empty."""
    return of_rank(hand, ranks_held(rules, hand, reversed_=reversed_)[0])


def part_of(rules: Rules, held: int, count: int) -> int:
    """Return `count` of the cards held of one rank: the first in suit order, the killer last (RULES 9)."""
    plain = held & ~rules.killer
    return first_of(plain, count) if plain.bit_count() >= count else held


def standin_answer(rules: Rules, hand: int, top: tuple[int, int], *, reversed_: bool) -> int | None:
    """Return the weakest legal play that breaks no larger set, else the weakest legal; None: pass.

    The killer two stands above the twos, and alone breaks a set of twos (RULES 9).
    """
    count = top[1]
    breaking = None
    for rank in ranks_held(rules, hand, reversed_=reversed_):
        held = of_rank(hand, rank)
        size = held.bit_count()
        if size < count or held == rules.killer:
            continue
        if not answer_fault(rules, top, rank, size, reversed_=reversed_):
            return held
        if breaking is None:
            least = next(
                (n for n in range(count, size) if not answer_fault(rules, top, rank, n, reversed_=reversed_)), 0
            )
            breaking = part_of(rules, held, least) if least else None
    killer = hand & rules.killer
    if killer and (breaking is None or of_rank(hand, rules.penalty_rank) == killer):
        return killer
    return breaking


def standin_choice(
    rules: Rules, hand: int, top: tuple[int, int] | None, must_rank: int | None, *, reversed_: bool
) -> int | None:
    """Return what the stand-in lays, None if it passes; `must_rank`: the only rank that the turn allows (V5)."""
    if top is None:
        return standin_opening(rules, hand, reversed_=reversed_)
    if must_rank is not None:
        hand = of_rank(hand, must_rank)
    return standin_answer(rules, hand, top, reversed_=reversed_)
