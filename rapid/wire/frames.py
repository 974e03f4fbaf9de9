"""WebSocket frames from server to client (RFC 6455 section 5.2): unmasked, whole, not compressed.

They are built here so that one frame can be written to any number of sockets (DESIGN 2.12).
"""

from __future__ import annotations

import struct

TEXT = 0x1
BINARY = 0x2
CLOSE = 0x8
PING = 0x9
FINAL = 0x80
LENGTH_7_BITS = 125
LENGTH_16_BITS = 0xFFFF


def frame(opcode: int, payload: bytes) -> bytes:
    """Return one final frame with this payload."""
    length = len(payload)
    if length <= LENGTH_7_BITS:
        return bytes((FINAL | opcode, length)) + payload
    if length <= LENGTH_16_BITS:
        return struct.pack("!BBH", FINAL | opcode, 126, length) + payload
    return struct.pack("!BBQ", FINAL | opcode, 127, length) + payload


def ping_frame() -> bytes:
    """Return an empty ping."""
    return bytes((FINAL | PING, 0))


def close_frame(code: int) -> bytes:
    """Return a close frame with this code and no text."""
    return frame(CLOSE, struct.pack("!H", code))
