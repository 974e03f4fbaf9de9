"""How hard a set of cards is to get rid of, and what a play of some of them gains.

Who may lay a set depends on chance: being first at an opening, where every rank goes, or a
trick of the same count whose top is no stronger. `worth` is one over that chance: about how
many trick states a set waits for its turn. A hand costs the sum over its ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rapid.cards.cardset import RANK_MASK
from rapid.rules.ruleset import Rules
from rapid.rules.standin import ranks_by_strength

OPENING = 0.25
"""Chance to be the one who opens."""
ANSWERING = (0.0, 0.5, 0.3, 0.12, 0.02)
"""By count: chance of a trick of that count which the strongest rank could join."""
LEAST_GAIN = 0.1
"""A bot keeps its cards for less than this."""

Gains = tuple[tuple[tuple[float, ...], ...], ...]


def worth(share: float, count: int) -> float:
    """Return how many trick states a set waits; `share` from 0 weakest to 1 strongest."""
    return 1 / (OPENING + ANSWERING[count] * share * share) if count else 0.0


@lru_cache(maxsize=16)
def gains(steps: int) -> Gains:
    """Return [strength][cards held of a rank][cards laid of them] → states saved; `steps` strengths above 0."""
    return tuple(
        tuple(
            tuple(worth(step / steps, held) - worth(step / steps, held - laid) for laid in range(held + 1))
            for held in range(5)
        )
        for step in range(steps + 1)
    )


def standing(rules: Rules, seen: int, *, reversed_: bool) -> Sequence[int]:
    """Return by rank how strong it still is, 0 to `rules.strongest`.

    `seen` are the cards of the own hand and those laid: a king is as good as a 2 once
    nobody else can hold aces or 2s.
    """
    unseen = rules.deck.full & ~seen
    total = unseen.bit_count() or 1
    most = rules.strongest
    strengths = [0] * len(rules.strength)
    stronger = 0
    for rank in reversed(ranks_by_strength(rules.turned if reversed_ else rules.strength)):
        strengths[rank] = most - most * stronger // total
        stronger += ((unseen >> (4 * rank)) & RANK_MASK).bit_count()
    return strengths


def cost_of(hand: int, strengths: Sequence[int], table: Gains) -> float:
    """Return about how many trick states it takes to empty this hand."""
    cost = 0.0
    for rank, strength in enumerate(strengths):
        size = ((hand >> (4 * rank)) & RANK_MASK).bit_count()
        cost += table[strength][size][size]
    return cost
