"""Times as figures."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


def spread(times_ms: Sequence[float]) -> dict[str, float]:
    """Return median, p99, max and count of times in ms; empty if there are none."""
    if not times_ms:
        return {}
    ordered = sorted(times_ms)
    p99 = ordered[math.ceil(0.99 * len(ordered)) - 1]
    return {"median": statistics.median(ordered), "p99": p99, "max": ordered[-1], "count": len(ordered)}


def words(figures: dict[str, float]) -> str:
    """Return them as text."""
    if not figures:
        return "none"
    return f"median {figures['median']:.0f}, p99 {figures['p99']:.0f}, max {figures['max']:.0f} ms"
