"""The loop of a worker: read all shards at once, decide, write all, await once; then memory, answers, timers.

When Redis is away it waits, and goes on by itself.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import get_args

from rapid.engine.events import AnyEvent
from rapid.engine.intents import Tick
from rapid.errors import LogCorrupt, StoreUnavailable
from rapid.ids import new_secret
from rapid.table.authority import Authority
from rapid.table.batch import NONE_CLOSED, Batch
from rapid.table.charge import AGAIN_MAX_SECONDS, AGAIN_SECONDS, TRIES_SAID, Charge
from rapid.table.drivers import Drivers, mover_of
from rapid.table.faults import log_fault
from rapid.table.ports import Commit, Posted, stamp_of
from rapid.table.poster import Poster
from rapid.table.recovery import log_corrupt
from rapid.table.shard import Shard
from rapid.table.stores import Stores
from rapid.table.timers import Timers
from rapid.telemetry.logs import get_logger
from rapid.telemetry.metrics import Metrics
from rapid.wire.records import Entry

READ_LIMIT = 500
"""Entries read at once, of each shard."""
READ_BLOCK_MS = 100
"""Also the longest that a shard just taken waits to be read."""
NOTE_CURSORS_SECONDS = 1.0
STAMP_AHEAD_MS = 1_000
"""A stamp that is further ahead of Redis' time is reported."""
TRIM_SECONDS = 20.0

_log = get_logger(__name__)


def draw_secret() -> str:
    """Return a deal's secret: 32 random bytes, hex (PROTOCOL 5)."""
    return new_secret().hex()


