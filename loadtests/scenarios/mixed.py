"""`mixed`: racing tables that some watch, tables at rest and readers that hang, all at once."""

from __future__ import annotations

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.common import plan_for, target_of
from loadtests.under_test.measured import cut_readers


def mixed(options: Options, display: Display) -> Report:
    """Measure one window with everything in it."""
    with target_of(options) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.watch()
        before = cut_readers(target)
        run.stop_reading()
        run.warm_up(options.rate)
        display.say(f"measuring for {options.seconds:g} s")
        measured = run.measure(options.rate, options.seconds)
        cut = cut_readers(target)
        run.read_on()
        run.finish()
        judged = run.judge()
    watched = measured.watched.summary() if measured.bottleneck is None else None
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        faults=run.faults,
        more={"event_to_spectator_ms": watched, "slow_readers_cut_off": None if cut is None else cut - (before or 0)},
        is_together=options.is_together,
    )
