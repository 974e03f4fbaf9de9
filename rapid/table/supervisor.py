"""Who serves which shard: leases balanced among the living workers, hand-overs, the dead reaped.

A lease only keeps owners from overlapping; what protects the logs is the fence (DESIGN
decision 5). So nothing here has to be quick or exact for tables to be safe.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rapid.errors import LogCorrupt, StoreUnavailable
from rapid.table.ports import id_order
from rapid.table.runner import Runner
from rapid.table.shard import Shard
from rapid.table.stores import Stores
from rapid.telemetry.logs import get_logger

BEAT_SECONDS = 0.25
"""A quarter of a lease, so that a beat or two may come late."""
LOOK_SECONDS = 0.02
"""Between two looks at what is free, while shards are about to be given up or their owner is gone."""
SERVED_WAIT_SECONDS = 1.0
"""A shard handed over is waited for so long; then those behind it are handed over all at once."""
SERVED_POLL_SECONDS = 0.01
REAP_EVERY_BEATS = 4

_log = get_logger(__name__)


class Supervisor:
    """Gives its runner its fair share of the shards: ceil(shards / living workers).

    A worker that leaves, or has more than its share, hands over one shard after the other, each once
    the one before is served again: a table waits for its own log to be folded, never for others'.
    """

    def __init__(
        self,
        stores: Stores,
        worker: str,
        runner: Runner,
        *,
        rng: random.Random | None = None,
        beat_seconds: float = BEAT_SECONDS,
    ) -> None:
        """Lease under the name `worker`, which no other living worker may have."""
        self._stores = stores
        self._worker = worker
        self._runner = runner
        self._rng = rng or random.Random()  # noqa: S311  # only spreads who asks for which shard first
        self._elsewhere: set[int] = set()
        """Shards leased by another living worker, as of the last beat."""
        self._alive: list[str] = []
        self._expects = False
        """Whether a shard that we have room for is about to become free."""
        self._beat_seconds = beat_seconds
        self._beats = 0
        self._is_away = True
        self._is_leaving = False
        self._stopping = asyncio.Event()
        self._shedding: asyncio.Task[None] | None = None
        """Hands over what is beyond our share."""
        self._beating = asyncio.Lock()
        """Held for a beat: what it is taking just now is handed over behind it."""
        self.ready = asyncio.Event()
        """Set while every shard is served here or leased by another living worker."""
        runner.charge.on_change = self._note_ready

    @property
    def is_ready(self) -> bool:
        """Whether all tables can be served by somebody living."""
        return self.ready.is_set()

    async def run(self) -> None:
        """Beat until `stop`; Redis away means trying on."""
        loop = asyncio.get_running_loop()
        beat_at = loop.time()
        while not self._stopping.is_set():
            try:
                if loop.time() >= beat_at:
                    beat_at = loop.time() + self._beat_seconds
                    await self.beat()
                else:
                    await self._look()
            except StoreUnavailable as error:
                self._expects = False
                self._note_away(error)
            until_beat = max(0.0, beat_at - loop.time())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._stopping.wait(), min(LOOK_SECONDS, until_beat) if self._expects else until_beat
                )

    async def beat(self) -> None:
        """Say that we live, renew, balance, and now and then reap gateways that are gone."""
        async with self._beating:
            if not self._is_leaving:
                self._alive = await self._stores.lease.beat(self._worker)
            await self._runner.check_run()
            await self._renew()
            await self._balance()
            self._note_away(None)
            if self._beats % REAP_EVERY_BEATS == 0:
                await self._reap()
                await self._runner.check_stamps()
            self._beats += 1

    async def stop(self) -> None:
        """End `run`, and hand all shards over in order (planned: running deadlines are kept, R9)."""
        self._is_leaving = True
        self.ready.clear()
        async with self._beating:
            pass  # what a beat is taking just now is handed over too
        if self._shedding is not None:
            await asyncio.gather(self._shedding, return_exceptions=True)
        # The beats go on meanwhile: what is not handed over yet is ours, and served.
        await self._shed(self._runner.charge.owned, is_patient=await self._is_followed())
        self._stopping.set()
        self._runner.stop()

    async def _is_followed(self) -> bool:
        """Beat no longer; return whether others are there to take our shards, once they have noticed."""
        try:
            alive = await self._stores.lease.beat(self._worker)
            await self._stores.lease.retire(self._worker)
        except StoreUnavailable:
            return False
        if alive == [self._worker]:
            return False
        # From their next beat on they look all the time.
        await asyncio.sleep(self._beat_seconds)
        return True

    async def _look(self) -> None:
        """Between beats, while shards are expected."""
        async with self._beating:
            await self._balance()

    async def _renew(self) -> None:
        owned = sorted(self._runner.charge.owned)
        if not owned:
            return
        for number, is_ours in zip(owned, await self._stores.lease.renew(owned, self._worker), strict=True):
            if not is_ours:
                _log.warning("lease_lost", shard=number, worker=self._worker)
                self._runner.charge.drop(number)

    async def _balance(self) -> None:
        if self._is_leaving:
            return
        quota = -(-self._stores.shards // max(1, len(self._alive)))
        owned = self._runner.charge.owned
        self._shed_later(sorted(owned)[quota:])
        owners = await self._stores.lease.owners(range(self._stores.shards))
        self._elsewhere = {n for n, owner in owners.items() if owner != self._worker and owner in self._alive}
        # A lease of ours that ran out while we were held up is renewed, not taken: we still know all there is to know.
        free = [number for number in range(self._stores.shards) if number not in owners and number not in owned]
        self._rng.shuffle(free)
        room = quota - len(owned)
        self._expects = room > 0 and self._are_to_come(owners, quota)
        await asyncio.gather(*(self._acquire(number) for number in free[: max(0, room)]))

    def _are_to_come(self, owners: Mapping[int, str], quota: int) -> bool:
        """Whether somebody is leaving, or gone, or has more than its share."""
        shares = Counter(owner for owner in owners.values() if owner != self._worker)
        return any(owner not in self._alive or count > quota for owner, count in shares.items())

    async def _acquire(self, number: int) -> None:
        epoch = await self._stores.lease.acquire(number, self._worker)
        if epoch is None:
            return  # another one was quicker
        planned = await self._stores.lease.was_planned(number)
        self._runner.charge.take(number, epoch, planned=planned)

    def _shed_later(self, numbers: Sequence[int]) -> None:
        if numbers and (self._shedding is None or self._shedding.done()):
            self._shedding = asyncio.get_running_loop().create_task(self._shed(numbers, is_patient=True))

    async def _shed(self, numbers: Iterable[int], *, is_patient: bool) -> None:
        """Hand these shards over: those without tables at once, the others one by one while that goes well."""
        charge, was_leaving = self._runner.charge, self._is_leaving
        busy = [number for number in numbers if number in charge.shards and charge.shards[number].tables]
        await asyncio.gather(*(self._hand_over(number) for number in numbers if number not in busy))
        for index, number in enumerate(busy):
            if self._is_leaving != was_leaving:
                return  # `stop` hands over what is left
            if not is_patient:
                await asyncio.gather(*(self._hand_over(later) for later in busy[index:]))
                return
            shard = await self._hand_over(number)
            is_patient = shard is not None and await self._is_served_elsewhere(shard)
            if shard is not None and not is_patient:
                _log.warning("hand_over_slow", shard=number, waited_ms=round(SERVED_WAIT_SECONDS * 1000))

    async def _is_served_elsewhere(self, shard: Shard) -> bool:
        """Wait until another epoch has resumed the tables of a shard that was handed over."""
        with contextlib.suppress(TimeoutError, StoreUnavailable):
            async with asyncio.timeout(SERVED_WAIT_SECONDS):
                while not await self._is_resumed(shard):  # noqa: ASYNC110  # it happens in another process
                    await asyncio.sleep(SERVED_POLL_SECONDS)
            return True
        return False

    async def _is_resumed(self, shard: Shard) -> bool:
        try:
            tails = await self._stores.log.tail(list(shard.tables))
        except LogCorrupt:
            return True  # whoever has the shard now says so
        return all(id_order(tail.id)[0] > shard.epoch and tail.record is not None for tail in tails.values())

    async def _hand_over(self, number: int) -> Shard | None:
        if number not in self._runner.charge.owned:
            return None
        shard, was_planned = None, self._runner.charge.is_taken_as_planned(number)
        with contextlib.suppress(StoreUnavailable):
            shard = await self._runner.hand_over(number)
        with contextlib.suppress(StoreUnavailable):
            # A shard that was only being taken is as good as whoever gave it up had left it.
            await self._stores.lease.release(number, self._worker, planned=was_planned or shard is not None)
        return shard

    async def _reap(self) -> None:
        for gateway in await self._stores.presence.reap():
            _log.warning("gateway_gone", gateway=gateway)

    def _note_ready(self) -> None:
        served = self._runner.charge.shards.keys() | self._elsewhere
        if len(served) == self._stores.shards and not self._is_away and not self._is_leaving:
            self.ready.set()
        else:
            self.ready.clear()

    def _note_away(self, error: StoreUnavailable | None) -> None:
        was_away, self._is_away = self._is_away, error is not None
        self._runner.metrics.redis_up.set(0 if error else 1)
        if error is not None and not was_away:
            _log.warning("redis_away", worker=self._worker, error=str(error))
        elif error is None and was_away:
            _log.info("redis_up", worker=self._worker)
        self._note_ready()
