"""The least Redis client: hiredis reads, the writes of one turn of the loop go out together, nothing is pooled."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self

import hiredis

Word = str | bytes
Waiter = tuple[asyncio.Future[Any], int]
pack: Callable[[Any], bytes] = hiredis.pack_command


class Client(asyncio.Protocol):
    """One connection over a unix socket; `push` takes over all that comes once it is set."""

    def __init__(self) -> None:
        self.push: Callable[[Any], None] | None = None
        self._reader = hiredis.Reader()
        self._waiting: deque[Waiter] = deque()
        self._replies: list[Any] = []
        self._buffer: list[bytes] = []
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport

    @classmethod
    async def connect(cls, path: str) -> Self:
        """Connect to the socket at this path."""
        _, client = await asyncio.get_running_loop().create_unix_connection(cls, path)
        return client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio: the socket is there."""
        self._transport = transport  # type: ignore[assignment]  # uvloop's is no subclass

    def connection_lost(self, exc: Exception | None) -> None:
        """Asyncio: the socket is gone."""
        for future, _ in self._waiting:
            if not future.done():
                future.set_exception(exc or ConnectionError("Redis is gone"))

    def data_received(self, data: bytes) -> None:
        """Asyncio: replies have come."""
        self._reader.feed(data)
        gets, push = self._reader.gets, self.push
        if push is not None:
            while (value := gets()) is not False:
                push(value)
            return
        while (value := gets()) is not False:
            self._replies.append(value)
            future, count = self._waiting[0]
            if len(self._replies) == count:
                self._waiting.popleft()
                future.set_result(self._replies)
                self._replies = []

    def batch(self, commands: Sequence[Sequence[Word]]) -> asyncio.Future[Any]:
        """Send commands; all replies come together, errors among them as values."""
        future: asyncio.Future[Any] = self._loop.create_future()
        if not self._buffer:
            self._loop.call_soon(self._flush)
        self._buffer.extend(map(pack, commands))
        self._waiting.append((future, len(commands)))
        return future

    async def command(self, *words: Word) -> Any:
        """Send one command and return its reply."""
        (reply,) = await self.batch([words])
        return reply

    def subscribe(self, channels: Sequence[str], push: Callable[[Any], None]) -> None:
        """Hand all that is published there to `push`."""
        self.push = push
        self._transport.write(pack(("SUBSCRIBE", *channels)))

    def _flush(self) -> None:
        buffer, self._buffer = self._buffer, []
        self._transport.write(buffer[0] if len(buffer) == 1 else b"".join(buffer))
