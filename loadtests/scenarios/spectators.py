"""`spectators`: tables that thousands watch, against the same tables alone."""

from __future__ import annotations

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.alternating import Pair, alternate, late, ratios, steps_of
from loadtests.scenarios.common import plan_for, target_of


def spectators(options: Options, display: Display) -> Report:
    """Measure the players without and with spectators, and the spectators."""
    with (
        target_of(options, has_watch_gateway=options.watch_gateway) as target,
        run_on(target, options.generators, display) as run,
    ):
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        pairs = alternate(run, options, display, run.watch, run.unwatch)
        run.finish()
        judged = run.judge()
    measured = pairs[-1].beside
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        faults=run.faults,
        limited=late(pairs),
        **steps_of(pairs, "spectators"),
        more={
            "with_spectators_to_without": ratios(pairs),
            "event_to_spectator_ms": measured.watched.summary() if late(pairs) is None else None,
            "cpu_us_per_recipient": _cpu_us_per_recipient(pairs, options),
        },
        is_together=options.is_together,
    )


def _cpu_us_per_recipient(pairs: list[Pair], options: Options) -> float | None:
    """What each spectator adds to an intent, in CPU of all server processes."""
    if late(pairs) is not None or not options.watchers:
        return None
    used = [(pair.beside.servers_cpu_us, pair.without.servers_cpu_us) for pair in pairs]
    added = [beside - without for beside, without in used if beside is not None and without is not None]
    return round(sorted(added)[len(added) // 2] / options.watchers, 2) if len(added) == len(pairs) else None
