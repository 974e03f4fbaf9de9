"""The plain levels: each returns what to lay, None to pass or wait (RULES section 8).

stand-in  its rule, nothing else
easy      its rule, with blunders
normal    its rule, but rather keeps a weak set than breaks it, and two wild cards for later; slips at times in turns
"""

from __future__ import annotations

from rapid.bots.dice import Rng
from rapid.bots.sight import Sight
from rapid.cards.cardset import of_rank
from rapid.rules.legal import answer_fault, strength_of
from rapid.rules.plays import Combination
from rapid.rules.standin import part_of, ranks_held, standin_choice, wild_answer

BLUNDER = 0.25
"""How often an easy bot errs."""
SLIP = 1 / 12
"""How often a normal bot does so in turns, where it has all the time it wants; in the race it is late often enough."""
WILD_KEPT = 2
"""So many wild cards a normal bot keeps for later; a hand full of them it does not hoard."""
FEW = 5
"""A normal bot with no more cards than this holds nothing back."""


def standin_play(sight: Sight) -> Combination | None:
    """Return what the stand-in lays (RULES 8)."""
    return standin_choice(sight.rules, sight.hand, sight.top, sight.must_rank, reversed_=sight.reversed_)


def easy_play(sight: Sight, rng: Rng) -> Combination | None:
    """Return the stand-in's choice; now and then a pass, or whatever is legal."""
    return standin_play(sight) if rng.random() >= BLUNDER else _blunder(sight, rng)


def _blunder(sight: Sight, rng: Rng) -> Combination | None:
    if sight.top is not None and rng.random() < 0.5:
        return None
    plays = legal_plays(sight)
    return plays[int(rng.random() * len(plays))] if plays else None


def legal_plays(sight: Sight) -> list[Combination]:
    """Return a play of each legal rank and count, weakest rank first, its first cards in suit order.

    Of those with wild cards one: what the stand-in would take.
    """
    rules, top = sight.rules, sight.top
    plays: list[Combination] = []
    hand = sight.hand if rules.wild is None else sight.hand & ~rules.wild.cards
    if sight.must_rank is not None:
        hand = of_rank(hand, sight.must_rank)
    for rank in ranks_held(rules, hand, reversed_=sight.reversed_):
        held = of_rank(hand, rank)
        plays.extend(
            (rank, part_of(rules, held, count))
            for count in range(1, held.bit_count() + 1)
            if top is None or not answer_fault(rules, top, rank, count, reversed_=sight.reversed_)
        )
    killer = rules.penalty_rank, hand & rules.killer
    if killer[1] and killer not in plays:
        plays.append(killer)  # against any count (3.5)
    if rules.wild is not None:
        plays += _wild_plays(sight)
    return plays


def _wild_plays(sight: Sight) -> list[Combination]:
    if sight.top is not None:
        play = wild_answer(sight.rules, sight.hand, sight.top, reversed_=sight.reversed_)
    else:
        assert sight.rules.wild is not None
        wild = sight.hand & sight.rules.wild.cards
        play = standin_choice(sight.rules, wild, None, None, reversed_=sight.reversed_) if wild else None
    return [] if play is None else [play]


def normal_play(sight: Sight, rng: Rng) -> Combination | None:
    """Return the stand-in's choice, unless it breaks a set that is weak and so hard to lose in parts."""
    if sight.rules.has_turns and rng.random() < SLIP:
        return _blunder(sight, rng)
    play = standin_play(sight)
    if play is None or sight.top is None or sight.hand.bit_count() <= FEW:
        return play
    rank, cards = play
    wild = 0 if sight.rules.wild is None else sight.hand & sight.rules.wild.cards
    if cards & wild and (wild & ~cards).bit_count() < WILD_KEPT:
        return None
    breaks = of_rank(sight.hand, rank) != cards
    strength = strength_of(sight.rules, rank, reversed_=sight.reversed_)
    return None if breaks and 2 * strength < sight.rules.strongest else play
