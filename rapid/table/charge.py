"""The shards in a worker's charge: being taken, being served, dropped.

What the log holds is in doubt after any commit that failed. The shard is then dropped from
memory and taken anew with a raised epoch, as often as it takes (DESIGN decision 5).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from rapid.errors import Fenced, StoreUnavailable
from rapid.table.recovery import take_shard
from rapid.table.shard import Shard
from rapid.table.stores import Stores
from rapid.telemetry.logs import get_logger
from rapid.telemetry.metrics import Metrics

AGAIN_SECONDS = 0.05
AGAIN_MAX_SECONDS = 1.0
"""Between tries to take a shard while Redis is away: doubling from the first to the second."""
TAKEN_AT_ONCE = 4
TRIES_SAID = 5
"""Each so many tries that failed are worth a line: the first few are over in a second."""

_log = get_logger(__name__)


class Charge:
    """Keeps `shards`, those that are served now. `taken` and `dropped` are told of each change."""

    def __init__(
        self,
        stores: Stores,
        worker: str,
        taken: Callable[[Shard], None],
        dropped: Callable[[Shard], None],
        metrics: Metrics,
    ) -> None:
        """Take shards for `worker`, under whose name they are leased."""
        self.shards: Mapping[int, Shard] = {}
        """Another mapping with each change, so that who sees the same one again knows that nothing has changed."""
        self.changed = asyncio.Event()
        """Set when a shard came to be served; cleared by who waits for it."""
        self.on_change: Callable[[], None] = lambda: None
        """Told when a shard begins or ends to be served."""
        self._metrics = metrics
        self._stores = stores
        self._worker = worker
        self._taken = taken
        self._dropped = dropped
        self._retakes: dict[int, int] = {}
        """How often each was taken anew since it last went well."""
        self._taking: dict[int, asyncio.Task[None]] = {}
        self._given_up: set[asyncio.Task[None]] = set()
        self._planned: set[int] = set()
        """Shards being taken from an owner who handed over as planned."""
        self._room = asyncio.Semaphore(TAKEN_AT_ONCE)

    @property
    def owned(self) -> set[int]:
        """Shards under lease: served, or being taken."""
        return {*self.shards, *self._taking}

    def take(self, number: int, epoch: int, *, planned: bool) -> None:
        """Take a shard that was just leased with this epoch, in the background."""
        self._start(number, epoch, planned=planned)

    def retake(self, numbers: Iterable[int], why: str) -> None:
        """Drop these from memory and take them anew with a raised epoch, in the background."""
        for number in list(numbers):
            shard = self._forget(number)
            if shard is not None:
                # Sixty-four lines about empty shards would hide the one that matters.
                say = _log.warning if shard.tables else _log.debug
                say("shard_retaken", shard=number, epoch=shard.epoch, tables=len(shard.tables), why=why)
                self._retakes[number] = self._retakes.get(number, 0) + 1
                self._start(number, shard.epoch, planned=False, again=True)

    def has_served(self, number: int) -> None:
        """A batch went well."""
        if self._retakes:
            self._retakes.pop(number, None)

    def drop(self, number: int) -> Shard | None:
        """Serve the shard no longer; return it if it was served."""
        task = self._taking.pop(number, None)
        self._planned.discard(number)
        if task is not None:
            task.cancel()
            self._given_up.add(task)
            task.add_done_callback(self._given_up.discard)
        return self._forget(number)

    async def stop(self) -> None:
        """Give up what is still being taken, and wait until nothing of it goes on."""
        for number in list(self._taking):
            self.drop(number)
        await asyncio.gather(*self._given_up, return_exceptions=True)

    def is_taken_as_planned(self, number: int) -> bool:
        """Whether the shard is being taken behind a planned hand-over, which then holds for the next owner too."""
        return number in self._planned

    def _forget(self, number: int) -> Shard | None:
        shard = self.shards.get(number)
        if shard is not None:
            self.shards = {other: kept for other, kept in self.shards.items() if other != number}
            self._dropped(shard)
            self.on_change()
        return shard

    def _start(self, number: int, epoch: int, *, planned: bool, again: bool = False) -> None:
        task = asyncio.get_running_loop().create_task(self._take(number, epoch, planned=planned, again=again))
        self._taking[number] = task
        (self._planned.add if planned else self._planned.discard)(number)
        task.add_done_callback(lambda done: self._ended(number, done))

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        if self._taking.get(number) is task:
            del self._taking[number]
            self._planned.discard(number)
        if not task.cancelled() and (error := task.exception()) is not None:
            # The lease runs on without anybody serving; the supervisor sees that and lets go of it.
            _log.error("shard_not_taken", shard=number, error=type(error).__name__)

    async def _take(self, number: int, epoch: int, *, planned: bool, again: bool) -> None:
        # At once the first time; what fails again and again must not fill logs with claims.
        retakes = self._retakes.get(number, 0)
        if retakes > 1:
            await asyncio.sleep(min(AGAIN_SECONDS * 2 ** min(retakes, 10), AGAIN_MAX_SECONDS))
        pause, tries = AGAIN_SECONDS, 0
        while True:
            try:
                async with self._room:
                    shard = await self._try(number, epoch, planned=planned, again=again)
            except (StoreUnavailable, Fenced) as error:
                tries += 1
                if tries % TRIES_SAID == 0:
                    _log.warning("shard_not_taken_yet", shard=number, tries=tries, error=str(error))
                # An epoch that may have written something is never used a second time.
                again, planned = True, False
                self._planned.discard(number)
                await asyncio.sleep(pause)
                pause = min(2 * pause, AGAIN_MAX_SECONDS)
                continue
            if shard is not None:
                self._install(shard)
            return

    async def _try(self, number: int, epoch: int, *, planned: bool, again: bool) -> Shard | None:
        raised: int | None = epoch
        if again:
            raised = await self._stores.lease.raise_epoch(number, self._worker, epoch + 1)
        if raised is None:
            return None
        return await take_shard(self._stores, number, raised, self._worker, planned=planned)

    def _install(self, shard: Shard) -> None:
        self._metrics.epoch_takeovers.inc()
        self._metrics.shard_entries.show((shard.number,))
        self.shards = {**self.shards, shard.number: shard}
        if shard.tables or shard.aside:
            _log.info("shard_taken", shard=shard.number, epoch=shard.epoch, tables=len(shard.tables))
        self._taken(shard)
        self.changed.set()
        self.on_change()
