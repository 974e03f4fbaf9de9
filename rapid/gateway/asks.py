"""Intents on their way to an authority: each gets exactly one answer.

All intents of a loop turn are posted in one write (DESIGN decision 11). An answer comes in a
log record, behind its events, or, for a refusal, by the gateway's answer stream; unknown and
doubled ones are dropped. If a post failed it is not known whether it was written: once Redis
is back the inbox is searched, and only an intent that is not there is refused. A Redis that
came back as another run may have lost even what it had confirmed (DESIGN decision 5).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import count

from msgspec import Struct

from rapid.engine import refusals
from rapid.engine.intents import AnyIntent
from rapid.engine.refusals import Refusal
from rapid.errors import StoreUnavailable
from rapid.gateway.health import Health
from rapid.table.ports import Clock, Inbox
from rapid.telemetry.metrics import OK, Metrics
from rapid.wire.records import Answer, Ask, Entry

OnAnswer = Callable[[int, Refusal | None], None]
"""Told the last `seq` of the decision, or why there was none."""

UNAVAILABLE = Refusal(refusals.UNAVAILABLE)
RESULTS = (OK, *(code for name, code in vars(refusals).items() if name.isupper()))
ReadLog = Callable[[str], Awaitable[None]]


async def read_nothing(_table: str) -> None:
    """Until somebody has said how a table's log is read."""


class _Pending(Struct, frozen=True):
    entry: Entry
    asked_ms: int
    on_answer: OnAnswer


class Asks:
    """The undecided intents of one gateway."""

    def __init__(self, gateway: str, inbox: Inbox, clock: Clock, health: Health, metrics: Metrics) -> None:
        self._gateway = gateway
        self._inbox = inbox
        self._clock = clock
        self._health = health
        self._metrics = metrics
        metrics.intents.show(RESULTS)
        self._refs = count(1)
        self._pending: dict[int, _Pending] = {}
        self._batch: list[tuple[int, Entry]] = []
        self._posted: set[int] = set()
        """Those that Redis has confirmed, and nobody has answered yet."""
        self._uncertain: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._read_log: ReadLog = read_nothing
        health.on_back(self.settle)

    def on_missing(self, read_log: ReadLog) -> None:
        """Call this to read a table's log to its end, and hear the answers in it; `StoreUnavailable`."""
        self._read_log = read_log

    def __len__(self) -> int:
        return len(self._pending)

    def ask(
        self,
        table: str,
        intent: AnyIntent,
        on_answer: OnAnswer,
        *,
        since: int | None = None,
        mark: str | None = None,
        patience_ms: int | None = None,
    ) -> int | None:
        """Post the intent soon; return the number to `forget` it by, None if it is already answered.

        `since` and `mark`: of the seat's holder who asks, as in `Entry`.
        `patience_ms`: decided later than that, it is refused.
        """
        if not self._health.is_up:
            self._tell(on_answer, 0, UNAVAILABLE)
            return None
        ref = next(self._refs)
        now_ms = self._clock.now_ms()
        until_ms = None if patience_ms is None else now_ms + patience_ms
        entry = Entry(table, intent, Ask(self._gateway, ref), since, until_ms, mark)
        self._pending[ref] = _Pending(entry, now_ms, on_answer)
        if not self._batch:
            task = asyncio.get_running_loop().create_task(self._write())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._batch.append((ref, entry))
        return ref

    def forget(self, ref: int) -> None:
        """Nobody waits for this answer any more; what was asked is decided all the same."""
        self._take(ref)

    def answered(self, answer: Answer) -> None:
        """An answer has come; if nobody waits for it, it is dropped."""
        if answer.ask.gateway != self._gateway:
            return
        ref, refusal = answer.ask.ref, answer.refusal
        pending = self._pending.pop(ref, None)
        if pending is None:
            return
        self._posted.discard(ref)
        self._uncertain.discard(ref)
        self._metrics.intents[OK if refusal is None else refusal.why] += 1
        pending.on_answer(answer.seq, refusal)

    def table_of(self, answer: Answer) -> str | None:
        """Return the table that an answer somebody waits for is about."""
        pending = self._pending.get(answer.ask.ref) if answer.ask.gateway == self._gateway else None
        return None if pending is None else pending.entry.table

    async def settle(self) -> None:
        """Redis is back: find out which intents it has. Those it has not are refused."""
        for ref in sorted(self._uncertain):
            pending = self._pending.get(ref)
            if pending is None:
                continue
            try:
                found = await self._inbox.find(pending.entry, pending.asked_ms)
                if found is None:
                    # Decided, and dropped from the inbox since, if we were away for long: then the log has the answer.
                    await self._read_log(pending.entry.table)
            except StoreUnavailable:
                self._health.lost()
                return
            self._uncertain.discard(ref)
            if found is not None:
                if ref in self._pending:
                    self._posted.add(ref)  # confirmed like any other, and like any other it may be lost with a tail
            elif self._take(ref) is not None:
                self._tell(pending.on_answer, 0, UNAVAILABLE)

    async def settle_all(self) -> None:
        """Redis is another run and may have lost its tail: what it had confirmed may be gone too."""
        self._uncertain |= self._posted
        await self.settle()

    async def stop(self) -> None:
        """Wait for what is being written."""
        await asyncio.gather(*self._tasks)

    async def _write(self) -> None:
        """Write what has gathered when the task begins: all of the loop turn that asked for it."""
        batch, self._batch = self._batch, []
        written_s = time.perf_counter()
        try:
            await self._inbox.post([entry for _, entry in batch])
        except StoreUnavailable:
            self._uncertain.update(ref for ref, _ in batch if ref in self._pending)
            self._health.lost()
        else:
            self._metrics.round_trips["post"].note(time.perf_counter() - written_s)
            self._posted.update(ref for ref, _ in batch if ref in self._pending)

    def _take(self, ref: int) -> _Pending | None:
        """Nobody waits for this answer from here on."""
        self._posted.discard(ref)
        self._uncertain.discard(ref)
        return self._pending.pop(ref, None)

    def _tell(self, on_answer: OnAnswer, seq: int, refusal: Refusal | None) -> None:
        self._metrics.intents[OK if refusal is None else refusal.why] += 1
        on_answer(seq, refusal)
