"""How long a bot waits before it acts: a human time, by level, so that people can win (RULES 8)."""

from __future__ import annotations

from rapid.bots.dice import Rng
from rapid.bots.sight import UNRATED

WAIT_MS: dict[str, tuple[int, int]] = {
    "easy": (2_500, 5_000),
    "normal": (1_800, 3_800),
    "hard": (1_200, 2_600),
}
"""By level: shortest and longest wait."""


def wait_ms(level: str | None, rng: Rng) -> int:
    """Draw the time between what a bot sees and its attempt; the middle is likeliest, as with people.

    `level` None: a seat without one, a stand-in's or a leaver's.
    """
    low, high = WAIT_MS[level or UNRATED]
    return low + int((high - low) * (rng.random() + rng.random()) / 2)
