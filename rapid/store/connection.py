"""Asking Redis: a line that is opened when it is needed, bounded in time, never retried."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files

import hiredis
from msgspec import Struct

from rapid.errors import StoreUnavailable
from rapid.store.address import Address, parse_address
from rapid.store.limits import BLOCK_MARGIN_MS, COMMAND_TIMEOUT_MS, PIPE_MAX
from rapid.store.line import Command, Ident, Line, OnReplies, Reply, Word, open_line, packed, run_of

CLOSED = "the store is closed"
OnOtherRun = Callable[[str | None], None]
"""Told which run it is, where Redis says so."""


class Script:
    """A Lua script of `lua/`, known to Redis by its hash."""

    def __init__(self, name: str) -> None:
        self.text = files("rapid.store").joinpath("lua", f"{name}.lua").read_text("utf-8")
        self.sha = hashlib.sha1(self.text.encode("utf-8"), usedforsecurity=False).hexdigest()

    def command(self, keys: Sequence[Word], args: Iterable[Word]) -> tuple[Word, ...]:
        """Return the command that runs it."""
        return ("EVALSHA", self.sha, len(keys), *keys, *args)

    def load(self) -> tuple[Word, ...]:
        """Return the command that makes it known."""
        return ("SCRIPT", "LOAD", self.text)


class _Waiting(Struct, frozen=True):
    """What was asked while there is no line, packed."""

    commands: list[bytes]
    replies: asyncio.Future[list[Reply]]
    allowed_ms: int


class Client:
    """One pipelined connection, opened anew when it has broken.

    Commands leave in the order of the calls, also of those that came while the line was being opened. Every failure
    is `StoreUnavailable`; then it is unknown whether the commands took effect.
    """

    def __init__(self, address: Address, name: str, scripts: Iterable[Script] = ()) -> None:
        """`scripts`: those that Redis is told on each new line, before anything else that is asked there."""
        self._address = address
        self._name = name
        self._loads = [packed(script.load()) for script in scripts]
        self._line: Line | None = None
        self._before: Ident | None = None
        """The line that was opened last."""
        self._opening: asyncio.Task[Line] | None = None
        self._waiting: list[_Waiting] = []
        """In the order of the calls; empty unless the line is being opened."""
        self._on_other_run: list[OnOtherRun] = []
        self._is_closed = False

    def on_other_run(self, callback: OnOtherRun) -> None:
        """Call this when the line is opened anew onto another run of the server, or one that may be another.

        It is called before anything is sent there. It must not raise.
        """
        self._on_other_run.append(callback)

    async def call(self, *command: Word) -> Reply:
        """Send one command and return its reply."""
        return checked((await self.pipe_raw((command,)))[0])

    async def pipe(self, commands: Sequence[Command], *, block_ms: int = 0, at_once: bool = False) -> list[Reply]:
        """Send commands in one write and return their replies; an error among them is raised."""
        if not block_ms:
            return all_checked(await self.pipe_raw(commands, at_once=at_once))
        replies = self._ask(commands, block_ms + BLOCK_MARGIN_MS, at_once=at_once)
        try:
            return all_checked(await replies)
        except asyncio.CancelledError:
            if self._line is not None:
                self._line.abort()
            raise

    def pipe_raw(self, commands: Sequence[Command], *, at_once: bool = False) -> Awaitable[list[Reply]]:
        """Send commands in one write and return their replies, `hiredis.ReplyError` among them.

        They are asked now, whenever the replies are waited for. Where the line is there no coroutine of ours stands
        between it and the caller.
        """
        line = self._line
        if line is not None and line.is_up and 0 < len(commands) <= PIPE_MAX:
            return line.send(commands, at_once=at_once)
        return self._ask(commands, COMMAND_TIMEOUT_MS * math.ceil(len(commands) / PIPE_MAX), at_once=at_once)

    def start(self, commands: Sequence[Command], done: OnReplies, *, block_ms: int) -> None:
        """Send commands that block; `done` is called, later, with their replies or `StoreUnavailable`."""
        line = self._line
        if line is not None and line.is_up:
            line.ask(commands, done, allowed_ms=block_ms + BLOCK_MARGIN_MS)
            return
        self._ask(commands, block_ms + BLOCK_MARGIN_MS, at_once=True).add_done_callback(partial(_tell, done))

    def abort(self) -> None:
        """Break the connection; the next command opens another. What waits for a new one is not sent."""
        if self._line is not None:
            self._line.abort()
        self._fail_waiting(StoreUnavailable("given up"))

    async def run(self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[Word]]]) -> list[Reply]:
        """Run a script once a call (keys, arguments), pipelined."""
        return await self.run_commands([script.command(keys, args) for keys, args in calls], (script,))

    async def run_commands(
        self, commands: Sequence[Command], scripts: Sequence[Script], *, at_once: bool = False
    ) -> list[Reply]:
        """Run what `Script.command` made, in this order and pipelined; `at_once` as with `Line.send`.

        A Redis that does not know the scripts is told all of them, and asked again only what it did not run: nothing
        runs twice. But that runs behind what was asked meanwhile. The client's own scripts are known on each of its
        lines from the beginning, so that this happens to them only where somebody makes Redis forget its scripts
        while it runs (SCRIPT FLUSH), or does not let us tell it any.
        """
        replies = await self.pipe_raw(commands, at_once=at_once)
        if hiredis.ReplyError in map(type, replies):
            missing = [index for index, reply in enumerate(replies) if _is_unknown_script(reply)]
            if missing:
                # In one write, so that nothing that is asked from now on runs before it.
                loads = [script.load() for script in scripts]
                again = await self.pipe_raw([*loads, *(commands[index] for index in missing)])
                all_checked(again[: len(loads)])
                for index, reply in zip(missing, again[len(loads) :], strict=True):
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

    def _ask(self, commands: Sequence[Command], allowed_ms: int, *, at_once: bool) -> asyncio.Future[list[Reply]]:
        """Send commands, as soon as there is a line and behind all that was asked before."""
        line = self._line
        if commands and line is not None and line.is_up:
            return line.send(commands, at_once=at_once, allowed_ms=allowed_ms)
        replies: asyncio.Future[list[Reply]] = asyncio.get_running_loop().create_future()
        if not commands:
            replies.set_result([])
        elif self._is_closed:
            replies.set_exception(StoreUnavailable(CLOSED))
        else:
            packed_ones = [command if type(command) is bytes else packed(command) for command in commands]
            self._waiting.append(_Waiting(packed_ones, replies, allowed_ms))
            self._open()
        return replies

    def _open(self) -> None:
        """Open the line, once for all who wait for it."""
        if self._opening is None:
            opening = open_line(self._address, self._name, self._before, self._loads)
            self._opening = asyncio.create_task(opening)
            self._opening.add_done_callback(self._opened)

    def _opened(self, opening: asyncio.Task[Line]) -> None:
        """Send all that waits before anybody else can see the line: it was asked first."""
        error = StoreUnavailable(CLOSED) if opening.cancelled() else opening.exception()
        if error is not None:
            self._opening = None
            self._fail_waiting(error)
            return
        line = opening.result()
        if self._is_closed:
            line.abort()
            self._fail_waiting(StoreUnavailable(CLOSED))
        try:
            self._tell_of_run(line.ident)
        finally:
            self._send_waiting(line)
            self._line, self._opening = line, None

    def _tell_of_run(self, ident: Ident | None) -> None:
        before, self._before = self._before, ident
        is_same = before is not None and ident is not None and before[0] == ident[0]
        if self._line is not None and not is_same:
            for callback in self._on_other_run:
                callback(None if ident is None else ident[0])

    def _send_waiting(self, line: Line) -> None:
        for waiting in self._taken():
            try:
                line.send(waiting.commands, allowed_ms=waiting.allowed_ms, replies=waiting.replies)
            except StoreUnavailable as error:
                waiting.replies.set_exception(error)

    def _fail_waiting(self, error: BaseException) -> None:
        for waiting in self._taken():
            waiting.replies.set_exception(error)

    def _taken(self) -> list[_Waiting]:
        """Take what waits, without what its caller has given up."""
        taken, self._waiting = self._waiting, []
        return [waiting for waiting in taken if not waiting.replies.done()]


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
