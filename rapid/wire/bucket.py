"""A token bucket: so many a second, with a burst. Time is passed in."""

from __future__ import annotations

from msgspec import Struct


class Rate(Struct, frozen=True):
    """A limit: `per_second` on average, `burst` at once."""

    per_second: float
    burst: float


class Bucket:
    """Starts full."""

    __slots__ = ("_at_s", "_level", "_rate")

    def __init__(self, rate: Rate, now_s: float) -> None:
        self._rate = rate
        self._level = rate.burst
        self._at_s = now_s

    def take(self, now_s: float) -> bool:
        """Take one; False, and nothing is taken, if the bucket is empty."""
        rate, passed_s = self._rate, now_s - self._at_s
        level = self._level
        if passed_s > 0:
            level += passed_s * rate.per_second
        level = min(level, rate.burst)
        self._at_s = now_s
        if level < 1:
            self._level = level
            return False
        self._level = level - 1
        return True

    def wait_s(self) -> float:
        """Return how long after the last `take` there will be one to take, 0 if there is."""
        return max(0.0, 1 - self._level) / self._rate.per_second
