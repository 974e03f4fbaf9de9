"""Players through the client library, and a road to the server that can be cut."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any, Self

from rapid_client import Api, Backoff, ConnectionLost, Disconnected, Message, Place, RapidError, Reply, Table, Welcome
from rapid_client import events as ev
from rapid_terminal.auto import attempts
from rapid_terminal.commands import Command, Give, Host, Play, Simple

PATIENCE_S = 20.0
SOON = {"first_s": 0.02, "most_s": 0.2}
NO_LIMITS = {f"{what}_{how}": 10**6 for what in ("messages", "intents") for how in ("per_second", "burst")}


def soon() -> Backoff:
    """Come back quickly: the waits are others' tests."""
    return Backoff(**SOON)


class Player:
    """A `Table` that is read to its end; `seen` holds all messages in the order in which they came.

    `act` is called behind each message, to play.
    """

    def __init__(self, table: Table, act: Callable[[Player], Awaitable[None]] | None = None) -> None:
        self.table, self.seen = table, list[Message | Disconnected]()
        self.error: RapidError | None = None
        self._act, self._news = act, asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for message in self.table:
                self.seen.append(message)
                self._news.set()
                if self._act is not None:
                    await self._act(self)
        except RapidError as error:
            self.error = error
        finally:
            self._news.set()

    async def until(self, kind: type, count: int = 1, **fields: Any) -> Any:
        """Wait for the `count`-th message of that kind with these fields, and return it."""
        await self.until_true(lambda: len(self.all(kind, **fields)) >= count)
        return self.all(kind, **fields)[count - 1]

    async def until_true(self, check: Callable[[], bool]) -> None:
        """Wait until it holds; it is asked behind each message."""
        async with asyncio.timeout(PATIENCE_S):
            while not check():
                assert not self._reading.done(), (self.error, self.seen[-3:])
                self._news.clear()
                await self._news.wait()

    def all(self, kind: type, **fields: Any) -> list[Any]:
        return [
            one
            for one in self.seen
            if isinstance(one, kind) and all(getattr(one, name) == value for name, value in fields.items())
        ]

    async def settle(self) -> None:
        """Read all that the server has sent up to now."""
        await self.table.ping()
        while self.table.has_more:
            await asyncio.sleep(0)

    async def end(self) -> RapidError | None:
        """Wait until reading ends; what it ended with, None for an orderly end."""
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.shield(self._reading)
        return self.error

    async def stop(self) -> None:
        self._reading.cancel()
        await asyncio.wait({self._reading})

    def judge_order(self) -> None:
        """Behind each view every event comes once, in order, without gaps, over all connections."""
        stands = None
        for message in self.seen:
            if isinstance(message, Welcome):
                assert message.view is not None or message.seq == stands
                stands = message.seq
            elif isinstance(message, ev.Event):
                assert stands is not None
                assert message.seq == stands + 1
                stands = message.seq


@contextlib.asynccontextmanager
async def playing(
    base: str, place: Place, act: Callable[[Player], Awaitable[None]] | None = None, **options: Any
) -> AsyncIterator[Player]:
    async with Table(base, place.table, place.token or None, **{"backoff": soon(), **options}) as table:
        player = Player(table, act)
        try:
            yield player
        finally:
            await player.stop()


def spectator(place: Place) -> Place:
    return replace(place, token="")


async def seats(http: Any, base: str, *names: str, bots: int = 0, **settings: Any) -> list[Place]:
    """Open a table for the first name, and seats for the others."""
    api = Api(base, http)
    first = await api.open_table(names[0], settings, bots)
    return [first, *[await api.join(first.table, name) for name in names[1:]]]


class Autoplay:
    """An `act`: play what `rapid play --auto` would. A connection lost on the way is no matter: the events tell."""

    def __init__(self) -> None:
        self.replies: list[tuple[Command, int | None, Reply]] = []
        self.lost = 0

    async def __call__(self, player: Player) -> None:
        table = player.table
        if table.has_more or not table.is_connected:
            return
        view = table.seen
        for command in attempts(view):
            on = view.trick.state if view.trick else None
            try:
                reply = await send(table, command, on)
            except ConnectionLost:
                self.lost += 1
                return
            self.replies.append((command, on, reply))
            if reply.ok or reply.late_ms is not None or reply.why in {"stale", "unavailable", "wrong_phase"}:
                return


async def send(table: Table, command: Command, on: int | None) -> Reply:
    match command:
        case Play(cards):
            return await table.play(cards, on=on)
        case Give(cards):
            return await table.give(cards)
        case Host(do):
            return await table.host(do)
        case Simple("pass"):
            return await table.pass_(on=on)
    raise AssertionError(command)


class Road:
    """A TCP relay to a server on this machine: bytes in both directions, until it is told otherwise."""

    def __init__(self, port: int) -> None:
        self._to = port
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_dead_end = False
        """What is sent to the server is swallowed."""
        self.is_mute = False
        """What the server sends is swallowed."""
        self.sent = 0
        """Bytes sent to the server, swallowed or not."""
        self._moved = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Reset every connection, as a cable pulled and put back would; the next ones pass again."""
        for writer in self._writers:
            # A reset, no closing handshake: nothing says good-bye.
            raw = writer.get_extra_info("socket")
            with contextlib.suppress(OSError):  # it is closed already
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        self._writers.clear()
        self.is_dead_end = self.is_mute = False

    async def until_sent_beyond(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while self.sent <= count:
                self._moved.clear()
                await self._moved.wait()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        for work in (self._up(reader, far_writer), self._down(far_reader, writer)):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                self.sent += len(data)
                self._moved.set()
                if not self.is_dead_end:
                    writer.write(data)
        writer.close()

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if not self.is_mute:
                    writer.write(data)
        writer.close()
