"""A generator as a process of its own, told what to do over a pipe.

Parent and child take turns: a command goes down (its name and one value), `Progress` and `BEAT` come up any number of
times, then ("done", value, faults, why the server is gone or None) or ("failed", text). Between commands the
sockets are served on. `BREAK_OFF` alone may come while a command is worked on, has no answer, and ends a window
where it is.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from loadtests.generator import logs
from loadtests.generator.churn import Churn
from loadtests.generator.floor_table import FloorTable
from loadtests.generator.http import Unusable
from loadtests.generator.judging import judge_all
from loadtests.generator.loop import Loop, now_s
from loadtests.generator.plan import Judged, Plan, Progress, Stopped, Window
from loadtests.generator.race import NotReady, Races
from loadtests.generator.race_table import RaceTable
from loadtests.generator.recorder import Recorder, Tally
from loadtests.generator.schedule import Resting, Schedule, Steady, Thinking
from loadtests.generator.table import Table, settle
from loadtests.generator.upward import Upward
from loadtests.generator.viewer import TOO_MANY
from loadtests.stopping import end_with_parent

BREAK_OFF: Final = "break_off"
PROGRESS_SECONDS: Final = 0.25
NAP_SECONDS: Final = 0.00012
"""At high rates sends and reads are bundled so: the generator must not eat the core it shares with the servers."""
EARLY_SECONDS: Final = 0.001
"""It is awake so long before something is due: at rest, who wakes from a long sleep may be as late as that."""
STALL_SECONDS: Final = 0.05
"""A progress that is later than this says that this process stood still, even where nothing was due meanwhile."""
WITHOUT_SERVER: Final = frozenset(("measure", "judge", "close"))
CONNECT_SECONDS: Final = 30.0
HEARD_SECONDS: Final = 2.0


class Generator:
    """Does what the parent says."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._upward = Upward(pipe)
        self._loop = Loop()
        self._recorder = Recorder()
        self._loop.why_gone = self._why_gone
        self._faults: list[str] = []
        """What was wrong since the last answer."""
        self._plan = Plan(host="", port=0)
        self._tables: Sequence[Table] = ()
        self._races = Races(self._loop, self._recorder, self._plan)

    def run(self) -> None:
        """Serve until the parent says `stop` or is gone."""
        while True:
            while not self._pipe.poll():
                self._loop.turn(0.01)
            try:
                name, value = self._pipe.recv()
            except EOFError:
                return
            if name == "stop":
                return
            if name == BREAK_OFF:
                continue  # nothing is measured any more
            with self._upward.beating():
                answer = self._answer(name, value)
            self._upward.say(answer)

    def _answer(self, name: str, value: Any) -> tuple[Any, ...]:
        """Do it, and say what was wrong besides; without a server only what was heard until then is looked at."""
        try:
            is_done = self._loop.gone is None or name in WITHOUT_SERVER
            value = getattr(self, f"do_{name}")(value) if is_done else None
        except (NotReady, Unusable, OSError) as error:
            return ("failed", str(error))
        except Exception:  # noqa: BLE001  the parent says it
            return ("failed", traceback.format_exc())
        faults, self._faults = self._faults, []
        return ("done", value, faults, self._loop.gone)

    def do_open(self, plan: Plan) -> None:
        """Open tables and connect."""
        self._plan = plan
        if plan.kind == "race":
            self._races = Races(self._loop, self._recorder, plan)
            self._faults += self._races.open()
            self._tables = self._races.racing
        else:
            self._open_floor(plan)
        # What there is stays: it need not be looked through again and again.
        gc.collect()
        gc.freeze()
        gc.disable()

    def _open_floor(self, plan: Plan) -> None:
        numbers = range(plan.first, plan.first + plan.tables)
        self._tables = [
            FloorTable(self._loop, self._recorder, plan.host, plan.port, number, plan.seats) for number in numbers
        ]
        seats = [seat for table in self._tables for seat in table.seats]
        if not self._loop.until(lambda: all(seat.connection.is_open for seat in seats), CONNECT_SECONDS):
            raise NotReady("the floor does not answer")

    def do_measure(self, window: Window) -> Tally:
        """Run one window and wait for what it asked for."""
        recorder = self._recorder
        recorder.reset()
        schedule = self._schedule(window)
        self._turn_until(window.begin_s)
        begin_cpu_s = _cpu_s()
        churn = Churn(self._races, self._plan, random.Random(self._plan.seed)) if window.churns else None  # noqa: S311
        with _going_first():
            self._run(schedule, churn)
        recorder.counted_in_window = recorder.counted
        recorder.slice(now_s())
        if churn is not None:
            self._faults += churn.end()
        self._loop.until(lambda: not recorder.open, window.drain_s)
        self._count_waiting(window.begin_s)
        tally = recorder.tally(now_s() - window.begin_s, _cpu_s() - begin_cpu_s)
        done = {} if churn is None else structs.asdict(churn.done)
        return structs.replace(tally, unanswered=self._calm(), cut_off=self._cut_off(), churn=done)

    def _count_waiting(self, begin_s: float) -> None:
        at_s = now_s()
        for table in self._tables:
            table.count_waiting(begin_s, at_s)

    def _cut_off(self) -> int:
        return self._races.cut_off if self._plan.kind == "race" else 0

    def _run(self, schedule: Schedule, churn: Churn | None) -> None:
        """Send what is due and hear what comes, until the schedule's end."""
        report_s, is_more = now_s() + PROGRESS_SECONDS, False
        while self._loop.gone is None and (now := now_s()) < schedule.end_s:
            next_s = schedule.pump(now)
            if churn is not None:
                churn.turn(now)
            if now >= report_s:
                if now - report_s > STALL_SECONDS:
                    self._recorder.late_s.append(now - report_s)
                report_s += PROGRESS_SECONDS
                self._report(now)
                self._loop.is_gone()
                if self._pipe.poll():  # the parent breaks off, or is gone: nobody wants the rest of it
                    return
            wait_s = min(next_s, report_s) - now_s() - EARLY_SECONDS
            if wait_s < 0 and not is_more:
                time.sleep(NAP_SECONDS)
            is_more = self._loop.turn(0.0 if is_more else max(0.0, wait_s))
        if self._loop.gone is None:
            schedule.pump_out()

    def do_watch(self, _value: None) -> None:
        """Connect the spectators."""
        self._races.watch()

    def do_unwatch(self, _value: None) -> None:
        """Disconnect them."""
        self._races.unwatch()

    def do_stop_reading(self, _value: None) -> None:
        """Connect spectators that read no more."""
        self._races.stop_reading()

    def do_read_on(self, _value: None) -> Stopped:
        """End of that; what became of them."""
        return self._races.read_on()

    def do_finish(self, _value: None) -> None:
        """Play all games to their end."""
        self._faults += self._races.finish()

    def do_judge(self, redis_url: str | None) -> Judged:
        """Read the logs, out of Redis if its address is known, and judge every table that was played to its end."""
        plan, is_gone = self._plan, self._loop.gone is not None
        if redis_url is None and not is_gone:
            self._faults += self._races.disclose()
        tables = [table for table in self._races.all if not table.is_cut_off]
        ids = [table.table for table in tables]
        read = logs.shown(plan.host, plan.port, ids) if redis_url is None else logs.exported(redis_url, ids)
        self._faults += read.faults
        if not is_gone:
            self._loop.until(lambda: all(map(_has_heard_all, tables, read.lines)), HEARD_SECONDS)
        judged = judge_all(tables, read.lines, is_settled=not is_gone)
        judged.opened = len(self._races.all)
        judged.cut_off = self._races.cut_off
        return judged

    def do_close(self, _value: None) -> None:
        """Hang up."""
        for table in self._races.all if self._plan.kind == "race" else self._tables:
            table.close()
        self._tables = ()

    def _calm(self) -> int:
        """What the window asked for and nobody has sent is dropped; return how much of the rest never arrives."""
        self._recorder.reset()
        for table in self._tables:
            table.backlog.clear()
        waiting = [table for table in self._tables if table.is_busy and not table.is_stuck]
        self._faults += settle(self._loop, waiting, lambda table: not table.is_busy, "an intent is not answered")
        return sum(table.is_busy and not table.is_cut_off for table in self._tables)

    def _why_gone(self) -> str | None:
        """A process of the server has ended, or every seat's connection was ended from there."""
        for name, pid in self._plan.pids.items():
            if not is_running(pid):
                return f"the server is gone: its {name} (process {pid}) has ended"
        tables = [*self._tables, *self._races.resting]
        seats = [seat for table in tables for seat in table.seats]
        if seats and all(seat.connection.is_cut and seat.connection.code != TOO_MANY for seat in seats):
            return "the server is gone: it has ended every connection"
        return None

    def _schedule(self, window: Window) -> Schedule:
        begin_s, end_s = window.begin_s, window.begin_s + window.seconds
        if not self._tables or not (window.rate or self._plan.is_human):
            return Resting(end_s)
        if self._plan.is_human:
            return Thinking(self._tables, random.Random(self._plan.seed), begin_s, end_s)  # noqa: S311
        offset_s = window.offset / window.rate
        return Steady(self._tables, window.rate, begin_s + offset_s, end_s)

    def _turn_until(self, at_s: float) -> None:
        while (left_s := at_s - now_s()) > 0:
            self._loop.turn(min(left_s, 0.01))

    def _report(self, at_s: float) -> None:
        recorder = self._recorder
        recorder.slice(at_s)
        p50_ms, p99_ms = recorder.live_ms()
        self._upward.say(
            Progress(
                at_s=at_s,
                due=recorder.due,
                counted=recorder.counted,
                refused=sum(recorder.refused.values()),
                p50_ms=p50_ms,
                p99_ms=p99_ms,
            )
        )


@contextmanager
def _going_first() -> Iterator[None]:
    """Run whenever there is something to do, where that is allowed (to root, as a rule).

    What shares the cores with us then waits for us for some microseconds, as it would not if we were on another
    machine; else we wait for it for milliseconds, and what we measure is the scheduler.
    """
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    if before[0] == os.SCHED_OTHER:
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        with suppress(PermissionError):
            os.sched_setscheduler(0, *before)


def _has_heard_all(table: RaceTable, lines: Sequence[str] | None) -> bool:
    """Whether everybody who is still there has the whole log."""
    return lines is None or all(one.seq >= len(lines) - 1 for one in table.viewers if one.connection.closed_s is None)


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2][1] not in "ZX"
    except OSError:
        return False


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(pipe: Pipe, *_: Any) -> None:
    """Entry of the child."""
    end_with_parent()
    Generator(pipe).run()
