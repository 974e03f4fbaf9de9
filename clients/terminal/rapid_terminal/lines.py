"""Lines typed by the player, each with what stood on the screen when Enter was hit.

A terminal and a pipe are read by the event loop; anything else (a file, a text in memory) by a thread. `drain` reads
what is already there: the screen calls it before it shows something new, so that no line is taken for an answer to
what its writer had not seen (R3).
"""

from __future__ import annotations

import asyncio
import io
import os
import select
import threading
from collections.abc import Callable
from typing import Generic, TextIO, TypeVar

from .console import Console

READ_BYTES = 65536
S = TypeVar("S")


class Lines(Generic[S]):
    """An asynchronous reader of lines; `stamp` is asked for what the screen shows, `console` makes lines of keys."""

    def __init__(self, source: TextIO, stamp: Callable[[], S], console: Console | None = None) -> None:
        self._source, self._stamp, self._console = source, stamp, console
        self._queue: asyncio.Queue[tuple[str, S] | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._rest = b""
        self._fd: int | None = None

    def start(self) -> None:
        """Begin to read."""
        try:
            fd = self._source.fileno()
            # Not `_read` itself: what made the loop call may be drained by then, and a read would wait for ever.
            self._loop.add_reader(fd, self.drain)
        except (OSError, ValueError, io.UnsupportedOperation, NotImplementedError):
            threading.Thread(target=self._read_in_thread, daemon=True).start()
        else:
            self._fd = fd

    def stop(self) -> None:
        """Read no more."""
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            self._fd = None

    def drain(self) -> None:
        """Take in what was typed up to now."""
        while self._fd is not None and select.select([self._fd], [], [], 0)[0]:
            self._read()

    async def get(self) -> tuple[str, S] | None:
        """The next line and its stamp; None at the end of the input."""
        return await self._queue.get()

    def _read(self) -> None:
        if self._fd is None:
            return
        try:
            data = os.read(self._fd, READ_BYTES)
        except OSError:
            data = b""
        for line in self._console.take(data) if self._console else self._split(data):
            self._queue.put_nowait((line, self._stamp()))
        if not data or (self._console and self._console.is_ended):
            self.stop()
            self._queue.put_nowait(None)

    def _split(self, data: bytes) -> list[str]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        return [line.decode("utf-8", "replace") for line in whole]

    def _read_in_thread(self) -> None:
        for line in self._source:
            self._hand_over((line.rstrip("\n"), self._stamp()))
        self._hand_over(None)

    def _hand_over(self, item: tuple[str, S] | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)
