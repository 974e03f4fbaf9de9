"""Latencies as HDR histograms: they add up over processes and repetitions, percentiles never do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from hdrh.histogram import HdrHistogram

MOST_US: Final = 60_000_000
DIGITS: Final = 3
PERCENTILES: Final = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p999": 99.9}


class Histogram:
    """Of times in microseconds, read in milliseconds."""

    def __init__(self) -> None:
        self._hdr: Any = HdrHistogram(1, MOST_US, DIGITS)

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Histogram:
        """Return one of these times."""
        new = cls()
        new.add(seconds)
        return new

    def add(self, seconds: Iterable[float]) -> None:
        """Count times in seconds. What is longer than a minute counts as a minute."""
        # Recorded by value: the library takes 2.4 µs for each call, whatever the count.
        for us, count in Counter(max(1, min(MOST_US, round(one * 1e6))) for one in seconds).items():
            self._hdr.record_value(us, count)

    def merge(self, other: Histogram) -> None:
        """Count another's times too."""
        self._hdr.add(other._hdr)

    @property
    def count(self) -> int:
        """How many times it has."""
        return int(self._hdr.total_count)

    def ms(self, percentile: float) -> float | None:
        """Return the time below which so many percent lie; None if there are none."""
        return float(self._hdr.get_value_at_percentile(percentile)) / 1000 if self.count else None

    @property
    def max_ms(self) -> float | None:
        """The longest."""
        return float(self._hdr.get_max_value()) / 1000 if self.count else None

    def summary(self) -> dict[str, float | None]:
        """Return the percentiles of PROTOCOL 6 in ms."""
        figures = {name: self.ms(percentile) for name, percentile in PERCENTILES.items()} | {"max": self.max_ms}
        return {name: None if ms is None else round(ms, 3) for name, ms in figures.items()}


def in_ms(ms: float | None) -> str:
    """Return a time for people."""
    return "none" if ms is None else f"{ms:.2f}"
