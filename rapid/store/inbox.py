"""The inbox streams in Redis (DESIGN decisions 2, 3 and 11)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine, Mapping, Sequence

from msgspec import MsgspecError

from rapid.errors import StoreUnavailable
from rapid.store import keys
from rapid.store.connection import Client, Script, all_checked, checked, is_wrong_type
from rapid.store.lanes import Lanes
from rapid.store.limits import Limits
from rapid.store.line import Reply, packed
from rapid.table.ports import FIRST_ID, Posted, shard_of
from rapid.wire.records import Entry, asker_of, pack_entry, unpack_entry

CURSOR = Script("cursor")
SCRIPTS = (CURSOR,)
_EMPTY_WORD_BYTES = len(b"$0\r\n\r\n")
FIND_PAGE = 500
FIND_MARGIN_MS = 30_000
"""`find` looks so much earlier than asked: the asker's clock is an estimate, and either clock may have been set."""


class RedisInbox:
    """`Inbox` over a client for writing and some of its own for blocking reads."""

    def __init__(self, client: Client, readers: Sequence[Client], shards: int, limits: Limits) -> None:
        self._client = client
        self._shards = shards
        self._limits = limits
        self._full: frozenset[int] = frozenset()
        # Named once: a read names every shard of a worker, each time.
        self._names = [keys.inbox(shard).encode() for shard in range(shards)]
        # The command up to its last word, which is what `packed` makes of an empty one without its last line.
        self._additions = [packed(("XADD", name, "*", "e", ""))[:-_EMPTY_WORD_BYTES] for name in self._names]
        self._length_questions = [packed(("XLEN", name)) for name in self._names]
        self._lanes = Lanes(readers, self._names, _posted)
        self._trimmed_ms: dict[int, float] = {}

    async def post(self, entries: Sequence[Entry]) -> list[str]:
        """Append all in one write; return their ids. Posts leave in the order of the calls."""
        replies = await self._client.pipe_raw(list(map(self._addition, entries)), at_once=True)
        return list(map(bytes.decode, all_checked(replies)))

    def _addition(self, entry: Entry) -> bytes:
        shard, data = shard_of(entry.table, self._shards), pack_entry(entry)
        if shard in self._full:
            raise StoreUnavailable("the inbox is full: nobody decides what is in it")
        return b"%b$%d\r\n%b\r\n" % (self._additions[shard], len(data), data)

    def read(self, after: Mapping[int, str], *, limit: int, block_ms: int) -> Coroutine[None, None, list[Posted]]:
        """Read on, at most `limit` entries of each shard; `block_ms` 0 does not wait."""
        if after and block_ms > 0:
            return self._lanes.read(after, limit=limit, block_ms=block_ms)
        return self._read_now(after, limit, block_ms)

    async def _read_now(self, after: Mapping[int, str], limit: int, pause_ms: int) -> list[Posted]:
        if not after:
            await asyncio.sleep(pause_ms / 1000)
            return []
        names = [self._names[shard] for shard in after]
        reply = await self._client.call("XREAD", "COUNT", limit, "STREAMS", *names, *after.values())
        shard_of_name = dict(zip(names, after, strict=True))
        return [_posted(shard_of_name[stream], row) for stream, rows in reply or () for row in rows]

    async def find(self, entry: Entry, after_ms: int) -> str | None:
        """Look for the entry's `ask` among those stamped from shortly before `after_ms` on."""
        if entry.ask is None:
            return None
        shard = shard_of(entry.table, self._shards)
        start = str(max(after_ms - FIND_MARGIN_MS, 0))
        while True:
            rows = await self._client.call("XRANGE", keys.inbox(shard), start, "+", "COUNT", FIND_PAGE)
            for posted in (_posted(shard, row) for row in rows):
                if posted.entry is not None and posted.entry.ask == entry.ask and posted.entry.table == entry.table:
                    return posted.id
            if len(rows) < FIND_PAGE:
                return None
            start = "(" + rows[-1][0].decode()

    async def set_cursor(self, shard: int, epoch: int, cursor: str) -> None:
        """Note the cursor; now and then trim what is decided and old."""
        now_ms = asyncio.get_running_loop().time() * 1000
        kept_ms: int | str = ""
        if now_ms - self._trimmed_ms.get(shard, -math.inf) >= self._limits.inbox_trim_every_ms:
            self._trimmed_ms[shard] = now_ms
            kept_ms = self._limits.inbox_kept_ms
        await self._client.run_once(
            CURSOR,
            (keys.epoch(shard), keys.cursor(shard), keys.inbox(shard), keys.run(shard)),
            (epoch, cursor, kept_ms, self._limits.inbox_kept),
        )

    async def cursor(self, shard: int) -> str:
        """Return the noted cursor, `0-0` at first."""
        (noted,) = await self._client.pipe_raw([("GET", keys.cursor(shard))])
        if is_wrong_type(noted) or checked(noted) is None:
            return FIRST_ID
        return str(noted.decode("utf-8", "replace"))

    async def lengths(self) -> list[int]:
        """Return the length of each shard's inbox, a gauge; a shard over the limit takes nothing more."""
        counts = await self._client.pipe(self._length_questions)
        self._full = frozenset(shard for shard, count in enumerate(counts) if count >= self._limits.inbox_max)
        return counts


def _posted(shard: int, row: Reply) -> Posted:
    """Read an entry; whatever stands there, the reader goes on behind it."""
    entry_id, fields = row[0].decode(), row[1]
    data: bytes = fields[1] if fields[0] == b"e" else b""
    try:
        return Posted(shard, entry_id, unpack_entry(data))
    except MsgspecError:
        return Posted(shard, entry_id, None, asker_of(data))
