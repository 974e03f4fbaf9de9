"""Sockets and the time, in one thread.

Not asyncio: reading a frame costs 3.2 µs here and 4.5 to 5.2 µs there (400 sockets, uvloop), and the loop's timers are
no finer than a millisecond, while a send that is later than that counts as the generator's fault.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from typing import Final

READS: Final = select.EPOLLIN
WRITES: Final = select.EPOLLOUT
EVENTS_PER_TURN: Final = 64
"""So many sockets are read between two looks at the schedule: about a quarter of a millisecond."""

now_s = time.perf_counter
Ready = Callable[[int], None]


class Loop:
    """Calls whoever's descriptor is ready with what it is ready for."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._ready: dict[int, Ready] = {}

    def add(self, descriptor: int, ready: Ready, events: int = READS) -> None:
        """Watch a descriptor."""
        self._ready[descriptor] = ready
        self._epoll.register(descriptor, events)

    def change(self, descriptor: int, events: int) -> None:
        """Watch it for something else; 0: for nothing but its end."""
        self._epoll.modify(descriptor, events)

    def remove(self, descriptor: int) -> None:
        """Watch it no more; before it is closed."""
        if self._ready.pop(descriptor, None) is not None:
            self._epoll.unregister(descriptor)

    def turn(self, wait_s: float) -> None:
        """Handle what is ready; wait for it so long at most."""
        if wait_s > 0:
            # An epoll descriptor is itself ready when one of its own is, and `select` counts in microseconds.
            select.select((self._epoll,), (), (), wait_s)
        ready = self._ready
        for descriptor, events in self._epoll.poll(0, EVENTS_PER_TURN):
            handle = ready.get(descriptor)
            if handle is not None:  # else removed by one of those before
                handle(events)

    def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Turn until it holds; False if it does not within so many seconds."""
        end_s = now_s() + seconds
        while not holds():
            left_s = end_s - now_s()
            if left_s <= 0:
                return False
            self.turn(min(left_s, 0.05))
        return True

    def close(self) -> None:
        """End of watching."""
        self._epoll.close()
