"""The server's clock, estimated from what it says (PROTOCOL 1: ms since the epoch, on the clock of its streams).

Pure: the caller passes its own clock's readings, any steady clock in ms.
"""

from __future__ import annotations

from collections import deque

SAMPLES = 8


class Clock:
    """The offset between a local steady clock and the server's, from the quickest of the latest exchanges."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=SAMPLES)

    def observe(self, server_ms: int, sent_ms: float, received_ms: float) -> None:
        """The server read `server_ms` somewhere between these two local readings."""
        round_trip_ms = received_ms - sent_ms
        self._samples.append((round_trip_ms, server_ms - (sent_ms + round_trip_ms / 2)))

    def forget(self) -> None:
        """Start anew: another connection may lead to another gateway, with an estimate of its own."""
        self._samples.clear()

    @property
    def round_trip_ms(self) -> float | None:
        """The latest round trip, or None."""
        return self._samples[-1][0] if self._samples else None

    def server_ms(self, local_ms: float) -> float | None:
        """The server's time at a local reading, or None while nothing is known."""
        return local_ms + min(self._samples)[1] if self._samples else None
