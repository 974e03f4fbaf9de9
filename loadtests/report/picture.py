"""The report as a picture: how latency is distributed, and latency and CPU over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl

mpl.use("agg")

from matplotlib import pyplot as plt

from loadtests.report.measured import LATE_MS, Measured, Point
from loadtests.report.report import Report

P99_MOST_MS: Final = 50.0
NINES: Final = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99)
CURVE: Final = [100 - 100 / 10 ** (step / 20) for step in range(81)]
DARK, BRIGHT, RED, GREY = "#1f3b57", "#2f8fc4", "#c0392b", "#888888"
PROCESS_COLOURS: Final = {"gateway": BRIGHT, "watch_gateway": "#7a5cc4", "worker": "#2a9d6f", "redis": RED}


def draw(report: Report, file: Path) -> None:
    """Write the picture."""
    windows = list(report.steps) or [report.measured]
    figure, (spread, latency, busy) = plt.subplots(3, 1, figsize=(9, 10.5), layout="constrained")
    try:
        figure.suptitle(_title(report), fontsize=12, wrap=True)
        _draw_spread(spread, report)
        points = [point for window in windows for point in window.points]
        begin_s = points[0].at_s if points else 0.0
        _draw_latency(latency, windows, begin_s)
        _draw_busy(busy, points, begin_s)
        figure.savefig(file, dpi=110)
    finally:
        plt.close(figure)


def _title(report: Report) -> str:
    first = f"{report.scenario}: {report.options['tables']} tables of {report.options['seats']}"
    if report.bottleneck is not None:
        return f"{first}\nnot to be quoted: the generator was late (p99 over {LATE_MS:g} ms)"
    measured = report.measured
    return (
        f"{first}, {measured.rate:,.0f} intents/s, p50 {measured.latency.ms(50):.2f} ms, p99 {measured.p99_ms:.2f} ms"
    )


def _draw_spread(axes: Any, report: Report) -> None:
    """Latency by percentile, the tail as wide as the rest."""
    histogram = report.measured.latency
    axes.plot([_nines(one) for one in CURVE], [max(histogram.ms(one), 0.01) for one in CURVE], color=DARK, lw=2)
    axes.axhline(P99_MOST_MS, color=RED, lw=1, ls="--")
    axes.set_xticks([_nines(one) for one in NINES], [f"{one:g} %" for one in NINES])
    axes.set_yscale("log")
    axes.set_ylabel("ms")
    axes.set_title("intent to event at each seat, by percentile", fontsize=10, loc="left")
    axes.grid(alpha=0.3)


def _nines(percentile: float) -> float:
    return -math.log10(max(1e-9, 1 - percentile / 100))


def _draw_latency(axes: Any, windows: Sequence[Measured], begin_s: float) -> None:
    for number, window in enumerate(windows):
        times = [point.at_s - begin_s for point in window.points]
        for name, colour in (("p50", BRIGHT), ("p99", DARK)):
            values = [max(getattr(point, f"{name}_ms"), 0.01) for point in window.points]
            axes.plot(times, values, color=colour, lw=1.5, label=name if number == 0 else None)
        if len(windows) > 1 and times:
            axes.annotate(
                f"{window.asked_rate:,.0f}/s", (times[0], 0.98), xycoords=("data", "axes fraction"), rotation=90,
                fontsize=7, va="top", color=GREY,
            )  # fmt: skip
            axes.axvline(times[0], color=GREY, lw=0.5)
    axes.axhline(P99_MOST_MS, color=RED, lw=1, ls="--")
    axes.set_yscale("log")
    axes.set_ylabel("ms")
    axes.set_title("latency over time", fontsize=10, loc="left")
    axes.legend(loc="lower right", fontsize=8)
    axes.grid(alpha=0.3)


def _draw_busy(axes: Any, points: Sequence[Point], begin_s: float) -> None:
    names = list(dict.fromkeys(name for point in points for name in point.busy))
    for name in names:
        shares = [100 * point.busy.get(name, 0.0) for point in points]
        times = [point.at_s - begin_s for point in points]
        axes.plot(times, shares, lw=1.5, label=name.replace("_", " "), color=PROCESS_COLOURS.get(name, GREY))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("s")
    axes.set_ylabel("% of a core")
    axes.set_title("CPU of each process", fontsize=10, loc="left")
    if names:
        axes.legend(loc="lower right", fontsize=8)
    axes.grid(alpha=0.3)
