"""The report as a picture: how latency is distributed, and latency and CPU over time."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl

mpl.use("agg")

from matplotlib import pyplot as plt

from loadtests.report.histogram import in_ms
from loadtests.report.measured import Measured, Point
from loadtests.report.report import Report

P99_MOST_MS: Final = 50.0
LEAST_MS: Final = 0.01
GAP_SECONDS: Final = 1.0
"""Four times as long as it is from one point to the next: no line is drawn over more."""
LABELS_PART: Final = 0.5
"""How much room the windows' labels have above the curves, in parts of the curves' own."""
TITLE_CHARACTERS: Final = 90
NINES: Final = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99)
CURVE: Final = [100 - 100 / 10 ** (step / 20) for step in range(81)]
DARK, BRIGHT, RED, GREY = "#1f3b57", "#2f8fc4", "#c0392b", "#888888"
PROCESS_COLOURS: Final = {"gateway": BRIGHT, "watch_gateway": "#7a5cc4", "worker": "#2a9d6f", "redis": RED}


def draw(report: Report, file: Path) -> None:
    """Write the picture."""
    windows = list(report.steps) or [report.measured]
    figure, (spread, latency, busy) = plt.subplots(3, 1, figsize=(9, 10.5), layout="constrained")
    latency.sharex(busy)
    try:
        figure.suptitle(title_of(report), fontsize=12, wrap=True)
        _draw_spread(spread, report)
        begin_s = next((point.at_s for window in windows for point in window.points), 0.0)
        _draw_latency(latency, report, windows, begin_s)
        _draw_busy(busy, windows, begin_s)
        figure.savefig(file, dpi=110)
    finally:
        plt.close(figure)


def title_of(report: Report) -> str:
    """Return what was measured, or why it may not be quoted."""
    first = f"{report.scenario}: {report.options['tables']} tables of {report.options['seats']}"
    if report.bottleneck is not None:
        return "\n".join([first, *textwrap.wrap(f"NOT QUOTED: {report.bottleneck}", TITLE_CHARACTERS)])
    measured = report.measured
    if not measured.due:
        return f"{first}, nothing was asked for"
    p50, p99 = in_ms(measured.latency.ms(50)), in_ms(measured.p99_ms)
    return f"{first}, {measured.rate:,.0f} intents/s, p50 {p50} ms, p99 {p99} ms"


def _draw_spread(axes: Any, report: Report) -> None:
    """Latency by percentile, the tail as wide as the rest."""
    is_quoted = report.bottleneck is None
    curves = [(report.measured, DARK, f"with {report.beside}")]
    if report.beside:
        curves.insert(0, (report.steps[-2], BRIGHT, f"without {report.beside}"))
    for number, (window, colour, label) in enumerate(curves, 1):
        if not window.latency.count:
            continue
        style = _style(colour, 2, is_quoted=is_quoted, is_first=number < len(curves))
        axes.plot(
            [_nines(one) for one in CURVE], [_height(window.latency.ms(one)) for one in CURVE], label=label, **style
        )
    if not axes.lines:
        _draw_nothing(axes, "intent to event at each seat, by percentile")
        return
    axes.axhline(P99_MOST_MS, color=RED, lw=1, ls="--")
    axes.set_xticks([_nines(one) for one in NINES], [f"{one:g} %" for one in NINES])
    axes.set_yscale("log")
    axes.set_ylabel("ms")
    title = "intent to event at each seat, by percentile"
    if report.beside:
        title = "intent to event, by percentile, the last two windows"
        _draw_legend(axes)
    axes.set_title(title if is_quoted else f"{title}: not quoted", fontsize=10, loc="left")
    axes.grid(alpha=0.3)


def _draw_nothing(axes: Any, title: str) -> None:
    """No curve and no scale, where nothing was counted."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.text(0.5, 0.5, "nothing was counted", transform=axes.transAxes, ha="center", color=GREY)
    axes.set_axis_off()


def _draw_legend(axes: Any) -> None:
    """Above the axes, beside their title: within them it would lie on a curve sooner or later."""
    columns = len(axes.get_legend_handles_labels()[1])
    axes.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=columns, fontsize=8, frameon=False, borderaxespad=0.2
    )  # fmt: skip


