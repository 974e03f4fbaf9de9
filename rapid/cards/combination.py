"""Combinations: one to four cards of one rank (RULES section 1)."""

from __future__ import annotations

from rapid.cards.cardset import RANK_MASK


def combination_rank(cards: int) -> int | None:
    """Return the rank of the set if it is a combination, else None (P1)."""
    if not cards:
        return None
    rank = ((cards & -cards).bit_length() - 1) >> 2
    return None if cards & ~(RANK_MASK << (4 * rank)) else rank
