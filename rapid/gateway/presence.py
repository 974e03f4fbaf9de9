"""Which of our connections are their seats' present ones, and how many watch (DESIGN decision 8).

What cannot be told to Redis while it is away is told when it is back. A connection that is
gone is only a lost one if it was its seat's present connection: that is decided there, so an
old socket's late close never marks a seat as gone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from rapid.errors import SeatHeld, StoreUnavailable
from rapid.gateway.asks import ReadLog, read_nothing
from rapid.gateway.health import Health
from rapid.table.ports import Entered, Feed
from rapid.table.ports import Presence as PresencePort
from rapid.wire.close import LEAVING, TAKEN_OVER, Ending

TAKEN: Final = "taken"
GIVEN_BACK: Final = "given_back"
"""Said by gateways of the version before this: they take a seat they were not told to have lost, and give it back."""
LOOK: Final = "look"
"""Whoever thinks that it has this seat is to look whether it has."""
UNTOLD_MAX: Final = 1_000
"""Notes kept while Redis is away; of those beyond it the old connections find out by `verify`."""
SAID_GONE_KEPT_S: Final = 60.0
"""An unsynced tail is a second or two."""
SAID_GONE_MAX: Final = 20_000
Note = dict[str, Any]


class Holding(Struct, frozen=True):
    """A connection of ours that is, or was, a seat's present one; `since` and `mark` as in `Entry`."""

    table: str
    seat: int
    conn: int
    since: int | None
    mark: str | None = None


def _has_not_parted(_conn: int) -> bool:
    return False


