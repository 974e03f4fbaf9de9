"""Taking a shard: epoch, claim, fold, `resumed` (DESIGN decisions 5 and 10).

Behind the claim Redis refuses whatever an owner before still sends, so what is folded then
is all there is. A log that cannot be folded sets its table aside; the others are served.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from rapid.engine.evolve import fold
from rapid.engine.state import State, blank
from rapid.errors import Fenced, LogCorrupt, StoreUnavailable
from rapid.table.authority import Authority, Folded
from rapid.table.ports import EPOCH_MAX, FIRST_ID, Commit, Log, LogEntry, id_order, is_id, shard_of, stamp_of
from rapid.table.shard import Shard
from rapid.table.stores import Stores
from rapid.telemetry.logs import get_logger
from rapid.wire.records import Ask, Record

FOLD_SLICE_ENTRIES = 200
"""Entries read and folded in one go; in between the loop serves others."""
TABLES_AT_ONCE = 16
CLAIM_TRIES = 5
EPOCH_ABSURD = "no owner can have had this epoch"

T = TypeVar("T")

_log = get_logger(__name__)


async def take_shard(stores: Stores, number: int, epoch: int, worker: str, *, planned: bool) -> Shard | None:
    """Take an owned shard in charge from scratch; None if it is owned no longer.

    `planned`: the owner before handed over in order, so running deadlines are kept (R9).
    Raises `Fenced` if another epoch came in between, `StoreUnavailable`.
    """
    claimed = await _claim(stores, number, epoch, worker)
    if claimed is None:
        return None
    epoch, tables, bad = claimed
    shard = Shard(number, epoch, cursor=await _cursor(stores, number))
    shard.noted_cursor = shard.cursor
    for error in bad:
        shard.set_aside(error.table)
        log_corrupt(error, epoch)
    for some in _slices(tables, TABLES_AT_ONCE):
        await asyncio.gather(*(_recover(stores.log, shard, table) for table in some))
    await _resume(stores, shard, planned=planned)
    return shard


async def _cursor(stores: Stores, number: int) -> str:
    """Return the noted cursor, or the beginning: each log knows by itself how far its table has decided."""
    cursor = await stores.inbox.cursor(number)
    if is_id(cursor) and stamp_of(cursor) <= EPOCH_MAX:
        return cursor
    _log.error("cursor_corrupt", shard=number)
    return FIRST_ID


async def _claim(
    stores: Stores, number: int, epoch: int, worker: str
) -> tuple[int, list[str], list[LogCorrupt]] | None:
    """Claim all tables with an epoch above whatever their logs hold; return it, them, and those that cannot be."""
    for _ in range(CLAIM_TRIES):
        open_tables = await stores.log.tables(number)
        if not open_tables:
            return epoch, [], []
        last = await stores.log.last_epochs(open_tables)
        bad = [
            error for table in open_tables if (error := _unclaimable(stores, number, epoch, table, last)) is not None
        ]
        tables = [table for table in open_tables if table not in {error.table for error in bad}]
        # A Redis that lost its unsynced tail may have forgotten epochs that logs still know, or hand one out twice.
        least = max((last[table] for table in tables), default=0) + 1
        if least > epoch:
            raised = await stores.lease.raise_epoch(number, worker, least)
            if raised is None:
                return None
            epoch = raised
        claimed = await stores.log.claim(number, tables, epoch)
        refused = [table for table, is_claimed in zip(tables, claimed, strict=True) if not is_claimed]
        if not refused:
            return epoch, tables, bad
    raise Fenced(f"of shard {number}", epoch)


def _unclaimable(stores: Stores, number: int, epoch: int, table: str, last: Mapping[str, int]) -> LogCorrupt | None:
    """What stands in no owner's way must stand in that of its own table alone."""
    if shard_of(table, stores.shards) != number:
        return LogCorrupt(table, FIRST_ID, "listed in a shard that it does not belong to")
    if table not in last:
        return LogCorrupt(table, FIRST_ID, "the log of an open table is gone, or the end of it")
    if last[table] > max(EPOCH_MAX, epoch):
        return LogCorrupt(table, f"{last[table]}-*", EPOCH_ABSURD)
    return None


