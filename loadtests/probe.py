"""`python -m loadtests.probe COMMAND …`: `rapid COMMAND …`, and how long its event loop is held up.

From SIGUSR2 on a timer asks every millisecond; at the next one a line says by how much it was late at most, in
milliseconds: on the clock, and in processor time, which other programs on the machine cannot take from it.
At SIGUSR1 it collects its garbage.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import time
from collections.abc import Coroutine
from typing import Any

from rapid.cli import main
from rapid.commands import running, serve, worker

EVERY_MS = 1.0


class Probe:
    """The longest gaps between two calls of a timer, less the time asked for."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._clock_ms = self._used_ms = 0.0
        self._longest_ms = self._most_used_ms = 0.0

    def toggle(self) -> None:
        """Begin, or end and say what was found."""
        if self._timer is None:
            self._longest_ms = self._most_used_ms = 0.0
            self._ask()
            return
        self._timer.cancel()
        self._timer = None
        print(f"held {self._longest_ms:.2f} {self._most_used_ms:.2f}", flush=True)

    def _ask(self) -> None:
        self._clock_ms, self._used_ms = time.perf_counter() * 1e3, time.thread_time() * 1e3
        self._timer = self._loop.call_later(EVERY_MS / 1e3, self._called)

    def _called(self) -> None:
        self._longest_ms = max(self._longest_ms, time.perf_counter() * 1e3 - self._clock_ms - EVERY_MS)
        self._most_used_ms = max(self._most_used_ms, time.thread_time() * 1e3 - self._used_ms)
        self._ask()


async def _probed(work: Coroutine[Any, Any, Any]) -> Any:
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, Probe().toggle)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, gc.collect)
    return await work


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    return _run_plainly(_probed(work))


if __name__ == "__main__":
    _run_plainly = running.run
    for module in (serve, worker):
        vars(module)["run"] = _run
    sys.exit(main(sys.argv[1:]))
