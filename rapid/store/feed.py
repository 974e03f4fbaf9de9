"""What one gateway is pushed: its tables' channels and its answer stream, merged (DESIGN decisions 6 and 7)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress

from msgspec import MsgspecError

from rapid.errors import StoreUnavailable
from rapid.store import keys
from rapid.store.connection import Client
from rapid.store.limits import FEED_QUEUE_MAX, RECONNECT_FIRST_MS, RECONNECT_LAST_MS
from rapid.store.merge import Merge
from rapid.store.rows import pack_note, unpack_note
from rapid.store.subscription import Subscription
from rapid.table.ports import FIRST_ID, Delivery
from rapid.wire.records import unpack_answers, unpack_record

ANSWERS_BLOCK_MS = 1_000
ANSWERS_PAGE = 200
ANSWERS_DROP_EVERY = 100
"""So many answers are read before they are dropped from the stream."""


def _ignore_run() -> None:
    """Until the owner has said what to do when Redis is another run."""


class RedisFeed:
    """`Feed` of one gateway, whose name is unique to its process' life.

    Answers wait in a stream, so none is missed by a broken connection; pushes are missed
    then, and a `blind` says so.
    """

    def __init__(self, gateway: str, client: Client, reader: Client, subscription: Subscription, shards: int) -> None:
        self._gateway = gateway
        self._client = client
        self._reader = reader
        self._subscription = subscription
        self._shards = shards
        self._merge = Merge(FEED_QUEUE_MAX)
        self._tasks: list[asyncio.Task[None]] = []
        self._on_other_run: Callable[[], None] = _ignore_run
        subscription.on_message = self._pushed
        subscription.on_blind = self._blind
        client.on_other_run(self._other_run)

    async def follow(self, table: str) -> None:
        """Subscribe to a table; `StoreUnavailable` if Redis does not confirm in time."""
        self._start()
        await self._subscription.follow(keys.channel(table, self._shards))

    async def unfollow(self, table: str) -> None:
        """End that."""
        self._subscription.unfollow(keys.channel(table, self._shards))

    async def tell(self, table: str, note: Mapping[str, object]) -> None:
        """Publish a note; this gateway hears it too if it follows the table."""
        await self._client.call("PUBLISH", keys.channel(table, self._shards), b"n" + pack_note(note))

    @property
    def waiting(self) -> int:
        """Return how many deliveries nobody has taken."""
        return len(self._merge)

    def hand_to(self, taker: Callable[[Delivery], None]) -> None:
        """Call this with what arrives while nothing waits for `deliveries`."""
        self._merge.hand_to(taker)

    def on_other_run(self, callback: Callable[[], None]) -> None:
        """Call this when Redis is another run, before anything that was asked is answered by it."""
        self._on_other_run = callback

    async def deliveries(self) -> AsyncIterator[Delivery]:
        """Yield what arrives, without end."""
        self._start()
        while True:
            yield await self._merge.take()

    async def close(self) -> None:
        """End the subscription and the reading."""
        self._on_other_run = _ignore_run
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        await self._reader.close()

    def _start(self) -> None:
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._subscription.run()), asyncio.create_task(self._read_answers())]

    def _other_run(self, run: str | None) -> None:
        """What the run before has pushed may be of its lost tail, and is not to be taken behind a look at the log."""
        self._subscription.leave_other_runs(run)
        self._merge.forget()
        self._on_other_run()

    def _blind(self) -> None:
        self._merge.put(Delivery(blind=True))

    def _pushed(self, channel: str, payload: bytes) -> None:
        heard_s, table = time.perf_counter(), keys.table_of(channel)
        try:
            if payload[:1] == b"n":
                self._merge.put(Delivery(table=table, note=unpack_note(payload[1:])))
            else:
                log_id, _, data = payload[1:].partition(b" ")
                record = unpack_record(data)
                self._merge.put(Delivery(table=table, id=log_id.decode(), record=record, heard_s=heard_s, data=data))
        except (MsgspecError, UnicodeDecodeError):
            # Nobody of ours wrote this. What it may stand for is found in the log.
            return

    async def _read_answers(self) -> None:
        after, pause_ms, read = FIRST_ID, RECONNECT_FIRST_MS, 0
        command = ("XREAD", "COUNT", ANSWERS_PAGE, "BLOCK", ANSWERS_BLOCK_MS, "STREAMS", keys.answers(self._gateway))
        while True:
            try:
                (reply,) = await self._reader.pipe([(*command, after)], block_ms=ANSWERS_BLOCK_MS)
            except StoreUnavailable:
                await asyncio.sleep(pause_ms / 1000)
                pause_ms = min(pause_ms * 2, RECONNECT_LAST_MS)
                continue
            pause_ms = RECONNECT_FIRST_MS
            for entry_id, fields in reply[0][1] if reply else ():
                after = entry_id.decode()
                read += 1
                with suppress(MsgspecError):
                    self._merge.put(Delivery(answers=unpack_answers(fields[1])))
            if read >= ANSWERS_DROP_EVERY:
                # Nobody else reads them. Up to `after`, which the next reading may still name.
                with suppress(StoreUnavailable):
                    await self._client.call("XTRIM", keys.answers(self._gateway), "MINID", after)
                    read = 0
