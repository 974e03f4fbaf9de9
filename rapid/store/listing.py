"""Rows of tables in Redis, as the commits wrote them."""

from __future__ import annotations

from contextlib import suppress

from msgspec import MsgspecError

from rapid.store import keys
from rapid.store.connection import Client
from rapid.store.rows import unpack_row
from rapid.table.ports import Row, shard_of


class RedisListing:
    """`Listing` over one client."""

    def __init__(self, client: Client, shards: int) -> None:
        self._client = client
        self._shards = shards

    async def row(self, table: str) -> Row | None:
        """Return a table's row, None if unknown, closed or junk."""
        return _readable(await self._client.call("HGET", keys.rows(shard_of(table, self._shards)), table))

    async def public(self, limit: int) -> list[Row]:
        """Return public rows, newest first; of the same age by id."""
        newest = await self._client.pipe(
            [("ZREVRANGE", keys.public(shard), 0, limit - 1, "WITHSCORES") for shard in range(self._shards)]
        )
        found = [
            (float(score), table.decode("utf-8", "replace"))
            for pairs in newest
            for table, score in zip(pairs[::2], pairs[1::2], strict=True)
        ]
        tables = [table for _, table in sorted(found, reverse=True)[:limit]]
        rows = await self._client.pipe([("HGET", keys.rows(shard_of(table, self._shards)), table) for table in tables])
        return [row for row in map(_readable, rows) if row is not None]

    async def count(self) -> int:
        """Return how many tables are open."""
        return sum(await self._client.pipe([("SCARD", keys.tables(shard)) for shard in range(self._shards)]))


def _readable(data: bytes | None) -> Row | None:
    """Junk in one row must not hide the others."""
    with suppress(MsgspecError):
        return None if data is None else unpack_row(data)
    return None
