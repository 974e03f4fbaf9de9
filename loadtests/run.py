"""A system under load and its generators: windows are measured on it, its games ended, its logs judged."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from msgspec import structs

from loadtests.generator.fleet import Fleet, GeneratorFailed
from loadtests.generator.loop import now_s
from loadtests.generator.plan import Judged, Plan, Progress, Stopped, Window
from loadtests.report.measured import Measured, put_together
from loadtests.report.progress import Display
from loadtests.under_test.measured import Target, cpu_s, resident_kb

LEAD_SECONDS: Final = 0.1
WARM_RATE: Final = 200.0
WARM_SECONDS: Final = 0.5


class Run:
    """One target with clients on it."""

    def __init__(self, target: Target, fleet: Fleet, display: Display) -> None:
        self.target = target
        self._fleet = fleet
        self._display = display
        fleet.heed = display.say
        self._count = len(fleet.pids)
        self._plans: list[Plan] = []
        self._parts = [1 / self._count] * self._count
        """Which part of the tables, and so of the load, each generator has."""
        self._pids = {**target.pids, **{f"generator {number}": pid for number, pid in enumerate(fleet.pids, 1)}}

    def open(self, plan: Plan) -> None:
        """Open `plan.tables` tables, in equal parts, and start the games."""
        at_rest = f", {plan.idle} of them at rest" if plan.idle else ""
        self._display.say(f"opening {plan.tables + plan.idle} tables of {plan.seats}{at_rest}")
        plans, first = [], 0
        for number in range(self._count):
            parts = {name: self._share(getattr(plan, name), number) for name in ("tables", "idle", "slow")}
            plans.append(structs.replace(plan, first=first, **parts))
            first += parts["tables"]
        self._parts = [plan.tables / sum(one.tables for one in plans) if plan.tables else 0.0 for plan in plans]
        self._plans = plans
        self._fleet.tell("open", plans)
        if len(self._fleet.ended) == self._count:
            raise GeneratorFailed(self._fleet.broken_off)

    @property
    def faults(self) -> tuple[str, ...]:
        """What went wrong that is no figure and no verdict: a server or a generator that is gone, tables that hang."""
        return tuple(self._fleet.faults)

    @property
    def broken_off(self) -> str | None:
        """Why nothing can be measured any more: a server or a generator is gone. Windows from there on end at once."""
        return self._fleet.broken_off

    def watch(self) -> None:
        """Connect the spectators."""
        self._tell("watch")

    def unwatch(self) -> None:
        """Disconnect them."""
        self._tell("unwatch")

    def stop_reading(self) -> None:
        """Connect spectators that read no more."""
        self._tell("stop_reading")

    def read_on(self) -> Stopped:
        """End of that; return what became of them."""
        stopped = Stopped()
        for one in self._tell("read_on"):
            stopped.add(one or Stopped())
        return stopped

    def memory_kb(self) -> dict[str, int | None]:
        """Return what each process holds in memory now; None: it is gone."""
        return {name: resident_kb(pid) for name, pid in self._pids.items()}

    def warm_up(self, rate: float) -> None:
        """Let everything be used once before it is measured."""
        self.measure(min(rate, WARM_RATE) if rate else 0.0, WARM_SECONDS)

    def measure(self, rate: float, seconds: float, *, churns: bool = False) -> Measured:
        """Measure one window."""
        begin_s = now_s() + LEAD_SECONDS
        windows = [
            Window(
                begin_s=begin_s,
                seconds=seconds,
                rate=rate * self._parts[number],
                offset=number / self._count,
                churns=churns,
            )
            for number in range(self._count)
        ]
        watched = _Watched(self._pids, self._display, rate)
        self._fleet.send("measure", windows)
        time.sleep(max(0.0, begin_s - now_s()))
        before = _cpu_s(self.target.pids)
        tallies = self._fleet.answers(watched.hear, watched.tick)
        used = _grown(before, _cpu_s(self.target.pids))
        measured = put_together(
            tallies, rate=rate, seconds=seconds, cpu_s=used, memory_kb=self.memory_kb(), busy=watched.busy
        )
        return structs.replace(measured, broken_off=self._fleet.broken_off)

    def finish(self) -> None:
        """Play all games to their end."""
        self._display.say("playing the games to their end")
        self._tell("finish")

    def judge(self) -> Judged:
        """Hold what every viewer was sent against the logs."""
        self._display.say("judging")
        judged = Judged()
        for one in self._fleet.tell("judge", [self.target.redis_url] * self._count):
            judged.add(one)
        judged.opened += sum(self._plans[number].tables + self._plans[number].idle for number in self._fleet.ended)
        return judged

    def close(self) -> None:
        """Hang up."""
        self._tell("close")

    def _tell(self, name: str) -> list[Any]:
        return self._fleet.tell(name, [None] * self._count)

    def _share(self, whole: int, number: int) -> int:
        """Return how many of so many things the generator of this number has."""
        return len(range(number, whole, self._count))


def _cpu_s(pids: Mapping[str, int]) -> dict[str, float]:
    """What the processes have used, of those that are there."""
    return {name: used_s for name, pid in pids.items() if (used_s := cpu_s(pid)) is not None}


def _grown(before_s: Mapping[str, float], after_s: Mapping[str, float]) -> dict[str, float]:
    return {name: after_s[name] - used_s for name, used_s in before_s.items() if name in after_s}


@contextmanager
def run_on(target: Target, generators: int, display: Display) -> Iterator[Run]:
    """Start generators for a target."""
    with Fleet(generators) as fleet:
        yield Run(target, fleet, display)


class _Watched:
    """What happens while a window runs."""

    def __init__(self, pids: Mapping[str, int], display: Display, rate: float) -> None:
        self.busy: list[tuple[float, dict[str, float]]] = []
        self._pids = pids
        self._display = display
        self._rate = rate
        self._at_s = now_s()
        self._used_s = _cpu_s(pids)
        self._newest: dict[int, Progress] = {}
        self._last: dict[int, Progress] = {}

    def hear(self, number: int, progress: Progress) -> None:
        self._last[number] = self._newest.get(number, progress)
        self._newest[number] = progress

    def tick(self) -> None:
        now = now_s()
        if now - self._at_s < 0.2:
            return
        used_s = _cpu_s(self._pids)
        busy = {name: grown_s / (now - self._at_s) for name, grown_s in _grown(self._used_s, used_s).items()}
        self._at_s, self._used_s = now, used_s
        self.busy.append((now, busy))
        newest: Sequence[Progress] = list(self._newest.values())
        if newest:
            self._display.show(self._rate, self._current_rate(), newest, busy)

    def _current_rate(self) -> float:
        rate = 0.0
        for number, progress in self._newest.items():
            last = self._last[number]
            if progress.at_s > last.at_s:
                rate += (progress.counted - last.counted) / (progress.at_s - last.at_s)
        return rate
