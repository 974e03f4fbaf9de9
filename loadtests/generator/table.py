"""One table under load: at most one intent is on its way; the next begins when all seats have heard of it.

An intent's latency counts from the time the schedule meant it for. If the table still waits for the one before, the
next one waits too and its clock runs: a slow server gets no fewer intents to answer for (coordinated omission).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from loadtests.generator.connection import Connection
from loadtests.generator.loop import Loop, now_s
from loadtests.generator.recorder import Recorder

RATE_LIMITED: Final = "rate_limited"
BACK_OFF_SECONDS: Final = 0.1
"""Before a table asks again that was refused so: who asks on at once is cut off for that."""
STILL_SECONDS: Final = 8.0
"""Where nothing at all has been heard for so long, nothing will be: no server takes a second for anything."""
FAULTS_SHOWN: Final = 5


class Seat:
    """A viewer whose frames are counted: how far it is, and whether it still waits for the present intent's event."""

    __slots__ = ("connection", "reached_s", "seq", "waits")

    connection: Connection

    def __init__(self) -> None:
        self.seq = 0
        self.reached_s = 0.0
        self.waits = False


class Table(ABC):
    """The schedule calls `due`; what the seats hear calls `reached`; when nobody waits any more, `settle`."""

    def __init__(self, loop: Loop, recorder: Recorder) -> None:
        self.loop = loop
        self.recorder = recorder
        self.backlog: deque[tuple[float, int]] = deque()
        """When each intent was due, and which of the recorder's latenesses is its own."""
        self.is_busy = False
        self.is_resting = False
        """Whether it asks for nothing for a while."""
        self.is_paused = False
        """Whether the schedule is to pass it over."""
        self.is_hurried = False
        """Whether the next intent follows at once, whatever the schedule says: games are brought to their end."""
        self.ahead = 0
        """How many intents follow at once in the same way, so that tables do not stand all at the same place."""
        self.held_since_s: float | None = None
        """Since when it waits for our own sake, if it does: a seat is away, or what was on its way then is not done.

        That time is no latency of the server's, of the present intent nor of what waits behind it.
        """
        self.is_stuck = False
        """Whether its present intent was waited for in vain."""
        self.waiting = 0
        self.target = 0
        """The `seq` that the present intent's event will have."""
        self.scheduled_s = 0.0
        self.kind = ""
        self.newest = b""
        """The newest frames that any seat has got."""

    @property
    @abstractmethod
    def seats(self) -> Sequence[Seat]:
        """All whom an event must reach."""

    @property
    def progress(self) -> int:
        """Grows whenever anything is heard."""
        return sum(seat.seq for seat in self.seats)

    def described(self) -> str:
        """Return where it stands, for whoever waits for it in vain."""
        return "a table"

    def shared(self, data: bytes) -> bytes:
        """Return the frames, as the very object that another seat has got them: most are the same for all."""
        newest = self.newest
        if data == newest:
            return newest
        self.newest = data
        return data

    @abstractmethod
    def act(self, scheduled_s: float) -> bool:
        """Send the next intent, meant for `scheduled_s`; False if there is nothing to do now."""

    def due(self, scheduled_s: float) -> None:
        """The schedule wants an intent."""
        if self.is_paused or self.held_since_s is not None:
            return
        recorder, backlog = self.recorder, self.backlog
        recorder.due += 1
        if self.is_busy or self.is_resting or backlog or not self.act(scheduled_s):
            backlog.append((scheduled_s, len(recorder.late_s)))
        # Also if the table still waits for the server: that the schedule is late is the generator's own doing.
        recorder.late_s.append(now_s() - scheduled_s)
        if len(backlog) > 1 and not self.is_busy:
            self.go_on(now_s())

    def hurry(self) -> None:
        """Go on by itself, as fast as the events come."""
        self.is_hurried = True
        if not self.is_busy:
            self.go_on(now_s())

    def go_ahead(self, intents: int) -> None:
        """Send so many, each as soon as the one before is done."""
        self.ahead = intents
        if not self.is_busy:
            self.go_on(now_s())

    def begin(self, kind: str, target: int, scheduled_s: float) -> None:
        """An intent is being sent."""
        self.kind, self.target, self.scheduled_s = kind, target, scheduled_s
        self.is_busy = True
        seats = self.seats
        self.waiting = len(seats)
        for seat in seats:
            seat.waits = True

    def reached(self, seat: Seat, at_s: float) -> None:
        """A seat has heard of the intent's event."""
        seat.waits = False
        seat.reached_s = at_s
        self.waiting -= 1

    def settle(self, at_s: float) -> None:
        """All seats have heard of it: count it, and go on with what has waited for it."""
        recorder, scheduled_s = self.recorder, self.scheduled_s
        recorder.counted += 1
        recorder.kinds[self.kind] += 1
        if self.held_since_s is None:
            recorder.latencies_s += [seat.reached_s - scheduled_s for seat in self.seats]
        self.go_on(at_s)

    def hold(self, at_s: float) -> None:
        """We hang up on a seat: until all are back, and what is on its way is done, time does not count."""
        if self.held_since_s is None:
            self.held_since_s = at_s

    def _let_go(self, at_s: float) -> None:
        """End of that: what has waited meanwhile was due so much later."""
        assert self.held_since_s is not None
        held_s = at_s - self.held_since_s
        self.held_since_s = None
        self.backlog = deque((scheduled_s + held_s, number) for scheduled_s, number in self.backlog)

    def withdraw(self, at_s: float) -> None:
        """The intent was lost with the connection that we have cut: it was never asked for."""
        self.recorder.due -= 1
        self._wait_no_more()
        self.go_on(at_s)

    def _wait_no_more(self) -> None:
        self.waiting = 0
        for seat in self.seats:
            seat.waits = False

    def give_up(self, why: str, at_s: float) -> None:
        """The intent was refused."""
        self.recorder.refused[why] += 1
        self._wait_no_more()
        if why == RATE_LIMITED:
            self.is_resting = True
            self.ahead = 0
            self.loop.later(at_s + BACK_OFF_SECONDS, self._rested)
        self.go_on(at_s)

    def _rested(self) -> None:
        self.is_resting = False
        if not self.is_busy:
            self.go_on(now_s())

    def go_on(self, at_s: float) -> None:
        """Nothing is on its way since a frame that came at `at_s`."""
        self.is_busy = False
        if self.held_since_s is not None:
            if self.is_away:
                return
            self._let_go(at_s)
        if self.is_resting:
            return
        if self.backlog:
            scheduled_s, number = self.backlog[0]
            if self.act(scheduled_s):
                self.backlog.popleft()
                self.recorder.late_s[number] += now_s() - at_s
        elif (self.is_hurried or self.ahead > 0) and self.act(at_s):
            self.ahead -= self.ahead > 0
            self.recorder.due += 1

    def count_waiting(self, begin_s: float, at_s: float) -> None:
        """What was due since `begin_s` and is not done by now has taken as long as it has waited, at the least."""
        latencies_s, held_since_s = self.recorder.latencies_s, self.held_since_s
        if self.is_busy and held_since_s is None and self.scheduled_s >= begin_s:
            latencies_s += [(at_s if seat.waits else seat.reached_s) - self.scheduled_s for seat in self.seats]
        until_s = at_s if held_since_s is None else held_since_s
        for scheduled_s, _ in self.backlog:
            latencies_s += [until_s - scheduled_s] * len(self.seats)

    @property
    def is_away(self) -> bool:
        """Whether a seat of ours has no connection."""
        return False

    @property
    def is_cut_off(self) -> bool:
        """Whether the server has closed a seat's connection for asking too often: the table cannot go on."""
        return False

    @abstractmethod
    def close(self) -> None:
        """Hang up."""


AnyTable = TypeVar("AnyTable", bound=Table)


def settle(loop: Loop, tables: Sequence[AnyTable], holds: Callable[[AnyTable], bool], otherwise: str) -> list[str]:
    """Wait until it holds at all tables, for as long as anything moves where it does not; return where it never did."""
    waiting = list(tables)

    def is_done() -> bool:
        waiting[:] = [table for table in waiting if not (table.is_cut_off or holds(table))]
        return not waiting

    def progress() -> int:
        return sum(table.progress for table in waiting)

    if loop.while_moving(is_done, progress, STILL_SECONDS) or loop.gone is not None:
        return []
    for table in waiting:
        table.is_stuck = True
    return shortened([f"{table.described()}: {otherwise}" for table in waiting])


def shortened(faults: list[str]) -> list[str]:
    """Return the first few, and how many more tables it is: behind them the rest says the same again."""
    more = len(faults) - FAULTS_SHOWN
    return faults if more <= 0 else [*faults[:FAULTS_SHOWN], f"and so {more} more tables"]
