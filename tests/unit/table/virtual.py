"""Virtual time: a clock and an event loop's `call_later` in one, moved by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Time:
    """Starts at one second."""

    def __init__(self) -> None:
        self.ms = 1_000
        self._calls: list[tuple[int, int, Handle]] = []
        self._n = 0

    def now_ms(self) -> int:
        return self.ms

    async def read_ms(self) -> int:
        return self.ms

    def call_later(self, seconds: float, callback: Callable[..., None], *args: Any) -> Handle:
        handle = Handle(callback, args)
        self._n += 1
        self._calls.append((self.ms + round(seconds * 1000), self._n, handle))
        return handle

    def advance(self, ms: int) -> None:
        end = self.ms + ms
        while due := [call for call in self._calls if call[0] <= end and not call[2].cancelled]:
            call = min(due, key=lambda c: c[:2])
            self._calls.remove(call)
            self.ms = max(self.ms, call[0])
            call[2].run()
        self.ms = end


class Handle:
    def __init__(self, callback: Callable[..., None], args: tuple[Any, ...]) -> None:
        self.callback, self.args, self.cancelled = callback, args, False

    def cancel(self) -> None:
        self.cancelled = True

    def run(self) -> None:
        self.callback(*self.args)
