"""Messages on their way to the one who iterates, each with the view as of that message.

A reader that falls far behind gets what the server would give it (PROTOCOL 3.2): one welcome with the present view
in place of all that came before it. So memory stays bounded, and somebody who never iterates loses nothing else.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from .messages import Disconnected, Message, Welcome
from .view import View

BACKLOG_MESSAGES = 4096


class Inbox:
    """A bounded queue of (message, view). It ends with an exception, or None for an ordinary end."""

    def __init__(self, limit: int = BACKLOG_MESSAGES) -> None:
        self._limit = limit
        self._items: deque[tuple[Message | Disconnected, View | None]] = deque()
        self._wake = asyncio.Event()
        self._is_ended = False
        self._error: BaseException | None = None

    def put(self, message: Message | Disconnected, view: View | None, snapshot: Callable[[], Welcome | None]) -> None:
        """Add a message; `snapshot` gives what stands in for the backlog once there is too much of it."""
        if len(self._items) >= self._limit:
            self._items.clear()
            message = snapshot() or message
        self._items.append((message, view))
        self._wake.set()

    def end(self, error: BaseException | None) -> None:
        """Nothing more comes; what is queued is still handed out."""
        if not self._is_ended:
            self._is_ended, self._error = True, error
        self._wake.set()

    @property
    def has_more(self) -> bool:
        """Whether a message waits."""
        return bool(self._items)

    async def get(self) -> tuple[Message | Disconnected, View | None]:
        """The next message and its view. Raises what the queue ended with, or `StopAsyncIteration`."""
        while not self._items:
            if self._is_ended:
                raise self._error or StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        return self._items.popleft()
