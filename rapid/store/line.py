"""One connection to Redis that pipelines: what is asked in one turn of the loop leaves in one write.

Nothing here retries. A line that breaks fails everything under way, and whether it took
effect is then unknown (`StoreUnavailable`): a write must never be sent twice. Why not
redis-py here: DESIGN decision 11, and its clients retry and reconnect behind one's back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import hiredis
from msgspec import Struct

from rapid.errors import StoreSilent, StoreUnavailable
from rapid.store.address import Address
from rapid.store.limits import COMMAND_TIMEOUT_MS, CONNECT_TIMEOUT_MS, REQUESTS_MAX

WATCH_SECONDS = 0.2
"""How often a line with requests under way looks whether one is overdue."""
BROKEN = "the connection to Redis broke"
_HEAD_OF_ONE_BYTES = len(b"*1\r\n")

RUN_ID = b"run_id:"

Word = str | bytes | int
Command = Sequence[Word] | bytes
"""Its words, or the very bytes that `packed` makes of them."""
Reply = Any
"""Bytes, int, None, a list of them, or `hiredis.ReplyError`."""
OnReplies = Callable[[list[Reply] | StoreUnavailable], None]

Ident = tuple[str, int]
"""The run of the server and the number of the connection there, which begins anew with each run."""
WHO_AM_I: Sequence[Command] = (("CLIENT", "ID"), ("INFO", "server"))


class _Request(Struct):
    """Commands sent together, and the replies that have come; `due_s` on the loop's clock.

    They go into the future, or at once to `done`.
    """

    missing: int
    future: asyncio.Future[list[Reply]] | None
    done: OnReplies | None
    due_s: float
    allowed_ms: int
    replies: list[Reply] = []

    def answer(self) -> None:
        """All replies have come."""
        if self.done is not None:
            self.done(self.replies)
        elif self.future is not None and not self.future.done():
            self.future.set_result(self.replies)

    def fail(self, why: StoreUnavailable) -> None:
        """None will come any more."""
        if self.done is not None:
            self.done(why)
        elif self.future is not None and not self.future.done():
            self.future.set_exception(why)


class Line(asyncio.Protocol):
    """Replies come in the order of the commands. With `on_push` set everything received goes there instead."""

    def __init__(self) -> None:
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ident: Ident | None = None
        """Once it is known."""
        self.on_push: Callable[[Reply], None] | None = None
        self._loop = asyncio.get_running_loop()
        self._reader = hiredis.Reader()
        self._requests: deque[_Request] = deque()
        self._unsent: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._why_lost: StoreSilent | None = None

    @property
    def is_up(self) -> bool:
        """Whether something can be sent."""
        transport = self._transport
        return transport is not None and not transport.is_closing()

    def send(
        self,
        commands: Sequence[Command],
        *,
        at_once: bool = False,
        allowed_ms: int = COMMAND_TIMEOUT_MS,
        replies: asyncio.Future[list[Reply]] | None = None,
    ) -> asyncio.Future[list[Reply]]:
        """Send commands; the future holds their replies, errors of single commands among them.

        `replies`: the future, where whoever asked has it already.

        `at_once`: the caller has gathered what there is, so nothing is won by waiting for the end of the turn.
        Without a reply within `allowed_ms`, or a moment later, the line breaks: replies are told apart by their
        order alone, so one that owes a reply is of no use.
        """
        future: asyncio.Future[list[Reply]] = self._loop.create_future() if replies is None else replies
        self._ask(commands, future, None, at_once=at_once, allowed_ms=allowed_ms)
        return future

    def ask(self, commands: Sequence[Command], done: OnReplies, *, allowed_ms: int) -> None:
        """Send commands at once; `done`, which must not raise, is called in the turn in which the replies come."""
        self._ask(commands, None, done, at_once=True, allowed_ms=allowed_ms)

    def _ask(
        self,
        commands: Sequence[Command],
        future: asyncio.Future[list[Reply]] | None,
        done: OnReplies | None,
        *,
        at_once: bool,
        allowed_ms: int,
    ) -> None:
        # One that is closing takes nothing more, but has yet to be lost: then this fails with all that is under way.
        transport = self._transport
        if transport is None:
            raise StoreUnavailable("the connection to Redis is down")
        if len(self._requests) >= REQUESTS_MAX:
            raise StoreUnavailable("Redis is behind")
        # First of all: a command that cannot be packed must not leave a request behind, or replies would go astray.
        count, data = len(commands), commands[0]
        if count > 1 or type(data) is not bytes:
            data = _packed(commands)
        due_s = self._loop.time() + allowed_ms / 1000
        self._requests.append(_Request(count, future, done, due_s, allowed_ms))
        if not at_once:
            self._write(data)
        elif self._unsent:
            self._unsent.append(data)
            self._flush()
        else:
            transport.write(data)
        if self._watch is None:
            # One timer a line, not one a request: a play pays for three requests.
            self._watch = self._loop.call_later(WATCH_SECONDS, self._watch_over)

    def write(self, commands: Sequence[Command]) -> None:
        """Send commands whose replies are pushes."""
        self._write(_packed(commands))

    def abort(self) -> None:
        """Break the line now."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio: the socket is there."""
        # Not checked by `isinstance`: the transports of uvloop are no subclasses of asyncio's.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Asyncio: bytes have come."""
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not False:
                if self.on_push is not None:
                    self.on_push(reply)
                    continue
                request = self._requests[0]
                request.replies.append(reply)
                request.missing -= 1
                if request.missing == 0:
                    self._requests.popleft()
                    request.answer()
        except (hiredis.ProtocolError, IndexError):
            # Not the Redis protocol, or a reply that nobody asked for: which reply belongs to whom is lost.
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Asyncio: the socket is gone; what was under way may or may not have taken effect."""
        self._transport = None
        self._unsent.clear()
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        if not self.lost.done():
            self.lost.set_result(None)
        requests, self._requests = self._requests, deque()
        for request in requests:
            request.fail(self._why_lost or StoreUnavailable(f"{BROKEN}: {exc or 'closed'}"))

    def _watch_over(self) -> None:
        self._watch = None
        if not self._requests:
            return
        first = min(self._requests, key=lambda request: request.due_s)
        if first.due_s <= self._loop.time():
            self._why_lost = StoreSilent(f"Redis has not answered within {first.allowed_ms} ms")
            self.abort()
        else:
            self._watch = self._loop.call_later(WATCH_SECONDS, self._watch_over)

    def _write(self, packed: bytes) -> None:
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent.append(packed)

    def _flush(self) -> None:
        if self._transport is not None and self._unsent:
            self._transport.write(b"".join(self._unsent))
        self._unsent.clear()


def packed(command: Sequence[Word]) -> bytes:
    """Return a command as it crosses the line."""
    words: bytes = hiredis.pack_command(tuple(command))  # type: ignore[arg-type]  # the stub says a tuple of one
    return words


def packed_word(word: Word) -> bytes:
    """Return a word as `packed` writes it, to be put into a command that is packed in pieces."""
    return packed((word,))[_HEAD_OF_ONE_BYTES:]


def _packed(commands: Sequence[Command]) -> bytes:
    return b"".join([command if type(command) is bytes else packed(command) for command in commands])


async def open_line(address: Address, name: str, before: Ident | None = None, loads: Sequence[Command] = ()) -> Line:
    """Connect, log in and name the connection; `StoreUnavailable` if that cannot be.

    `before`: the line that this one replaces. What was sent there and has not been done by now never will be: else
    bytes that some network holds back would take effect long after their sender has been told that they did not.
    `loads`: what makes scripts known. A user that may not do that at all can still run those that are known.
    """
    line: Line | None = None
    greeting = _greeting(address, name)
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_MS / 1000):
            line = await _connect(address)
            *replies, number, info = await line.send([*greeting, *loads, *WHO_AM_I])
            line.ident = _ident(number, info)
            if before is not None and line.ident is not None and line.ident[0] == before[0]:
                await line.send([("CLIENT", "KILL", "ID", before[1])])
    except (OSError, TimeoutError) as error:
        if line is not None:
            line.abort()
        kind = StoreSilent if isinstance(error, TimeoutError) else StoreUnavailable
        raise kind(f"no connection to Redis at {address}: {str(error) or 'not in time'}") from error
    except BaseException:
        if line is not None:
            line.abort()
        raise
    loaded = replies[len(greeting) :]
    for reply in (*replies[: len(greeting)], *(reply for reply in loaded if not _is_forbidden(reply))):
        if isinstance(reply, hiredis.ReplyError):
            line.abort()
            raise StoreUnavailable(f"Redis at {address} refuses the connection: {reply}")
    return line


def _is_forbidden(reply: Reply) -> bool:
    return isinstance(reply, hiredis.ReplyError) and str(reply).startswith("NOPERM")


def _ident(number: Reply, info: Reply) -> Ident | None:
    """Return None where a host does not tell: then a line that was given up cannot be ended either."""
    run = run_of(info) if isinstance(info, bytes) else None
    return (run, number) if run is not None and isinstance(number, int) else None


def run_of(info: bytes) -> str | None:
    """Return which run of the server this INFO is of."""
    names = (row[len(RUN_ID) :] for row in info.split() if row.startswith(RUN_ID))
    return next((name.decode("ascii", "replace") for name in names), None)


async def _connect(address: Address) -> Line:
    loop = asyncio.get_running_loop()
    if address.path is not None:
        return (await loop.create_unix_connection(Line, address.path))[1]
    return (await loop.create_connection(Line, address.host, address.port, ssl=address.tls))[1]


def _greeting(address: Address, name: str) -> list[Command]:
    greeting: list[Command] = []
    if address.password is not None:
        user = () if address.username is None else (address.username,)
        greeting.append(("AUTH", *user, address.password))
    if address.database:
        greeting.append(("SELECT", address.database))
    return [*greeting, ("CLIENT", "SETNAME", name), ("PING",)]
