"""How evenly the machine runs, by what windows say that were made by hand."""

import pytest

from loadtests.bench_machine import Window, figures_of, measure, words

USUAL, SLOW = Window(4_000, 2_000_000), Window(400, 2_000_000)


def test_an_even_machine_says_so():
    figures = figures_of([USUAL] * 50)
    assert (figures.stretches, figures.longest_ms, figures.share, figures.speed) == (0, 0, 0, None)
    assert "even" in words(figures)


@pytest.mark.parametrize(
    "windows, stretches, longest_ms",
    [
        ([SLOW] + [USUAL] * 9, 1, 2),
        ([USUAL] * 7 + [SLOW] * 3, 1, 6),
        ([USUAL] * 4 + [SLOW] * 2 + [USUAL] * 8 + [SLOW] * 1 + [USUAL] * 5, 2, 4),
        ([SLOW, USUAL, USUAL] * 3, 3, 2),
    ],
)
def test_slow_windows_side_by_side_are_one_stretch(windows, stretches, longest_ms):
    figures = figures_of(windows)
    assert (figures.stretches, figures.longest_ms) == (stretches, longest_ms)
    assert figures.share == pytest.approx(windows.count(SLOW) / len(windows))
    assert figures.speed == pytest.approx(0.1)
    assert f"{stretches} times slow" in words(figures)


def test_one_hold_over_many_windows_counts_with_its_length():
    figures = figures_of([USUAL] * 40 + [Window(400, 20_000_000)])
    assert (figures.stretches, figures.longest_ms, figures.share) == (1, 20, pytest.approx(0.2))


def test_a_measurement_has_windows_of_two_milliseconds():
    windows = measure(0.01)
    assert windows
    assert all(window.ns >= 2_000_000 and window.rounds > 0 for window in windows)
