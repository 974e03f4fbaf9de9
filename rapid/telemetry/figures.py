"""Figures that cost the hot path an addition: plain numbers, made into Prometheus' families when somebody asks.

The client's own objects take a lock and a dictionary a count, some microseconds for each intent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

INFINITE: Final = "+Inf"


class Count:
    """One number that grows: `count.n += 1`."""

    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 0


class Counts(dict[str | int, int]):
    """A number for each value of one label: `counts[value] += 1`. What is there from the start is shown as 0."""

    def __missing__(self, value: str | int) -> int:
        return 0

    def show(self, values: Iterable[str | int]) -> None:
        """Show these from now on: a series that appears with its first increase hides that increase from `rate()`."""
        for value in values:
            self.setdefault(value, 0)


class Spread:
    """How many values were at most each bound; a histogram."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Iterable[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def note(self, value: float) -> None:
        """Count one value; less than nothing, which a clock that was set can give, counts as nothing."""
        if value < 0:  # noqa: PLR1730  # noted several times for each intent: a call less
            value = 0
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def buckets(self) -> list[tuple[str, float]]:
        """Return each bound with how many values were at most that."""
        rows, so_far = [], 0
        for bound, count in zip([*map(str, map(float, self.bounds)), INFINITE], list(self.counts), strict=True):
            so_far += count
            rows.append((bound, float(so_far)))
        return rows


class Figures(Collector):
    """Plain figures under the names, words and labels that operators see."""

    def __init__(self) -> None:
        self._families: list[Callable[[], Metric]] = []

    def count(self, name: str, words: str) -> Count:
        """Return a counter, shown as `<name>_total`."""
        count = Count()
        self._families.append(lambda: CounterMetricFamily(name, words, value=count.n))
        return count

    def counts(self, name: str, words: str, label: str, values: Iterable[str | int] = ()) -> Counts:
        """Return a counter for each value of a label; `values` are shown from the start."""
        counts = Counts(dict.fromkeys(values, 0))

        def family() -> Metric:
            shown = CounterMetricFamily(name, words, labels=[label])
            # A copy: a worker is asked from another thread.
            for value, n in list(counts.items()):
                shown.add_metric([str(value)], n)
            return shown

        self._families.append(family)
        return counts

    def spread(self, name: str, words: str, bounds: Sequence[float]) -> Spread:
        """Return a histogram with these upper bounds."""
        spread = Spread(bounds)
        self._families.append(lambda: HistogramMetricFamily(name, words, spread.buckets(), spread.total))
        return spread

    def spreads(
        self, name: str, words: str, bounds: Sequence[float], label: str, values: Sequence[str]
    ) -> dict[str, Spread]:
        """Return a histogram for each of these values of a label."""
        spreads = {value: Spread(bounds) for value in values}

        def family() -> Metric:
            shown = HistogramMetricFamily(name, words, labels=[label])
            for value, spread in spreads.items():
                shown.add_metric([value], spread.buckets(), spread.total)
            return shown

        self._families.append(family)
        return spreads

    def collect(self) -> Iterator[Metric]:
        """Prometheus: give all families as they are now."""
        return (family() for family in self._families)
