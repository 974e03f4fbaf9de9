"""Randomness for bots: what they ask of it, and dice that one seed replays everywhere."""

from __future__ import annotations

import hashlib
from typing import Protocol

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


class Rng(Protocol):
    """What bots draw from; `random.Random` is one."""

    def random(self) -> float:
        """Return a number from 0 up to but not 1."""


def digest_of(*parts: object) -> bytes:
    """Return 32 bytes that hang on these parts alone."""
    return hashlib.sha256("\x00".join(map(str, parts)).encode()).digest()


class Dice:
    """SplitMix64 over a seed: the same numbers on every machine and Python."""

    __slots__ = ("_state",)

    def __init__(self, *seed: object) -> None:
        """Begin the stream that belongs to these parts."""
        self._state = int.from_bytes(digest_of(*seed)[:8], "big")

    def random(self) -> float:
        """Return a number from 0 up to but not 1."""
        self._state = z = (self._state + _STEP) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return float((z ^ (z >> 31)) >> 11) * 2.0**-53


def between(rng: Rng, low: int, high: int) -> int:
    """Draw an integer from `low` to `high`, both included."""
    return low + int(rng.random() * (high - low + 1))
