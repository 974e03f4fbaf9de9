"""One viewer's place at a table, without I/O (Sans-I/O).

The shell feeds decoded frames to `receive` and sends what `hello` gives after each connection. The session keeps
`seq` and the view, drops what it has already seen, and raises `Desync` when the frames do not fit together: the
shell then closes the connection and opens another, whose `hello` asks for what is missing.

           hello                    welcome                     event seq+1
    start ───────► greeting ──────────────────────► following ──────────────► following
                      ▲                                 │
                      └── lost() · Desync ──────────────┘      event ≤ seq: dropped · event > seq+1: Gap

After a first `Gap` the session resumes with `since`; if nothing arrived in between, or if the view itself does not
fit, it asks for a full view instead.
"""

from __future__ import annotations

from typing import Any

from .errors import BadFrame, Desync, Gap
from .events import Event
from .fold import reduce
from .messages import Message, Welcome, parse_message
from .view import View

VERSION = 1


class Session:
    """The state that outlives connections: token, position, view. `token` None is a spectator."""

    def __init__(self, token: str | None = None) -> None:
        self._token = token
        self._is_greeted = False
        self._gap_at: int | None = None
        self._salted_deal: int | None = None
        self.seat: int | None = None
        self.seq = 0
        self._at: int | None = None
        """`at` of the last event; a view does not say it."""
        self.view: View | None = None

    def hello(self) -> dict[str, Any]:
        """The first frame of a connection (PROTOCOL 3.1)."""
        self._is_greeted = False
        self._salted_deal = None
        message: dict[str, Any] = {"t": "hello", "v": VERSION}
        if self._token is not None:
            message["token"] = self._token
        if self.view is not None:
            message["since"] = self.seq
            if self._at is not None:
                # Tells the server whether this event stands in its log, or went with a tail that Redis lost.
                message["since_at"] = self._at
        return message

    def receive(self, frame: object) -> Message | None:
        """The message in a frame, after the view has followed it; None for an event seen before.

        Raises `Desync` if the connection must be replaced; the session is then ready for `hello`.
        """
        try:
            message = parse_message(frame)
            if isinstance(message, Welcome):
                return self._welcome(message)
            if isinstance(message, Event):
                return self._event(message)
        except Gap:
            # The log has what is missing; but the same gap twice means that it does not.
            if self._gap_at == self.seq:
                self.forget()
            self._gap_at = self.seq
            raise
        except Desync:
            self.forget()
            raise
        return message

    def forget(self) -> None:
        """Give up the view, so that the next `hello` asks for a full one."""
        self.view = None

    def _welcome(self, message: Welcome) -> Welcome:
        if message.view is not None:
            self.view, self.seq, self._at = message.view, message.seq, None
        elif self.view is None or message.seq != self.seq:
            raise BadFrame("a welcome without a view, from elsewhere than was asked for")
        self._is_greeted = True
        self.seat = message.seat
        return message

    def _event(self, event: Event) -> Event | None:
        if not self._is_greeted or self.view is None:
            raise BadFrame("an event before the welcome")
        if event.seq <= self.seq:
            return None
        if event.seq != self.seq + 1:
            raise Gap(f"event {event.seq} after {self.seq}")
        self.view = reduce(self.view, event, self.seat)
        self.seq, self._at = event.seq, event.at
        return event

    def take_salt_due(self) -> int | None:
        """The deal that waits for this seat's salt, told once a connection (PROTOCOL 5); None if there is none."""
        view = self.view
        if not self._is_greeted or view is None or view.you is None or view.deal is None or view.you.salted:
            return None
        if view.deal == self._salted_deal:
            return None
        self._salted_deal = view.deal
        return view.deal
