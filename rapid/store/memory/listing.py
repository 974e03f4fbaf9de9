"""Rows of tables, in memory."""

from __future__ import annotations

from rapid.store.memory.world import Link
from rapid.table.ports import Row


class MemoryListing:
    """`Listing` of the twin."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def row(self, table: str) -> Row | None:
        """Return a table's row, None if unknown or closed."""
        async with self._link.call() as data:
            return data.rows.get(table)

    async def public(self, limit: int) -> list[Row]:
        """Return public rows, newest first; of the same age by id."""
        async with self._link.call() as data:
            rows = [row for row in data.rows.values() if row.public]
            return sorted(rows, key=lambda row: (row.opened_at, row.table), reverse=True)[:limit]

    async def count(self) -> int:
        """Return how many tables are open."""
        async with self._link.call() as data:
            return sum(len(tables) for tables in data.tables.values())
