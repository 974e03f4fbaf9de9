"""What one gateway is pushed, in memory."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping

from rapid.store.limits import FEED_QUEUE_MAX
from rapid.store.memory.world import Link
from rapid.store.merge import Merge
from rapid.store.rows import pack_note, unpack_note
from rapid.table.ports import FIRST_ID, Delivery
from rapid.wire.records import unpack_answers, unpack_record


def _ignore_run() -> None:
    """Until the owner has said what to do when Redis is another run."""


class MemoryFeed:
    """`Feed` of the twin; deaf while broken off."""

    def __init__(self, link: Link, gateway: str) -> None:
        self._link = link
        self._world = link.world
        self._gateway = gateway
        self._followed: set[str] = set()
        self._answered = FIRST_ID
        self._merge = Merge(FEED_QUEUE_MAX)
        self._on_other_run: Callable[[], None] = _ignore_run
        self._is_broken = link.is_cut
        link.world.feeds.append(self)
        link.feeds.append(self)

    async def follow(self, table: str) -> None:
        """Subscribe to a table."""
        async with self._link.call():
            self._followed.add(table)

    async def unfollow(self, table: str) -> None:
        """End that."""
        self._followed.discard(table)

    async def tell(self, table: str, note: Mapping[str, object]) -> None:
        """Send a note to all feeds that follow the table."""
        async with self._link.call():
            for feed in self._world.feeds:
                feed.push_note(table, pack_note(note))

    @property
    def waiting(self) -> int:
        """Return how many deliveries nobody has taken."""
        return len(self._merge)

    def hand_to(self, taker: Callable[[Delivery], None]) -> None:
        """Call this with what arrives while nothing waits for `deliveries`."""
        self._merge.hand_to(taker)

    def on_other_run(self, callback: Callable[[], None]) -> None:
        """Call this when Redis is another run."""
        self._on_other_run = callback

    async def deliveries(self) -> AsyncIterator[Delivery]:
        """Yield what arrives, without end."""
        self.read_answers()
        while True:
            yield await self._merge.take()

    async def close(self) -> None:
        """Hear nothing more."""
        self._world.feeds.remove(self)
        self._link.feeds.remove(self)

    def other_run(self) -> None:
        """The link has found another run."""
        self._merge.forget()
        self._on_other_run()

    def push_record(self, table: str, log_id: str, data: bytes) -> None:
        """A commit was made."""
        if table in self._followed and not self._is_broken:
            record, heard_s = unpack_record(data), time.perf_counter()
            self._merge.put(Delivery(table=table, id=log_id, record=record, heard_s=heard_s, data=data))

    def push_note(self, table: str, data: bytes) -> None:
        """A note was sent."""
        if table in self._followed and not self._is_broken:
            self._merge.put(Delivery(table=table, note=unpack_note(data)))

    def read_answers(self) -> None:
        """Take what has come in the answer stream."""
        if self._is_broken:
            return
        answers = self._world.data.answers[self._gateway]
        for entry_id, data in answers.behind(self._answered, FEED_QUEUE_MAX):
            self._answered = entry_id
            self._merge.put(Delivery(answers=unpack_answers(data)))
        answers.trim(least=self._answered)

    def break_off(self) -> None:
        """Fault: what is pushed from now on is lost."""
        self._is_broken = True

    def mend(self) -> None:
        """Hear again: first that something was missed."""
        if self._is_broken and not self._link.is_cut:
            self._is_broken = False
            self._merge.put(Delivery(blind=True))
            self.read_answers()
