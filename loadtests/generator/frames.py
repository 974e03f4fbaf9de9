"""WebSocket frames as a client writes and reads them (RFC 6455 section 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10
FINAL_CLOSE: Final = 0x80 | CLOSE
"""First byte of the least control frame; those of messages are below it."""
MASK: Final = b"\0\0\0\0"
"""Zeros: a server must unmask as ever, and the generator's own time stays out of the figures."""


def masked(opcode: int, payload: bytes) -> bytes:
    """Return one frame from client to server."""
    length = len(payload)
    if length < 126:
        return bytes((0x80 | opcode, 0x80 | length)) + MASK + payload
    return bytes((0x80 | opcode, 0xFE)) + length.to_bytes(2, "big") + MASK + payload


def whole(data: bytes, control: Callable[[int, bytes], None]) -> int:
    """Return where the last whole frame ends; `control` is told the opcode and payload of control frames."""
    place, size = 0, len(data)
    while place + 2 <= size:
        length, start = data[place + 1], place + 2
        if length >= 126:
            start += 2 if length == 126 else 8
            length = int.from_bytes(data[place + 2 : start], "big")
        if start + length > size:
            break
        if data[place] & 8:
            control(data[place] & 15, data[start : start + length])
        place = start + length
    return place


def whole_one(data: bytes) -> int:
    """Return where the first frame ends; the data holds all of it."""
    length, start = data[1], 2
    if length >= 126:
        start = 4 if length == 126 else 10
        length = int.from_bytes(data[2:start], "big")
    return start + length


def payloads(data: bytes) -> Iterator[bytes]:
    """Yield the messages of whole frames."""
    place, size = 0, len(data)
    while place < size:
        length, start = data[place + 1], place + 2
        if length >= 126:
            start += 2 if length == 126 else 8
            length = int.from_bytes(data[place + 2 : start], "big")
        if not data[place] & 8:
            yield data[start : start + length]
        place = start + length
