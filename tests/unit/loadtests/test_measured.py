"""Figures of a window: HDR histograms that add up, and the generator's own fault named."""

import os
import random
import subprocess
import sys

import pytest

from loadtests.generator.recorder import Recorder, Slice
from loadtests.report.histogram import Histogram
from loadtests.report.measured import put_together
from loadtests.scenarios.common import grown_kb
from loadtests.under_test.measured import cpu_s, resident_kb
from tests.unit.loadtests.paper import measured, tally


def test_percentiles_are_those_of_all_times_to_three_digits():
    rng = random.Random(4)
    times = [rng.lognormvariate(-6, 1.2) for _ in range(20_000)]
    histogram = Histogram.of(times)
    exact = sorted(times)
    for percentile in (50, 90, 99, 99.9):
        wanted = exact[round(len(exact) * percentile / 100) - 1] * 1000
        assert histogram.ms(percentile) == pytest.approx(wanted, rel=0.002, abs=0.001)
    assert histogram.max_ms == pytest.approx(exact[-1] * 1000, rel=0.001)
    assert histogram.count == 20_000


def test_histograms_of_several_generators_add_up_where_percentiles_would_not():
    fast, slow = Histogram.of([0.001] * 990), Histogram.of([0.5] * 10)
    assert (fast.ms(99.5) + slow.ms(99.5)) / 2 == pytest.approx(250.5, rel=0.01)
    fast.merge(slow)
    assert fast.ms(99) == pytest.approx(1.0, rel=0.001)
    assert fast.ms(99.5) == pytest.approx(500, rel=0.001)


def test_an_empty_histogram_has_no_figures_and_no_time_is_too_long():
    assert set(Histogram().summary().values()) == {None}
    assert Histogram.of([0.0, 3600.0]).max_ms == pytest.approx(60_000, rel=0.001)


def test_the_generator_is_the_bottleneck_from_a_millisecond_at_p99():
    assert measured(late_ms=0.99).bottleneck is None
    late = measured(late_ms=1.2)
    assert "1.200 ms late" in late.bottleneck
    # What is late by a hair is not said to be as late as it may be.
    assert "1.001 ms late or later (1 ms is the most)" in measured(late_ms=1.001).bottleneck
    assert "generator" in late.bottleneck
    # One in two hundred is late: that is no bottleneck.
    few = put_together(
        [tally(due=200, counted=200, late_s=[0.0001] * 199 + [0.05])],
        rate=200.0, seconds=1.0, cpu_s={}, memory_kb={}, busy=[],
    )  # fmt: skip
    assert few.bottleneck is None


def test_generators_are_put_together():
    both = [
        tally(
            due=10, counted=9, kinds={"play": 6, "pass": 3}, refused={"stale": 1}, latencies_s=[0.001] * 36, cpu_s=0.1
        ),
        tally(due=10, counted=8, kinds={"play": 8}, race_lost=2, latencies_s=[0.002] * 32, cpu_s=0.2, unanswered=1),
    ]
    found = put_together(both, rate=20.0, seconds=2.0, cpu_s={"gateway": 0.034}, memory_kb={}, busy=[])
    assert (found.due, found.counted, found.behind, found.unanswered, found.race_lost) == (20, 17, 2, 1, 2)
    assert found.kinds == {"play": 14, "pass": 3}
    assert found.rate == 8.5
    assert found.plays_share == pytest.approx(14 / 17)
    assert found.cpu_us("gateway") == pytest.approx(2000)
    assert found.cpu_us("worker") is None
    assert found.cpu_s["generator"] == pytest.approx(0.3)
    assert found.servers_cpu_us == pytest.approx(2000)
    assert found.latency.count == 68


def test_a_window_is_shown_over_time():
    one = tally(
        due=30, counted=30, latencies_s=[0.001] * 40 + [0.004] * 80, slices=[Slice(1.0, 10, 40), Slice(1.5, 30, 120)]
    )
    found = put_together(
        [one], rate=30.0, seconds=1.0, cpu_s={}, memory_kb={}, busy=[(0.9, {"redis": 0.1}), (1.6, {"redis": 0.2})]
    )
    assert [(point.at_s, point.rate, point.busy) for point in found.points] == [
        (1.0, 0.0, {"redis": 0.1}),
        (1.5, 40.0, {"redis": 0.2}),
    ]
    assert [point.p50_ms for point in found.points] == pytest.approx([1.0, 4.0], rel=0.002)


def test_the_recorder_begins_anew_with_each_window():
    recorder = Recorder()
    recorder.due, recorder.counted = 5, 3
    recorder.refused["stale"] += 1
    assert recorder.open == 1
    before = recorder.tally(1.0, 0.5)
    recorder.reset()
    assert recorder.live_ms() == (None, None)
    recorder.latencies_s.append(1.0)
    assert (recorder.open, recorder.due, before.due, before.latencies_s) == (0, 0, 5, [])
    assert recorder.live_ms() == (1000.0, 1000.0)


def test_the_rate_is_of_what_was_done_within_the_window():
    """A server that stands still for the whole window and answers at once behind it has carried nothing."""
    one = tally(due=200, counted=200, counted_in_window=0, latencies_s=[2.0] * 800)
    found = put_together([one], rate=100.0, seconds=2.0, cpu_s={}, memory_kb={}, busy=[])
    assert (found.rate, found.counted, found.behind) == (0.0, 200, 0)


def test_a_moment_of_which_nothing_is_known_has_no_figures():
    one = tally(slices=[Slice(1.0, 0, 0), Slice(3.0, 0, 0)])
    found = put_together([one], rate=0, seconds=3.0, cpu_s={}, memory_kb={}, busy=[(1.1, {"redis": 0.1})])
    assert [(point.p50_ms, point.p99_ms, point.busy) for point in found.points] == [
        (None, None, {"redis": 0.1}),
        (None, None, {}),
    ]


def test_a_process_that_is_gone_has_no_figures_though_nobody_has_waited_for_it():
    """Neither a size of none nor less time than before: both would be read as figures."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert resident_kb(process.pid) > 0
        assert cpu_s(process.pid) is not None
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert (resident_kb(process.pid), cpu_s(process.pid)) == (None, None)
    assert (resident_kb(process.pid), cpu_s(process.pid)) == (None, None)
    assert grown_kb({"redis": 10, "gateway": 20}, {"redis": None, "gateway": 25}, ["redis", "gateway"]) == {
        "redis": None, "gateway": 5,
    }  # fmt: skip
