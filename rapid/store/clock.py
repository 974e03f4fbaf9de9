"""The clock of the Redis streams, estimated from here (PROTOCOL 1: within 20 ms)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from rapid.store.connection import Client

SAMPLES = 16
STEP_MS = 200.0
"""A difference beyond this is a jump of Redis' clock and is followed at once; below it we slide."""
SLIDE = 0.1
"""So much of the time that passes may be taken back or added while sliding."""


class _Sample(NamedTuple):
    round_trip_ms: float
    offset_ms: float


class RedisClock:
    """`Clock`: this process' monotonic clock plus an offset.

    The sample with the shortest round trip knows the offset best: it is wrong by half of
    that at most. Corrections come as a slide, on which the time never runs backwards. Only where Redis' own clock
    has been set back the time goes back with it, once: tables that are stamped by the new time are to be timed by it.
    """

    def __init__(self, client: Client, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._monotonic = monotonic
        self._samples: deque[_Sample] = deque(maxlen=SAMPLES)
        self._offset_ms = time.time() * 1000 - monotonic() * 1000
        self._target_ms = self._offset_ms
        self._asked_ms = monotonic() * 1000
        self._last_ms = 0

    def now_ms(self) -> int:
        """Return the estimate; less than before only if Redis' clock has been set back."""
        here_ms = self._monotonic() * 1000
        if self._offset_ms != self._target_ms:
            room_ms = SLIDE * (here_ms - self._asked_ms)
            self._offset_ms += min(max(self._target_ms - self._offset_ms, -room_ms), room_ms)
        self._asked_ms = here_ms
        now_ms = int(here_ms + self._offset_ms)
        if now_ms > self._last_ms:  # noqa: PLR1730  # asked several times for each intent: a call less
            self._last_ms = now_ms
        return self._last_ms

    async def read_ms(self) -> int:
        """Ask Redis; the answer counts as a sample."""
        asked_ms = self._monotonic() * 1000
        seconds, micros = await self._client.call("TIME")
        answered_ms = self._monotonic() * 1000
        redis_ms = int(seconds) * 1000 + int(micros) / 1000
        self._learn(_Sample(answered_ms - asked_ms, redis_ms - (asked_ms + answered_ms) / 2))
        return int(redis_ms)

    def _learn(self, sample: _Sample) -> None:
        is_first = not self._samples
        if not is_first and abs(sample.offset_ms - self._target_ms) > STEP_MS + sample.round_trip_ms:
            # What was known belongs to a clock that has been set, or to another server.
            self._samples.clear()
            self._last_ms = 0
            is_first = True
        self._samples.append(sample)
        self._target_ms = min(self._samples).offset_ms
        if is_first:
            self._offset_ms = self._target_ms
