"""The bytes of a table's row and of a gateway's note; both stay inside the system."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rapid.table.ports import Row

_encoder = msgspec.msgpack.Encoder()
_rows = msgspec.msgpack.Decoder(Row)
_notes = msgspec.msgpack.Decoder(dict[str, object])


def pack_row(row: Row) -> bytes:
    """Return a row's bytes."""
    return _encoder.encode(row)


def unpack_row(data: bytes) -> Row:
    """Return the row; `msgspec.MsgspecError` if these are not its bytes."""
    return _rows.decode(data)


def pack_note(note: Mapping[str, object]) -> bytes:
    """Return a note's bytes."""
    return _encoder.encode(dict(note))


def unpack_note(data: bytes) -> dict[str, object]:
    """Return the note; `msgspec.MsgspecError` if these are not its bytes."""
    return _notes.decode(data)
