"""The logs of tables in Redis: fenced, atomic, pushed (DESIGN decisions 4-6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import MsgspecError

from rapid.errors import LogCorrupt
from rapid.store import keys
from rapid.store.connection import Client, Script, checked, is_no_key, is_wrong_type
from rapid.store.limits import Limits
from rapid.store.line import Command, Reply, Word, packed, packed_word
from rapid.store.rows import pack_row
from rapid.table.ports import FIRST_ID, Commit, LogEntry, id_order, is_id, shard_of
from rapid.wire.records import Answer, pack_answers, pack_record, unpack_record

COMMIT = Script("commit")
APPEND = Script("append")
COMMITTING = (COMMIT, APPEND)
CLAIM = Script("claim")
BURY = Script("bury")
SCRIPTS = (*COMMITTING, CLAIM, BURY)
NAMES_MAX = 10_000
"""Tables whose keys are kept ready made."""


class RedisLog:
    """`Log` over one client."""

    def __init__(self, client: Client, shards: int, limits: Limits) -> None:
        self._client = client
        self._shards = shards
        self._limits = limits
        self._names: dict[str, _Names] = {}

    async def commit(self, commits: Sequence[Commit]) -> list[bool]:
        """Append all in one write, each in a script of its own."""
        replies = await self._client.run_commands(list(map(self._command, commits)), COMMITTING, at_once=True)
        return [reply == 1 for reply in replies]

    async def claim(self, shard: int, tables: Sequence[str], epoch: int) -> list[bool]:
        """Append the bare claim to each."""
        names = [(keys.log(table, self._shards), keys.epoch(shard)) for table in tables]
        return [reply == 1 for reply in await self._client.run(CLAIM, [(pair, (epoch,)) for pair in names])]

    async def read(self, table: str, after: str, *, limit: int) -> list[LogEntry]:
        """Read on behind `after`; `LogCorrupt` for what no owner can have written."""
        command = ("XRANGE", keys.log(table, self._shards), f"({after}", "+", "COUNT", limit)
        (rows,) = await self._client.pipe_raw([command])
        if is_wrong_type(rows):
            raise LogCorrupt(table, FIRST_ID, "not a stream")
        rows = checked(rows)
        return [log_entry(table, row) for row in rows]

    async def tail(self, tables: Sequence[str]) -> dict[str, LogEntry]:
        """Return the last entry of each log that exists."""
        return {table: log_entry(table, rows[0]) for table, rows in await self._last(tables) if rows}

    async def last_ids(self, tables: Sequence[str]) -> dict[str, str]:
        """Return the id of the last entry of each log that exists."""
        return {table: rows[0][0].decode() for table, rows in await self._last(tables) if rows}

    async def last_epochs(self, tables: Sequence[str]) -> dict[str, int]:
        """Return the epoch in the last id of each log that exists to its end.

        Nobody of ours takes entries out of a log, so one whose last id is not that of its last entry has lost
        some by hand. (A lost unsynced tail takes the last id with it.) Behind a claim nobody could see that.
        """
        replies = await self._client.pipe_raw([("XINFO", "STREAM", keys.log(table, self._shards)) for table in tables])
        found: dict[str, int] = {}
        for table, reply in zip(tables, replies, strict=True):
            if is_wrong_type(reply) or is_no_key(reply):
                continue
            words = checked(reply)
            about = dict(zip(words[::2], words[1::2], strict=True))
            last = about[b"last-entry"]
            if last is not None and last[0] == about[b"last-generated-id"]:
                found[table] = id_order(last[0].decode())[0]
        return found

    async def tables(self, shard: int) -> list[str]:
        """Return the shard's tables that are not closed, sorted."""
        return sorted(
            member.decode("utf-8", "replace") for member in await self._client.call("SMEMBERS", keys.tables(shard))
        )

    async def bury(self, table: str) -> bool:
        """Take the table out of all listings; its log expires."""
        shard, shards = shard_of(table, self._shards), self._shards
        of_table = (keys.present(table, shards), keys.watch(table, shards))
        names = (keys.log(table, shards), keys.tables(shard), keys.rows(shard), keys.public(shard), *of_table)
        return bool(await self._client.run_once(BURY, names, (table, self._limits.log_kept_ms)) == 1)

    async def answer(self, answers: Sequence[Answer]) -> None:
        """Append to the answer stream of each gateway, one entry a gateway."""
        by_gateway: defaultdict[str, list[Answer]] = defaultdict(list)
        for answer in answers:
            by_gateway[answer.ask.gateway].append(answer)
        commands: list[Sequence[Word]] = []
        for gateway, own in by_gateway.items():
            stream = keys.answers(gateway)
            bound = ("MAXLEN", "~", self._limits.answers_max)
            commands.append(("XADD", stream, *bound, "*", "a", pack_answers(tuple(own))))
            commands.append(("PEXPIRE", stream, self._limits.answers_kept_ms))
        await self._client.pipe(commands)

    async def _last(self, tables: Sequence[str]) -> list[tuple[str, Reply]]:
        """What is no stream counts as no log: whoever reads it is told more."""
        commands = [("XREVRANGE", keys.log(table, self._shards), "+", "-", "COUNT", 1) for table in tables]
        replies = [() if is_wrong_type(reply) else checked(reply) for reply in await self._client.pipe_raw(commands)]
        return list(zip(tables, replies, strict=True))

    def _command(self, commit: Commit) -> Command:
        names = self._names.get(commit.table)
        if names is None:
            if len(self._names) >= NAMES_MAX:
                self._names.clear()
            names = self._names[commit.table] = _Names(commit.table, self._shards)
        if commit.closes:
            del self._names[commit.table]  # it is the last that is written there
        if commit.opens or commit.closes or commit.row is not None:
            return COMMIT.command(names.all, self._args(commit))
        epoch, n, record = b"%d" % commit.epoch, commit.n, pack_record(commit.record)
        last, before = b"%b-%d" % (epoch, n), b"%b-%d" % (epoch, n - 1)
        return names.append % (len(epoch), epoch, len(last), last, len(before), before, len(record), record)

    def _args(self, commit: Commit) -> Sequence[Word]:
        row = commit.row
        return (
            commit.epoch,
            commit.n,
            commit.table,
            pack_record(commit.record),
            "1" if commit.opens else "",
            self._limits.log_kept_ms if commit.closes else "",
            b"" if row is None else pack_row(row),
            "" if row is None or not row.public else row.opened_at,
        )


