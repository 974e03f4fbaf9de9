"""Which of our connections are their seats' present ones, and how many watch (DESIGN decision 8).

What cannot be told to Redis while it is away is told when it is back. A connection that is
gone is only a lost one if it was its seat's present connection: that is decided there, so an
old socket's late close never marks a seat as gone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from rapid.errors import StoreUnavailable
from rapid.gateway.health import Health
from rapid.table.ports import Feed
from rapid.table.ports import Presence as PresencePort

TAKEN: Final = "taken"
GIVEN_BACK: Final = "given_back"
UNTOLD_MAX: Final = 1_000
"""Notes kept while Redis is away; of those beyond it the old connections find out by `verify`."""
SAID_GONE_KEPT_S: Final = 60.0
"""An unsynced tail is a second or two."""
SAID_GONE_MAX: Final = 20_000
Note = dict[str, Any]


class Holding(Struct, frozen=True):
    """A connection of ours that is, or was, a seat's present one; `since` as in `Entry`."""

    table: str
    seat: int
    conn: int
    since: int | None


class Seats:
    """The seats whose present connections this gateway has."""

    def __init__(self, gateway: str, presence: PresencePort, feed: Feed, health: Health) -> None:
        self._gateway = gateway
        self._presence = presence
        self._feed = feed
        self._health = health
        self._held: dict[int, Holding] = {}
        self._gone: dict[int, Holding] = {}
        self._said_gone: deque[tuple[float, int, Holding]] = deque(maxlen=SAID_GONE_MAX)
        """What Redis was told lately, and when: it may lose that with its unsynced tail."""
        self._untold: list[tuple[str, Note]] = []
        self._is_sure = True
        """Whether the last beat went well, and all was entered that had to be behind it or behind a gap."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._end_conn: Callable[[int], None] | None = None
        self._is_going = False
        self._is_followed = asyncio.Event()
        """Set once every seat we had when we went has been opened elsewhere."""

    def on_taken(self, end_conn: Callable[[int], None]) -> None:
        """Call this with a connection of ours whose seat has been opened elsewhere."""
        self._end_conn = end_conn

    async def enter(self, holding: Holding) -> None:
        """Make this the present connection, and end the one it replaces; `StoreUnavailable`."""
        self._held[holding.conn] = holding
        self._gone.pop(holding.conn, None)
        try:
            before = await self._enter(holding)
        except BaseException:
            # It may have been written all the same.
            self.leave(holding.conn)
            raise
        if before is not None:
            await self._tell(holding.table, TAKEN, before)

    def leave(self, conn: int) -> None:
        """The connection is gone."""
        if self._is_going:
            return
        holding = self._held.pop(conn, None)
        if holding is not None:
            self._gone[conn] = holding
            self._start(self._say_gone())

    def heard(self, note: Note) -> None:
        """Hear what another gateway says about a connection."""
        if note.get("gateway") != self._gateway or not isinstance(note.get("conn"), int):
            return
        conn = note["conn"]
        if self._is_going:
            self._held.pop(conn, None)
            self._check_followed()
        elif note.get("t") == TAKEN:
            if self._end_conn is not None:
                self._end_conn(conn)
        elif conn in self._held:
            self._start(self._enter_again(self._held[conn]))

    async def beat(self) -> bool:
        """Say that we live; False if we had been taken for dead, and have entered everything again.

        Redis says so once. If that could not be heard, or the entering failed, it is taken to be so.
        """
        was_sure, self._is_sure = self._is_sure, False
        is_known = await self._presence.beat(self._gateway) and was_sure
        if not is_known:
            await self.verify()
        self._is_sure = True
        return is_known

    async def verify(self) -> None:
        """Enter all we hold again, which changes nothing where nothing was missed; `StoreUnavailable`.

        And leave once more what was left lately: a Redis that has lost its tail may think it is still there.
        Whoever has a seat that we thought was ours opened it later, while we were thought dead or
        were blind: it is given back.
        """
        if self._is_going:
            return
        for holding in list(self._held.values()):
            before = await self._enter(holding)
            if before is not None and before[0] != self._gateway:
                await self._tell(holding.table, GIVEN_BACK, before)
                if self._end_conn is not None:
                    self._end_conn(holding.conn)
        since_s = asyncio.get_running_loop().time() - SAID_GONE_KEPT_S
        for said_s, conn, holding in list(self._said_gone):
            if said_s >= since_s and conn not in self._held:
                await self._leave(conn, holding)

    def verify_later(self) -> None:
        """The same, soon; and with the next beat, should it fail."""
        self._is_sure = False
        self._start(self._verify())

    async def say_again(self) -> None:
        """Say what could not be said while Redis was away."""
        untold, self._untold = self._untold, []
        for table, note in untold:
            await self._say(table, note)
        await self._say_gone()
        since_s = asyncio.get_running_loop().time() - SAID_GONE_KEPT_S
        while self._said_gone and self._said_gone[0][0] < since_s:
            self._said_gone.popleft()

    def go(self) -> None:
        """We go, and our people come back elsewhere at once: until `stop` none of our seats is lost.

        So a rolling upgrade leaves no trace in a log, where nobody was away for longer than the blink of an eye.
        """
        self._is_going = True
        self._check_followed()

    async def until_followed(self, most_s: float) -> None:
        """Wait until another gateway has opened all our seats, but not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(most_s):
                await self._is_followed.wait()

    def _check_followed(self) -> None:
        if not self._held:
            self._is_followed.set()

    async def stop(self) -> None:
        """An orderly end: our seats are lost connections now."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self._presence.retire(self._gateway)
        except StoreUnavailable:
            self._health.lost()  # whoever finds us dead does it

    async def _enter(self, holding: Holding) -> tuple[str, int] | None:
        return await self._presence.enter(holding.table, holding.seat, self._gateway, holding.conn, since=holding.since)

    async def _enter_again(self, holding: Holding) -> None:
        try:
            await self._enter(holding)
        except StoreUnavailable:
            self._is_sure = False
            self._health.lost()

    async def _verify(self) -> None:
        try:
            await self.verify()
        except StoreUnavailable:
            self._health.lost()

    async def _tell(self, table: str, kind: str, other: tuple[str, int]) -> None:
        gateway, conn = other
        note: Note = {"t": kind, "gateway": gateway, "conn": conn}
        if gateway == self._gateway:
            self.heard(note)
        else:
            await self._say(table, note)

    async def _say(self, table: str, note: Note) -> None:
        """A note that cannot be sent now is sent when Redis is back."""
        try:
            await self._feed.tell(table, note)
        except StoreUnavailable:
            self._health.lost()
            if len(self._untold) < UNTOLD_MAX:
                self._untold.append((table, note))

    async def _say_gone(self) -> None:
        for conn, holding in list(self._gone.items()):
            if conn in self._held:
                continue  # entered after all, at a second attempt
            try:
                await self._leave(conn, holding)
            except StoreUnavailable:
                self._health.lost()
                return
            self._gone.pop(conn, None)
            self._said_gone.append((asyncio.get_running_loop().time(), conn, holding))

    async def _leave(self, conn: int, holding: Holding) -> None:
        await self._presence.leave(holding.table, holding.seat, self._gateway, conn, since=holding.since)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
