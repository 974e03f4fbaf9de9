"""`Table`: one viewer's place at a table, kept through lost connections.

    async with Table("http://localhost:8080", table, token) as seat:
        async for message in seat:
            if isinstance(message, TrickOpened):
                reply = await seat.play(["3S"])

Nothing is ever sent twice: a request in flight when the connection dies raises `ConnectionLost`, and whether it was
decided, the events tell (R3, PROTOCOL 3.1).
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import aiohttp

from .backoff import Backoff
from .clock import Clock
from .codec import Encoding
from .errors import FINAL_BY_CODE, BadFrame, ConnectionLost, Desync, NoTrick, RapidError, Unreachable
from .inbox import Inbox
from .link import Link
from .messages import Disconnected, Message, Pong, Reply, Welcome
from .session import VERSION, Session
from .view import View

NORMAL_CLOSE = 1000
SALT_BYTES = 16


class Table:
    """An async context manager and iterator of messages.

    `base` is the server's address, or those of several gateways of one server: when one goes away, does not answer
    or breaks, the next is tried. `table` is the table's id. Without `token` it watches. A silent connection is
    found dead within two beats of `ping_every_s`; `salts`: whether the seat adds to each deal by itself (PROTOCOL 5).

    Entering connects and waits for the welcome (`Unreachable` if there is no such server, `Final` if it refuses);
    from then on it reconnects by itself, without end. Iteration ends when the server closes in order (the seat left,
    the table was closed) and raises `Final` for a close that is for good.
    """

    def __init__(
        self,
        base: str | Sequence[str],
        table: str,
        token: str | None = None,
        *,
        encoding: Encoding = Encoding.MSGPACK,
        http: aiohttp.ClientSession | None = None,
        backoff: Backoff | None = None,
        ping_every_s: float = 5.0,
        salts: bool = True,
    ) -> None:
        path = f"/ws/{quote(table, safe='')}" + ("" if token else "?watch")
        self._urls = [one.rstrip("/") + path for one in ([base] if isinstance(base, str) else base)]
        self._visits = 0
        self._encoding, self._ping_every_s, self._salts = encoding, ping_every_s, salts
        self._http, self._owns_http = http, http is None
        self._backoff = backoff or Backoff()
        self._session, self._clock, self._inbox = Session(token), Clock(), Inbox()
        self._link: Link | None = None
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Reply | Pong]] = {}
        self._greeted = asyncio.Event()
        self._hello_ms = self._heard_ms = 0.0
        self._was_welcomed = False
        self._seen: View | None = None
        self._error: RapidError | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._runner: asyncio.Task[None] | None = None
        self.table = table

    # -- life ----------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        if self._http is None:
            self._http = aiohttp.ClientSession()
        self._runner = asyncio.create_task(self._run(self._http))
        greeted = asyncio.create_task(self._greeted.wait())
        try:
            await asyncio.wait({self._runner, greeted}, return_when=asyncio.FIRST_COMPLETED)
            self._check_entered()
        except BaseException:
            await self.close()
            raise
        finally:
            greeted.cancel()
        return self

    def _check_entered(self) -> None:
        if not self._was_welcomed:
            raise self._error or ConnectionLost("the server closed the connection")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; the seat stays taken (see `leave`)."""
        tasks = [task for task in (self._runner, *self._tasks) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._owns_http and self._http:
            await self._http.close()

    async def _run(self, http: aiohttp.ClientSession) -> None:
        try:
            while True:
                started_s = time.monotonic()
                code = await self._visit(http)
                if code == NORMAL_CLOSE:
                    break
                retry_s = self._backoff.next_s(code=code, lasted_s=time.monotonic() - started_s)
                self._deliver(Disconnected(code=code, retry_s=retry_s))
                await asyncio.sleep(retry_s)
        except RapidError as error:
            self._error = error
        except Exception as fault:
            # A fault of this library must not look like an orderly end.
            self._inbox.end(fault)
            raise
        finally:
            self._inbox.end(self._error)

    async def _visit(self, http: aiohttp.ClientSession) -> int | None:
        """One connection from hello to its end; the close code, None if it broke. Raises `Final`."""
        url = self._urls[self._visits % len(self._urls)]
        self._visits += 1
        try:
            link = await Link.open(http, url, self._encoding)
        except Unreachable:
            if not self._was_welcomed and self._visits >= len(self._urls):
                raise
            return None
        beat = asyncio.create_task(self._beat(link))
        try:
            await self._follow(link)
        except (Desync, ConnectionLost):
            return None
        finally:
            self._hang_up()
            beat.cancel()
            await link.close()
        if link.code in FINAL_BY_CODE:
            raise FINAL_BY_CODE[link.code]
        return link.code

    async def _follow(self, link: Link) -> None:
        self._link = link
        self._hello_ms = _local_ms()
        await link.send(self._session.hello())
        async with aclosing(link.frames()) as frames:
            async for frame in frames:
                self._heard_ms = _local_ms()
                message = self._session.receive(frame)
                if message is not None:
                    self._take(message)

    def _hang_up(self) -> None:
        self._link = None
        self._greeted.clear()
        for future in self._pending.values():
            if not future.done():
                future.set_exception(ConnectionLost("the connection was lost before the answer came"))
        self._pending.clear()

    async def _beat(self, link: Link) -> None:
        """Ping now and then, for the clock and to find out that nobody is there any more."""
        with suppress(ConnectionLost, TimeoutError):
            async with asyncio.timeout(2 * self._ping_every_s):
                await self._greeted.wait()
            asked_ms = 0.0
            while self._heard_ms >= asked_ms:
                asked_ms = _local_ms()
                await link.send({"t": "ping", "id": self._remember_ping(asked_ms)})
                await asyncio.sleep(self._ping_every_s)
        await link.close()

    # -- messages in ---------------------------------------------------------------------------------------------

    def _take(self, message: Message) -> None:
        if isinstance(message, Welcome):
            self._was_welcomed = True
            if not self._greeted.is_set():
                self._clock.forget()
                self._clock.observe(message.now, self._hello_ms, self._heard_ms)
                self._greeted.set()
        if isinstance(message, Reply | Pong):
            future = self._pending.pop(message.id, None)
            if future is not None and not future.done():
                future.set_result(message)
        else:
            self._deliver(message)
        if self._salts and (deal := self._session.take_salt_due()) is not None:
            self._in_background(self._salt_quietly(deal))

    def _deliver(self, message: Message | Disconnected) -> None:
        self._inbox.put(message, self._session.view or self._seen, self._snapshot)

    def _snapshot(self) -> Welcome | None:
        session, now = self._session, self.now_ms()
        if session.view is None or now is None:
            return None
        return Welcome(v=VERSION, table=self.table, seat=session.seat, seq=session.seq, now=int(now), view=session.view)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message | Disconnected:
        message, self._seen = await self._inbox.get()
        return message

    @property
    def has_more(self) -> bool:
        """Whether a message waits, so that one may draw only the last of several."""
        return self._inbox.has_more

    # -- what is known -------------------------------------------------------------------------------------------

    @property
    def seat(self) -> int | None:
        """This viewer's seat; None for a spectator."""
        return self._session.seat

    @property
    def view(self) -> View:
        """The newest view, ahead of what iteration has handed out. Only while a view is known: after entering."""
        view = self._session.view or self._seen
        if view is None:
            raise self._error or ConnectionLost("no view before the first welcome")
        return view

    @property
    def seen(self) -> View:
        """The view as of the last message handed out by iteration: what its reader can have looked at."""
        return self._seen or self.view

    @property
    def is_connected(self) -> bool:
        """Whether a request can be sent now."""
        return self._greeted.is_set()

    @property
    def round_trip_ms(self) -> float | None:
        """The latest round trip, or None."""
        return self._clock.round_trip_ms

    def now_ms(self) -> float | None:
        """The server's time now, in ms since the epoch; None before the first welcome."""
        return self._clock.server_ms(_local_ms())

    def remaining_s(self, deadline_ms: int | None) -> float | None:
        """The seconds until a deadline, never below zero; None without one."""
        now = self.now_ms()
        return None if deadline_ms is None or now is None else max(0.0, (deadline_ms - now) / 1000)

    # -- requests ------------------------------------------------------------------------------------------------
    # Each returns its one `Reply`, refusals too, and raises `ConnectionLost` or the `Final` that ended the session.

    async def play(self, cards: Iterable[str], *, on: int | None = None) -> Reply:
        """Lay cards on the trick. `on`: the state aimed at, by default the one last seen (R2, R3)."""
        return await self._request("play", on=self._aim(on), cards=list(cards))

    async def pass_(self, *, on: int | None = None) -> Reply:
        """Pass on the trick of this state, by default the one last seen (R5)."""
        return await self._request("pass", on=self._aim(on))

    async def give(self, cards: Iterable[str], *, round_number: int | None = None) -> Reply:
        """Return cards in the exchange of a round, by default the present one (X3)."""
        number = self.seen.round if round_number is None else round_number
        return await self._request("give", round=number, cards=list(cards))

    async def salt(self, deal: int, salt: bytes | None = None) -> Reply:
        """Add 16 bytes to a committed deal, secure random ones by default (PROTOCOL 5)."""
        chosen = secrets.token_bytes(SALT_BYTES) if salt is None else salt
        return await self._request("salt", deal=deal, salt=chosen.hex())

    async def react(self, emoji: str) -> Reply:
        """Show a reaction (G11)."""
        return await self._request("react", emoji=emoji)

    async def host(
        self,
        do: str,
        *,
        level: str | None = None,
        seat: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Reply:
        """A host's command: `start next_round end_game play_again to_lobby add_bot remove settings`."""
        fields = {"level": level, "seat": seat, "settings": settings}
        given = {key: value for key, value in fields.items() if value is not None}
        return await self._request("host", do=do, **given)

    async def leave(self) -> Reply:
        """Give the seat up for good; the server then closes, and iteration ends."""
        return await self._request("leave")

    async def ping(self) -> float:
        """One round trip, in ms."""
        sent_ms = _local_ms()
        await self._ask("ping", {})
        return _local_ms() - sent_ms

    def _aim(self, on: int | None) -> int:
        trick = self.seen.trick
        if on is not None:
            return on
        if trick is None:
            raise NoTrick("no trick is open")
        return trick.state

    async def _request(self, kind: str, **fields: Any) -> Reply:
        answer = await self._ask(kind, fields)
        if isinstance(answer, Pong):
            raise BadFrame("a pong where a reply was due")
        return answer

    async def _ask(self, kind: str, fields: dict[str, Any]) -> Reply | Pong:
        link = self._link
        if link is None or not self._greeted.is_set():
            raise self._error or ConnectionLost("not connected; nothing was sent")
        number, future = self._expect()
        try:
            await link.send({"t": kind, "id": number, **fields})
            return await future
        finally:
            self._pending.pop(number, None)

    def _expect(self) -> tuple[int, asyncio.Future[Reply | Pong]]:
        number = next(self._ids)
        future: asyncio.Future[Reply | Pong] = asyncio.get_running_loop().create_future()
        # Whoever asked may be gone by then; its answer is no fault of the loop's.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._pending[number] = future
        return number, future

    def _remember_ping(self, sent_ms: float) -> int:
        number, future = self._expect()
        future.add_done_callback(lambda done: self._observe(done, sent_ms))
        return number

    def _observe(self, done: asyncio.Future[Reply | Pong], sent_ms: float) -> None:
        if not done.cancelled() and not done.exception() and isinstance(pong := done.result(), Pong):
            self._clock.observe(pong.now, sent_ms, _local_ms())

    async def _salt_quietly(self, deal: int) -> None:
        """A salt that comes too late or twice harms nobody; after a reconnect it is told anew whether one is due."""
        with suppress(RapidError):
            await self.salt(deal)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _local_ms() -> float:
    return time.monotonic() * 1000
