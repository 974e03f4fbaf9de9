"""The processes of the system: workers and gateways, the real ones, each with its link to Redis and its own clock."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Coroutine
from typing import Any

from rapid.config import Limits as ClientLimits
from rapid.errors import StoreUnavailable
from rapid.gateway.gateway import Gateway
from rapid.gateway.options import GatewayOptions
from rapid.table.worker import Worker
from rapid.telemetry.metrics import Metrics
from tests.simulation.loop import Process
from tests.simulation.redis_model import SimStore, SimWorld
from tests.simulation.sockets import Socket


class _Unread(Metrics):
    """Figures that nobody asks for."""

    def before_render(self, look: Callable[[], None]) -> None:
        """Keep nothing: whom it belongs to would keep the whole world of its seed alive."""


METRICS = _Unread()
"""Shared by all: nobody reads them here, and a set of them takes milliseconds to make."""
OPTIONS = GatewayOptions(
    limits=ClientLimits(viewer_buffer_max_bytes=65_536, intents_per_second=200, intents_burst=400),
    dev=True,
    table_idle_ms=5_000,
    history_records=48,
    read_page=40,
)
CLOCK_SAMPLES = 2


class SimProcess:
    """What workers and gateways have in common."""

    def __init__(self, world: SimWorld, name: str, dice: random.Random) -> None:
        self.name = name
        self.world = world
        self.dice = dice
        self.process = Process(name)
        self.process.skew_s = dice.random() * 1000
        self.process.on_death = self._died
        self.store = SimStore(world, self.process.monotonic)
        self.is_leaving = False
        self.process.start(self._run())

    @property
    def is_alive(self) -> bool:
        """Whether it has not been killed and has not ended."""
        return not self.process.is_dead

    async def _run(self) -> None:
        """Learn the time as a real store does before it is used, then work."""
        learnt = 0
        while learnt < CLOCK_SAMPLES:
            try:
                await self.store.clock.read_ms()
                learnt += 1
            except StoreUnavailable:
                await asyncio.sleep(0.1)
        keeping = asyncio.get_running_loop().create_task(self.store.keep_time())
        await self._work()
        keeping.cancel()
        self.process.kill()

    def leave(self) -> None:
        """SIGTERM."""
        if not self.is_leaving and self.is_alive:
            self.is_leaving = True
            self.process.start(self._leave())

    def _work(self) -> Coroutine[Any, Any, None]:
        raise NotImplementedError

    def _leave(self) -> Coroutine[Any, Any, None]:
        raise NotImplementedError

    def _died(self) -> None:
        self.store.vanish()


class SimWorker(SimProcess):
    """`rapid worker`."""

    def __init__(self, world: SimWorld, name: str, dice: random.Random) -> None:
        super().__init__(world, name, dice)
        self.worker = Worker(
            self.store,
            name,
            metrics=METRICS,
            rng=random.Random(dice.random()),
            secret=lambda: f"{dice.getrandbits(256):064x}",
            beat_seconds=0.4,
        )

    async def _work(self) -> None:
        await self.worker.run()

    async def _leave(self) -> None:
        await self.worker.stop()


class SimGateway(SimProcess):
    """`rapid gateway`, with simulated sockets in place of aiohttp's."""

    def __init__(self, world: SimWorld, name: str, dice: random.Random) -> None:
        super().__init__(world, name, dice)
        self.gateway = Gateway(self.store, OPTIONS, METRICS, name=name)
        self.sockets: dict[Socket, None] = {}
        self.is_open = False
        self._ended = asyncio.Event()

    @property
    def takes_connections(self) -> bool:
        """Whether a balancer would send a client here."""
        return self.is_alive and self.is_open and not self.is_leaving

    async def _work(self) -> None:
        await self.gateway.start()
        self.is_open = True
        await self._ended.wait()

    async def _leave(self) -> None:
        """As `rapid gateway` ends: 1001 to all, a moment for their last frames, then the end of all that goes on."""
        await self.gateway.leave()
        await asyncio.sleep(0.05)
        for socket in list(self.sockets):
            socket.lost()
        with contextlib.suppress(StoreUnavailable):
            await self.gateway.stop()
        self._ended.set()

    def _died(self) -> None:
        super()._died()
        for socket in list(self.sockets):
            socket.host_died()
