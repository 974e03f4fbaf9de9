"""The inbox streams, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import MsgspecError

from rapid.errors import StoreUnavailable
from rapid.store.inbox import FIND_MARGIN_MS
from rapid.store.memory.world import Data, Link
from rapid.table.ports import Posted, id_order, stamp_of
from rapid.wire.records import Entry, asker_of, pack_entry, unpack_entry


class MemoryInbox:
    """`Inbox` of the twin."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._world = link.world
        self._trimmed_ms: dict[int, int] = {}

    async def post(self, entries: Sequence[Entry]) -> list[str]:
        """Append all."""
        async with self._link.call() as data:
            return self._post(data, entries)

    async def read(self, after: Mapping[int, str], *, limit: int, block_ms: int) -> list[Posted]:
        """Read on, at most `limit` entries of each shard."""
        until_ms = self._world.clock.now_ms() + block_ms
        while True:
            async with self._link.call() as data:
                found = [
                    _posted(shard, entry_id, bytes_)
                    for shard, last in after.items()
                    for entry_id, bytes_ in data.inboxes[shard].behind(last, limit)
                ]
            if found or self._world.clock.now_ms() >= until_ms:
                return found
            await self._world.clock.happening(until_ms)

    async def find(self, entry: Entry, after_ms: int) -> str | None:
        """Look for the entry's `ask`."""
        async with self._link.call() as data:
            shard = self._world.shard(entry.table)
            for entry_id, bytes_ in data.inboxes[shard].entries if entry.ask is not None else ():
                found = _posted(shard, entry_id, bytes_).entry
                is_young = stamp_of(entry_id) >= after_ms - FIND_MARGIN_MS
                if is_young and found is not None and (found.ask, found.table) == (entry.ask, entry.table):
                    return entry_id
            return None

    async def set_cursor(self, shard: int, epoch: int, cursor: str) -> None:
        """Note the cursor; now and then trim."""
        async with self._link.call() as data:
            if data.epochs[shard] != epoch:
                return
            data.cursors[shard] = cursor
            limits, now_ms = self._world.limits, self._world.clock.now_ms()
            if now_ms - self._trimmed_ms.get(shard, 0) >= limits.inbox_trim_every_ms:
                self._trimmed_ms[shard] = now_ms
                old = f"{max(now_ms - limits.inbox_kept_ms, 0)}-0"
                data.inboxes[shard].trim(least=min(cursor, old, key=id_order), kept=limits.inbox_kept)

    async def cursor(self, shard: int) -> str:
        """Return the noted cursor."""
        async with self._link.call() as data:
            return data.cursors[shard]

    def _post(self, data: Data, entries: Sequence[Entry]) -> list[str]:
        lengths = (len(data.inboxes[self._world.shard(entry.table)].entries) for entry in entries)
        if any(length >= self._world.limits.inbox_max for length in lengths):
            raise StoreUnavailable("the inbox is full: nobody decides what is in it")
        return [self._world.post(entry.table, pack_entry(entry)) for entry in entries]

    async def lengths(self) -> list[int]:
        """Return the length of each shard's inbox."""
        async with self._link.call() as data:
            return [len(data.inboxes[shard].entries) for shard in range(self._world.shards)]


def _posted(shard: int, entry_id: str, data: bytes) -> Posted:
    try:
        return Posted(shard, entry_id, unpack_entry(data))
    except MsgspecError:
        return Posted(shard, entry_id, None, asker_of(data))
