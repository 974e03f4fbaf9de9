"""What Redis holds: inbox entries and log records, and their bytes.

These bytes stay inside the system, so `msgspec` packs the structs themselves; the outside
of the system is in `messages` and `codec`.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from rapid.engine.events import AnyEvent
from rapid.engine.intents import AnyIntent
from rapid.engine.refusals import Refusal


class Ask(Struct, frozen=True, array_like=True):
    """Who waits for the answer: a gateway, and its number for the question."""

    gateway: str
    ref: int


class Entry(Struct, frozen=True, array_like=True):
    """One inbox entry: an intent for a table. Its Redis id is its order and its time.

    `since` is the `seq` of the asking seat's `seat_taken`: an intent still under way when
    its chair was freed and taken again must not count for the new holder.
    """

    table: str
    intent: AnyIntent
    ask: Ask | None = None
    since: int | None = None


class Answer(Struct, frozen=True, array_like=True):
    """What the asker is told: accepted (no refusal) with the last `seq`, or refused."""

    ask: Ask
    seq: int
    refusal: Refusal | None = None


class Record(Struct, frozen=True, array_like=True):
    """One decision, one log entry: all its events, what caused it and what is answered.

    `cursor` is the id of the last inbox entry that is wholly decided with this record: a
    timer that fires in front of an entry does not yet count that entry. `at` in
    milliseconds, `seq` that of the first event.
    """

    seq: int
    at: int
    cursor: str
    events: tuple[AnyEvent, ...]
    answer: Answer | None = None

    @property
    def last_seq(self) -> int:
        """`seq` of the last event."""
        return self.seq + len(self.events) - 1


_encoder = msgspec.msgpack.Encoder()
_entry_decoder = msgspec.msgpack.Decoder(Entry)
_record_decoder = msgspec.msgpack.Decoder(Record)
_answers_decoder = msgspec.msgpack.Decoder(tuple[Answer, ...])


def pack_entry(entry: Entry) -> bytes:
    """Return the bytes of an inbox entry."""
    return _encoder.encode(entry)


def unpack_entry(data: bytes) -> Entry:
    """Return the inbox entry; `msgspec.MsgspecError` if these are not its bytes."""
    return _entry_decoder.decode(data)


def pack_record(record: Record) -> bytes:
    """Return the bytes of a log record."""
    return _encoder.encode(record)


def unpack_record(data: bytes) -> Record:
    """Return the log record; `msgspec.MsgspecError` if these are not its bytes."""
    return _record_decoder.decode(data)


def pack_answers(answers: tuple[Answer, ...]) -> bytes:
    """Return the bytes of answers to one gateway."""
    return _encoder.encode(answers)


def unpack_answers(data: bytes) -> tuple[Answer, ...]:
    """Return the answers; `msgspec.MsgspecError` if these are not their bytes."""
    return _answers_decoder.decode(data)
