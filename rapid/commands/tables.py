"""`rapid tables`, `rapid close` and `rapid export`: an operator's look at the tables, and hand on one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

from rapid.commands.running import opened, own_name, redis_url, run
from rapid.config import StoreOptions
from rapid.engine.intents import CloseTable
from rapid.engine.notation import Decided, event_lines, header_line
from rapid.errors import ConfigError, LogCorrupt, StoreUnavailable
from rapid.store.redis_store import RedisStore
from rapid.table.ports import FIRST_ID, Row, shard_of
from rapid.table.recovery import fold_log
from rapid.table.runner import Runner
from rapid.wire.records import Entry, NewerVersion, Record

PAGE_ENTRIES = 500
OWNER_WAIT_SECONDS = 4.0
"""Longer than a lease: so long a dead worker's tables may look owned."""
CLOSE_WAIT_SECONDS = 15.0
POLL_SECONDS = 0.05
HEADINGS = ("TABLE", "OWNER", "PHASE", "MODE", "RULESET", "SEATS", "ROUND", "AGE")


def list_tables(options: StoreOptions) -> int:
    """Print a line for each open table."""
    return run(_on_store(options, _list))


def close(options: StoreOptions, table: str) -> int:
    """Close a table and wait until it is."""
    return run(_on_store(options, lambda store: _close(store, table)))


def export(options: StoreOptions, table: str) -> int:
    """Write a table's whole log to standard output."""
    return run(_on_store(options, lambda store: _export(store, table)))


async def _on_store(options: StoreOptions, act: Callable[[RedisStore], Awaitable[None]]) -> int:
    async with redis_url(options) as url, opened(url, options) as store:
        await act(store)
    return 0


async def _list(store: RedisStore) -> None:
    now = await store.clock.read_ms()
    owners = await store.lease.owners(range(store.shards))
    lines: list[tuple[str, ...]] = [HEADINGS]
    for shard in range(store.shards):
        for table in await store.log.tables(shard):
            row = await store.listing.row(table)
            if row is not None:
                lines.append(_columns(row, owners.get(shard, "-"), now))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def _columns(row: Row, owner: str, now: int) -> tuple[str, ...]:
    taken = f"{row.people}+{row.bots}/{row.seats}"
    number = "-" if row.round is None else str(row.round)
    return (row.table, owner, row.phase, row.mode, row.ruleset, taken, number, age(now - row.opened_at))


def age(ms: int) -> str:
    """Return a duration in its largest two units."""
    seconds = max(0, ms // 1000)
    minutes, hours, days = seconds // 60, seconds // 3_600, seconds // 86_400
    if days:
        return f"{days}d{hours % 24}h"
    if hours:
        return f"{hours}h{minutes % 60}m"
    return f"{minutes}m{seconds % 60}s" if minutes else f"{seconds}s"


async def _close(store: RedisStore, table: str) -> None:
    if await store.listing.row(table) is None:
        raise ConfigError(f"there is no open table {table}")
    await store.inbox.post([Entry(table, CloseTable())])
    if not await _is_closed(store, table, OWNER_WAIT_SECONDS) and not await _is_buried(store, table):
        await _decide_here(store, table)
    print(f"table {table} is closed")


async def _is_buried(store: RedisStore, table: str) -> bool:
    """A table whose log nobody can read has no authority that could close it: it leaves the listings without."""
    try:
        folded = await fold_log(store.log, table, FIRST_ID)
        if folded.state.seq > 0 and table in await store.log.last_epochs([table]):
            return False
        why = "its log is gone, or the end of it"
    except LogCorrupt as error:
        if isinstance(error.__cause__, NewerVersion):
            raise ConfigError(f"{error}: it can be closed by that version") from error
        why = f"its log cannot be read ({error})"
    print(f"rapid: {why}: the table is closed without a last event", file=sys.stderr)
    return await store.log.bury(table)


async def _is_closed(store: RedisStore, table: str, wait_seconds: float) -> bool:
    """Wait until the table is closed, or nobody is there to close it, or the time is over."""
    loop = asyncio.get_running_loop()
    end, shard = loop.time() + wait_seconds, shard_of(table, store.shards)
    while await store.listing.row(table) is not None:
        if loop.time() > end or not await store.lease.owners([shard]):
            return False
        await asyncio.sleep(POLL_SECONDS)
    return True


async def _decide_here(store: RedisStore, table: str) -> None:
    """No worker serves the table: take its shard for the moment that the decision needs."""
    shard, name = shard_of(table, store.shards), own_name("close")
    epoch = await store.lease.acquire(shard, name)
    if epoch is None:
        if await _is_closed(store, table, CLOSE_WAIT_SECONDS):
            return
        raise StoreUnavailable(f"the worker of table {table} does not answer")
    runner = Runner(store, name)
    runner.charge.take(shard, epoch, planned=False)
    serving = asyncio.create_task(runner.run())
    try:
        if not await _is_closed(store, table, CLOSE_WAIT_SECONDS):
            raise StoreUnavailable(f"table {table} could not be closed")
    finally:
        runner.stop()
        await serving
        await runner.hand_over(shard)
        await store.lease.release(shard, name, planned=False)
        await runner.close()


async def _export(store: RedisStore, table: str) -> None:
    out, is_known = sys.stdout.buffer, False
    try:
        async for record in _records(store, table):
            if not is_known:
                out.write(f"{header_line(table)}\n".encode())
                is_known = True
            decided = Decided(record.seq, record.at, record.events)
            out.writelines(f"{line}\n".encode() for line in event_lines(decided))
    finally:
        out.flush()
    if not is_known:
        raise ConfigError(f"there is no table {table}, or its log has expired")


async def _records(store: RedisStore, table: str) -> AsyncIterator[Record]:
    """Yield all records, up to the first entry that cannot be read; then raise `LogCorrupt`."""
    after, limit = FIRST_ID, PAGE_ENTRIES
    while True:
        try:
            entries = await store.log.read(table, after, limit=limit)
        except LogCorrupt:
            if limit == 1:
                raise
            limit = 1  # what stands before it on its page can be read
            continue
        for entry in entries:
            if entry.record is not None:
                yield entry.record
        if not entries:
            return
        after = entries[-1].id
