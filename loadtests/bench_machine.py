"""`python -m loadtests.bench_machine`: whether this machine runs evenly enough to measure latency on.

One processor does the same few steps over and over, which fit into its nearest caches, and counts how often it comes
round in each two milliseconds. Where that is less than a third of the usual, something beneath was in the way: another
program, or the host of a virtual machine. Nothing a server does could be as fast as ever then. To be run while nothing
else does.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

WINDOW_NS = 2_000_000
SLOW = 1 / 3
"""Of the usual speed."""


class Window(NamedTuple):
    """How often the steps were done in how many nanoseconds."""

    rounds: int
    ns: int

    @property
    def speed(self) -> float:
        """Rounds a nanosecond."""
        return self.rounds / self.ns


class Figures(NamedTuple):
    """`share` of the time was slow, in so many `stretches`, the longest of `longest_ms`, at `speed` of the usual."""

    seconds: float
    stretches: int
    longest_ms: float
    share: float
    speed: float | None


def measure(seconds: float) -> list[Window]:
    """Go round for so long."""
    clock = time.perf_counter_ns
    windows: list[Window] = []
    began = from_ns = clock()
    rounds = 0
    while from_ns - began < seconds * 1e9:
        rounds += 1
        passed_ns = clock() - from_ns
        if passed_ns >= WINDOW_NS:
            windows.append(Window(rounds, passed_ns))
            from_ns, rounds = clock(), 0
    return windows


def figures_of(windows: Sequence[Window]) -> Figures:
    """Judge by the median window."""
    usual = statistics.median(window.speed for window in windows)
    slow: list[list[Window]] = []
    was_slow = False
    for window in windows:
        is_slow = window.speed < usual * SLOW
        if is_slow and was_slow:
            slow[-1].append(window)
        elif is_slow:
            slow.append([window])
        was_slow = is_slow
    lengths_ns = [sum(window.ns for window in stretch) for stretch in slow]
    whole_ns = sum(window.ns for window in windows)
    done = sum(window.rounds for stretch in slow for window in stretch)
    return Figures(
        seconds=whole_ns / 1e9,
        stretches=len(slow),
        longest_ms=max(lengths_ns, default=0) / 1e6,
        share=sum(lengths_ns) / whole_ns,
        speed=done / sum(lengths_ns) / usual if slow else None,
    )


def words(figures: Figures) -> str:
    """Return them as a line."""
    if figures.speed is None:
        return f"{figures.seconds:.0f} s: even, never at less than a third of the usual speed for two milliseconds"
    return (
        f"{figures.seconds:.0f} s: {figures.stretches} times slow, {figures.longest_ms:.0f} ms at most, "
        f"{figures.share:.1%} of the time, and then at {figures.speed:.0%} of the usual speed"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtests.bench_machine", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long (default 20)")
    return parser


def main() -> None:
    """Measure and print."""
    print(words(figures_of(measure(_parser().parse_args().seconds))))


if __name__ == "__main__":
    main()
