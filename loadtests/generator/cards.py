"""A hand by ranks, and what can be played from it (P1): all that a table's fold knows of cards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

RANK_OF: Final = {rank: place for place, rank in enumerate("3456789TJQKA2")}
RANKS: Final = range(13)
RANKS_TURNED: Final = range(12, -1, -1)


class Hand:
    """Cards by the strength of their rank."""

    __slots__ = ("by_rank", "size")

    def __init__(self, cards: Iterable[str] = ()) -> None:
        self.by_rank: list[list[str]] = [[] for _ in RANKS]
        self.size = 0
        self.add(cards)

    def add(self, cards: Iterable[str]) -> None:
        """Cards come."""
        for card in cards:
            self.by_rank[RANK_OF[card[0]]].append(card)
            self.size += 1

    def remove(self, cards: Iterable[str]) -> None:
        """Cards go, as far as they are there: a view may have taken them away already."""
        for card in cards:
            held = self.by_rank[RANK_OF[card[0]]]
            if card in held:
                held.remove(card)
                self.size -= 1

    def weakest(self, count: int) -> list[str]:
        """Return so many of the weakest cards."""
        return [card for cards in self.by_rank for card in cards][:count]

    def answer(self, top: tuple[int, int] | None, *, is_turned: bool) -> list[str]:
        """Return the weakest play on rank and number of the top, or on an empty trick; empty if there is none."""
        by_rank = self.by_rank
        if top is None:
            for rank in RANKS_TURNED if is_turned else RANKS:
                if by_rank[rank]:
                    return by_rank[rank][:]
            return []
        least, count = top
        for rank in range(least, -1, -1) if is_turned else range(least, 13):
            if len(by_rank[rank]) >= count:
                return by_rank[rank][:count]
        return []
