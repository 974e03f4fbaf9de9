"""Which play answers which (P1, P2, C2) and what a play closes (V1-V3)."""

from __future__ import annotations

from rapid.rules.ruleset import Answer, LargerSets, Rules

FOUR = 4


def strength_of(rules: Rules, rank: int, *, reversed_: bool) -> int:
    """Return how strong a rank is in the current order (C2; turned in a revolution, V1)."""
    return (rules.turned if reversed_ else rules.strength)[rank]


def answer_fault(rules: Rules, top: tuple[int, int], rank: int, count: int, *, reversed_: bool) -> str | None:
    """Return why this combination does not answer `top` (rank, count), None if it does (P1, 5.6)."""
    top_rank, top_count = top
    if count != top_count:
        high = rules.high[reversed_]
        return _larger_fault(rules.larger_sets, high[rank] - high[top_rank], count - top_count)
    strength = rules.turned if reversed_ else rules.strength
    by = strength[rank] - strength[top_rank]
    if rules.over_all[reversed_] >> rank & 1 or rules.under_all[reversed_] >> top_rank & 1:
        return None
    if by < 0 or (by == 0 and rules.answer is Answer.HIGHER):
        return "too_weak"
    return None


def _larger_fault(larger_sets: LargerSets, by: int, more: int) -> str | None:
    """Return why another count does not answer: only a larger set may, of a higher rank or any (5.5)."""
    if larger_sets is LargerSets.OFF or more < 0:
        return "wrong_count"
    return "too_weak" if larger_sets is LargerSets.HIGHER and by <= 0 else None


def turns_order(rules: Rules, count: int, singles: int = 0) -> bool:
    """Return whether a play of that many cards at once reverses the order (V1).

    `singles`: how many singles of its rank stand one behind the other, it included (5.5).
    """
    return rules.revolution and (count == FOUR or (singles == FOUR and rules.turns_with_run))


def closes_as_strongest(rules: Rules, rank: int, *, reversed_: bool) -> bool:
    """Return whether V3 closes the trick; `reversed_` is the order *before* the play."""
    return rules.strongest_closes and rank == rules.closing_ranks[reversed_]


def closing_reason(
    rules: Rules,
    rank: int,
    run: int,
    *,
    reversed_before: bool,
    all_passed: bool,
    round_over: bool,
    kills: bool = False,
    finishes: bool = False,
) -> str | None:
    """Return why the trick closes behind a play, the first of V6 that holds, or None.

    `run` is the number of consecutive cards of the top rank (V2); `kills`: it was the killer alone (3.5);
    `finishes`: it has emptied the hand (3.7).
    """
    if round_over:
        return "round_over"
    if kills:
        return "killer"
    if rules.four_closes and run >= FOUR:
        return "four"
    if closes_as_strongest(rules, rank, reversed_=reversed_before):
        return "strongest"
    if finishes and rules.finish_closes:
        return "finish"
    return "passed" if all_passed else None
