"""What a generator counts while it runs: as cheap as can be, put into histograms afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

LIVE_SAMPLES: Final = 500
"""So many of the newest make the live figures."""


class Slice(Struct, frozen=True):
    """A part of a window: when it ended, and how many samples there were until then."""

    at_s: float
    counted: int
    latencies: int


class Tally(Struct, frozen=True, kw_only=True):
    """What came of one window. Latencies and lateness in seconds, one latency for each seat and accepted intent."""

    due: int
    """Intents that the schedule asked for."""
    counted: int
    """Accepted, and their event has reached all seats of the table."""
    counted_in_window: int
    """Of these, what was done by the window's end."""
    kinds: dict[str, int]
    refused: dict[str, int]
    race_lost: int
    latencies_s: Sequence[float]
    """What is not done in the end is in it too, with as long as it has waited."""
    watched_s: Sequence[float]
    """Latencies of spectators, who are waited for by nobody."""
    welcomes_s: Sequence[float]
    """From opening a connection to its welcome."""
    late_s: Sequence[float]
    """How much later than it could each intent was sent: behind its time, and behind what it had to wait for."""
    slices: Sequence[Slice]
    seconds: float
    cpu_s: float = 0.0
    cut_off: int = 0
    """Connections of seats that the server has closed for asking too often."""
    unanswered: int = 0
    """Sent, and neither refused nor seen as an event, long behind the window."""
    is_overrun: bool = False
    """Whether it was ended since too many intents were open."""
    churn: dict[str, int] = {}
    """What came and went, if anything did."""


class Recorder:
    """Of the window that runs."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin a window."""
        self.due = 0
        self.counted = 0
        self.counted_in_window = 0
        self.race_lost = 0
        self.is_overrun = False
        self.kinds: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.latencies_s: list[float] = []
        self.watched_s: list[float] = []
        self.welcomes_s: list[float] = []
        self.late_s: list[float] = []
        self.slices: list[Slice] = []

    @property
    def open(self) -> int:
        """How many intents that were due have come to nothing yet."""
        return self.due - self.counted - sum(self.refused.values())

    def slice(self, at_s: float) -> None:
        """Note how far it is."""
        self.slices.append(Slice(at_s, self.counted, len(self.latencies_s)))

    def live_ms(self) -> tuple[float | None, float | None]:
        """Return p50 and p99 of the newest samples, None if there are none."""
        newest = sorted(self.latencies_s[-LIVE_SAMPLES:])
        if not newest:
            return None, None
        return newest[len(newest) // 2] * 1000, newest[len(newest) * 99 // 100] * 1000

    def tally(self, seconds: float, cpu_s: float) -> Tally:
        """Return what came of it."""
        return Tally(
            due=self.due,
            counted=self.counted,
            counted_in_window=self.counted_in_window,
            kinds=dict(self.kinds),
            refused=dict(self.refused),
            race_lost=self.race_lost,
            latencies_s=self.latencies_s,
            watched_s=self.watched_s,
            welcomes_s=self.welcomes_s,
            late_s=self.late_s,
            slices=self.slices,
            seconds=seconds,
            cpu_s=cpu_s,
            is_overrun=self.is_overrun,
        )
