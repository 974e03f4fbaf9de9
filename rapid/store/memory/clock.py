"""A clock that stands still until it is set, or that ticks with the event loop."""

from __future__ import annotations

import asyncio


class MemoryClock:
    """`Clock` of the twin; also lets callers wait for something to happen in it.

    With `ticking` the time goes on by itself from `start_ms`; without it only `set` and
    `advance` move it, and a blocking read waits until they do.
    """

    def __init__(self, start_ms: int = 1_000_000, *, ticking: bool = False) -> None:
        self._set_ms = start_ms
        self._ticking = ticking
        self._started_s = asyncio.get_running_loop().time() if ticking else 0.0
        self._waiting: set[asyncio.Future[None]] = set()

    def now_ms(self) -> int:
        """Return the time."""
        if not self._ticking:
            return self._set_ms
        return self._set_ms + int((asyncio.get_running_loop().time() - self._started_s) * 1000)

    async def read_ms(self) -> int:
        """Return the time."""
        return self.now_ms()

    def set(self, now_ms: int) -> None:
        """Set the time; it may not run backwards."""
        assert now_ms >= self.now_ms()
        self.advance(now_ms - self.now_ms())

    def advance(self, by_ms: int) -> None:
        """Let time pass."""
        self._set_ms += by_ms
        self.wake()

    def wake(self) -> None:
        """Something has happened: whoever waits looks again."""
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def happening(self, until_ms: int) -> None:
        """Wait for something to happen, at most until a time."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        left_s = max(until_ms - self.now_ms(), 0) / 1000 if self._ticking else None
        try:
            await asyncio.wait((future,), timeout=left_s)
        finally:
            self._waiting.discard(future)