async def _recover(log: Log, shard: Shard, table: str) -> None:
    try:
        past = await fold_log(log, table, shard.cursor)
        shard.tables[table] = _sound(Authority(shard.epoch, past))
    except (StoreUnavailable, Fenced):
        raise
    except LogCorrupt as error:
        shard.set_aside(table)
        log_corrupt(error, shard.epoch)
    except Exception as error:  # noqa: BLE001  # whatever else one log can hold must not keep its shard from being served
        shard.set_aside(table)
        log_corrupt(LogCorrupt(table, FIRST_ID, f"cannot be read ({type(error).__name__})"), shard.epoch)


def _sound(authority: Authority) -> Authority:
    """What a damaged log folds to may be a state that nothing can go on from: better known now than in a batch."""
    try:
        _ = authority.next_due_ms
    except Exception as error:  # noqa: BLE001  # whatever a wrong state makes of it; its text may hold cards
        raise _nothing_follows(authority, error) from None
    return authority


def _nothing_follows(authority: Authority, error: Exception) -> LogCorrupt:
    return LogCorrupt(authority.table, FIRST_ID, f"nothing can follow on its state ({type(error).__name__})")


def log_corrupt(error: LogCorrupt, epoch: int) -> None:
    """Say it loudly: this table is served by nobody until somebody has looked at its log."""
    _log.error("log_corrupt", table=error.table, epoch=epoch, entry=error.entry, why=error.why)


async def fold_log(log: Log, table: str, shard_cursor: str) -> Folded:
    """Fold a table's whole log. Raises `LogCorrupt` at the first entry that cannot follow.

    `shard_cursor`: the inbox is read on from here, so records behind it say who has been
    answered among those whose entries come again.
    """
    state, cursor, opened_at, after = blank(table), FIRST_ID, 0, FIRST_ID
    answered: set[Ask] = set()
    while True:
        entries = await log.read(table, after, limit=FOLD_SLICE_ENTRIES)
        for entry in entries:
            after = entry.id
            if entry.record is None:
                continue
            state = _fold_record(state, entry, entry.record)
            cursor, opened_at = entry.record.cursor, opened_at or entry.record.at
            if entry.record.answer is not None and id_order(cursor) > id_order(shard_cursor):
                answered.add(entry.record.answer.ask)
        if id_order(after)[0] >= 2 * EPOCH_MAX:
            raise LogCorrupt(table, after, EPOCH_ABSURD)
        if len(entries) < FOLD_SLICE_ENTRIES:
            return Folded(state, cursor, opened_at, has_log=after != FIRST_ID, answered=frozenset(answered))


def _fold_record(state: State, entry: LogEntry, record: Record) -> State:
    if record.seq != state.seq + 1:
        raise LogCorrupt(state.table, entry.id, f"seq {record.seq} behind {state.seq}")
    try:
        folded = fold(state, record.events, record.at)
    except Exception as error:  # noqa: BLE001  # whatever a wrong log makes of the fold; its text may hold cards
        raise LogCorrupt(state.table, entry.id, f"events cannot be folded ({type(error).__name__})") from None
    if folded.seq != record.last_seq:
        raise LogCorrupt(state.table, entry.id, f"seq {folded.seq} where {record.last_seq} was due")
    return folded


async def _resume(stores: Stores, shard: Shard, *, planned: bool) -> None:
    """Commit `resumed` to every table that has a past; nothing else is decided before it."""
    now_ms = await stores.clock.read_ms()
    owners = [authority for authority in shard.tables.values() if authority.has_past]
    for some in _slices(owners, FOLD_SLICE_ENTRIES):
        commits: list[Commit] = []
        for authority in some:
            commits += _resumed(shard, authority, now_ms, planned=planned)
        for commit, is_durable in zip(commits, await stores.log.commit(commits), strict=True):
            if not is_durable:
                raise Fenced(commit.table, shard.epoch)
        for authority in some:
            authority.settle()


def _resumed(shard: Shard, authority: Authority, now_ms: int, *, planned: bool) -> Sequence[Commit]:
    try:
        commits = authority.resume(now_ms, keeps_deadline=planned).commits
        _ = authority.next_due_ms
    except Exception as error:  # noqa: BLE001  # one table must not keep its shard from being served
        shard.set_aside(authority.table)
        log_corrupt(_nothing_follows(authority, error), shard.epoch)
        return ()
    return commits


def _slices(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
