"""Asking Redis: a line that is opened when it is needed, bounded in time, never retried."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Iterable, Sequence
from functools import partial
from importlib.resources import files

import hiredis

from rapid.errors import StoreUnavailable
from rapid.store.address import Address, parse_address
from rapid.store.limits import BLOCK_MARGIN_MS, COMMAND_TIMEOUT_MS, PIPE_MAX
from rapid.store.line import Command, Ident, Line, OnReplies, Reply, Word, open_line, run_of


class Script:
    """A Lua script of `lua/`, known to Redis by its hash."""

    def __init__(self, name: str) -> None:
        self.text = files("rapid.store").joinpath("lua", f"{name}.lua").read_text("utf-8")
        self.sha = hashlib.sha1(self.text.encode("utf-8"), usedforsecurity=False).hexdigest()

    def command(self, keys: Sequence[Word], args: Iterable[Word]) -> tuple[Word, ...]:
        """Return the command that runs it."""
        return ("EVALSHA", self.sha, len(keys), *keys, *args)


class Client:
    """One pipelined connection, opened anew when it has broken.

    Commands of callers that overlap leave in the order of the calls. Every failure is
    `StoreUnavailable`; then it is unknown whether the commands took effect.
    """

    def __init__(self, address: Address, name: str) -> None:
        self._address = address
        self._name = name
        self._line: Line | None = None
        self._before: Ident | None = None
        """The line that was opened last."""
        self._opening: asyncio.Task[Line] | None = None
        self._is_closed = False
        self._starting: asyncio.Future[list[Reply]] | None = None

    async def call(self, *command: Word) -> Reply:
        """Send one command and return its reply."""
        return checked((await self.pipe_raw((command,)))[0])

    async def pipe(self, commands: Sequence[Command], *, block_ms: int = 0, at_once: bool = False) -> list[Reply]:
        """Send commands in one write and return their replies; an error among them is raised."""
        if block_ms:
            return all_checked(await self._send(commands, block_ms, at_once=at_once))
        return all_checked(await self.pipe_raw(commands, at_once=at_once))

    def pipe_raw(self, commands: Sequence[Command], *, at_once: bool = False) -> Awaitable[list[Reply]]:
        """Send commands in one write and return their replies, `hiredis.ReplyError` among them.

        Where the line is there no coroutine of ours stands between it and the caller.
        """
        line = self._line
        if line is not None and line.is_up and 0 < len(commands) <= PIPE_MAX:
            return line.send(commands, at_once=at_once)
        return self._send_all(commands, at_once=at_once)

    def start(self, commands: Sequence[Command], done: OnReplies, *, block_ms: int) -> None:
        """Send commands that block; `done` is called, later, with their replies or `StoreUnavailable`."""
        line = self._line
        if line is not None and line.is_up:
            line.ask(commands, done, allowed_ms=block_ms + BLOCK_MARGIN_MS)
            return
        self._starting = asyncio.ensure_future(self._send(commands, block_ms, at_once=True))
        self._starting.add_done_callback(partial(_tell, done))

    def abort(self) -> None:
        """Break the connection; the next command opens another."""
        if self._line is not None:
            self._line.abort()

    async def run(self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[Word]]]) -> list[Reply]:
        """Run a script once a call (keys, arguments), pipelined."""
        return await self.run_commands([script.command(keys, args) for keys, args in calls], (script,))

    async def run_commands(
        self, commands: Sequence[Command], scripts: Sequence[Script], *, at_once: bool = False
    ) -> list[Reply]:
        """Run what `Script.command` made, in this order and pipelined; `at_once` as with `Line.send`.

        A Redis that does not know the scripts yet is told all of them, and asked again only what it did
        not run: nothing runs twice.
        """
        replies = await self.pipe_raw(commands, at_once=at_once)
        if hiredis.ReplyError in map(type, replies):
            missing = [index for index, reply in enumerate(replies) if _is_unknown_script(reply)]
            if missing:
                await self.pipe([("SCRIPT", "LOAD", script.text) for script in scripts])
                again = await self.pipe_raw([commands[index] for index in missing])
                for index, reply in zip(missing, again, strict=True):
                    replies[index] = reply
            return all_checked(replies)
        return replies

    async def run_once(self, script: Script, keys: Sequence[str], args: Sequence[Word]) -> Reply:
        """Run a script once."""
        return (await self.run(script, [(keys, args)]))[0]

    async def run_id(self) -> str:
        """Return the name of this run of the server: another one after each restart."""
        run = run_of(await self.call("INFO", "server"))
        if run is not None:
            return run
        raise StoreUnavailable("Redis does not tell its run_id")

    async def close(self) -> None:
        """Break the connection and open none again."""
        self._is_closed = True
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait((self._opening,))
        if self._line is not None:
            self._line.abort()
            await self._line.lost

    async def _send_all(self, commands: Sequence[Command], *, at_once: bool) -> list[Reply]:
        replies: list[Reply] = []
        for start in range(0, len(commands), PIPE_MAX):
            replies += await self._send(commands[start : start + PIPE_MAX], 0, at_once=at_once)
        return replies

    async def _send(self, commands: Sequence[Command], block_ms: int, *, at_once: bool) -> list[Reply]:
        line = self._line
        if line is None or not line.is_up:
            line = await self._reopened()
        allowed_ms = block_ms + BLOCK_MARGIN_MS if block_ms else COMMAND_TIMEOUT_MS
        try:
            return await line.send(commands, at_once=at_once, allowed_ms=allowed_ms)
        except asyncio.CancelledError:
            if block_ms:
                line.abort()
            raise

    async def _reopened(self) -> Line:
        """Open the line, once for all who wait for it."""
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        if self._opening is None:
            self._opening = asyncio.create_task(open_line(self._address, self._name, self._before))
            self._opening.add_done_callback(self._opened)
        opening = self._opening
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            if opening.cancelled() and self._is_closed:
                raise StoreUnavailable("the store is closed") from None
            raise

    def _opened(self, opening: asyncio.Task[Line]) -> None:
        self._opening = None
        if not opening.cancelled() and opening.exception() is None:
            self._line = opening.result()
            self._before = self._line.ident
            if self._is_closed:
                self._line.abort()


def _tell(done: OnReplies, sent: asyncio.Future[list[Reply]]) -> None:
    if sent.cancelled():
        done(StoreUnavailable("given up"))
        return
    error = sent.exception()
    if error is None:
        done(sent.result())
    else:
        done(error if isinstance(error, StoreUnavailable) else StoreUnavailable(str(error)))


def connect(url: str, name: str = "rapid") -> Client:
    """Return a client of the Redis at `redis://`, `rediss://` or `unix://`; connects at its first command."""
    return Client(parse_address(url), name)


def checked(reply: Reply) -> Reply:
    """Return the reply; `StoreUnavailable` if it is an error."""
    if isinstance(reply, hiredis.ReplyError):
        raise StoreUnavailable(f"Redis refuses: {reply}") from reply
    return reply


def all_checked(replies: list[Reply]) -> list[Reply]:
    """Return the replies; `StoreUnavailable` if there is an error among them."""
    if hiredis.ReplyError in map(type, replies):
        for reply in replies:
            checked(reply)
    return replies


def is_wrong_type(reply: Reply) -> bool:
    """Whether Redis says that the key is there and is no stream: nobody of ours makes such a key."""
    return isinstance(reply, hiredis.ReplyError) and "WRONGTYPE" in str(reply)


def is_no_key(reply: Reply) -> bool:
    """Whether Redis says that there is no such key, of those commands for which that is an error."""
    return isinstance(reply, hiredis.ReplyError) and "no such key" in str(reply)


def _is_unknown_script(reply: Reply) -> bool:
    return isinstance(reply, hiredis.ReplyError) and str(reply).startswith("NOSCRIPT")
