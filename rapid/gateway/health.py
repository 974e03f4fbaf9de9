"""Whether Redis answers: known at once where a call fails, and asked regularly where none is made.

A Redis that has ended refuses connections, and then no gateway is better off than another. One
that says nothing at all may be out of reach of this gateway alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from rapid.telemetry.logs import get_logger
from rapid.telemetry.metrics import Metrics

log = get_logger(__name__)
OnBack = Callable[[], Awaitable[None]]
IsReady = Callable[[], Awaitable[bool]]
IsSilent = Callable[[], bool]
OnCutOff = Callable[[], None]


def _never() -> bool:
    return False


class Health:
    """`is_up` is False from the first failed call until Redis has answered again."""

    def __init__(
        self,
        is_ready: IsReady,
        metrics: Metrics,
        *,
        every_ms: int,
        while_away_ms: int,
        is_silent: IsSilent = _never,
        cut_off_ms: int = 0,
    ) -> None:
        """`is_silent`: whether the last failure was silence; after `cut_off_ms` of it we count as cut off."""
        self.is_up = True
        self.is_cut_off = False
        self._is_silent = is_silent
        self._cut_off_s = cut_off_ms / 1000
        self._silent_since_s: float | None = None
        self._on_cut_off: list[OnCutOff] = []
        self._is_ready = is_ready
        self._metrics = metrics
        self._every_s = every_ms / 1000
        self._while_away_s = while_away_ms / 1000
        self._on_back: list[OnBack] = []
        self._wake = asyncio.Event()
        metrics.redis_up.set(1)

    def on_back(self, callback: OnBack) -> None:
        """Call this each time Redis is back."""
        self._on_back.append(callback)

    def on_cut_off(self, callback: OnCutOff) -> None:
        """Call this once Redis has been silent for too long."""
        self._on_cut_off.append(callback)

    def lost(self) -> None:
        """A call has failed."""
        if self.is_up:
            self.is_up = False
            self._metrics.redis_up.set(0)
            log.warning("redis_away")
            self._wake.set()

    async def run(self) -> None:
        """Ask, without end."""
        while True:
            await self._pause()
            await self.probe()

    async def probe(self) -> bool:
        """Ask now."""
        asked_s = time.perf_counter()
        if not await self._is_ready():
            self.lost()
            self._note_silence()
            return False
        self._metrics.round_trips["ping"].note(time.perf_counter() - asked_s)
        self._silent_since_s, self.is_cut_off = None, False
        if not self.is_up:
            self.is_up = True
            self._metrics.redis_up.set(1)
            log.warning("redis_back")
            for callback in self._on_back:
                await callback()
        return True

    def _note_silence(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if not self._is_silent():
            self._silent_since_s, self.is_cut_off = None, False
        elif self._silent_since_s is None:
            self._silent_since_s = now_s
        elif not self.is_cut_off and now_s - self._silent_since_s >= self._cut_off_s:
            self.is_cut_off = True
            log.warning("cut_off")
            for callback in self._on_cut_off:
                callback()

    async def _pause(self) -> None:
        """Wait for the next time to ask; sooner if Redis has just been lost."""
        if not self.is_up:
            await asyncio.sleep(self._while_away_s)
            return
        self._wake.clear()
        try:
            async with asyncio.timeout(self._every_s):
                await self._wake.wait()
        except TimeoutError:
            return
