"""What is shown while a load runs: as much as there is room for."""

import io

import pytest
from rich.console import Console

from loadtests.generator.plan import Progress
from loadtests.report.progress import Display, that_fit

CELLS = {
    "load": "4,000/s", "now": "3,998/s", "p50 ms": "1.25", "p99 ms": "12.25", "refused": "0", "open": "112",
    "gateway": "70%", "redis": "20%", "generator 1": "20%",
}  # fmt: skip


@pytest.mark.parametrize(
    "width,shown",
    [
        (120, list(CELLS)),
        (60, ["load", "now", "p50 ms", "p99 ms", "refused", "open"]),
        (40, ["load", "now", "p99 ms", "open"]),
        (21, ["now", "p99 ms"]),
        (5, []),
    ],
)
def test_what_says_most_is_shown_where_there_is_little_room(width, shown):
    assert list(that_fit(CELLS, width)) == shown


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_cell_is_cut_short(width):
    written = io.StringIO()
    one = Progress(at_s=1.0, due=120_000, counted=1000, refused=3, p50_ms=1234.5, p99_ms=12345.678)
    with Display(Console(file=written, force_terminal=True, width=width)) as display:
        display.show(100_000.0, 99_000.0, [one], {"gateway": 0.7, "redis": 0.2, "generator 1": 1.0})
    assert "…" not in written.getvalue()
    assert "99,000/s" in written.getvalue()


def test_figures_that_are_not_there_yet_are_no_zeros():
    written = io.StringIO()
    one = Progress(at_s=1.0, due=0, counted=0, refused=0, p50_ms=None, p99_ms=None)
    with Display(Console(file=written, force_terminal=True, width=100)) as display:
        display.show(0.0, 0.0, [one], {})
    assert "0.00" not in written.getvalue()


def test_a_line_that_is_piped_is_one_line():
    written = io.StringIO()
    text = "generator 1 has ended: its tables are not judged, " * 5 + "[red]"
    Display(Console(file=written, width=80)).say(text)
    assert written.getvalue() == f"{text}\n"
