"""`idle`: seated connections at rest, and what each of them costs."""

from __future__ import annotations

from msgspec import structs

from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import run_on
from loadtests.scenarios.common import plan_for, target_of


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
    grown = {name: measured.memory_kb[name] - kb for name, kb in before.items() if name in target.pids}
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        faults=run.faults,
        more={
            "connections": connections,
            "kb_per_seated_connection": {name: round(kb / connections, 1) for name, kb in grown.items()},
            "percent_of_a_core_at_rest": {
                name: round(100 * used_s / options.seconds, 1) for name, used_s in measured.cpu_s.items()
            },
        },
        is_together=options.is_together,
    )
