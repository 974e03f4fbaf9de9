"""`mixed`: racing tables that some watch, tables at rest and readers that hang, all at once."""

from __future__ import annotations

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.common import plan_for, target_of
from loadtests.scenarios.cuts import SETTINGS, Cuts, buffer_bytes


def mixed(options: Options, display: Display) -> Report:
    """Measure one window with everything in it."""
    kept = buffer_bytes(options)
    with target_of(options, settings=SETTINGS) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.watch()
        cuts = Cuts(run)
        cuts.begin()
        run.warm_up(options.rate)
        display.say(f"measuring for {options.seconds:g} s")
        measured = run.measure(options.rate, options.seconds)
        cuts.end()
        run.finish()
        judged = run.judge()
    watched = measured.watched.summary() if measured.bottleneck is None else None
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        verdict=cuts.unexpected(kept),
        faults=run.faults + cuts.faults(kept, only_if_certain=True),
        more={
            "event_to_spectator_ms": watched,
            "slow_readers_cut_off": cuts.cut[0],
            "slow_readers": cuts.stopped[0].readers,
            "bytes_due_to_each": cuts.stopped[0].due_bytes,
        },
        is_together=options.is_together,
    )
