"""One open WebSocket as the hub sees it: where bytes are written, and how it is cut off.

Frames are built once for many and written as they are (DESIGN decision 12). Nothing ever
waits for a viewer: one that does not read is ended with `too_slow`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from rapid.telemetry.figures import Count
from rapid.wire.close import LEAVING, TAKEN_OVER, TOO_SLOW, Ending
from rapid.wire.codec import Codec
from rapid.wire.messages import ServerMessage

PART_SECONDS: Final = 3.0
"""So long the end waits for answers that are still owed; a Redis that is away gives none.

A worker that dies between a decision and its answers has a successor, behind a lease of a second, that gives them.
"""


class Pipe(Protocol):
    """What is needed of a transport."""

    def write(self, data: bytes) -> None:
        """Send, or keep until it can be sent."""

    def is_closing(self) -> bool:
        """Whether nothing can be sent any more."""

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait."""


def _tell_nobody(_: Ending) -> None:
    pass


def _nothing() -> int:
    return 0


class Viewer:
    """A seat's connection, or a spectator's (`seat` is None)."""

    __slots__ = (
        "_buffer_max_bytes",
        "_held",
        "_on_end",
        "_parting",
        "_pipe",
        "_sent_bytes",
        "codec",
        "conn",
        "ending",
        "mark",
        "parted_at",
        "seat",
        "since",
        "token_hash",
        "undecided",
        "unread",
    )

    def __init__(
        self,
        conn: int,
        codec: Codec,
        pipe: Pipe,
        buffer_max_bytes: int,
        on_end: Callable[[Ending], None],
        sent_bytes: Count | None = None,
    ) -> None:
        """`sent_bytes` counts what is written; it is of all viewers."""
        self.conn = conn
        self.codec = codec
        self.seat: int | None = None
        self.since: int | None = None
        """`seq` of the seat's `seat_taken`."""
        self.token_hash: str | None = None
        """Of the token it has shown: behind a lost tail another holder's `since` may be the same."""
        self.mark: str | None = None
        """As in `Entry`, at hand for what it asks."""
        self.ending: Ending | None = None
        self.undecided: set[int] = set()
        """What this connection has asked for and not been answered."""
        self.parted_at: int | None = None
        """`seq` of the last event that it is sent, once it has left its seat: the table goes on without it."""
        self.unread = _nothing
        """How many of its messages have come in whole and not been dealt with."""
        self._parting: tuple[Ending, asyncio.TimerHandle] | None = None
        self._held: list[bytes] | None = None
        self._pipe = pipe
        self._buffer_max_bytes = buffer_max_bytes
        self._on_end = on_end
        self._sent_bytes = sent_bytes or Count()

    def tell(self, message: ServerMessage) -> None:
        """Send one message."""
        self.send(self.codec.frame(message))

    def send(self, frames: bytes) -> None:
        """Send whole frames; a viewer with too much waiting is cut off."""
        if self._held is not None:
            self._held.append(frames)
            return
        pipe = self._pipe
        if self.ending is not None or pipe.is_closing():
            return
        pipe.write(frames)
        self._sent_bytes.n += len(frames)
        if pipe.get_write_buffer_size() > self._buffer_max_bytes:
            self.end(TOO_SLOW)

    def hold(self) -> None:
        """Keep what is sent from now on until `release`: a decision's events and its reply are one system call."""
        if self._held is None:
            self._held = []

    def release(self) -> None:
        """Send what was kept."""
        held, self._held = self._held, None
        if held:
            self.send(b"".join(held))

    def part(self, ending: Ending, seq: int) -> None:
        """End it as soon as all that it has asked is answered: each message gets its reply (PROTOCOL 3.1).

        `seq`: of the event with which it has left, the last that it is sent.
        """
        if self.parted_at is None:
            self.parted_at = seq
        if not self._is_owed_answers:
            self.end(ending)
        elif self._parting is None and self.ending is None:
            self._parting = (ending, asyncio.get_running_loop().call_later(PART_SECONDS, self.end, ending))

    def part_now(self) -> None:
        """An answer was given; if it was the last of one that is parting, this is the end."""
        if self._parting is not None and not self._is_owed_answers:
            self.end(self._parting[0])

    @property
    def _is_owed_answers(self) -> bool:
        return bool(self.undecided or self.unread())

    @property
    def parts_with(self) -> Ending | None:
        """How it is ended once its answers are given, if it is parting."""
        return None if self._parting is None else self._parting[0]

    def end(self, ending: Ending) -> None:
        """Say `bye` and close, once; nothing is sent behind that.

        One that is parting is told why it parts: of the seat that it had, nothing else happens to it any more.
        """
        self.release()
        if self._parting is not None:
            parts_with, timer = self._parting
            if ending is TAKEN_OVER:
                return
            if ending is LEAVING:
                ending = parts_with
            timer.cancel()
            self._parting = None
        if self.ending is not None:
            return
        self.ending = ending
        if not self._pipe.is_closing():
            self._pipe.write(self.codec.end_frames(ending))
        self._on_end(ending)

    def gone(self) -> None:
        """The socket is closed: nobody is told of an end any more.

        Whoever is told refers to this viewer: without that all of the connection goes at once, and not with the next
        full collection (a thousand short connections leave some megabytes until then).
        """
        self._on_end = _tell_nobody
        self.unread = _nothing
        if self._parting is not None:
            self._parting[1].cancel()

    @property
    def waiting_bytes(self) -> int:
        """Return how many bytes wait for this viewer."""
        return 0 if self._pipe.is_closing() else self._pipe.get_write_buffer_size()
