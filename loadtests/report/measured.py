"""One window's figures, put together from all generators and processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from loadtests.generator.recorder import Tally
from loadtests.generator.schedule import OPEN_MAX
from loadtests.report.histogram import Histogram

LATE_MS: Final = 1.0
"""Intents that are handed out or sent later than this at p99: the generator could not keep up, and nothing it saw is
the server's alone. The time that a table waits for the server is not in it."""


NEAR_SECONDS: Final = 0.5


class Point(Struct, frozen=True):
    """A moment of a window: latencies since the moment before, and which part of a core each process took."""

    at_s: float
    rate: float
    p50_ms: float | None
    p99_ms: float | None
    """None where nothing was heard of."""
    busy: dict[str, float]


class Measured(Struct, frozen=True, kw_only=True):
    """What a window showed. CPU in seconds of each process, memory in kB at its end."""

    asked_rate: float
    seconds: float
    due: int
    counted: int
    counted_in_window: int
    kinds: dict[str, int]
    refused: dict[str, int]
    race_lost: int
    cut_off: int
    """Connections of seats that the server has closed for asking too often."""
    unanswered: int
    """Sent, and neither refused nor seen as an event, long behind the window."""
    latency: Histogram
    watched: Histogram
    """Latency of spectators."""
    welcomes: Histogram
    """From opening a connection to its welcome."""
    late: Histogram
    churn: dict[str, int]
    cpu_s: dict[str, float]
    memory_kb: dict[str, int | None]
    """None: the process is gone."""
    points: list[Point]
    is_overrun: bool = False
    """Whether it was ended since too many intents were open."""
    broken_off: str | None = None
    """Why it ended before its time, if it did."""

    @property
    def rate(self) -> float:
        """Accepted intents a second whose event reached all seats before the window's end."""
        return self.counted_in_window / self.seconds

    @property
    def p99_ms(self) -> float | None:
        """The latency that one in a hundred exceeds."""
        return self.latency.ms(99)

    @property
    def quoted_ms(self) -> dict[str, float | None]:
        """The percentiles of its latencies, all None if it may not be quoted."""
        found = self.latency.summary()
        return found if self.bottleneck is None else dict.fromkeys(found)

    @property
    def behind(self) -> int:
        """Intents that were not done with when the window ended, sent or not: the load was more than was carried."""
        return self.due - self.counted - sum(self.refused.values())

    @property
    def plays_share(self) -> float:
        """Which part of what is counted are plays."""
        return self.kinds.get("play", 0) / self.counted if self.counted else 0.0

    def cpu_us(self, name: str) -> float | None:
        """Return the CPU time of one process for each counted intent."""
        used_s = self.cpu_s.get(name)
        return None if used_s is None or not self.counted else used_s * 1e6 / self.counted

    @property
    def servers_cpu_us(self) -> float | None:
        """CPU time of all server processes for each counted intent; None if they are not ours to look into."""
        used_s = [used for name, used in self.cpu_s.items() if name != "generator"]
        return sum(used_s) * 1e6 / self.counted if used_s and self.counted else None

    @property
    def bottleneck(self) -> str | None:
        """A sentence if the generator was too slow to measure this, or it was not measured to its end."""
        if self.broken_off is not None:
            return self.broken_off
        if self.is_overrun:
            return (
                f"{self.asked_rate:,.0f} intents a second are far more than is carried here: the window was ended when "
                f"{OPEN_MAX:,} of them were open in a generator"
            )
        late_ms = self.late.ms(99)
        if late_ms is None or late_ms <= LATE_MS:
            return None
        return (
            f"the generator sent 1 in 100 intents {late_ms:.3f} ms late or later ({LATE_MS:g} ms is the most): "
            "this machine is too busy, or one generator is not enough (--generators)"
        )


def put_together(
    tallies: Sequence[Tally],
    *,
    rate: float,
    seconds: float,
    cpu_s: Mapping[str, float],
    memory_kb: Mapping[str, int | None],
    busy: Sequence[tuple[float, Mapping[str, float]]],
) -> Measured:
    """Return the figures of a window. `seconds`: how long intents were due; `busy`: at a moment, shares of a core."""
    kinds, refused = Counter[str](), Counter[str]()
    latency, watched, welcomes, late = Histogram(), Histogram(), Histogram(), Histogram()
    churn = Counter[str]()
    for tally in tallies:
        kinds.update(tally.kinds)
        refused.update(tally.refused)
        latency.add(tally.latencies_s)
        watched.add(tally.watched_s)
        welcomes.add(tally.welcomes_s)
        late.add(tally.late_s)
        churn.update(tally.churn)
    return Measured(
        asked_rate=rate,
        seconds=seconds,
        due=sum(tally.due for tally in tallies),
        counted=sum(tally.counted for tally in tallies),
        counted_in_window=sum(tally.counted_in_window for tally in tallies),
        kinds=dict(kinds),
        refused=dict(refused),
        race_lost=sum(tally.race_lost for tally in tallies),
        cut_off=sum(tally.cut_off for tally in tallies),
        unanswered=sum(tally.unanswered for tally in tallies),
        latency=latency,
        watched=watched,
        welcomes=welcomes,
        late=late,
        churn=dict(churn),
        cpu_s={**cpu_s, "generator": sum(tally.cpu_s for tally in tallies)},
        memory_kb=dict(memory_kb),
        points=_points(tallies, busy),
        is_overrun=any(tally.is_overrun for tally in tallies),
    )


def _points(tallies: Sequence[Tally], busy: Sequence[tuple[float, Mapping[str, float]]]) -> list[Point]:
    """Put slices of the generators that end at about the same time together."""
    points = []
    count = min((len(tally.slices) for tally in tallies), default=0)
    for number in range(count):
        histogram, rate, at_s = Histogram(), 0.0, tallies[0].slices[number].at_s
        for tally in tallies:
            before = tally.slices[number - 1] if number else None
            one = tally.slices[number]
            start = before.latencies if before else 0
            histogram.add(tally.latencies_s[start : one.latencies])
            if before and one.at_s > before.at_s:
                rate += (one.counted - before.counted) / (one.at_s - before.at_s)
        points.append(Point(at_s, rate, histogram.ms(50), histogram.ms(99), _shares(busy, at_s)))
    return points


def _shares(busy: Sequence[tuple[float, Mapping[str, float]]], at_s: float) -> dict[str, float]:
    """Return what the processes took at about that time, nothing if nobody looked."""
    nearest_s, shares = min(busy, key=lambda found: abs(found[0] - at_s), default=(-NEAR_SECONDS, {}))
    return dict(shares) if abs(nearest_s - at_s) < NEAR_SECONDS else {}
