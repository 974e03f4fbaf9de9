"""`limit`: raises the load until it does not hold, and names the highest that did."""

from __future__ import annotations

from typing import Final

from loadtests.generator.plan import cut_off_for_asking
from loadtests.options import Options
from loadtests.report.histogram import in_ms
from loadtests.report.measured import Measured
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import Run, run_on
from loadtests.scenarios.against import compare
from loadtests.scenarios.common import plan_for, target_of
from loadtests.scenarios.search import Search

STEP_SECONDS: Final = 3.0
P99_MOST_MS: Final = 50.0
HELD_PARTS: Final = (1.0, 0.9, 0.8, 0.65, 0.5)
"""Of the highest load that held for a step: which are tried in turn for the last, longer time."""


class Limit:
    """What the search found."""

    def __init__(self) -> None:
        self.steps: list[Measured] = []
        self.held: Measured | None = None
        self.why = ""
        """Why the load above did not hold."""
        self.is_cut_off = False
        """Whether the server has closed connections for asking too often."""
        self.broken_off: str | None = None
        """Why the search could not go on, if a server or a generator was gone."""
        self.bottleneck: str | None = None
        """If that was the generator's fault: the limit of the server is not known."""

    @property
    def is_over(self) -> bool:
        """Whether no further step can be taken."""
        return self.is_cut_off or self.broken_off is not None


def why_not(measured: Measured) -> str | None:
    """Return why a load does not hold, None if it does; whether the generator kept up is another question."""
    if measured.cut_off:
        return cut_off_for_asking(measured.cut_off)
    if measured.asked_rate and not measured.counted:
        return "nothing was done"
    if measured.behind:
        return f"{measured.behind} intents were not done in time"
    if measured.refused:
        return "refused: " + ", ".join(f"{count} {why}" for why, count in measured.refused.items())
    if measured.p99_ms is not None and measured.p99_ms > P99_MOST_MS:
        return f"p99 {measured.p99_ms:.0f} ms"
    return None


def find_limit(run: Run, first_rate: float, seconds: float, display: Display) -> Limit:
    """Search, then hold the highest load for `seconds`."""
    found, search = Limit(), Search(first_rate)
    while search.next_rate is not None and not found.is_over:
        rate = search.next_rate
        # Whoever shares the machine may have disturbed one step; hardly two in a row.
        search.take(held=_step(run, found, rate, STEP_SECONDS, display) or _again(run, found, rate, display))
    if search.best is not None and not found.is_over:
        for part in HELD_PARTS:
            if _step(run, found, search.best * part, seconds, display):
                found.held = found.steps[-1]
                break
            if found.is_over:
                break
    return found


def _again(run: Run, found: Limit, rate: float, display: Display) -> bool:
    # Who was cut off asks for nothing any more.
    return not found.is_over and _step(run, found, rate, STEP_SECONDS, display)


def _step(run: Run, found: Limit, rate: float, seconds: float, display: Display) -> bool:
    measured = run.measure(rate, seconds)
    found.steps.append(measured)
    if measured.broken_off is not None:
        found.broken_off = found.why = measured.broken_off
        return False
    why = why_not(measured)
    late = measured.bottleneck
    display.say(
        f"  {rate:7.0f}/s for {seconds:g} s: {_latency(measured)}{'' if why is None else ', does not hold: ' + why}"
    )
    if why is None and late is None:
        return True
    found.why = why or "the generator was late"
    found.is_cut_off |= measured.cut_off > 0
    found.bottleneck = late if why is None else None
    return False


def _latency(measured: Measured) -> str:
    if measured.bottleneck is not None:
        return f"not quoted ({measured.bottleneck})"
    return f"p50 {in_ms(measured.latency.ms(50))} ms, p99 {in_ms(measured.p99_ms)} ms"


def limit(options: Options, display: Display) -> Report:
    """Search on one server; with `--against`, on each in turn."""
    if options.against is not None:
        return _against(options, display)
    with target_of(options) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        display.say("raising the load")
        found = find_limit(run, options.rate, options.seconds, display)
        run.finish()
        judged = run.judge()
    measured = found.held or found.steps[-1]
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=measured,
        judged=judged,
        faults=run.faults,
        verdict=verdict_of(found, options),
        limited=found.bottleneck or (None if found.held else f"no load held for {options.seconds:g} s ({found.why})"),
        steps=found.steps,
        is_together=options.is_together,
    )


def _against(options: Options, display: Display) -> Report:
    """Each repetition searches anew, on both; the verdict is over our last search."""
    searches: list[Limit] = []

    def load(run: Run) -> Measured | None:
        found = find_limit(run, options.rate, options.seconds, display)
        searches.append(found)
        return found.held if found.broken_off is None else found.steps[-1]

    compared = compare(options, display, load)
    late = next((found.bottleneck for found in searches if found.bottleneck is not None), None)
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=compared.turns[-1].ours,
        judged=compared.judged,
        faults=tuple(compared.faults),
        verdict=verdict_of(searches[-1], options),
        limited=compared.why_not or late,
        steps=searches[-1].steps,
        against={"floor": compared.ratios() if late is None else dict.fromkeys(compared.ratios())},
        more=compared.more(),
        is_together=options.is_together,
    )


def verdict_of(found: Limit, options: Options) -> str:
    """Return the number in a sentence."""
    if found.broken_off is not None:
        return f"The search was broken off ({found.broken_off})."
    if found.held is None:
        return f"No load held ({found.why})."
    load = f"{options.tables} tables of {options.seats} at {found.held.rate:,.0f} intents a second"
    if found.bottleneck is not None:
        return f"This machine carries {load} at least; beyond that the generator was late, so its limit is not known."
    return (
        f"This machine carries {load}: held for {found.held.seconds:g} s with p99 {in_ms(found.held.p99_ms)} ms. "
        f"More did not hold ({found.why})."
    )
