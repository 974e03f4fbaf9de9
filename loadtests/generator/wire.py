"""The two encodings of PROTOCOL 3, read with as little work as each frame needs.

Most frames are only asked for the `seq` of their last event. It is found by the bytes in front of it, which this
server writes first in every event; the judges read everything properly afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from loadtests.generator import frames


class Move(Struct, rename={"from_": "from"}):
    """One of `moves` or `owes`."""

    from_: int
    to: int
    count: int
    cards: tuple[str, ...] = ()


class Message(Struct, rename={"from_": "from"}):
    """What a table's fold needs of a message from the server."""

    t: str
    seq: int = 0
    type: str = ""
    seat: int | None = None
    cards: tuple[str, ...] = ()
    on: int = 0
    revolution: bool = False
    round: int | None = None
    deal: int | None = None
    hands: dict[str, tuple[str, ...]] = field(default_factory=dict)
    from_: int = -1
    moves: tuple[Move, ...] = ()
    owes: tuple[Move, ...] = ()
    id: int = 0
    ok: bool = True
    why: str | None = None
    late_ms: int | None = None


class Wire(Struct, frozen=True):
    """One subprotocol."""

    protocol: str
    opcode: int
    pack: Callable[[Mapping[str, Any]], bytes]
    read: Callable[[bytes], Message]
    read_all: Callable[[bytes], dict[str, Any]]
    mark: bytes
    """Stands in front of the `seq` of every event and nowhere else."""
    mark_bytes: int
    seq_at: Callable[[bytes, int], int]
    reply: bytes
    """Stands in every reply and nowhere else."""
    refused: bytes
    """Stands in every reply that refuses."""


def msgpack_int(data: bytes, place: int) -> int:
    """Return the unsigned integer that is packed there."""
    head = data[place]
    if head == 0xCD:
        return data[place + 1] << 8 | data[place + 2]
    if head < 0x80:
        return head
    return int.from_bytes(data[place + 1 : place + 1 + (1 << (head - 0xCC))], "big")


def _json_int(data: bytes, place: int) -> int:
    return int(data[place : data.index(b",", place)])


MSGPACK = Wire(
    protocol="rapid.v1.msgpack",
    opcode=frames.BINARY,
    pack=msgspec.msgpack.Encoder().encode,
    read=msgspec.msgpack.Decoder(Message).decode,
    read_all=msgspec.msgpack.Decoder(dict[str, Any]).decode,
    mark=b"\xa1t\xa5event\xa3seq",
    mark_bytes=12,
    seq_at=msgpack_int,
    reply=b"\xa1t\xa5reply",
    refused=b"\xa2ok\xc2",
)
JSON = Wire(
    protocol="rapid.v1.json",
    opcode=frames.TEXT,
    pack=msgspec.json.Encoder().encode,
    read=msgspec.json.Decoder(Message).decode,
    read_all=msgspec.json.Decoder(dict[str, Any]).decode,
    mark=b'{"t":"event","seq":',
    mark_bytes=19,
    seq_at=_json_int,
    reply=b'"t":"reply"',
    refused=b'"ok":false',
)
WIRES = {"msgpack": MSGPACK, "json": JSON}
