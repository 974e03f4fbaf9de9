"""`slow`: spectators that stop reading, beside tables that race on; they must cost the others nothing (DESIGN 2.12).

Within a window everybody who stopped is to be cut.
"""

from __future__ import annotations

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.alternating import alternate, grown, late, ratios, steps_of
from loadtests.scenarios.common import plan_for, target_of
from loadtests.scenarios.cuts import SETTINGS, Cuts, buffer_bytes


def slow(options: Options, display: Display) -> Report:
    """Measure without and with readers that hang."""
    kept = buffer_bytes(options)
    with target_of(options, settings=SETTINGS) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        cuts = Cuts(run)
        pairs = alternate(run, options, display, cuts.begin, cuts.end)
        run.finish()
        judged = run.judge()
    faults = cuts.faults(kept)
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=pairs[-1].beside,
        judged=judged,
        verdict="" if faults else cuts.unexpected(kept),
        faults=run.faults + faults,
        limited=late(pairs),
        **steps_of(pairs, "slow readers"),
        more={
            "with_slow_readers_to_without": ratios(pairs),
            **cuts.more(kept),
            "memory_grown_kb": grown(run, pairs) or None,
        },
        is_together=options.is_together,
    )
