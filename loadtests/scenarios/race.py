"""`race`: so many tables, so many intents a second."""

from __future__ import annotations

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.against import compare
from loadtests.scenarios.common import plan_for, target_of


def race(options: Options, display: Display) -> Report:
    """Measure one window; with `--against`, one on each in turn."""
    if options.against is not None:
        return _against(options, display)
    with target_of(options) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        display.say(f"measuring for {options.seconds:g} s")
        measured = run.measure(options.rate, options.seconds)
        run.finish()
        judged = run.judge()
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        faults=run.faults,
        is_together=options.is_together,
    )


def _against(options: Options, display: Display) -> Report:
    compared = compare(options, display, lambda run: run.measure(options.rate, options.seconds))
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=compared.turns[-1].ours,
        judged=compared.judged,
        faults=tuple(compared.faults),
        limited=compared.why_not,
        steps=[turn.ours for turn in compared.turns],
        against={"floor": compared.ratios()},
        more=compared.more(),
        is_together=options.is_together,
    )
