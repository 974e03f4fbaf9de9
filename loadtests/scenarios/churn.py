"""`churn`: people lose their connections, one by one and all at once, leave, and come to new tables."""

from __future__ import annotations

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.common import plan_for, target_of


def churn(options: Options, display: Display) -> Report:
    """Measure one window of it. An intent during which somebody was away has no latency of the server's."""
    with target_of(options) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        display.say(f"coming and going for {options.seconds:g} s")
        measured = run.measure(options.rate, options.seconds, churns=True)
        run.finish()
        judged = run.judge()
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        faults=run.faults,
        more={
            "happened": measured.churn,
            "welcomes": measured.welcomes.count,
            "connected_to_welcome_ms": measured.welcomes.summary() if measured.bottleneck is None else None,
        },
        is_together=options.is_together,
    )
