"""The way of most frames: whole, small, alone in what was received. Everything else goes aiohttp's way.

aiohttp puts each message into a queue that a task is woken for. A frame that comes when nothing is in that queue, and
is a message by itself, is handed over at once instead, in the call that received it. To know where a frame begins
the frames that go the other way are counted here by their heads; they are read by aiohttp alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rapid.wire.frames import BINARY, FINAL, LENGTH_7_BITS

MASKED: Final = 0x80
MASK_BYTES: Final = 4
HEAD_BYTES: Final = 2 + MASK_BYTES
"""Of a small frame from a client."""
HEAD_MAX_BYTES: Final = 14
_OPCODE, _FIRST_CONTROL = 0x0F, 0x8
_WHOLE_BINARY: Final = FINAL | BINARY
_GOES_ON: Final = (False, b"")
"""What aiohttp is told: there is more to come, and nothing is left over."""
_LENGTH_BYTES: Final = {126: 2, 127: 8}


def unmasked(frame: bytes) -> bytes:
    """Return the payload of a whole small frame."""
    size = len(frame) - HEAD_BYTES
    mask = (frame[2:HEAD_BYTES] * (size // MASK_BYTES + 1))[:size]
    return (int.from_bytes(frame[HEAD_BYTES:], "little") ^ int.from_bytes(mask, "little")).to_bytes(size, "little")


class Shortcut:
    """What aiohttp's protocol feeds in place of its reader of frames."""

    __slots__ = ("_ends_message", "_head", "_is_in_fragments", "_now_s", "_reader", "_rest", "_take", "heard_s", "owed")

    def __init__(self, reader: Any, take: Callable[[bytes], bool], now_s: Callable[[], float]) -> None:
        """`take` is handed the payload of a binary message and returns whether it has done with it."""
        self.owed = 0
        """Messages that went to the reader; whoever has done what one asked for takes it off."""
        self.heard_s = now_s()
        """When the client was heard last."""
        self._reader = reader
        self._take = take
        self._now_s = now_s
        self._head = b""
        self._rest = 0
        self._ends_message = False
        self._is_in_fragments = False

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Take what was received; as aiohttp's reader does."""
        self.heard_s = self._now_s()
        size = len(data) - HEAD_BYTES
        if (
            0 <= size <= LENGTH_7_BITS
            and data[0] == _WHOLE_BINARY
            and data[1] == MASKED | size
            and not (self.owed or self._rest or self._head or self._is_in_fragments)
            and self._take(unmasked(data))
        ):
            return _GOES_ON
        self.follow(data)
        ended: tuple[bool, bytes] = self._reader.feed_data(data)
        return ended

    def count_owed(self) -> int:
        """Return how many messages the reader has whole and nobody has done with."""
        return self.owed

    def feed_eof(self) -> None:
        """The client is gone."""
        self._reader.feed_eof()

    def follow(self, data: bytes) -> None:
        """Count what the reader gets."""
        place = 0
        while place < len(data):
            if self._rest:
                step = min(self._rest, len(data) - place)
                self._rest -= step
                place += step
            else:
                known = len(self._head)
                head = self._head + data[place : place + HEAD_MAX_BYTES - known]
                size = _head_size(head)
                if len(head) < size:
                    self._head = head
                    return
                self._begin(head[:size])
                place += size - known
            self._count()

    def _begin(self, head: bytes) -> None:
        self._head = b""
        length = head[1] & ~MASKED
        extra = _LENGTH_BYTES.get(length, 0)
        self._rest = int.from_bytes(head[2 : 2 + extra], "big") if extra else length
        is_control = head[0] & _OPCODE >= _FIRST_CONTROL
        is_final = bool(head[0] & FINAL)
        self._ends_message = is_final and not is_control
        if not is_control:
            self._is_in_fragments = not is_final

    def _count(self) -> None:
        if self._ends_message and not self._rest:
            self._ends_message = False
            self.owed += 1


def _head_size(head: bytes) -> int:
    """Return how long this frame's head is, or more than there is of it."""
    if len(head) < 2:
        return 2
    masked = MASK_BYTES if head[1] & MASKED else 0
    return 2 + _LENGTH_BYTES.get(head[1] & ~MASKED, 0) + masked
