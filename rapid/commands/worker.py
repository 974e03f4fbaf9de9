"""`rapid worker`: decide at tables, with any number of others like it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from prometheus_client import start_http_server

from rapid.commands.collector import settle_collector
from rapid.commands.running import opened, own_name, redis_url, run, stop_signal, until_stopped
from rapid.config import Limits, StoreOptions
from rapid.errors import ConfigError
from rapid.store.redis_store import RedisStore
from rapid.table.worker import Worker
from rapid.telemetry.loop_lag import watching_lag
from rapid.telemetry.metrics import Metrics

READY_WAIT_SECONDS = 30.0
BEATS_PER_LEASE = 4


def worker(options: StoreOptions, limits: Limits, metrics_port: int | None = None) -> int:
    """Serve until a signal; gateways are elsewhere. Metrics are shown on a port of their own, if one is given."""
    return run(_worker(options, limits, metrics_port))


async def _worker(options: StoreOptions, limits: Limits, metrics_port: int | None) -> int:
    stop, metrics = stop_signal(), Metrics(limits)
    async with (
        redis_url(options) as url,
        opened(url, options) as store,
        watching_lag(metrics.loop_lag),
        working(store, metrics, options.lease_ms) as (served, task),
    ):
        with _shown(metrics, metrics_port) as address:
            await until_ready(served, task, stop)
            if not stop.is_set():
                settle_collector()
                print(f"rapid worker {served.name} is ready{address}", flush=True)
            await until_stopped(stop, task)
    return 0


@contextlib.contextmanager
def _shown(metrics: Metrics, port: int | None) -> Iterator[str]:
    """Show metrics on this port (0: any that is free); give the words that say where."""
    if port is None:
        yield ""
        return
    try:
        server, thread = start_http_server(port, registry=metrics.registry)
    except OSError as error:
        raise ConfigError(f"metrics cannot be shown on port {port}: {error.strerror}") from error
    try:
        yield f", its metrics: http://127.0.0.1:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.asynccontextmanager
async def working(
    store: RedisStore, metrics: Metrics, lease_ms: int
) -> AsyncIterator[tuple[Worker, asyncio.Task[None]]]:
    """Run a worker; at the end it finishes its batch and hands its shards over."""
    beat_seconds = lease_ms / BEATS_PER_LEASE / 1000
    served = Worker(store, own_name("worker"), metrics=metrics, beat_seconds=beat_seconds)
    working = asyncio.create_task(served.run())
    try:
        yield served, working
    finally:
        if not working.done():
            await served.stop()
        with contextlib.suppress(asyncio.CancelledError):
            await working


async def until_ready(served: Worker, working: asyncio.Task[None], stop: asyncio.Event) -> None:
    """Wait until all tables can be served; a signal ends the wait too."""
    ready = asyncio.create_task(served.supervisor.ready.wait())
    stopped = asyncio.create_task(stop.wait())
    done, _ = await asyncio.wait(
        {ready, stopped, working}, timeout=READY_WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED
    )
    for waiting in (ready, stopped):
        waiting.cancel()
    if working in done:
        await working
    if not done:
        raise ConfigError("the tables cannot be taken in charge; does another server use this Redis?")
