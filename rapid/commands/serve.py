"""`rapid serve`, `rapid gateway` and `rapid worker`: build the parts, say where they are, end in order."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

from rapid.commands.addresses import addresses_to_open, listening
from rapid.commands.running import opened, own_name, redis_url, run, stop_signal, until_stopped
from rapid.config import Limits, ServerOptions, StoreOptions
from rapid.errors import ConfigError
from rapid.store.embedded import EmbeddedRedis
from rapid.store.redis_store import RedisStore
from rapid.table.worker import Worker
from rapid.telemetry.metrics import Metrics

READY_WAIT_SECONDS = 30.0


def everything(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    """Serve with one worker and one gateway in this process, on a Redis of our own unless one is named."""
    return run(_everything(server, options, limits))


def gateway(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    """Serve HTTP and WebSocket; workers are elsewhere."""
    return run(_gateway(server, options, limits))


def worker(options: StoreOptions) -> int:
    """Decide at tables; gateways are elsewhere."""
    return run(_worker(options))


async def _everything(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    stop, metrics = stop_signal(), Metrics(limits)
    with listening(server.host, server.port) as sock:
        async with _own_redis(options) as (url, keeping), opened(url, options) as store:
            async with _working(store, metrics) as (served, working):
                await _until_ready(served, working, stop)
                async with serving(store, sock, server, limits, metrics, lambda: served.is_ready):
                    _say_ready(sock, server.host)
                    await until_stopped(stop, working, *keeping)
    return 0


async def _gateway(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    stop, metrics = stop_signal(), Metrics(limits)
    with listening(server.host, server.port) as sock:
        async with redis_url(options) as url, opened(url, options) as store:
            async with serving(store, sock, server, limits, metrics, lambda: True):
                _say_ready(sock, server.host)
                await until_stopped(stop)
    return 0


async def _worker(options: StoreOptions) -> int:
    stop, metrics = stop_signal(), Metrics()
    async with redis_url(options) as url, opened(url, options) as store:
        async with _working(store, metrics) as (served, working):
            await _until_ready(served, working, stop)
            print(f"rapid worker {served.name} is ready", flush=True)
            await until_stopped(stop, working)
    return 0


@contextlib.asynccontextmanager
async def _own_redis(options: StoreOptions) -> AsyncIterator[tuple[str, tuple[asyncio.Task[None], ...]]]:
    """Give the address of Redis, and the task that keeps our own running, if it is our own."""
    if options.redis is not None:
        yield options.redis, ()
        return
    server = EmbeddedRedis(options.data, fsync=options.fsync)
    await server.start()
    keeping = asyncio.create_task(server.keep_running())
    try:
        yield server.url, (keeping,)
    finally:
        keeping.cancel()
        await server.stop()


@contextlib.asynccontextmanager
async def _working(store: RedisStore, metrics: Metrics) -> AsyncIterator[tuple[Worker, asyncio.Task[None]]]:
    """Run a worker; at the end it finishes its batch and hands its shards over."""
    served = Worker(store, own_name("worker"), metrics=metrics)
    working = asyncio.create_task(served.run())
    try:
        yield served, working
    finally:
        if not working.done():
            await served.stop()
        with contextlib.suppress(asyncio.CancelledError):
            await working


async def _until_ready(served: Worker, working: asyncio.Task[None], stop: asyncio.Event) -> None:
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


def _say_ready(sock: socket.socket, host: str) -> None:
    """What a person, or a script that waits for the line, needs to go on."""
    first, *others = addresses_to_open(sock, host)
    print(f"rapid is ready: {first}", flush=True)
    for address in others:
        print(f"  on your network: {address}", flush=True)
