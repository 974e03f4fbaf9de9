"""The two encodings (PROTOCOL 3): the only place that packs and unpacks what crosses the WebSocket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from rapid.engine.events import AnyEvent
from rapid.wire.close import Ending
from rapid.wire.fields import received
from rapid.wire.frames import BINARY, TEXT, close_frame, frame
from rapid.wire.messages import Bye, Pass, Play, Received, ServerMessage
from rapid.wire.parse import parse_json, parse_msgpack
from rapid.wire.quick import quick_msgpack, quick_nothing

_msgpack = msgspec.msgpack.Encoder()
_json = msgspec.json.Encoder()

# An event's struct packs to a map that begins with its `type`. The outer fields are put in
# front of it, which costs no second pass over the event and no copy of the struct.
_MSGPACK_HEAD: Final = b"\xa1t\xa5event\xa3seq"
_MSGPACK_AT: Final = b"\xa2at"
_FIXMAP, _FIXMAP_MAX, _MAP16 = 0x80, 15, 0xDE
_OUTER_FIELDS: Final = 3


def _msgpack_event(seq: int, at: int, event: AnyEvent) -> bytes:
    packed = _msgpack.encode(event)
    outer = _MSGPACK_HEAD + _msgpack.encode(seq) + _MSGPACK_AT + _msgpack.encode(at)
    if packed[0] != _MAP16:
        count = (packed[0] & _FIXMAP_MAX) + _OUTER_FIELDS
        if count <= _FIXMAP_MAX:
            return bytes((_FIXMAP | count,)) + outer + packed[1:]
        return bytes((_MAP16, 0, count)) + outer + packed[1:]
    count = int.from_bytes(packed[1:3], "big") + _OUTER_FIELDS
    return bytes((_MAP16,)) + count.to_bytes(2, "big") + outer + packed[3:]


def _json_event(seq: int, at: int, event: AnyEvent) -> bytes:
    return b'{"t":"event","seq":%d,"at":%d,' % (seq, at) + _json.encode(event)[1:]


class Codec(Struct, frozen=True, eq=False):
    """One subprotocol. There are two of these and they are compared by identity."""

    name: str
    opcode: int
    parse: Callable[[bytes | str], dict[str, Any] | None]
    pack: Callable[[ServerMessage], bytes]
    pack_event: Callable[[int, int, AnyEvent], bytes]
    quick: Callable[[bytes | str], Play | Pass | None]
    """What a frame is, if it is one of the usual ones; see `quick`."""

    def receive(self, data: bytes | str) -> Received:
        """Return what a client's frame is; total: any bytes are something."""
        return self.quick(data) or received(self.parse(data))

    def frame(self, message: ServerMessage) -> bytes:
        """Return the message as a WebSocket frame."""
        return frame(self.opcode, self.pack(message))

    def event_frame(self, seq: int, at: int, event: AnyEvent) -> bytes:
        """Return an event, as projected for a viewer, as a WebSocket frame."""
        return frame(self.opcode, self.pack_event(seq, at, event))

    def end_frames(self, ending: Ending) -> bytes:
        """Return the `bye` and the close frame behind it."""
        return self.frame(Bye(ending.why)) + close_frame(ending.code)


MSGPACK: Final = Codec("rapid.v1.msgpack", BINARY, parse_msgpack, _msgpack.encode, _msgpack_event, quick_msgpack)
JSON: Final = Codec("rapid.v1.json", TEXT, parse_json, _json.encode, _json_event, quick_nothing)
CODECS: Final = {codec.name: codec for codec in (MSGPACK, JSON)}
