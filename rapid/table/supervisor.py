"""Who serves which shard: leases balanced among the living workers, hand-overs, the dead reaped.

A lease only keeps owners from overlapping; what protects the logs is the fence (DESIGN
decision 5). So nothing here has to be quick or exact for tables to be safe.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence

from rapid.errors import StoreUnavailable
from rapid.table.runner import Runner
from rapid.table.stores import Stores
from rapid.telemetry.logs import get_logger

BEAT_SECONDS = 0.5
REAP_EVERY_BEATS = 2

_log = get_logger(__name__)


class Supervisor:
    """Gives its runner its fair share of the shards: ceil(shards / living workers)."""

    def __init__(self, stores: Stores, worker: str, runner: Runner, *, rng: random.Random | None = None) -> None:
        """Lease under the name `worker`, which no other living worker may have."""
        self._stores = stores
        self._worker = worker
        self._runner = runner
        self._rng = rng or random.Random()  # noqa: S311  # only spreads who asks for which shard first
        self._elsewhere: set[int] = set()
        """Shards leased by another living worker, as of the last beat."""
        self._beats = 0
        self._is_away = True
        self._stopping = asyncio.Event()
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
        while not self._stopping.is_set():
            try:
                await self.beat()
            except StoreUnavailable as error:
                self._note_away(error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), BEAT_SECONDS)

    async def beat(self) -> None:
        """Say that we live, renew, balance, and now and then reap gateways that are gone."""
        async with self._beating:
            alive = await self._stores.lease.beat(self._worker)
            await self._runner.check_run()
            await self._renew()
            await self._balance(alive)
            self._note_away(None)
            if self._beats % REAP_EVERY_BEATS == 0:
                await self._reap()
            self._beats += 1

    async def stop(self) -> None:
        """End `run`, and hand all shards over in order (planned: running deadlines are kept, R9)."""
        self._stopping.set()
        self.ready.clear()
        async with self._beating:
            self._runner.stop()
            await asyncio.gather(*(self._hand_over(number) for number in range(self._stores.shards)))
        with contextlib.suppress(StoreUnavailable):
            await self._stores.lease.retire(self._worker)

    async def _renew(self) -> None:
        owned = sorted(self._runner.charge.owned)
        if not owned:
            return
        for number, is_ours in zip(owned, await self._stores.lease.renew(owned, self._worker), strict=True):
            if not is_ours:
                _log.warning("lease_lost", shard=number, worker=self._worker)
                self._runner.charge.drop(number)

    async def _balance(self, alive: Sequence[str]) -> None:
        quota = -(-self._stores.shards // max(1, len(alive)))
        for number in sorted(self._runner.charge.owned)[quota:]:
            await self._hand_over(number)
        room = quota - len(self._runner.charge.owned)
        owners = await self._stores.lease.owners(range(self._stores.shards))
        self._elsewhere = {n for n, owner in owners.items() if owner != self._worker and owner in alive}
        free = [number for number in range(self._stores.shards) if number not in owners]
        self._rng.shuffle(free)
        await asyncio.gather(*(self._acquire(number) for number in free[: max(0, room)]))

    async def _acquire(self, number: int) -> None:
        epoch = await self._stores.lease.acquire(number, self._worker)
        if epoch is None:
            return  # another one was quicker
        planned = await self._stores.lease.was_planned(number)
        self._runner.charge.take(number, epoch, planned=planned)

    async def _hand_over(self, number: int) -> None:
        if number not in self._runner.charge.owned:
            return
        shard, was_planned = None, self._runner.charge.is_taken_as_planned(number)
        with contextlib.suppress(StoreUnavailable):
            shard = await self._runner.hand_over(number)
        with contextlib.suppress(StoreUnavailable):
            # A shard that was only being taken is as good as whoever gave it up had left it.
            await self._stores.lease.release(number, self._worker, planned=was_planned or shard is not None)

    async def _reap(self) -> None:
        for gateway in await self._stores.presence.reap():
            _log.warning("gateway_gone", gateway=gateway)

    def _note_ready(self) -> None:
        served = self._runner.charge.shards.keys() | self._elsewhere
        if len(served) == self._stores.shards and not self._is_away and not self._stopping.is_set():
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
