"""The same load without and with something beside it, in turn on one server: only what is measured so compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from loadtests.options import Options
from loadtests.report.measured import Measured
from loadtests.report.progress import Display
from loadtests.report.ratios import Figure, median_ratio
from loadtests.run import Run
from loadtests.scenarios.common import grown_kb


class Pair(Struct, frozen=True):
    """One repetition, and the memory at the end of each part."""

    without: Measured
    beside: Measured


def alternate(
    run: Run, options: Options, display: Display, begin: Callable[[], object], end: Callable[[], object]
) -> list[Pair]:
    """Measure without, `begin`, measure with, `end`; as often as `--repeats` says, or until the run is broken off."""
    pairs = list[Pair]()
    for number in range(1, options.repeats + 1):
        display.say(f"{number} of {options.repeats}: without")
        without = run.measure(options.rate, options.seconds)
        if run.broken_off is not None:
            # What would stand beside it has not been measured.
            return [*pairs, Pair(without, without)]
        begin()
        display.say(f"{number} of {options.repeats}: with")
        pairs.append(Pair(without, run.measure(options.rate, options.seconds)))
        end()
        if run.broken_off is not None:
            break
    return pairs


def steps_of(pairs: Sequence[Pair], what: str) -> dict[str, Any]:
    """Return all windows in their order for the report, each by whether `what` was there."""
    steps = [window for pair in pairs for window in (pair.without, pair.beside)]
    return {"steps": steps, "beside": what}


def late(pairs: Sequence[Pair]) -> str | None:
    """Return why the ratios may not be quoted."""
    windows = [window for pair in pairs for window in (pair.without, pair.beside)]
    return next((window.bottleneck for window in windows if window.bottleneck is not None), None)


def ratios(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return with / without, medians over the repetitions; null where they may not be quoted."""
    figures: dict[str, Figure] = {
        "p50": lambda window: window.latency.ms(50),
        "p99": lambda window: window.p99_ms,
        "cpu": lambda window: window.servers_cpu_us,
    }
    if late(pairs) is not None:
        return dict.fromkeys(figures)
    windows = [(pair.beside, pair.without) for pair in pairs]
    return {name: median_ratio(figure, windows) for name, figure in figures.items()}


def grown(run: Run, pairs: Sequence[Pair]) -> dict[str, int | None]:
    """Return by how much each server process is larger at the end of the last window than at that of the first."""
    return grown_kb(pairs[0].without.memory_kb, pairs[-1].beside.memory_kb, run.target.pids)
