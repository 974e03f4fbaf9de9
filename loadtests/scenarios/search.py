"""How the highest load is looked for: up in large steps until one does not hold, then in small ones from the last."""

from __future__ import annotations

from typing import Final

LARGE: Final = 1.5
DOWN: Final = 3.0
"""Where not even the first load held."""
SMALL: Final = 1.1
SMALLEST_RATE: Final = 10.0


class Search:
    """`next_rate` is tried next, None when it is over; `best` is the highest that held, None if none did yet."""

    def __init__(self, first_rate: float) -> None:
        self.best: float | None = None
        self.next_rate: float | None = first_rate
        self._failed: float | None = None

    def take(self, *, held: bool) -> None:
        """Say whether the load that was tried held."""
        tried = self.next_rate
        assert tried is not None
        if held:
            self.best = tried
            self.next_rate = self._above(tried)
            return
        is_first_failure = self._failed is None
        self._failed = tried
        if self.best is None:
            self.next_rate = tried / DOWN if tried / DOWN >= SMALLEST_RATE else None
        else:
            self.next_rate = self._above(self.best) if is_first_failure else None

    def _above(self, rate: float) -> float | None:
        if self._failed is None:
            return rate * LARGE
        above = rate * SMALL
        # So near to what failed that another step says nothing new.
        return above if above * 1.02 < self._failed else None
