"""`GET /api/tables/ID/log`: what has been played, as NDJSON (PROTOCOL 2).

Everything is shown but the secret of a deal that has not ended, and nothing of a running game
is: whoever reads the log of a table they play at must not find their opponents' cards there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from msgspec import Struct

from rapid.engine.events import AnyEvent, GameEnded, GameStarted
from rapid.engine.notation import OpenDeals, event_line, header_line
from rapid.errors import LogCorrupt
from rapid.table.ports import FIRST_ID, Log
from rapid.wire.records import Record

PAGE = 500


class Extent(Struct, frozen=True):
    """What of a log may be shown: up to `last_seq` (0: no log), without the secrets of `open_deals`."""

    last_seq: int
    has_ended_game: bool
    open_deals: frozenset[int]


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


async def _records(log: Log, table: str) -> AsyncIterator[Record]:
    after, seq = FIRST_ID, 0
    while True:
        entries = await log.read(table, after, limit=PAGE)
        for entry in entries:
            if entry.record is not None:
                if entry.record.seq != seq + 1:
                    raise LogCorrupt(table, entry.id, f"seq {entry.record.seq} behind {seq}")
                seq = entry.record.last_seq
                yield entry.record
        if len(entries) < PAGE:
            return
        after = entries[-1].id


async def extent_of(log: Log, table: str) -> Extent:
    """Read the log once and return what of it may be shown; `StoreUnavailable`, `LogCorrupt`."""
    reading = _Reading()
    async for record in _records(log, table):
        for event in record.events:
            reading.take(event)
    last_seq = reading.seq if reading.started_at is None else reading.started_at - 1
    return Extent(last_seq, reading.has_ended_game, frozenset(reading.deals.open))


async def log_lines(log: Log, table: str, extent: Extent) -> AsyncIterator[bytes]:
    """Yield the log in pieces of whole lines; `StoreUnavailable`."""
    yield f"{header_line(table)}\n".encode()
    async for record in _records(log, table):
        lines = []
        for seq, event in enumerate(record.events, record.seq):
            if seq > extent.last_seq:
                break
            lines.append(event_line(event, seq, record.at, open_deals=extent.open_deals) + "\n")
        if not lines:
            return
        yield "".join(lines).encode()