def labels_of(report: Report) -> list[str]:
    """Return what each of several windows is called: how much was asked for, and what was there beside it."""
    loads = [f"{window.asked_rate:,.0f}/s" for window in report.steps]
    if not report.beside:
        return loads
    return [f"{'with' if number % 2 else 'without'}, {load}" for number, load in enumerate(loads)]


def busy_line(windows: Sequence[Measured], name: str) -> tuple[list[float], list[float]]:
    """Return times and shares of a core of one process, in per cent; a gap where nobody looked."""
    lines = [line_of(window.points, lambda point: 100 * point.busy.get(name, math.nan)) for window in windows]
    # Between two windows there is a gap, too.
    times = [at_s for line, _ in lines for at_s in (*line, *line[-1:])]
    return times, [share for _, line in lines for share in (*line, *([math.nan] if line else ()))]


def line_of(points: Sequence[Point], height: Callable[[Point], float]) -> tuple[list[float], list[float]]:
    """Return times and heights, with a gap where nobody looked for long."""
    times, heights = list[float](), list[float]()
    for point in points:
        if times and point.at_s - times[-1] > GAP_SECONDS:
            times.append(times[-1])
            heights.append(math.nan)
        times.append(point.at_s)
        heights.append(height(point))
    return times, heights


def _style(colour: str, width: float, *, is_quoted: bool, is_first: bool) -> dict[str, Any]:
    """A line that may not be quoted is pale and broken; the first of two in another way than the second."""
    if is_quoted:
        return {"color": colour, "lw": width}
    return {"color": GREY, "lw": width, "ls": "-." if is_first else ":"}


def _height(ms: float | None) -> float:
    return math.nan if ms is None else max(ms, LEAST_MS)


def _height_of(name: str, point: Point) -> float:
    return _height(getattr(point, name))


def _nines(percentile: float) -> float:
    return -math.log10(max(1e-9, 1 - percentile / 100))


def _draw_latency(axes: Any, report: Report, windows: Sequence[Measured], begin_s: float) -> None:
    labels, names = set[str](), labels_of(report)
    for number, window in enumerate(windows):
        is_quoted = report.limited is None and window.bottleneck is None
        for name, colour in (("p50", BRIGHT), ("p99", DARK)):
            times, values = line_of(window.points, partial(_height_of, f"{name}_ms"))
            if all(map(math.isnan, values)):
                continue
            label = name if is_quoted else f"{name}, not quoted"
            style = _style(colour, 1.5, is_quoted=is_quoted, is_first=name == "p50")
            axes.plot(
                [at_s - begin_s for at_s in times],
                values,
                label=None if label in labels else label,
                marker=".",
                ms=3,
                **style,
            )
            labels.add(label)
        if len(windows) > 1 and window.points:
            start_s = window.points[0].at_s - begin_s
            axes.annotate(
                names[number], (start_s, 0.98), xytext=(2, 0), xycoords=("data", "axes fraction"),
                textcoords="offset points", rotation=90, fontsize=7, va="top", color=GREY,
            )  # fmt: skip
            axes.axvline(start_s, color=GREY, lw=0.5)
    if not labels:
        _draw_nothing(axes, "latency over time")
        return
    axes.axhline(P99_MOST_MS, color=RED, lw=1, ls="--")
    axes.set_yscale("log")
    axes.set_ylabel("ms")
    if len(windows) > 1:
        bottom, top = axes.get_ylim()
        axes.set_ylim(bottom, top * (top / bottom) ** LABELS_PART)
    beside = f", in turn without and with {report.beside}" if report.beside else ""
    axes.set_title(f"latency over time, until the window's end{beside}", fontsize=10, loc="left")
    _draw_legend(axes)
    axes.grid(alpha=0.3)


def _draw_busy(axes: Any, windows: Sequence[Measured], begin_s: float) -> None:
    names = list(dict.fromkeys(name for window in windows for point in window.points for name in point.busy))
    for name in names:
        times, shares = busy_line(windows, name)
        axes.plot(
            [at_s - begin_s for at_s in times], shares, lw=1.5, label=name.replace("_", " "),
            color=PROCESS_COLOURS.get(name, GREY),
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    axes.set_xlabel("s")
    axes.set_ylabel("% of a core")
    axes.set_title("CPU of each process", fontsize=10, loc="left")
    if names:
        _draw_legend(axes)
    axes.grid(alpha=0.3)
