"""How late the event loop is: whoever waits for their turn waits as long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from rapid.telemetry.figures import Spread

EVERY_SECONDS: Final = 0.05


class LoopLag:
    """A timer that notes by how much it was late, each time."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread
        self._loop = asyncio.get_running_loop()
        self._due_s = 0.0
        self._timer = self._ask()

    def stop(self) -> None:
        """Ask no more."""
        self._timer.cancel()

    def _ask(self) -> asyncio.TimerHandle:
        # Not the loop's own time: that stands still while a callback runs.
        self._due_s = time.perf_counter() + EVERY_SECONDS
        return self._loop.call_later(EVERY_SECONDS, self._called)

    def _called(self) -> None:
        self._spread.note(time.perf_counter() - self._due_s)
        self._timer = self._ask()


@asynccontextmanager
async def watching_lag(spread: Spread) -> AsyncIterator[None]:
    """Note the lag of the running loop for the time of the block."""
    lag = LoopLag(spread)
    try:
        yield
    finally:
        lag.stop()
