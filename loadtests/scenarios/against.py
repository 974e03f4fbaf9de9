"""`--against floor`: the same load from the same generator on both, in turn, and ratios: nothing else is comparable.

What the floor costs is known (REPORT of the performance floors): a run whose floor costs something else was disturbed,
or the floor is not what it was, and nothing of it is quoted.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, structs

from loadtests.generator.plan import Judged, Plan
from loadtests.options import Options
from loadtests.report.measured import Measured
from loadtests.report.progress import Display
from loadtests.report.ratios import Figure, Windows, each_ratio, median_ratio
from loadtests.run import Run, run_on
from loadtests.scenarios.common import plan_for, target_of
from loadtests.under_test.floor import floor

KNOWN_TABLES: Final = 100
KNOWN_SEATS: Final = 4
KNOWN_RATE: Final = 4000.0
KNOWN_CPU_US: Final = (134.0, 225.0)
"""CPU of all the floor's processes for each intent under that load, with decisions that take no time: on a Python that
was built with optimisation by profile and a machine that runs evenly; and as the REPORT has it, on another processor
and a Python that was not (ops/decisions/0009-speed.md).
"""
KNOWN_SECONDS: Final = 2.5
MAY_DIFFER: Final = 0.2
Load = Callable[[Run], Measured | None]
"""Puts a load on a run; None if nothing held."""


class Turn(Struct, frozen=True):
    """One repetition: ours and the floor's."""

    ours: Measured
    theirs: Measured
    floor_cpu_us: float | None
    """None: the generator was late while it was measured."""


class Compared(Struct, frozen=True, kw_only=True):
    """All repetitions."""

    turns: Sequence[Turn]
    judged: Judged
    faults: Sequence[str] = ()

    @property
    def floor_cpu_us(self) -> float | None:
        """What the floor costs at the rate at which that is known; None: that was not to be measured here."""
        found = [turn.floor_cpu_us for turn in self.turns if turn.floor_cpu_us is not None]
        return round(statistics.median(found), 1) if found else None

    @property
    def why_not(self) -> str | None:
        """Why the ratios may not be quoted."""
        for turn in self.turns:
            for name, measured in (("", turn.ours), ("the floor: ", turn.theirs)):
                if measured.bottleneck is not None:
                    return name + measured.bottleneck
        low, high = KNOWN_CPU_US
        if self.floor_cpu_us is None:
            return f"what the floor costs at {KNOWN_RATE:.0f}/s is not known: the generator was late each time"
        if not low * (1 - MAY_DIFFER) <= self.floor_cpu_us <= high * (1 + MAY_DIFFER):
            return (
                f"the floor costs {self.floor_cpu_us:.0f} µs an intent with {KNOWN_TABLES} tables at "
                f"{KNOWN_RATE:.0f}/s, known are {low:.0f} to {high:.0f} µs ± {MAY_DIFFER:.0%}: "
                "the machine was disturbed, or is another one"
            )
        return None

    def ratios(self) -> dict[str, float | None]:
        """Return ours / theirs, medians over the repetitions; null where they may not be quoted."""
        if self.why_not is not None:
            return dict.fromkeys(_FIGURES)
        return {name: median_ratio(figure, self._windows()) for name, figure in _FIGURES.items()}

    def each(self) -> dict[str, list[float] | None]:
        """Return the ratio of every repetition."""
        return {name: each_ratio(figure, self._windows()) for name, figure in _FIGURES.items()}

    def _windows(self) -> Windows:
        return [(turn.ours, turn.theirs) for turn in self.turns]

    def more(self) -> Mapping[str, Any]:
        """Return what the report adds; the ratios only if they may be quoted."""
        if self.why_not is not None:
            return {"floor_cpu_us_at_4000": self.floor_cpu_us}
        rounded = {name: of_each and [round(one, 2) for one in of_each] for name, of_each in self.each().items()}
        return {
            "floor_cpu_us_at_4000": self.floor_cpu_us,
            "floor_rate": round(statistics.median(turn.theirs.rate for turn in self.turns), 1),
            "ratios_of_each_repetition": rounded,
        }


_FIGURES: Final[Mapping[str, Figure]] = {
    "rate": lambda measured: measured.rate,
    "p50": lambda measured: measured.latency.ms(50),
    "p99": lambda measured: measured.p99_ms,
    "cpu": lambda measured: measured.servers_cpu_us,
}


def compare(options: Options, display: Display, load: Load) -> Compared:
    """Floor, ours, floor, ours, …; each on processes of its own."""
    turns, judged, faults = [], Judged(), list[str]()
    for number in range(1, options.repeats + 1):
        display.say(f"{number} of {options.repeats}: the floor")
        floor_cpu_us = _floor_cpu_us(options, display)
        theirs = _floor_turn(options, display, load, faults)
        display.say(f"{number} of {options.repeats}: this server")
        ours = _own_turn(options, display, load, judged, faults)
        if ours is not None and ours.broken_off is not None and theirs is not None:
            turns.append(Turn(ours, theirs, floor_cpu_us))
            break
        if ours is None or theirs is None:
            raise NothingHeld("no load held, so there is nothing to compare")
        turns.append(Turn(ours, theirs, floor_cpu_us))
    return Compared(turns=turns, judged=judged, faults=faults)


class NothingHeld(Exception):
    """One of the two held no load at all, or the floor was not measured to its end."""


def _floor_cpu_us(options: Options, display: Display) -> float | None:
    """What the floor costs under the load for which that is known, whatever load is asked for."""
    with (
        floor(tables=KNOWN_TABLES, fsync=options.fsync, decide_us=0.0) as target,
        run_on(target, options.generators, display) as run,
    ):
        run.open(Plan(host=target.host, port=target.port, kind="floor", tables=KNOWN_TABLES, seats=KNOWN_SEATS))
        run.warm_up(KNOWN_RATE)
        measured = run.measure(KNOWN_RATE, KNOWN_SECONDS)
        _must_be_whole(run)
        return measured.servers_cpu_us if measured.bottleneck is None else None


def _floor_turn(options: Options, display: Display, load: Load, faults: list[str]) -> Measured | None:
    with (
        floor(tables=options.tables, fsync=options.fsync, decide_us=options.decide_us) as target,
        run_on(target, options.generators, display) as run,
    ):
        run.open(structs.replace(plan_for(options, target), kind="floor"))
        run.warm_up(options.rate)
        measured = load(run)
        _must_be_whole(run)
        faults += run.faults
        return measured


def _must_be_whole(run: Run) -> None:
    """Without the floor's figures there is nothing to hold ours against."""
    if run.broken_off is not None:
        raise NothingHeld(f"the floor: {run.broken_off}")


def _own_turn(options: Options, display: Display, load: Load, judged: Judged, faults: list[str]) -> Measured | None:
    with target_of(options) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        measured = load(run)
        run.finish()
        judged.add(run.judge())
        faults += run.faults
        return measured
