"""One worker: a runner that serves and a supervisor that says what, as one thing to start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable

from rapid.errors import StoreUnavailable
from rapid.table.runner import Runner, draw_secret
from rapid.table.stores import Stores
from rapid.table.supervisor import BEAT_SECONDS, Supervisor
from rapid.telemetry.metrics import Metrics

GAUGES_EVERY_SECONDS = 2.0


class Worker:
    """Any number of these serve one Redis together, in any processes (DESIGN section 1)."""

    def __init__(
        self,
        stores: Stores,
        name: str,
        *,
        metrics: Metrics | None = None,
        rng: random.Random | None = None,
        secret: Callable[[], str] = draw_secret,
        beat_seconds: float = BEAT_SECONDS,
    ) -> None:
        """Work under a name that no other living worker has; a simulation passes all randomness in."""
        self.name = name
        self._stores = stores
        self.runner = Runner(stores, name, metrics=metrics, rng=rng, secret=secret)
        self.supervisor = Supervisor(stores, name, self.runner, rng=rng, beat_seconds=beat_seconds)
        self._shown_shards: set[int] = set()
        self._serving: asyncio.Task[None] | None = None
        self._supervising: asyncio.Task[None] | None = None

    @property
    def is_ready(self) -> bool:
        """Whether all tables can be served, by this worker or others."""
        return self.supervisor.is_ready

    @property
    def open_tables(self) -> int:
        """Tables served by this worker."""
        return sum(len(shard.tables) for shard in self.runner.charge.shards.values())

    @property
    def quarantined_tables(self) -> int:
        """Tables that this worker cannot serve, because of a corrupt log or a fault of ours."""
        return sum(len(shard.aside) for shard in self.runner.charge.shards.values())

    async def run(self) -> None:
        """Serve until `stop`; raises if serving ends by a fault of ours."""
        self._serving = asyncio.create_task(self.runner.run())
        self._supervising = asyncio.create_task(self.supervisor.run())
        gauges = asyncio.create_task(self._show_gauges())
        try:
            await asyncio.gather(self._serving, self._supervising)
        finally:
            gauges.cancel()
            # After a fault nothing of this worker may go on: the leases run out and others take over.
            self._serving.cancel()
            self._supervising.cancel()

    async def stop(self) -> None:
        """Finish the batch, hand all shards over as planned, and end `run`."""
        await self.supervisor.stop()
        if self._serving is not None and self._supervising is not None:
            await asyncio.gather(self._serving, self._supervising)
        await self.runner.close()

    async def _show_gauges(self) -> None:
        metrics = self.runner.metrics
        while True:
            metrics.shards.set(self._stores.shards)
            self._show_shards()
            with contextlib.suppress(StoreUnavailable):
                await self._forget_closed()
            metrics.open_tables.set(self.open_tables)
            metrics.quarantined_tables.set(self.quarantined_tables)
            with contextlib.suppress(StoreUnavailable):
                for shard, length in enumerate(await self._stores.inbox.lengths()):
                    metrics.stream_length.labels("inbox", str(shard)).set(length)
            await asyncio.sleep(GAUGES_EVERY_SECONDS)

    async def _forget_closed(self) -> None:
        """A table that was set aside and is closed since, by an operator, is none to look at any more."""
        for shard in list(self.runner.charge.shards.values()):
            if shard.aside:
                before = frozenset(shard.aside)
                shard.aside -= before.difference(await self._stores.log.tables(shard.number))

    def _show_shards(self) -> None:
        metrics, served = self.runner.metrics, self.runner.charge.shards
        metrics.served_shards.set(len(served))
        for number in range(self._stores.shards):
            shard = served.get(number)
            if shard is not None:
                metrics.shard_tables.labels(str(number)).set(len(shard.tables))
            elif number in self._shown_shards:
                metrics.shard_tables.remove(str(number))
        self._shown_shards = set(served)
