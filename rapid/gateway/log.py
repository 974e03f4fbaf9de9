"""`GET /api/tables/ID/log`: what has been played, as NDJSON (PROTOCOL 2).

Everything is shown but the secret of a deal that has not ended, and nothing of a running game
is: whoever reads the log of a table they play at must not find their opponents' cards there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from msgspec import Struct

from rapid.engine.events import AnyEvent, Committed, Dealt, GameEnded, GameStarted, RoundEnded
from rapid.table.ports import FIRST_ID, Log
from rapid.wire.export import log_header, log_line, without_secret
from rapid.wire.records import Record

PAGE = 500


class Extent(Struct, frozen=True):
    """What of a log may be shown: up to `last_seq` (0: no log), with the secrets of `ended` deals."""

    last_seq: int
    has_ended_game: bool
    ended: frozenset[int]


class _Reading:
    """What is learnt while the log is read once."""

    def __init__(self) -> None:
        self.seq = 0
        self.started_at: int | None = None
        self.has_ended_game = False
        self.dealt = 0
        self.ended: set[int] = set()

    def take(self, event: AnyEvent) -> None:
        self.seq += 1
        if isinstance(event, GameStarted):
            self.started_at = self.seq
        elif isinstance(event, Dealt):
            self.dealt = event.deal
        elif isinstance(event, RoundEnded):
            self.ended.add(event.deal)
        elif isinstance(event, GameEnded):
            self.started_at = None
            self.has_ended_game = True
            if isinstance(event.secret, str):
                self.ended.add(self.dealt)  # the deal was cut short, and its secret is out


async def _records(log: Log, table: str) -> AsyncIterator[Record]:
    after = FIRST_ID
    while True:
        entries = await log.read(table, after, limit=PAGE)
        for entry in entries:
            if entry.record is not None:
                yield entry.record
        if len(entries) < PAGE:
            return
        after = entries[-1].id


async def extent_of(log: Log, table: str) -> Extent:
    """Read the log once and return what of it may be shown; `StoreUnavailable`."""
    reading = _Reading()
    async for record in _records(log, table):
        for event in record.events:
            reading.take(event)
    last_seq = reading.seq if reading.started_at is None else reading.started_at - 1
    return Extent(last_seq, reading.has_ended_game, frozenset(reading.ended))


async def log_lines(log: Log, table: str, extent: Extent) -> AsyncIterator[bytes]:
    """Yield the log in pieces of whole lines; `StoreUnavailable`."""
    yield log_header(table)
    async for record in _records(log, table):
        lines = []
        for seq, event in enumerate(record.events, record.seq):
            if seq > extent.last_seq:
                break
            is_hidden = isinstance(event, Committed) and event.deal not in extent.ended
            lines.append(log_line(seq, record.at, without_secret(event) if is_hidden else event))
        if not lines:
            return
        yield b"".join(lines)
