"""When something is due by itself, a tick is posted; the order of the inbox decides the rest (DESIGN 2).

This clock only estimates the streams' own. A tick stamped a moment too early fires nothing,
and the table is armed anew; one that comes late or twice does no harm either.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

from rapid.table.ports import Clock

AGAIN_MS = 5
"""Between two ticks for one deadline, when the first was stamped before it."""
HEAP_SPARE = 64
"""So many entries of the heap may be of forgotten tables, or half of them."""
LOST_MS = 1_000
"""A tick that has not been decided after this time is posted once more."""


class Timers:
    """One heap for all tables of a worker, one timer of the event loop for the heap."""

    def __init__(self, clock: Clock, tick: Callable[[str], None]) -> None:
        """Call `tick` with each table that is due by `clock`."""
        self._clock = clock
        self._tick = tick
        self._heap: list[tuple[int, str]] = []
        self._due: dict[str, int] = {}
        self._queued: dict[str, int] = {}
        """By table: when its one valid entry of the heap wakes. Entries overtaken by an earlier one are dropped."""
        self._ticked: dict[str, tuple[int, int]] = {}
        """By table: for which deadline a tick was posted last, and when."""
        self._handle: asyncio.TimerHandle | None = None
        self._handle_ms = 0

    def arm(self, table: str, due_ms: int | None) -> None:
        """Set or change when the table is due; None: not at all.

        A deadline that moves away, as with every accepted play (R8), costs no work on the heap.
        """
        if due_ms is None:
            self.disarm(table)
            return
        self._due[table] = due_ms
        wake_ms, ticked = due_ms, self._ticked.get(table)
        if ticked is not None and ticked[0] == due_ms:
            wake_ms = max(due_ms, ticked[1] + AGAIN_MS)
        if table not in self._queued or self._queued[table] > wake_ms:
            self._queue(table, wake_ms)

    def disarm(self, table: str) -> None:
        """Forget the table."""
        for known in (self._due, self._queued, self._ticked):
            known.pop(table, None)
        if len(self._heap) > HEAP_SPARE + 2 * len(self._queued):
            # What was forgotten long before it was due would stay until then: ten minutes, for a table left alone.
            self._heap = [(wake_ms, name) for name, wake_ms in self._queued.items()]
            heapq.heapify(self._heap)

    def stop(self) -> None:
        """Forget all."""
        for known in (self._due, self._queued, self._ticked, self._heap):
            known.clear()
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _queue(self, table: str, wake_ms: int) -> None:
        self._queued[table] = wake_ms
        heapq.heappush(self._heap, (wake_ms, table))
        self._wake_at(self._heap[0][0])

    def _wake_at(self, wake_ms: int) -> None:
        if self._handle is not None:
            if self._handle_ms <= wake_ms:
                return
            self._handle.cancel()
        delay_ms = max(0, wake_ms - self._clock.now_ms())
        self._handle = asyncio.get_running_loop().call_later(delay_ms / 1000, self._wake)
        self._handle_ms = wake_ms

    def _wake(self) -> None:
        self._handle = None
        now = self._clock.now_ms()
        while self._heap and self._heap[0][0] <= now:
            wake_ms, table = heapq.heappop(self._heap)
            if self._queued.get(table) == wake_ms:
                self._due_or_later(table, now)
        if self._heap:
            self._wake_at(self._heap[0][0])

    def _due_or_later(self, table: str, now: int) -> None:
        due_ms = self._due[table]
        if due_ms > now:
            self._queue(table, due_ms)
            return
        self._ticked[table] = (due_ms, now)
        self._queue(table, now + LOST_MS)
        self._tick(table)
