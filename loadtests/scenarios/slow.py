"""`slow`: spectators that stop reading, beside tables that race on; they must cost the others nothing (DESIGN 2.12)."""

from __future__ import annotations

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.alternating import alternate, grown_kb, late, ratios
from loadtests.scenarios.common import plan_for, target_of


def slow(options: Options, display: Display) -> Report:
    """Measure without and with readers that hang."""
    cut: list[int] = []
    with target_of(options) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        pairs = alternate(run, options, display, run.stop_reading, lambda: cut.append(run.read_on()))
        run.finish()
        judged = run.judge()
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=pairs[-1].beside,
        judged=judged,
        faults=run.faults,
        limited=late(pairs),
        steps=[window for pair in pairs for window in (pair.without, pair.beside)],
        more={
            "with_slow_readers_to_without": ratios(pairs),
            "slow_readers_cut_off": cut,
            "memory_grown_kb": grown_kb(pairs),
        },
        is_together=options.is_together,
    )
