"""Sockets and the time, in one thread.

Not asyncio: reading a frame costs 3.2 µs here and 4.5 to 5.2 µs there (400 sockets, uvloop), and the loop's timers are
no finer than a millisecond, while a send that is later than that counts as the generator's fault.
"""

from __future__ import annotations

import heapq
import select
import time
from collections.abc import Callable
from typing import Final

READS: Final = select.EPOLLIN
WRITES: Final = select.EPOLLOUT
EVENTS_PER_TURN: Final = 16
"""So many sockets are read between two looks at the schedule: less than half a millisecond, with what is sent then."""
REST_PER_TURN: Final = 16
LOOK_SECONDS: Final = 0.25

now_s = time.perf_counter
Ready = Callable[[int], None]


class Loop:
    """Calls whoever's descriptor is ready with what it is ready for."""

    def __init__(self) -> None:
        self._first = select.epoll()
        self._rest = select.epoll()
        self._watched: dict[int, tuple[select.epoll, Ready]] = {}
        self._later: list[tuple[float, int, Callable[[], None]]] = []
        self._laters = 0
        self.gone: str | None = None
        """Why there is nobody any more to wait for."""
        self.why_gone: Callable[[], str | None] = lambda: None
        """Is asked now and then while something is waited for."""
        self._look_s = 0.0

    def add(self, descriptor: int, ready: Ready, *, can_wait: bool = False) -> None:
        """Watch a descriptor for what can be read; `can_wait`: a few at a time, behind all others."""
        epoll = self._rest if can_wait else self._first
        self._watched[descriptor] = (epoll, ready)
        epoll.register(descriptor, READS)

    def change(self, descriptor: int, events: int) -> None:
        """Watch it for something else; 0: for nothing but its end."""
        self._watched[descriptor][0].modify(descriptor, events)

    def remove(self, descriptor: int) -> None:
        """Watch it no more; before it is closed."""
        watched = self._watched.pop(descriptor, None)
        if watched is not None:
            watched[0].unregister(descriptor)

    def later(self, at_s: float, call: Callable[[], None]) -> None:
        """Call at a turn behind that time."""
        self._laters += 1
        heapq.heappush(self._later, (at_s, self._laters, call))

    def turn(self, wait_s: float) -> bool:
        """Handle what is ready; wait for it so long at most. Return whether there may be more."""
        if wait_s > 0:
            # An epoll descriptor is itself ready when one of its own is, and `select` counts in microseconds.
            select.select((self._first, self._rest), (), (), wait_s)
        while self._later and self._later[0][0] <= now_s():
            heapq.heappop(self._later)[2]()
        watched, is_more = self._watched, False
        for epoll, most in ((self._first, EVENTS_PER_TURN), (self._rest, REST_PER_TURN)):
            ready = epoll.poll(0, most)
            is_more |= len(ready) == most
            for descriptor, events in ready:
                found = watched.get(descriptor)
                if found is not None:  # else removed by one of those before
                    found[1](events)
        return is_more

    def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Turn until it holds; False if it does not within so many seconds, or the server is gone."""
        end_s = now_s() + seconds
        while not holds():
            left_s = end_s - now_s()
            if left_s <= 0 or self.is_gone():
                return False
            self.turn(min(left_s, 0.05))
        return True

    def while_moving(self, holds: Callable[[], bool], progress: Callable[[], int], seconds: float) -> bool:
        """Turn until it holds; False if it does not and nothing has moved for so many seconds."""
        moved, end_s = progress(), now_s() + seconds
        while not self.until(holds, seconds / 20):
            newest = progress()
            if newest != moved:
                moved, end_s = newest, now_s() + seconds
            if self.gone is not None or now_s() >= end_s:
                return False
        return True

    def is_gone(self) -> bool:
        """Look, a few times a second, whether the server is still there."""
        now = now_s()
        if self.gone is None and now >= self._look_s:
            self._look_s = now + LOOK_SECONDS
            self.gone = self.why_gone()
        return self.gone is not None

    def close(self) -> None:
        """End of watching."""
        self._first.close()
        self._rest.close()
