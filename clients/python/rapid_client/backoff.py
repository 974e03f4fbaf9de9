"""How long to wait before connecting again: doubling, with full jitter, up to a most, without end."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

GOING_AWAY = 1001


@dataclass
class Backoff:
    """Waiting times in seconds. A connection that lasted `stable_s` makes the next wait short again."""

    first_s: float = 0.25
    most_s: float = 10.0
    stable_s: float = 5.0
    jitter: random.Random = field(default_factory=random.SystemRandom, repr=False)
    _failures: int = 0

    def next_s(self, *, code: int | None, lasted_s: float) -> float:
        """The wait after a connection that lasted so long and closed with `code` (None: no close frame)."""
        if lasted_s >= self.stable_s:
            self._failures = 0
        self._failures += 1
        steps = self._failures - 1
        if code == GOING_AWAY:
            # The server asks to come back at once (PROTOCOL 3.2); only repeated, it is a failure like any other.
            steps -= 1
        if steps < 0:
            return 0.0
        return self.jitter.uniform(0.0, min(self.most_s, self.first_s * 2.0 ** min(steps, 30)))
