"""A log held in a list, read back by the very code that recovers a table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from rapid.table.authority import Folded
from rapid.table.ports import Commit, Log, LogEntry, id_order
from rapid.table.recovery import fold_log


class ListedLog:
    """The `read` of a `Log`, over given entries."""

    def __init__(self, entries: Sequence[LogEntry]) -> None:
        self.entries = entries

    async def read(self, _table: str, after: str, *, limit: int) -> list[LogEntry]:
        return [entry for entry in self.entries if id_order(entry.id) > id_order(after)][:limit]


def entries_of(commits: Sequence[Commit]) -> list[LogEntry]:
    return [LogEntry(f"{commit.epoch}-{commit.n}", commit.record) for commit in commits]


def past_of(table: str, commits: Sequence[Commit], shard_cursor: str = "0-0") -> Folded:
    return fold(table, entries_of(commits), shard_cursor)


def fold(table: str, entries: Sequence[LogEntry], shard_cursor: str = "0-0") -> Folded:
    return asyncio.run(fold_log(cast("Log", ListedLog(entries)), table, shard_cursor))
