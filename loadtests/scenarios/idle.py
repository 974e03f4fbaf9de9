"""`idle`: seated connections at rest, and what each of them costs."""

from __future__ import annotations

from msgspec import structs

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.common import grown_kb, plan_for, target_of


def idle(options: Options, display: Display) -> Report:
    """Look at memory before and behind the connections, and at the CPU while nothing happens."""
    with target_of(options) as target, run_on(target, options.generators, display) as run:
        before = run.memory_kb()
        plan = plan_for(options, target)
        run.open(structs.replace(plan, tables=0, idle=options.tables))
        display.say(f"at rest for {options.seconds:g} s")
        measured = run.measure(0.0, options.seconds)
        judged = run.judge()
    connections = options.tables * options.seats
    grown = grown_kb(before, measured.memory_kb, target.pids)
    is_whole = measured.bottleneck is None
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        faults=run.faults,
        more={
            "connections": connections,
            "kb_per_seated_connection": {
                name: None if kb is None or not is_whole else round(kb / connections, 1) for name, kb in grown.items()
            }
            or None,
            "percent_of_a_core_at_rest": {
                name: round(100 * used_s / options.seconds, 1) if is_whole else None
                for name, used_s in measured.cpu_s.items()
            },
        },
        is_together=options.is_together,
    )
