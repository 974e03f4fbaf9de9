"""A generator's way to its parent: what it says, and that it works on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection as Pipe
from typing import Any, Final

from loadtests.generator.loop import now_s

BEAT: Final = "beat"
BEAT_SECONDS: Final = 5.0


class Upward:
    """The sending side of the pipe."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._said_s = 0.0

    def say(self, what: Any) -> None:
        """Send it."""
        with self._lock:
            self._said_s = now_s()
            self._pipe.send(what)

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Say `BEAT` now and then if nothing else is said: who works for long is not taken for one that hangs."""
        is_done = threading.Event()

        def beat() -> None:
            while not is_done.wait(BEAT_SECONDS):
                if now_s() - self._said_s > BEAT_SECONDS / 2:
                    with suppress(OSError):  # the parent is gone, and so are we in a moment
                        self.say(BEAT)

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_done.set()
            thread.join()