class Seats:
    """The seats whose present connections this gateway has."""

    def __init__(self, gateway: str, presence: PresencePort, feed: Feed, health: Health) -> None:
        self._gateway = gateway
        self._presence = presence
        self._feed = feed
        self._health = health
        self._held: dict[int, Holding] = {}
        self._of_seat: dict[tuple[str, int], list[int]] = {}
        """Our connections of each seat, in the order in which they took it: the last one has it."""
        self._gone: dict[int, Holding] = {}
        self._said_gone: deque[tuple[float, int, Holding]] = deque(maxlen=SAID_GONE_MAX)
        """What Redis was told lately, and when: it may lose that with its unsynced tail."""
        self._untold: list[tuple[str, Note]] = []
        self._unheard: set[int] = set()
        """Connections whose entering was not answered: whom they have replaced is not known."""
        self._opened: dict[int, str] = {}
        """When each connection we hold was opened, since Redis has said so (`Entered.opened`)."""
        self._missed: set[int] = set()
        """Connections that were to be entered again while their entering was not answered yet."""
        self._looking: set[int] = set()
        """Connections for which a look is to begin: what is read of losses meanwhile needs no other one."""
        self._doubts = self._settled_doubts = 0
        """As many as there were reasons to enter everything again; those before the last that went well are settled."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._end_conn: Callable[[int, Ending], None] | None = None
        self._has_parted: Callable[[int], bool] = _has_not_parted
        self._read_log: ReadLog = read_nothing
        self._is_going = False
        self._replaced_late: list[Holding] = []
        """What was entered as we went: its person may have come back elsewhere before, and have the seat there."""
        self._is_followed = asyncio.Event()
        """Set once every seat we had when we went has been opened elsewhere."""

    def on_taken(self, end_conn: Callable[[int, Ending], None]) -> None:
        """Call this with a connection of ours whose seat has been opened elsewhere."""
        self._end_conn = end_conn

    def ask_of_parted(self, has_parted: Callable[[int], bool]) -> None:
        """Ask this of a connection: whether it has lost the seat, and is there only for answers that it is owed."""
        self._has_parted = has_parted

    def on_held(self, read_log: ReadLog) -> None:
        """Call this to read a table's log to its end, where it must say who holds a chair; `StoreUnavailable`."""
        self._read_log = read_log

    async def enter(self, holding: Holding, *, over: tuple[str, int] | None = None) -> None:
        """Make this the present connection, and end the one it replaces; `StoreUnavailable`.

        `SeatHeld` and `over` as in `Presence.enter`. One of another holder ends by the event with which they lost it.
        """
        self._let_go(holding.conn)
        self._held[holding.conn] = holding
        self._of_seat.setdefault((holding.table, holding.seat), []).append(holding.conn)
        self._gone.pop(holding.conn, None)
        try:
            entered = await self._enter(holding, over=over)
        except SeatHeld:
            self._let_go(holding.conn)
            raise
        except BaseException:
            # It may have been written all the same.
            self.leave(holding.conn)
            self._unheard.add(holding.conn)
            if (holding.table, holding.seat) in self._of_seat:
                self._doubts += 1  # and then it has replaced one of ours that is still there
            raise
        if holding.conn in self._missed:
            self._missed.discard(holding.conn)
            self._start(self._try(self._reenter(holding)))
        if self._is_going:
            self._replaced_late.append(holding)
        elif entered.before is not None and entered.before != over:
            await self._tell(holding.table, TAKEN, entered.before)

    def leave(self, conn: int) -> None:
        """The connection is gone."""
        self._unheard.discard(conn)
        if self._is_going:
            return
        holding = self._let_go(conn)
        if holding is not None:
            self._gone[conn] = holding
            self._start(self._say_one_gone(conn))

    def heard(self, note: Note) -> None:
        """Hear what another gateway says about a connection."""
        if note.get("t") == LOOK:
            table, seat = note.get("table"), note.get("seat")
            if isinstance(table, str) and isinstance(seat, int):
                self.look(table, seat)
            return
        if note.get("gateway") != self._gateway or not isinstance(note.get("conn"), int):
            return
        conn = note["conn"]
        if self._is_going:
            self._let_go(conn)
            self._check_followed()
        elif note.get("t") == TAKEN:
            if self._end_conn is not None:
                self._end_conn(conn, TAKEN_OVER)
        elif (holding := self._held.get(conn)) is not None and self._has_its_seat(holding):
            self._start(self._try(self._enter(holding)))

    def look(self, table: str, seat: int) -> None:
        """Find out whether the connection of this seat that we hold, if any, is the present one; soon."""
        if self._is_going:
            return  # whoever has come back elsewhere is to have it
        for conn in self._of_seat.get((table, seat), ())[-1:]:
            holding = self._held[conn]
            if conn not in self._looking and self._has_its_seat(holding):
                self._looking.add(conn)
                self._start(self._try(self._look(holding)))

    async def _look(self, holding: Holding) -> None:
        self._looking.discard(holding.conn)
        # Whoever is taken for dead is reaped again and again: what it enters before it beats is lost once more.
        if not await self._presence.beat(self._gateway):
            self._doubts += 1
        await self._reenter(holding)

    async def beat(self) -> bool:
        """Say that we live; False if we had been taken for dead, and have entered everything again.

        Redis says so once. If that could not be heard, or the entering failed, it is taken to be so; what comes into
        doubt meanwhile is settled by the next one.
        """
        was_sure = self._doubts == self._settled_doubts
        self._doubts += 1
        doubts = self._doubts
        is_known = await self._presence.beat(self._gateway) and was_sure
        if not is_known:
            await self.verify()
        self._settled_doubts = max(self._settled_doubts, doubts)  # a later one may have ended before
        return is_known

    async def verify(self) -> None:
        """Enter all we hold again, which changes nothing where nothing was missed; `StoreUnavailable`.

        And leave once more what was left lately: a Redis that has lost its tail may think it is still there.
        Another gateway that has a seat which we thought was ours and opened it later, while we were thought dead or
        were blind, keeps it; one that opened it earlier, which a lost tail has brought back, does not.
        """
        if self._is_going:
            return
        for holding in list(self._held.values()):
            if self._has_its_seat(holding):
                await self._reenter(holding)
        since_s = asyncio.get_running_loop().time() - SAID_GONE_KEPT_S
        for said_s, conn, holding in list(self._said_gone):
            if said_s >= since_s and conn not in self._held:
                await self._leave(conn, holding)

    def verify_later(self) -> None:
        """The same, soon; and with the next beat, should it fail."""
        self._doubts += 1
        self._start(self._try(self.verify()))

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
        for holding in self._replaced_late:
            await self._let_look(holding)

    def _let_go(self, conn: int) -> Holding | None:
        holding = self._held.pop(conn, None)
        self._opened.pop(conn, None)
        self._missed.discard(conn)
        if holding is not None:
            conns = self._of_seat[holding.table, holding.seat]
            conns.remove(conn)
            if not conns:
                del self._of_seat[holding.table, holding.seat]
        return holding

    def _has_its_seat(self, holding: Holding) -> bool:
        """Not where one of ours opened it later, or it is gone by now, or has parted."""
        conns = self._of_seat.get((holding.table, holding.seat))
        return conns is not None and conns[-1] == holding.conn and not self._has_parted(holding.conn)

    async def _enter(
        self, holding: Holding, *, again: str | None = None, over: tuple[str, int] | None = None
    ) -> Entered:
        seat, since, mark = holding.seat, holding.since, holding.mark
        entered = await self._presence.enter(
            holding.table, seat, self._gateway, holding.conn, since=since, mark=mark, again=again, over=over
        )
        if self._held.get(holding.conn) is holding:
            self._opened[holding.conn] = entered.opened
        if holding.conn in self._unheard:
            self._unheard.discard(holding.conn)
            await self._let_look(holding)
        return entered

    async def _let_look(self, holding: Holding) -> None:
        await self._say(holding.table, {"t": LOOK, "table": holding.table, "seat": holding.seat})

    async def _reenter(self, holding: Holding) -> None:
        """Enter once more, or end the connection if another gateway has its seat; `StoreUnavailable`.

        One whose entering is still under way has not been told that it has the seat: it comes behind that.
        """
        if self._held.get(holding.conn) is not holding or not self._has_its_seat(holding):
            return
        opened = self._opened.get(holding.conn)
        if opened is None:
            self._missed.add(holding.conn)
            return
        try:
            entered = await self._enter(holding, again=opened)
        except StoreUnavailable:
            # It may have been written all the same, over one that is to hear of it.
            if self._held.get(holding.conn) is holding:
                self._unheard.add(holding.conn)
            raise
        except SeatHeld:
            # Who holds the chair the log says: who has lost it is told so by its events, and the other comes in again.
            await self._read_log(holding.table)
            ending = LEAVING
        else:
            if not entered.is_elsewhere:
                if entered.before is not None and entered.before[0] != self._gateway:
                    await self._tell(holding.table, TAKEN, entered.before)
                return
            ending = TAKEN_OVER
        if self._end_conn is not None:
            self._end_conn(holding.conn, ending)

    async def _try(self, work: Awaitable[object]) -> None:
        """Should it fail, the next beat makes up for it."""
        try:
            await work
        except SeatHeld:
            pass
        except StoreUnavailable:
            self._doubts += 1
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
        for conn in list(self._gone):
            if not await self._say_one_gone(conn):
                return

    async def _say_one_gone(self, conn: int) -> bool:
        """Return False if Redis is away; then it is said later. Each is said by one task: thousands may go at once."""
        holding = self._gone.pop(conn, None)
        if holding is None:
            return True
        try:
            await self._leave(conn, holding)
        except StoreUnavailable:
            self._health.lost()
            if conn not in self._held:  # else entered after all, at a second attempt
                self._gone[conn] = holding
            return False
        self._said_gone.append((asyncio.get_running_loop().time(), conn, holding))
        return True

    async def _leave(self, conn: int, holding: Holding) -> None:
        table, seat, since, mark = holding.table, holding.seat, holding.since, holding.mark
        await self._presence.leave(table, seat, self._gateway, conn, since=since, mark=mark)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