_ARG = "argument"


class _Names:
    """The keys of a table's commits, made once: each play needs them."""

    __slots__ = ("all", "append")

    def __init__(self, table: str, shards: int) -> None:
        shard = shard_of(table, shards)
        log, epoch, tables = keys.log(table, shards), keys.epoch(shard), keys.tables(shard)
        channel = keys.channel(table, shards)
        rows, public = keys.rows(shard), keys.public(shard)
        self.all = (log, epoch, tables, rows, public, channel, keys.present(table, shards), keys.watch(table, shards))
        # What `packed` makes of it, with places for the arguments that change: it is packed for each play.
        words = APPEND.command((log, epoch, tables, channel), (_ARG, _ARG, _ARG, table, _ARG))
        self.append = packed(words).replace(b"%", b"%%").replace(packed_word(_ARG), b"$%d\r\n%b\r\n")


def log_entry(table: str, row: Reply) -> LogEntry:
    """Read an entry of a log as Redis holds it; `LogCorrupt` for what no owner can have written."""
    entry_id, fields = row[0].decode(), row[1]
    if fields[0] == b"c":
        return LogEntry(entry_id, None)
    try:
        record = unpack_record(fields[1])
    except MsgspecError as error:
        raise LogCorrupt(table, entry_id, str(error)) from error
    if not is_id(record.cursor):
        raise LogCorrupt(table, entry_id, "its cursor is no id of an entry")
    return LogEntry(entry_id, record)
