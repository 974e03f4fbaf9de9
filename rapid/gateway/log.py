"""`GET /api/tables/ID/log`: what has been played, as NDJSON (PROTOCOL 2).

Everything is shown but the secret of a deal that has not ended, and nothing of a running game
is: whoever reads the log of a table they play at must not find their opponents' cards there.

What may be shown is known when the log has been read to its end, and then it is read again. A Redis that came back
without its unsynced tail between the two may have lost the end of a game, which goes on then (DESIGN decision 5):
nothing read from another run is shown.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from msgspec import Struct

from rapid.engine.events import AnyEvent, GameEnded, GameStarted
from rapid.engine.notation import OpenDeals, event_line, header_line
from rapid.errors import LogCorrupt, OtherRun
from rapid.table.ports import FIRST_ID, LogEntry
from rapid.table.stores import Stores
from rapid.wire.records import Record

PAGE = 500


class Extent(Struct, frozen=True):
    """What of a log may be shown: up to `last_seq` (0: no log), without the secrets of `open_deals`.

    As long as `run` is the run of Redis.
    """

    last_seq: int
    has_ended_game: bool
    open_deals: frozenset[int]
    run: str


class _Reading:
    """What is learnt while the log is read once."""

    def __init__(self) -> None:
        self.seq = 0
        self.started_at: int | None = None
        self.has_ended_game = False
        self.deals = OpenDeals()

    def take(self, event: AnyEvent) -> None:
        self.seq += 1
        self.deals.take(event)
        if isinstance(event, GameStarted):
            self.started_at = self.seq
        elif isinstance(event, GameEnded):
            self.started_at = None
            self.has_ended_game = True


async def _pages(store: Stores, table: str, run: str) -> AsyncIterator[list[LogEntry]]:
    """Yield a log page by page, each from this run of Redis or none."""
    after = FIRST_ID
    while True:
        entries = await store.log.read(table, after, limit=PAGE)
        # Asked behind the page: whatever has been lost was lost before the run that answers.
        if await store.run_id() != run:
            raise OtherRun("Redis is another run than when the reading began")
        yield entries
        if len(entries) < PAGE:
            return
        after = entries[-1].id


async def _records(store: Stores, table: str, run: str) -> AsyncIterator[list[Record]]:
    seq = 0
    async for entries in _pages(store, table, run):
        records = []
        for entry in entries:
            if entry.record is not None:
                if entry.record.seq != seq + 1:
                    raise LogCorrupt(table, entry.id, f"seq {entry.record.seq} behind {seq}")
                seq = entry.record.last_seq
                records.append(entry.record)
        yield records


async def extent_of(store: Stores, table: str) -> Extent:
    """Read the log once and return what of it may be shown; `StoreUnavailable`, `LogCorrupt`."""
    run, reading = await store.run_id(), _Reading()
    async for records in _records(store, table, run):
        for record in records:
            for event in record.events:
                reading.take(event)
    last_seq = reading.seq if reading.started_at is None else reading.started_at - 1
    return Extent(last_seq, reading.has_ended_game, frozenset(reading.deals.open), run)


async def log_lines(store: Stores, table: str, extent: Extent) -> AsyncIterator[bytes]:
    """Yield the log in pieces of whole lines; `StoreUnavailable`, `LogCorrupt`.

    A page is one piece: whoever takes it slowly must not get half of it from a run that is over by then.
    """
    yield f"{header_line(table)}\n".encode()
    async for records in _records(store, table, extent.run):
        lines = [line for record in records for line in _lines(record, extent)]
        if lines:
            yield "".join(lines).encode()
        if records and records[-1].last_seq >= extent.last_seq:
            return


def _lines(record: Record, extent: Extent) -> Iterator[str]:
    for seq, event in enumerate(record.events, record.seq):
        if seq <= extent.last_seq:
            yield event_line(event, seq, record.at, open_deals=extent.open_deals) + "\n"
