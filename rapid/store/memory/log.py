"""The logs of tables, in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import MsgspecError

from rapid.errors import LogCorrupt
from rapid.store.memory.stream import Stream
from rapid.store.memory.world import Data, Link
from rapid.table.ports import FIRST_ID, Commit, LogEntry, id_order
from rapid.wire.records import Answer, pack_answers, pack_record, unpack_record

CLAIM = b""


class MemoryLog:
    """`Log` of the twin."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._world = link.world

    async def commit(self, commits: Sequence[Commit]) -> list[bool]:
        """Append all, each by the rules of `commit.lua`."""
        async with self._link.call() as data:
            return [self._commit(data, commit) for commit in commits]

    async def claim(self, shard: int, tables: Sequence[str], epoch: int) -> list[bool]:
        """Append the bare claim to each."""
        async with self._link.call() as data:
            return [self._claim(data, shard, table, epoch) for table in tables]

    async def read(self, table: str, after: str, *, limit: int) -> list[LogEntry]:
        """Read on behind `after`."""
        async with self._link.call() as data:
            stream = self._log(data, table)
            return [] if stream is None else [_log_entry(table, *row) for row in stream.behind(after, limit)]

    async def tail(self, tables: Sequence[str]) -> dict[str, LogEntry]:
        """Return the last entry of each log that exists."""
        async with self._link.call() as data:
            logs = ((table, self._log(data, table)) for table in tables)
            return {table: _log_entry(table, *log.entries[-1]) for table, log in logs if log is not None}

    async def last_ids(self, tables: Sequence[str]) -> dict[str, str]:
        """Return the id of the last entry of each log that exists."""
        async with self._link.call() as data:
            logs = ((table, self._log(data, table)) for table in tables)
            return {table: log.last_id for table, log in logs if log is not None}

    async def last_epochs(self, tables: Sequence[str]) -> dict[str, int]:
        """Return the epoch in the last id of each log that exists."""
        async with self._link.call() as data:
            logs = ((table, self._log(data, table)) for table in tables)
            return {table: id_order(log.last_id)[0] for table, log in logs if log is not None}

    async def tables(self, shard: int) -> list[str]:
        """Return the shard's tables that are not closed, sorted."""
        async with self._link.call() as data:
            return sorted(data.tables[shard])

    async def bury(self, table: str) -> bool:
        """Take the table out of all listings; its log expires."""
        async with self._link.call() as data:
            if table not in data.tables[self._world.shard(table)]:
                return False
            self._leave_listings(data, table)
            return True

    async def answer(self, answers: Sequence[Answer]) -> None:
        """Append to the answer stream of each gateway."""
        async with self._link.call() as data:
            self._answer(data, answers)

    def _answer(self, data: Data, answers: Sequence[Answer]) -> None:
        by_gateway: defaultdict[str, list[Answer]] = defaultdict(list)
        for answer in answers:
            by_gateway[answer.ask.gateway].append(answer)
        for gateway, own in by_gateway.items():
            stream = data.answers[gateway]
            stream.add(pack_answers(tuple(own)), self._world.clock.now_ms())
            del stream.entries[: -self._world.limits.answers_max]
        for feed in self._world.feeds:
            feed.read_answers()

    def _commit(self, data: Data, commit: Commit) -> bool:
        table, shard = commit.table, self._world.shard(commit.table)
        log = self._log(data, table)
        if data.epochs[shard] != commit.epoch:
            return False
        if commit.opens:
            if log is not None or commit.n != 1:
                return False
            log = data.logs[table] = Stream()
        elif log is None or log.last_id != f"{commit.epoch}-{commit.n - 1}" or table not in data.tables[shard]:
            return False
        log_id = f"{commit.epoch}-{commit.n}"
        log.add_as(log_id, pack_record(commit.record))
        self._file(data, commit)
        for feed in self._world.feeds:
            feed.push_record(table, log_id, pack_record(commit.record))
        return True

    def _file(self, data: Data, commit: Commit) -> None:
        """Write what belongs to the decision besides its log entry."""
        table, shard = commit.table, self._world.shard(commit.table)
        if commit.closes:
            self._leave_listings(data, table)
            return
        if commit.opens:
            data.tables[shard].add(table)
        if commit.row is not None:
            data.rows[table] = commit.row

    def _leave_listings(self, data: Data, table: str) -> None:
        data.tables[self._world.shard(table)].discard(table)
        data.rows.pop(table, None)
        data.watch.pop(table, None)
        for place in [place for place in data.present if place[0] == table]:
            del data.present[place]
            data.opened.pop(place, None)
        data.expiring[table] = self._world.clock.now_ms() + self._world.limits.log_kept_ms

    def _claim(self, data: Data, shard: int, table: str, epoch: int) -> bool:
        log = self._log(data, table)
        if data.epochs[shard] != epoch or log is None or id_order(log.last_id) >= (epoch, 0):
            return False
        log.add_as(f"{epoch}-0", CLAIM)
        return True

    def _log(self, data: Data, table: str) -> Stream | None:
        gone_at_ms = data.expiring.get(table)
        if gone_at_ms is not None and gone_at_ms <= self._world.clock.now_ms():
            del data.expiring[table], data.logs[table]
        log = data.logs.get(table)
        return None if log is None or log.last_id == FIRST_ID else log


def _log_entry(table: str, log_id: str, data: bytes) -> LogEntry:
    if data == CLAIM:
        return LogEntry(log_id, None)
    try:
        return LogEntry(log_id, unpack_record(data))
    except MsgspecError as error:
        raise LogCorrupt(table, log_id, str(error)) from error
