"""What one WebSocket's session asks for, done: hello, intents, reactions, leaving (PROTOCOL 3.1)."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from structlog.stdlib import BoundLogger

from rapid.engine import refusals
from rapid.engine.refusals import Refusal
from rapid.errors import LogCorrupt, SeatHeld, StoreUnavailable
from rapid.gateway.auth import seat_of
from rapid.gateway.gateway import Gateway
from rapid.gateway.hub import REACTION
from rapid.gateway.presence import Holding
from rapid.gateway.table import Table
from rapid.gateway.viewer import Viewer
from rapid.telemetry.logs import for_table
from rapid.wire.asking import Asked, intent_of
from rapid.wire.close import BAD_TOKEN, CLOSED, LEAVING, LEFT, NO_TABLE, Ending
from rapid.wire.messages import Hello, Leave, Pong, React, Reply
from rapid.wire.records import mark_of
from rapid.wire.session import Answer, Ask, Depart, End, Greet, Output, Phase, Refuse, Session, Show

REACT = b"react"
"""Stands in each frame that asks for a reaction, and in hardly any other."""
_AT_WORK = (Phase.SEATED, Phase.WATCHING)


def reply_of(id_: int, seq: int, refusal: Refusal | None) -> Reply:
    """Return the reply for an authority's answer."""
    if refusal is None:
        return Reply(id_, ok=True, seq=seq)
    reply = Reply(id_, ok=False, why=refusal.why)
    if refusal.late_ms is not None:
        reply = Reply(id_, ok=False, why=refusal.why, late_ms=refusal.late_ms)
    if refusal.errors:
        reply = Reply(id_, ok=False, why=refusal.why, errors=refusal.errors)
    return reply


