"""Figures of windows that were measured in turn, held against one another."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from loadtests.report.measured import Measured

Figure = Callable[[Measured], float | None]
Windows = Sequence[tuple[Measured, Measured]]


def each_ratio(figure: Figure, windows: Windows) -> list[float] | None:
    """Return first / second of each pair; None if one of them has no such figure, or nothing to divide by."""
    found = []
    for one, other in windows:
        above, below = figure(one), figure(other)
        if above is None or not below:
            return None
        found.append(above / below)
    return found


def median_ratio(figure: Figure, windows: Windows) -> float | None:
    """Return the median of these."""
    found = each_ratio(figure, windows)
    return round(statistics.median(found), 3) if found else None
