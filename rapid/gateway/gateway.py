"""One gateway: its parts put together, started and stopped."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from itertools import count

from rapid.errors import StoreUnavailable
from rapid.gateway.asks import Asks
from rapid.gateway.health import Health
from rapid.gateway.hub import Hub
from rapid.gateway.limits import PerAddress
from rapid.gateway.options import GatewayOptions
from rapid.gateway.presence import Seats
from rapid.gateway.viewer import Viewer
from rapid.store import Store
from rapid.telemetry.logs import get_logger
from rapid.telemetry.metrics import Metrics
from rapid.wire.bucket import Rate
from rapid.wire.close import ENDINGS, LEAVING, Ending

log = get_logger(__name__)
SECONDS_PER_MINUTE = 60


class Gateway:
    """Its name is unique to its life: a gateway that starts again is another one."""

    def __init__(self, store: Store, options: GatewayOptions, metrics: Metrics, *, name: str | None = None) -> None:
        self.name = name or f"gateway-{secrets.token_hex(6)}"
        self.store = store
        self.options = options
        self.metrics = metrics
        metrics.viewers_cut.show(ending.why for ending in ENDINGS)
        self.feed = store.feed(self.name)
        self.health = Health(
            store.ready,
            metrics,
            every_ms=options.check_every_ms,
            while_away_ms=options.probe_every_ms,
            is_silent=lambda: store.is_silent,
            cut_off_ms=options.cut_off_ms,
        )
        self.health.on_cut_off(self.send_away)
        self.asks = Asks(self.name, store.inbox, store.clock, self.health, metrics)
        self.seats = Seats(self.name, store.presence, self.feed, self.health)
        self.hub = Hub(self.name, store, self.feed, self.asks, self.seats, self.health, options, metrics)
        limits = options.limits
        self.tables_per_address = PerAddress(
            Rate(limits.tables_per_address_per_minute / SECONDS_PER_MINUTE, limits.tables_per_address_burst)
        )
        self.viewers: dict[int, Viewer] = {}
        self.is_leaving = False
        self._conns = count(1)
        self._tasks: list[asyncio.Task[None]] = []
        self.seats.on_taken(self._taken)
        self.seats.ask_of_parted(self._has_parted)

    def new_conn(self) -> int:
        """Return a number for a connection, never used again."""
        return next(self._conns)

    async def start(self) -> None:
        """Beat once, so that we are missed if we die, and begin to listen; Redis may be away."""
        try:
            await self.store.presence.beat(self.name)
        except StoreUnavailable:
            self.health.lost()
        self._tasks = [
            asyncio.create_task(self._guarded(work, name))
            for name, work in (
                ("deliveries", self.hub.run_deliveries),
                ("checks", self.hub.run_checks),
                ("health", self.health.run),
            )
        ]

    async def leave(self) -> None:
        """Tell every viewer to come back at once, to another gateway or to us again."""
        self.is_leaving = True
        self.seats.go()
        self.send_away()

    def send_away(self) -> None:
        """Tell every viewer to come back at once; we go, or are out of Redis' reach when other gateways may not be."""
        for viewer in list(self.viewers.values()):
            viewer.end(LEAVING)

    async def stop(self) -> None:
        """End all that goes on."""
        await self.leave()
        await self.seats.until_followed(self.options.hand_over_ms / 1000)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.asks.stop()
        await self.seats.stop()
        await self.hub.stop()
        await self.feed.close()

    async def _guarded(self, work: Callable[[], Coroutine[None, None, None]], name: str) -> None:
        """A fault of ours here would leave every viewer blind: it is shown, and the work goes on."""
        while True:
            try:
                await work()
            except Exception:
                log.exception("gateway_task_failed", task=name)
            await asyncio.sleep(self.options.check_every_ms / 1000)
            self.hub.catch_up_later(self.hub.tables.values())

    def _has_parted(self, conn: int) -> bool:
        viewer = self.viewers.get(conn)
        return viewer is not None and viewer.parted_at is not None

    def _taken(self, conn: int, ending: Ending) -> None:
        viewer = self.viewers.get(conn)
        if viewer is not None:
            viewer.end(ending)