class Connection:
    """One connection to a table that is in memory or will be; the socket itself is the caller's."""

    def __init__(self, gateway: Gateway, table_id: str, viewer: Viewer, session: Session, log: BoundLogger) -> None:
        self._gateway = gateway
        self._table_id = table_id
        self._viewer = viewer
        self._session = session
        self.log = log
        """With table and connection bound, and from `hello` on with the seat."""
        self._table: Table | None = None
        self._held = AsyncExitStack()

    async def receive(self, data: bytes | str, now_s: float) -> None:
        """Do what a frame asks for; returns when the next one may be read."""
        output = self._session.receive(data, now_s, available=self._gateway.health.is_up)
        if output is not None:
            await self._do(output)

    def receive_now(self, data: bytes, now_s: float) -> bool:
        """Do at once what a frame asks for; False if that may have to be waited for, and nothing was done."""
        if self._session.phase not in _AT_WORK or REACT in data:
            return False
        output = self._session.receive(data, now_s, available=self._gateway.health.is_up)
        if type(output) is Ask:
            self._ask(output.message)
        elif output is not None:
            self._do_now(output)
        return True

    def check_time(self, now_s: float) -> None:
        """End a connection that has not said hello in time."""
        output = self._session.check_time(now_s)
        if output is not None:
            self._viewer.end(output.ending)

    def ended(self) -> None:
        """The viewer was ended, from whichever side: nothing of it is left with the table."""
        if self._session.phase is not Phase.CLOSING:
            self._session.phase = Phase.CLOSING
        if self._table is not None:
            self._table.remove(self._viewer)
        self._gateway.seats.leave(self._viewer.conn)
        for ref in self._viewer.undecided:
            self._gateway.asks.forget(ref)
        self._viewer.undecided.clear()

    async def close(self) -> None:
        """The socket is gone: the table need not stay in memory for it."""
        self.ended()
        await self._held.aclose()

    async def _do(self, output: Output) -> None:
        match output:
            case Greet():
                await self._greet(output.hello)
            case Show():
                await self._react(output.message)
            case _:
                self._do_now(output)

    def _do_now(self, output: Output) -> None:
        match output:
            case Ask():
                self._ask(output.message)
            case Depart():
                self._depart(output.id)
            case Answer():
                self._viewer.tell(Pong(output.id, self._now_ms()))
            case Refuse():
                self._gateway.metrics.intents[str(output.reply.why)] += 1
                if output.limit is not None:
                    self._gateway.metrics.hit(output.limit)
                self._reply(output.reply)
            case End():
                self._viewer.end(output.ending)

    # Hello

    async def _greet(self, hello: Hello) -> None:
        """Hold the hello while Redis is away, but not for ever."""
        options = self._gateway.options
        loop = asyncio.get_running_loop()
        until_s = loop.time() + options.hello_hold_ms / 1000
        while self._viewer.ending is None:
            try:
                ending = await self._join(hello)
            except StoreUnavailable:
                self._gateway.health.lost()
                if loop.time() >= until_s or self._gateway.health.is_cut_off:
                    self._viewer.end(LEAVING)
                    return
                await asyncio.sleep(options.probe_every_ms / 1000)
            except LogCorrupt as fault:
                # Nobody can serve this table before somebody has looked at it. Clients come back at once when they are
                # told `leaving`: held for a while, they do not come in circles.
                self._gateway.hub.corrupt(fault)
                await asyncio.sleep(until_s - loop.time())
                self._viewer.end(LEAVING)
            else:
                if ending is not None:
                    self._viewer.end(ending)
                return

    async def _join(self, hello: Hello) -> Ending | None:
        """Find the table and the seat, and welcome; return why not."""
        table = await self._held.enter_async_context(self._gateway.hub.using(self._table_id))
        if table is None:
            return NO_TABLE
        has_seat = hello.token is None or await self._enter(table, hello.token)
        if table.is_in_doubt or (hello.since is not None and hello.since_at is None):
            await table.catch_up()  # the seat was found, or entered, before another run of Redis has answered
        if not table.exists:
            return NO_TABLE  # gone, or never there in the story that this Redis tells, since it was found
        if not has_seat:
            return BAD_TOKEN
        # Behind the last wait: in any of them the seat may have been lost, or the table dropped, and then nothing that
        # happens there is heard of here.
        if self._gateway.hub.tables.get(self._table_id) is not table:
            return LEAVING
        if self._viewer.seat is not None and not table.is_held_by(self._viewer):
            return LEAVING if table.has_seat_for(self._viewer) else BAD_TOKEN
        if self._viewer.ending is None:
            self._table = table
            self._session.admit(seated=self._viewer.seat is not None)
            table.welcome(self._viewer, hello.since, hello.since_at)
            self.log = for_table(self.log, self._table_id, seat=self._viewer.seat)
            self.log.debug("joined")
        return None

    async def _enter(self, table: Table, token: str) -> bool:
        """Become the seat's present connection (DESIGN decision 8).

        Where somebody else has one in the chair, one of the two tokens is void: the log is read to see which.
        """
        viewer, over = self._viewer, None
        while (seat := await seat_of(table, token)) is not None:
            if viewer.ending is not None:
                return True  # sent away meanwhile: its person may be back elsewhere already, and keeps the seat there
            viewer.seat, viewer.since, viewer.token_hash = seat.seat, seat.since, seat.token_hash
            viewer.mark = mark_of(seat.token_hash)
            holding = Holding(table.table, seat.seat, viewer.conn, seat.since, viewer.mark)
            try:
                await self._gateway.seats.enter(holding, over=over)
            except SeatHeld as other:
                over = other.before
                await table.catch_up()
            else:
                return True
        return False

    # Behind hello

    def _ask(self, message: Asked) -> None:
        viewer, options = self._viewer, self._gateway.options
        if viewer.seat is None:
            return
        if viewer.parted_at is not None:
            self._refuse_behind_the_end(message.id)
            return
        if len(viewer.undecided) >= options.asks_per_connection_max:
            self._reply(Reply(message.id, ok=False, why=refusals.UNAVAILABLE))
            return
        asked: list[int] = []

        def on_answer(seq: int, refusal: Refusal | None) -> None:
            viewer.undecided.difference_update(asked)
            if viewer.parted_at is not None:
                seq = min(seq, viewer.parted_at)  # nothing came of it; said of a lost run, it names what is not here
            viewer.tell(reply_of(message.id, seq, self._said_here(refusal)))
            if refusal is None and isinstance(message, Leave):
                viewer.part(LEFT, seq)
            else:
                viewer.part_now()

        intent = intent_of(message, viewer.seat, dev=options.dev)
        ref = self._gateway.asks.ask(self._table_id, intent, on_answer, since=viewer.since, mark=viewer.mark)
        if ref is not None:
            asked.append(ref)
            viewer.undecided.add(ref)

    def _said_here(self, refusal: Refusal | None) -> Refusal | None:
        """That there is no table is no reason on a socket (PROTOCOL 3.4): its `bye` says so, behind this."""
        if refusal is None or refusal.why != refusals.NO_TABLE:
            return refusal
        return Refusal(self._why_behind_the_end())

    def _why_behind_the_end(self) -> str:
        """As the authority would refuse one that has parted: by the phase `closed`, or since it has no seat."""
        has_left = self._viewer.parted_at is not None and self._viewer.parts_with is not CLOSED
        return refusals.SPECTATOR if has_left else refusals.WRONG_PHASE

    def _refuse_behind_the_end(self, id_: int) -> None:
        """Asked before it could know that there is nothing for it to ask any more."""
        self._do_now(Refuse(Reply(id_, ok=False, why=self._why_behind_the_end())))

    def _depart(self, id_: int) -> None:
        """A spectator leaves, and is sent first what it is told it stands behind."""
        if self._table is not None:
            self._table.crowd.slices.write_for(self._viewer.conn)
        self._reply(Reply(id_, ok=True, seq=self._seq()))
        self._viewer.end(LEFT)

    async def _react(self, message: React) -> None:
        if self._viewer.parted_at is not None:
            self._refuse_behind_the_end(message.id)
            return
        note = {
            "t": REACTION,
            "seat": self._viewer.seat,
            "emoji": message.emoji,
            "at": self._gateway.store.clock.now_ms(),
        }
        try:
            await self._gateway.feed.tell(self._table_id, note)
        except StoreUnavailable:
            self._gateway.health.lost()
            self._reply(Reply(message.id, ok=False, why=refusals.UNAVAILABLE))
            return
        self._reply(Reply(message.id, ok=True, seq=self._seq()))

    def _reply(self, reply: Reply) -> None:
        self._viewer.tell(reply)

    def _seq(self) -> int:
        """Return where this viewer stands."""
        if self._viewer.parted_at is not None:
            return self._viewer.parted_at
        if self._table is None:
            return 0
        return (self._table.state if self._viewer.seat is not None else self._table.crowd.shown).seq

    def _now_ms(self) -> int:
        return self._gateway.store.clock.now_ms() if self._table is None else self._table.now_ms(self._viewer)
