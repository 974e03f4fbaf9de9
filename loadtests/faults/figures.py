"""Times as figures, and what became of running deadlines."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

from loadtests.judges import Log


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


def deadlines_kept(log: Log, from_ms: int) -> Iterator[bool]:
    """Yield for each change of owner since then whether the running deadline was kept (R9)."""
    deadline: int | None = None
    for event in log:
        if event["type"] == "resumed" and event["at"] >= from_ms:
            yield event["deadline"] == deadline
        if event["type"] in {"round_ended", "exchange_closed"}:
            deadline = None
        elif "deadline" in event and event["type"] not in {"connection_lost", "connection_back"}:
            deadline = event["deadline"]
