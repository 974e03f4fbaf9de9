"""Plain figures under the hot path, and the event loop's lag."""

import asyncio
import time

import pytest
from prometheus_client import CollectorRegistry, Histogram

from rapid.telemetry.figures import Figures, Spread
from rapid.telemetry.loop_lag import EVERY_SECONDS, watching_lag

BOUNDS = (0.001, 0.01, 0.1)


@pytest.mark.parametrize("values", [[], [0], [0.001], [0.0010001], [0.05, 0.1, 0.2, 7, 0.0001]])
def test_a_spread_counts_as_the_library_does(values):
    ours, theirs = Figures(), CollectorRegistry()
    spread = ours.spread("x_seconds", "For comparison", BOUNDS)
    library = Histogram("x_seconds", "For comparison", buckets=BOUNDS, registry=theirs)
    for value in values:
        spread.note(value)
        library.observe(value)
    (shown,), (expected,) = ours.collect(), theirs.collect()
    rows = {(s.name, s.labels.get("le")): s.value for s in expected.samples if not s.name.endswith("_created")}
    assert {(s.name, s.labels.get("le")): s.value for s in shown.samples} == rows


def test_less_than_nothing_counts_as_nothing():
    spread = Spread(BOUNDS)
    spread.note(-5)
    assert spread.counts == [1, 0, 0, 0]
    assert spread.total == 0


def test_counts_show_what_they_are_told_to_and_what_was_counted():
    figures = Figures()
    counts = figures.counts("x", "For show", "why", ["early"])
    counts["late"] += 2
    counts.show(["late", "never"])
    (family,) = figures.collect()
    assert {s.labels["why"]: s.value for s in family.samples} == {"early": 0, "late": 2, "never": 0}


async def test_the_lag_of_a_loop_that_is_held_up_is_noted():
    spread = Spread(BOUNDS)
    async with watching_lag(spread):
        # The timer is due in here, and nobody runs it.
        time.sleep(EVERY_SECONDS + 0.15)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert spread.counts[-1] == 1
    assert spread.total >= 0.15
    noted = sum(spread.counts)
    await asyncio.sleep(2 * EVERY_SECONDS)
    assert sum(spread.counts) == noted
