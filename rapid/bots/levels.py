"""The plain levels: each returns the cards to lay, 0 to pass or wait (RULES section 8).

stand-in  its rule, nothing else
easy      its rule, with blunders
normal    its rule, but rather keeps a weak set than breaks it
"""

from __future__ import annotations

from rapid.bots.dice import Rng
from rapid.bots.sight import Sight
from rapid.cards.cardset import of_rank
from rapid.rules.legal import answer_fault, strength_of
from rapid.rules.standin import part_of, ranks_held, standin_choice

BLUNDER = 0.25
"""How often an easy bot errs."""
FEW = 5
"""A normal bot with no more cards than this holds nothing back."""


def standin_play(sight: Sight) -> int:
    """Return what the stand-in lays (RULES 8)."""
    return standin_choice(sight.rules, sight.hand, sight.top, sight.must_rank, reversed_=sight.reversed_) or 0


def easy_play(sight: Sight, rng: Rng) -> int:
    """Return the stand-in's choice; now and then a pass, or whatever is legal."""
    if rng.random() >= BLUNDER:
        return standin_play(sight)
    if sight.top is not None and rng.random() < 0.5:
        return 0
    plays = legal_plays(sight)
    return plays[int(rng.random() * len(plays))] if plays else 0


def legal_plays(sight: Sight) -> list[int]:
    """Return a play of each legal rank and count, weakest rank first, its first cards in suit order."""
    rules, top = sight.rules, sight.top
    plays: list[int] = []
    hand = sight.hand if sight.must_rank is None else of_rank(sight.hand, sight.must_rank)
    for rank in ranks_held(rules, hand, reversed_=sight.reversed_):
        held = of_rank(sight.hand, rank)
        plays.extend(
            part_of(rules, held, count)
            for count in range(1, held.bit_count() + 1)
            if top is None or not answer_fault(rules, top, rank, count, reversed_=sight.reversed_)
        )
    killer = hand & rules.killer
    if killer and killer not in plays:
        plays.append(killer)  # against any count (3.5)
    return plays


def normal_play(sight: Sight) -> int:
    """Return the stand-in's choice, unless it breaks a set that is weak and so hard to lose in parts."""
    cards = standin_play(sight)
    if not cards or sight.top is None or sight.hand.bit_count() <= FEW:
        return cards
    rank = ((cards & -cards).bit_length() - 1) >> 2
    breaks = of_rank(sight.hand, rank) != cards
    strength = strength_of(sight.rules, rank, reversed_=sight.reversed_)
    return 0 if breaks and 2 * strength < sight.rules.strongest else cards
