"""All tables a gateway follows: pushes in, a regular look at the logs' tails, and forgetting (DESIGN decision 6)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from itertools import islice
from typing import Final

from rapid.errors import LogCorrupt, StoreUnavailable
from rapid.gateway.asks import Asks
from rapid.gateway.fanout import Pump
from rapid.gateway.health import Health
from rapid.gateway.options import GatewayOptions
from rapid.gateway.presence import Note, Seats
from rapid.gateway.table import Table
from rapid.ids import is_table_id
from rapid.store import Store
from rapid.table.ports import Delivery, Feed, LogEntry, id_order
from rapid.telemetry.logs import get_logger
from rapid.telemetry.metrics import Metrics
from rapid.wire.close import LEAVING, NO_TABLE
from rapid.wire.messages import Reaction
from rapid.wire.records import Answer, Record

log = get_logger(__name__)
TABLES_PER_QUESTION: Final = 200
DELIVERIES_PER_TURN: Final = 64
REACTION: Final = "reaction"
UNKNOWN: Final = -1
"""How many watch, as far as Redis knows, while it is being told, and if it was away then."""


def _chunks(tables: Iterable[Table], size: int) -> list[list[Table]]:
    rest = iter(list(tables))
    return list(iter(lambda: list(islice(rest, size)), []))


class Hub:
    """The tables in memory. A table stays there while `using` it, and for a while after."""

    def __init__(
        self,
        gateway: str,
        store: Store,
        feed: Feed,
        asks: Asks,
        seats: Seats,
        health: Health,
        options: GatewayOptions,
        metrics: Metrics,
    ) -> None:
        self.tables: dict[str, Table] = {}
        self._gateway = gateway
        self._store = store
        self._feed = feed
        self._asks = asks
        self._seats = seats
        self._health = health
        self._options = options
        self._metrics = metrics
        self._pump = Pump(options.limits.fan_out_slice_sockets)
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._catching_up: set[str] = set()
        self._watch_told: dict[str, int] = {}
        self._run_id: str | None = None
        health.on_back(self.check)
        asks.on_missing(self._read_to_end)
        seats.on_held(self._read_to_end)
        feed.on_other_run(self._doubt_all)
        metrics.before_render(self._show_gauges)

    # Which tables are in memory

    @asynccontextmanager
    async def using(self, table_id: str, *, is_new: bool = False) -> AsyncIterator[Table | None]:
        """Keep the table in memory, read to its present end; None if there is none, or it is closed.

        `is_new`: it is about to be opened, and given although it has no log yet.
        `StoreUnavailable` if it is not in memory and Redis is away.
        """
        if not is_table_id(table_id):
            yield None
            return
        table = self.tables.get(table_id)
        if table is None:
            table = self._make(table_id)
        table.users += 1
        try:
            await self._load(table)
            yield table if table.exists or is_new else None
        finally:
            table.users -= 1
            table.used_s = asyncio.get_running_loop().time()
            if table.users == 0 and not table.exists:
                await self._forget(table)

    def _make(self, table_id: str) -> Table:
        store, seats = self._store, self._seats
        table = Table(table_id, store.log, store.clock, self._pump, self._options, self._asks.answered, seats.look)
        self.tables[table_id] = table
        return table

    async def _load(self, table: Table) -> None:
        if table.is_live:
            return
        loading = self._loading.get(table.table)
        if loading is None:
            loading = self._loading[table.table] = asyncio.get_running_loop().create_task(self._follow(table))
            loading.add_done_callback(lambda _: self._loading.pop(table.table, None))
        # Others may wait for the same reading: it goes on if one of them goes away.
        await asyncio.shield(loading)

    async def _follow(self, table: Table) -> None:
        try:
            # Subscribe first, then read up to now, so that nothing falls between.
            await self._feed.follow(table.table)
            await table.catch_up()
        except StoreUnavailable:
            self._health.lost()
            raise
        except LogCorrupt:
            self._discard(table)
            raise

    async def _forget(self, table: Table) -> None:
        if self.tables.get(table.table) is table:
            del self.tables[table.table]
            table.stop()
            await self._unfollow(table.table)

    async def _unfollow(self, table_id: str) -> None:
        """Hear no more of a table, unless somebody has come for it again, and watch it no more."""
        if table_id not in self.tables:
            await self._feed.unfollow(table_id)
            if self._watch_told.pop(table_id, 0):
                with suppress(StoreUnavailable):  # it goes with this gateway at the latest
                    await self._store.presence.watch(table_id, self._gateway, 0)

    # What arrives

    async def run_deliveries(self) -> None:
        """Take what is pushed, without end."""
        taken = 0
        # A push is most often alone: then it is shown in the turn of the loop in which it comes.
        self._feed.hand_to(self._deliver_now)
        async for delivery in self._feed.deliveries():
            self._deliver(delivery)
            taken += 1
            if taken % DELIVERIES_PER_TURN == 0:
                await asyncio.sleep(0)

    def _deliver_now(self, delivery: Delivery) -> None:
        try:
            self._deliver(delivery)
        except Exception:
            # A fault of ours at one table must not break the connection it came on. What was missed is in the logs.
            log.exception("delivery_failed", table=delivery.table)
            self.catch_up_later(self.tables.values())

    def _deliver(self, delivery: Delivery) -> None:
        table = self.tables.get(delivery.table) if delivery.table is not None else None
        if delivery.record is not None and delivery.id is not None:
            if table is not None:
                self._push(table, delivery.id, delivery.record, delivery)
            return
        if delivery.blind:
            self._doubt_all()
            self._seats.verify_later()
        for answer in delivery.answers or ():
            self._answer(answer)
        if table is not None and delivery.note is not None:
            self._hear(table, delivery.note)

    def _push(self, table: Table, entry_id: str, record: Record, delivery: Delivery) -> None:
        try:
            follows = table.pushed(entry_id, record, delivery.data)
        except LogCorrupt as fault:
            self._drop(table, fault)
            return
        if not follows:
            self._metrics.log_gaps.inc()
            self.catch_up_later([table])
        else:
            late_ms = self._store.clock.now_ms() - record.at
            self._metrics.accept_latency.note(late_ms / 1000)
            if delivery.heard_s is not None:
                self._metrics.commit_to_sent.note(time.perf_counter() - delivery.heard_s)

    def _answer(self, answer: Answer) -> None:
        """An answer may be here before the events it speaks of: then it waits for them."""
        table_id = self._asks.table_of(answer)
        table = self.tables.get(table_id) if table_id is not None else None
        if table is None:
            self._asks.answered(answer)
        elif not table.answered(answer):
            self.catch_up_later([table])

    def _hear(self, table: Table, note: Note) -> None:
        if note.get("t") != REACTION:
            self._seats.heard(note)
            return
        seat, emoji, at = note.get("seat"), note.get("emoji"), note.get("at")
        if isinstance(seat, int) and isinstance(emoji, str) and isinstance(at, int):
            table.reacted(Reaction(seat, emoji, at))

    # What is checked

    def _doubt_all(self) -> None:
        """Redis is another run, or may be: the logs have to be read before anything that stands here is certain."""
        for table in self.tables.values():
            table.doubt()
        self.catch_up_later(self.tables.values())

    def catch_up_later(self, tables: Iterable[Table]) -> None:
        """Read these tables' logs to their ends, each once at a time."""
        for table in list(tables):
            if table.is_live and table.table not in self._catching_up:
                self._catching_up.add(table.table)
                self._start(self._catch_up(table))

    async def _catch_up(self, table: Table) -> None:
        self._catching_up.discard(table.table)
        try:
            await table.catch_up()
        except StoreUnavailable:
            self._health.lost()
        except LogCorrupt as fault:
            self._drop(table, fault)

    async def _read_to_end(self, table_id: str) -> None:
        table = self.tables.get(table_id)
        if table is None or not table.is_live:
            return
        try:
            await table.catch_up()
        except LogCorrupt as fault:
            self._drop(table, fault)

    def corrupt(self, fault: LogCorrupt) -> None:
        """Say which log cannot be read, and where."""
        self._metrics.log_corrupt.inc()
        log.error("log_corrupt", table=fault.table, entry=fault.entry, why=fault.why)

    def _drop(self, table: Table, fault: LogCorrupt) -> None:
        """Nothing can be shown of a log that nobody can have written; the next who comes reads it anew."""
        if self.tables.get(table.table) is table:
            self.corrupt(fault)
            table.end_all(LEAVING)
            self._discard(table)

    def _discard(self, table: Table) -> None:
        """Keep nothing of a table whose log cannot be read."""
        if self.tables.get(table.table) is table:
            del self.tables[table.table]
            table.stop()
            self._start(self._unfollow(table.table))

    async def run_checks(self) -> None:
        """Check, without end."""
        while True:
            await asyncio.sleep(self._options.check_every_ms / 1000)
            if self._health.is_up:
                await self.check()

    async def check(self) -> None:
        """Beat, tell and ask who watches, and look for what no push has told us."""
        try:
            await self._check_run()
            await self._seats.say_again()
            if not await self._seats.beat():
                log.warning("taken_for_dead")
                self._watch_told.clear()
            await self._check_tails()
            await self._check_watchers()
        except StoreUnavailable:
            self._health.lost()
        await self._forget_idle()

    async def _check_run(self) -> None:
        """Another run of Redis may have lost its unsynced tail, and in it what was asked (DESIGN decision 5).

        Before the first look too something may have been asked of the run before.
        """
        run_id = await self._store.run_id()
        known, self._run_id = self._run_id, run_id
        if run_id != known:
            await self._asks.settle_all()

    async def _check_tails(self) -> None:
        live = [table for table in self.tables.values() if table.is_live]
        for tables in _chunks(live, TABLES_PER_QUESTION):
            # The answer speaks of the moment of the question: what was opened meanwhile had no log then.
            had_logs = {table.table for table in tables if table.state.seq > 0}
            try:
                tails = await self._store.log.tail([table.table for table in tables])
            except LogCorrupt as fault:
                if fault.table in self.tables:
                    self._drop(self.tables[fault.table], fault)
                continue
            for table in tables:
                tail = tails.get(table.table)
                if tail is not None or table.table in had_logs:
                    await self._check_tail(table, tail)

    async def _check_tail(self, table: Table, tail: LogEntry | None) -> None:
        if tail is not None:
            if table.is_in_doubt or id_order(tail.id) > id_order(table.fold.last_id):
                self.catch_up_later([table])
        elif self.tables.get(table.table) is table:
            # The whole log is gone.
            table.end_all(NO_TABLE)
            await self._forget(table)

    async def _check_watchers(self) -> None:
        for tables in _chunks(self.tables.values(), TABLES_PER_QUESTION):
            for table in tables:
                watching = len(table.crowd.slices)
                if watching != self._watch_told.get(table.table, 0) and table.table in self.tables:
                    await self._tell_watching(table.table, watching)
            counts = await self._store.presence.spectators([table.table for table in tables])
            for table, count in zip(tables, counts, strict=True):
                table.announce(count)

    async def _tell_watching(self, table_id: str, watching: int) -> None:
        # Noted first: whoever forgets the table meanwhile must know that there is something to take back.
        self._watch_told[table_id] = UNKNOWN
        await self._store.presence.watch(table_id, self._gateway, watching)
        if table_id in self._watch_told:
            self._watch_told[table_id] = watching

    async def _forget_idle(self) -> None:
        until_s = asyncio.get_running_loop().time() - self._options.table_idle_ms / 1000
        for table in list(self.tables.values()):
            if table.users == 0 and table.used_s < until_s:
                await self._forget(table)

    def _show_gauges(self) -> None:
        seats = [viewer for table in self.tables.values() for viewer in table.seats.values()]
        spectators = [viewer for table in self.tables.values() for viewer in table.crowd.slices.viewers()]
        metrics = self._metrics
        metrics.shards.set(self._store.shards)
        metrics.followed_tables.set(len(self.tables))
        metrics.connections.labels("seat").set(len(seats))
        metrics.connections.labels("spectator").set(len(spectators))
        metrics.viewer_buffer_bytes.set(max((viewer.waiting_bytes for viewer in (*seats, *spectators)), default=0))
        metrics.queues.labels("intents").set(len(self._asks))
        metrics.queues.labels("deliveries").set(self._feed.waiting)
        metrics.queues.labels("fan_out_sockets").set(self._pump.waiting)

    # The end

    async def stop(self) -> None:
        """Nothing goes on by itself."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for table in list(self.tables.values()):
            table.stop()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
