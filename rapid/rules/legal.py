"""Which play answers which (P1, P2, C2) and what a play closes (V1-V3)."""

from __future__ import annotations

from rapid.rules.ruleset import Answer, Rules

FOUR = 4


def strength_of(rules: Rules, rank: int, *, reversed_: bool) -> int:
    """Return how strong a rank is in the current order (C2; turned in a revolution, V1)."""
    strength = rules.strength[rank]
    return rules.strongest - strength if reversed_ else strength


def answer_fault(rules: Rules, top: tuple[int, int], rank: int, count: int, *, reversed_: bool) -> str | None:
    """Return why this combination does not answer `top` (rank, count), None if it does (P1)."""
    top_rank, top_count = top
    if count != top_count:
        return "wrong_count"
    strength = rules.strength
    by = strength[rank] - strength[top_rank]
    if reversed_:
        by = -by
    if by < 0 or (by == 0 and rules.answer is Answer.HIGHER):
        return "too_weak"
    return None


def turns_order(rules: Rules, count: int) -> bool:
    """Return whether a play of that many cards at once reverses the order (V1)."""
    return rules.revolution and count == FOUR


def closes_as_strongest(rules: Rules, rank: int, *, reversed_: bool) -> bool:
    """Return whether V3 closes the trick; `reversed_` is the order *before* the play."""
    return rules.strongest_closes and strength_of(rules, rank, reversed_=reversed_) == rules.strongest


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
