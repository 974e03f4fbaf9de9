"""Posts of our own (ticks, bots' attempts): all of a loop turn in one write (DESIGN decision 11)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rapid.errors import StoreUnavailable
from rapid.table.ports import Inbox
from rapid.wire.records import Entry

OnFailure = Callable[[Entry], None]


class Poster:
    """Gathers entries and writes them at the end of the loop turn."""

    def __init__(self, inbox: Inbox) -> None:
        """Post into this inbox."""
        self._inbox = inbox
        self._waiting: list[tuple[Entry, OnFailure]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def post(self, entry: Entry, on_failure: OnFailure) -> None:
        """Post soon. `on_failure` is told if it is not known to be there; it may be all the same."""
        if not self._waiting:
            task = asyncio.get_running_loop().create_task(self._write())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._waiting.append((entry, on_failure))

    async def stop(self) -> None:
        """Wait for what is under way."""
        await asyncio.gather(*self._tasks)

    async def _write(self) -> None:
        """Write what has gathered when the task begins: all of the loop turn that asked for it."""
        batch, self._waiting = self._waiting, []
        try:
            await self._inbox.post([entry for entry, _ in batch])
        except StoreUnavailable:
            for entry, on_failure in batch:
                on_failure(entry)
