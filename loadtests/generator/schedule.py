"""When intents are due. Open loop: the schedule does not wait for the server."""

from __future__ import annotations

import heapq
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from loadtests.generator.table import Table

HANDED_AT_ONCE: Final = 1000
"""Behind so many the sockets have their turn, however late the schedule is: what is not read fills buffers."""
OPEN_MAX: Final = 500_000
"""Of intents that wait or are on their way: some 150 bytes each. No window that holds comes near it."""
THINK_MEDIAN_S: Final = 0.45
THINK_SIGMA: Final = 0.35
"""Of people's time between seeing a card and having played: log-normal, a fifth under a third of a second."""


class Schedule(ABC):
    """Tells tables when their next intent is due, until its end."""

    end_s: float

    @abstractmethod
    def pump(self, now_s: float) -> float:
        """Hand out what is due, a thousand at most; return when the next one is, `end_s` if none is."""

    def pump_out(self) -> None:
        """Hand out all that is due until the end."""
        while self.pump(self.end_s) < self.end_s:
            pass


class Resting(Schedule):
    """Nothing is due."""

    def __init__(self, end_s: float) -> None:
        self.end_s = end_s

    def pump(self, now_s: float) -> float:  # noqa: ARG002  the shape of every schedule
        """Hand out nothing."""
        return self.end_s


class Steady(Schedule):
    """So many intents a second, the tables in turn, evenly spaced; there may be others in their place later."""

    def __init__(self, tables: Sequence[Table], rate: float, begin_s: float, end_s: float) -> None:
        self._tables = tables
        self._begin_s, self.end_s = begin_s, end_s
        self._gap_s = 1 / rate
        self._number = 1
        self._next_s = begin_s + self._gap_s

    def pump(self, now_s: float) -> float:
        """Hand out what is due. Where too much of it is open the schedule ends: what waits is kept in memory."""
        recorder = self._tables[0].recorder
        for _ in range(HANDED_AT_ONCE):
            if self._next_s > now_s or self._next_s >= self.end_s:
                break
            self._tables[self._number % len(self._tables)].due(self._next_s)
            self._number += 1
            self._next_s = self._begin_s + self._number * self._gap_s
        if recorder.open >= OPEN_MAX:
            recorder.is_overrun = True
            self.end_s = min(self._next_s, self.end_s)
        return min(self._next_s, self.end_s)


class Thinking(Schedule):
    """Each table's next intent is due when somebody there has thought for as long as people do."""

    def __init__(self, tables: Sequence[Table], rng: random.Random, begin_s: float, end_s: float) -> None:
        self.end_s = end_s
        self._rng = rng
        # Not all at once at the beginning.
        self._due = [(begin_s + self._think_s(), number, table) for number, table in enumerate(tables)]
        heapq.heapify(self._due)

    def pump(self, now_s: float) -> float:
        """Hand out what is due; a table that still waits for an event thinks once that is there."""
        due = self._due
        while due[0][0] <= now_s < self.end_s:
            at_s, number, table = due[0]
            if table.is_busy:
                # Whether it is so for the server's sake or for that of an answer that we are late to read.
                table.recorder.late_s.append(now_s - at_s)
            else:
                table.due(at_s)
            heapq.heapreplace(due, (now_s + self._think_s(), number, table))
        return self.end_s if now_s >= self.end_s else min(due[0][0], self.end_s)

    def _think_s(self) -> float:
        return self._rng.lognormvariate(0.0, THINK_SIGMA) * THINK_MEDIAN_S
