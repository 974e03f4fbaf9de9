"""The log as text: one JSON object a line behind a header line (PROTOCOL section 4).

Shared by `rapid export`, `rapid simulate` and `GET /api/tables/ID/log`. A token's hash never
stands in these lines; a deal's secret can be held back until that deal has ended.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Struct, structs

from rapid.engine.events import (
    AnyEvent,
    Committed,
    Dealt,
    GameEnded,
    RoundEnded,
    SeatTaken,
)

LOG_VERSION = 1

_encoder = msgspec.json.Encoder()


class Decided(NamedTuple):
    """The events of one decision: the first one's `seq`, their common `at` in milliseconds."""

    seq: int
    at: int
    events: tuple[AnyEvent, ...]


class Line(Struct, frozen=True):
    """One event of a log as read back from its line."""

    seq: int
    at: int
    event: AnyEvent


class _Position(Struct, frozen=True):
    seq: int
    at: int


class Header(Struct, frozen=True):
    """The first line of a log."""

    log: str
    v: int
    table: str


_position_decoder = msgspec.json.Decoder(_Position)
_event_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_header_decoder = msgspec.json.Decoder(Header)


def header_line(table: str) -> str:
    """Return the header line of a table's log, without a line end."""
    return _encoder.encode(Header(log="rapid", v=LOG_VERSION, table=table)).decode()


def event_line(event: AnyEvent, seq: int, at: int, *, open_deals: Container[int] = ()) -> str:
    """Return an event's line, without a line end; the `secret` of a deal in `open_deals` is left out."""
    if isinstance(event, SeatTaken):
        if event.token_hash is not UNSET:
            event = structs.replace(event, token_hash=UNSET)
    elif isinstance(event, Committed) and event.deal in open_deals:
        event = structs.replace(event, secret=UNSET)
    # The event's own bytes begin with `{"type":`, so the position goes in front of them.
    return f'{{"seq":{seq},"at":{at},{_encoder.encode(event)[1:].decode()}'


def event_lines(decided: Decided, *, open_deals: Container[int] = ()) -> Iterator[str]:
    """Yield the lines of one decision."""
    for seq, event in enumerate(decided.events, decided.seq):
        yield event_line(event, seq, decided.at, open_deals=open_deals)


def log_lines(table: str, log: Iterable[Decided], *, hides_open_deals: bool = False) -> Iterator[str]:
    """Yield header and lines; `hides_open_deals` keeps back secrets of deals that have not ended."""
    yield header_line(table)
    open_: frozenset[int] = frozenset()
    if hides_open_deals:
        log = tuple(log)
        open_ = open_deals(event for decided in log for event in decided.events)
    for decided in log:
        yield from event_lines(decided, open_deals=open_)


class OpenDeals:
    """Follows a log: `open` are the deals that are committed and neither played out nor cut short."""

    def __init__(self) -> None:
        self.open: set[int] = set()
        self._dealt = 0

    def take(self, event: AnyEvent) -> None:
        """Follow the next event."""
        if isinstance(event, Committed):
            self.open.add(event.deal)
        elif isinstance(event, Dealt):
            self._dealt = event.deal
        elif isinstance(event, RoundEnded):
            self.open.discard(event.deal)
        elif isinstance(event, GameEnded) and event.secret is not UNSET:
            self.open.discard(self._dealt)


def open_deals(events: Iterable[AnyEvent]) -> frozenset[int]:
    """Return the deals whose secret is not out behind these events."""
    deals = OpenDeals()
    for event in events:
        deals.take(event)
    return frozenset(deals.open)


def parse_line(text: str | bytes) -> Line:
    """Return the event that a line tells, the inverse of `event_line`.

    Raises:
        ValueError: not JSON, no known event, or a field of the wrong type.
    """
    position = _position_decoder.decode(text)
    return Line(seq=position.seq, at=position.at, event=_event_decoder.decode(text))


def parse_header(text: str | bytes) -> Header:
    """Return what a header line tells.

    Raises:
        ValueError: not the header of a log of this version.
    """
    header = _header_decoder.decode(text)
    if header.log != "rapid" or header.v != LOG_VERSION:
        raise ValueError(f"not a log of version {LOG_VERSION}")
    return header