class Runner:
    """Serves the shards in its charge. `run` is a task; the supervisor says which shards."""

    def __init__(
        self,
        stores: Stores,
        worker: str,
        *,
        metrics: Metrics | None = None,
        rng: random.Random | None = None,
        secret: Callable[[], str] = draw_secret,
    ) -> None:
        """Randomness is for bots (`rng`) and for deals (`secret`)."""
        self.metrics = metrics or Metrics()
        self._stores = stores
        self._secret = secret
        self._poster = Poster(stores.inbox)
        self._timers = Timers(stores.clock, self._tick)
        self._drivers = Drivers(stores.clock, self._try_move, rng or random.SystemRandom())
        self.charge = Charge(stores, worker, self._begin, self._end, self.metrics)
        self._is_busy = False
        """While a batch is decided and written: what is handed over meanwhile is dropped at its end."""
        self._leaving: list[tuple[int, asyncio.Future[Shard | None]]] = []
        self._tags = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
        self.metrics.events.show(self._tags.values())
        self._stopping = False
        self._run_id: str | None = None
        self._shards: Mapping[int, Shard] = {}
        """Those of the round before, in which `_places` says where each is read on from."""
        self._places: dict[int, str] = {}
        self._noted_at = 0.0
        self._trimmed_at = 0.0

    async def run(self) -> None:
        """Serve until `stop`."""
        pause, failures, why = AGAIN_SECONDS, 0, ""
        while not self._stopping:
            try:
                await self._round()
                pause = AGAIN_SECONDS
            except StoreUnavailable as error:
                # Rounds between may go well: Redis is there for all else, and one inbox is what nobody of ours made it.
                failures = failures + 1 if why == str(error) else 1
                why = str(error)
                times, rest = divmod(failures, TRIES_SAID)
                if rest == 0 and times & (times - 1) == 0:  # 5, 10, 20, 40, …
                    _log.warning("inboxes_not_served", tries=failures, error=why)
                await asyncio.sleep(pause)
                pause = min(2 * pause, AGAIN_MAX_SECONDS)

    async def check_run(self) -> None:
        """Take everything anew if Redis is another run than before: its tail may be lost (DESIGN 5)."""
        run_id = await self._stores.run_id()
        known, self._run_id = self._run_id, run_id
        if known is not None and run_id != known:
            self.charge.retake(list(self.charge.shards), "another run of Redis")

    async def check_stamps(self) -> None:
        """Say so if the streams' clock is ahead of Redis' own, which was set back: deadlines stand still meanwhile.

        Redis stamps no entry before the one in front of it, so until its clock has caught up all
        entries have the same stamp.
        """
        newest_ms = max((stamp_of(shard.cursor) for shard in self.charge.shards.values()), default=0)
        ahead_ms = newest_ms - await self._stores.clock.read_ms()
        self.metrics.stamp_ahead_seconds.set(max(0, ahead_ms) / 1000)
        if ahead_ms > STAMP_AHEAD_MS:
            _log.warning("stamp_ahead", ahead_ms=ahead_ms)

    async def hand_over(self, number: int) -> Shard | None:
        """Stop serving a shard, at the end of the batch; return it with its cursor noted."""
        if self._is_busy:
            dropped: asyncio.Future[Shard | None] = asyncio.get_running_loop().create_future()
            self._leaving.append((number, dropped))
            shard = await dropped
        else:
            shard = self.charge.drop(number)
        if shard is not None and shard.cursor != shard.noted_cursor:
            await self._note_cursor(shard)
        return shard

    def stop(self) -> None:
        """End `run` after the present batch; shards are handed over by who owns this."""
        self._stopping = True
        self.charge.changed.set()

    async def close(self) -> None:
        """Drop timers and bots, and wait for what they have posted and for what was being taken."""
        await self.charge.stop()
        self._timers.stop()
        self._drivers.stop()
        await self._poster.stop()

    async def _round(self) -> None:
        shards = self.charge.shards
        if not shards:
            self.charge.changed.clear()
            if not self.charge.shards and not self._stopping:
                await self.charge.changed.wait()
            return
        if shards is not self._shards:
            self._shards, self._places = shards, {number: shard.cursor for number, shard in shards.items()}
        try:
            posted = await self._stores.inbox.read(self._places, limit=READ_LIMIT, block_ms=READ_BLOCK_MS)
        except StoreUnavailable:
            await self.check_run()
            raise
        self._is_busy = True
        try:
            if self.charge.shards is not shards:
                posted = [p for p in posted if self._is_current(shards[p.shard])]
            if posted:
                await self._serve(posted, shards)
            now = asyncio.get_running_loop().time()
            if now - self._noted_at >= NOTE_CURSORS_SECONDS:
                await self._note_cursors(now)
        finally:
            self._is_busy = False
            if self._leaving:
                self._drop_leaving()

    def _drop_leaving(self) -> None:
        leaving, self._leaving = self._leaving, []
        for number, dropped in leaving:
            if not dropped.done():
                dropped.set_result(self.charge.drop(number))

    def _is_current(self, shard: Shard) -> bool:
        """A shard may be lost or taken anew at every `await`; then it goes on from its own cursor."""
        return self.charge.shards.get(shard.number) is shard

    async def _serve(self, posted: Sequence[Posted], shards: Mapping[int, Shard]) -> None:
        try:
            batch = Batch(shards, self._secret, self._stores.clock.now_ms())
            unknown = _unknown(posted, shards)
            closed = await self._closed_before(unknown) if unknown else NONE_CLOSED
            for one in posted:
                batch.decide(one, closed)
            in_charge: dict[int, bool] = {}
            if batch.answers:
                written, in_charge = await self._commit_and_prove(batch, shards)
            else:
                written = await self._commit(batch.commits)
            self._note_written(posted, batch)
        except StoreUnavailable as error:
            # What was written is not known: it is read back.
            self._retake({p.shard for p in posted}, shards, str(error))
            return
        self.metrics.batch_entries.note(len(posted))
        if in_charge or False in written:
            fenced = {n for n, ok in zip(batch.commit_shards, written, strict=True) if not ok}
            fenced |= {n for n, is_ours in in_charge.items() if not is_ours}
            if fenced:
                self.metrics.fenced.inc(written.count(False))
            self._retake(fenced, shards, "fenced")
        if self.charge.shards is not shards:
            batch.forget({n for n in batch.cursors if not self._is_current(shards[n])})
        self._settle(batch)
        if batch.answers:
            await self._answer(batch, shards)

    def _retake(self, numbers: Iterable[int], shards: Mapping[int, Shard], why: str) -> None:
        self.charge.retake([n for n in numbers if self._is_current(shards[n])], why)

    async def _commit_and_prove(self, batch: Batch, shards: Mapping[int, Shard]) -> tuple[list[bool], dict[int, bool]]:
        """Commit; and ask whether we are still in charge where only a refusal would be said.

        The fence is at the log, and a refusal does not go there: an owner of yesterday, who was held up and
        does not know it yet, would refuse what the owner of today accepts; and so would one that stands on a tail
        which its Redis has lost.
        """
        epochs = {number: shards[number].epoch for number, _ in batch.answers}
        unproven, stores = batch.unproven(), self._stores
        written, in_charge, last = await asyncio.gather(
            self._commit(batch.commits), stores.lease.in_charge(epochs), stores.log.last_ids(list(unproven))
        )
        for table, (number, last_id) in unproven.items():
            if last.get(table) != last_id:
                in_charge[number] = False
        return written, in_charge

    async def _commit(self, commits: Sequence[Commit]) -> list[bool]:
        if not commits:
            return []
        written_s = time.perf_counter()
        written = await self._stores.log.commit(commits)
        self.metrics.round_trips["commit"].note(time.perf_counter() - written_s)
        return written

    def _note_written(self, posted: Sequence[Posted], batch: Batch) -> None:
        metrics, now_ms = self.metrics, self._stores.clock.now_ms()
        for one in posted:
            metrics.shard_entries[one.shard] += 1
        for commit in batch.commits:
            metrics.stamp_to_commit.note((now_ms - commit.record.at) / 1000)

    async def _closed_before(self, unknown: dict[str, Shard]) -> dict[str, str]:
        """Closed tables among those asked for, with the last entry each has decided.

        Entries come again if the cursor was not noted in time; a table unknown here may be
        new, or opened and closed by the owner before, and then its log is there.
        """
        while unknown:
            try:
                tails = await self._stores.log.tail(list(unknown))
            except LogCorrupt as error:
                log_corrupt(error, unknown[error.table].epoch)
                unknown.pop(error.table).set_aside(error.table)
                continue
            return {table: tail.record.cursor for table, tail in tails.items() if tail.record is not None}
        return {}

    def _settle(self, batch: Batch) -> None:
        for number, cursor in batch.cursors.items():
            self.charge.shards[number].cursor = self._places[number] = cursor
            self.charge.has_served(number)
        for table in batch.put_aside:
            self._forget(table)
        for number, authority in batch.touched.values():
            authority.settle()
            self._follow(self.charge.shards[number], authority)
        for commit in batch.commits:
            for event in commit.record.events:
                self.metrics.events[self._tags[type(event)]] += 1
        for _number, table, seat in batch.bots_refused:
            self._drivers.refused(table, seat)

    async def _answer(self, batch: Batch, shards: Mapping[int, Shard]) -> None:
        try:
            await self._stores.log.answer([answer for _, answer in batch.answers])
        except StoreUnavailable as error:
            # Decided again from the noted cursor, so that every attempt gets its answer.
            lost = {number for number, _ in batch.answers}
            self._retake(lost, shards, str(error))

    async def _note_cursors(self, now: float) -> None:
        self._noted_at = now
        noted = [shard for shard in self.charge.shards.values() if shard.cursor != shard.noted_cursor]
        if now - self._trimmed_at >= TRIM_SECONDS:
            # Those at rest too: what they decided last is to be dropped in its time.
            self._trimmed_at = now
            noted = list(self.charge.shards.values())
        await asyncio.gather(*(self._note_cursor(shard) for shard in noted))

    async def _note_cursor(self, shard: Shard) -> None:
        cursor = shard.cursor
        await self._stores.inbox.set_cursor(shard.number, shard.epoch, cursor)
        shard.noted_cursor = cursor

    def _begin(self, shard: Shard) -> None:
        for authority in list(shard.tables.values()):
            self._follow(shard, authority)

    def _follow(self, shard: Shard, authority: Authority) -> None:
        """Behind a durable decision: timers and bots see what the log holds, nothing else.

        A table whose state nothing can follow on is set aside; the others go on.
        """
        try:
            if authority.is_open:
                self._timers.arm(authority.table, authority.next_due_ms)
                self._drivers.follow(authority.state)
            elif authority.has_past:
                shard.tables.pop(authority.table, None)
                self._forget(authority.table)
        except Exception as error:  # noqa: BLE001  # one table must not end the worker
            log_fault("table_set_aside", error, table=authority.table, epoch=shard.epoch)
            shard.set_aside(authority.table)
            self._forget(authority.table)

    def _end(self, shard: Shard) -> None:
        for table in shard.tables:
            self._forget(table)

    def _forget(self, table: str) -> None:
        self._timers.disarm(table)
        self._drivers.drop(table)

    def _tick(self, table: str) -> None:
        self._poster.post(Entry(table, Tick()), lambda _entry: None)  # the timer posts it again by itself

    def _try_move(self, entry: Entry) -> None:
        self._poster.post(entry, self._move_lost)

    def _move_lost(self, entry: Entry) -> None:
        if (seat := mover_of(entry)) is not None:
            self._drivers.refused(entry.table, seat)


def _unknown(posted: Sequence[Posted], shards: Mapping[int, Shard]) -> dict[str, Shard]:
    """Return the tables asked for that are not open here, with their shards."""
    unknown: dict[str, Shard] = {}
    for p in posted:
        if p.entry is not None and not shards[p.shard].knows(p.entry.table):
            unknown[p.entry.table] = shards[p.shard]
    return unknown
