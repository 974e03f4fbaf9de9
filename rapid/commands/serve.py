"""`rapid serve` and `rapid gateway`: build the parts, say where they are, end in order."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

from rapid.commands.addresses import addresses_to_open, listening
from rapid.commands.collector import settle_collector
from rapid.commands.running import opened, redis_url, run, stop_signal, until_stopped
from rapid.commands.worker import until_ready, working
from rapid.config import Limits, ServerOptions, StoreOptions
from rapid.gateway.options import GatewayOptions
from rapid.gateway.site import served
from rapid.store.embedded import EmbeddedRedis
from rapid.telemetry.loop_lag import watching_lag
from rapid.telemetry.metrics import Metrics


def everything(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    """Serve with one worker and one gateway in this process, on a Redis of our own unless one is named."""
    return run(_everything(server, options, limits))


def gateway(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    """Serve HTTP and WebSocket; workers are elsewhere."""
    return run(_gateway(server, options, limits))


async def _everything(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    stop, metrics = stop_signal(), Metrics(limits)
    async with contextlib.AsyncExitStack() as parts:
        # The port first: a second server stops before it has touched anything. They end in the opposite order.
        sock = parts.enter_context(listening(server.host, server.port))
        await parts.enter_async_context(watching_lag(metrics.loop_lag))
        url, keeping = await parts.enter_async_context(_own_redis(options))
        store = await parts.enter_async_context(opened(url, options))
        worker, task = await parts.enter_async_context(working(store, metrics, options.lease_ms))
        await until_ready(worker, task, stop)
        if not stop.is_set():
            # There is no other gateway as a rule, so nobody's people are waited for.
            own = _options(server, limits, hand_over_ms=0)
            await parts.enter_async_context(served(store, own, metrics, sock))
            settle_collector()
            _say_ready(sock, server.host)
        await until_stopped(stop, task, *keeping)
    return 0


async def _gateway(server: ServerOptions, options: StoreOptions, limits: Limits) -> int:
    stop, metrics = stop_signal(), Metrics(limits)
    async with contextlib.AsyncExitStack() as parts:
        sock = parts.enter_context(listening(server.host, server.port))
        await parts.enter_async_context(watching_lag(metrics.loop_lag))
        url = await parts.enter_async_context(redis_url(options))
        store = await parts.enter_async_context(opened(url, options))
        await parts.enter_async_context(served(store, _options(server, limits), metrics, sock))
        settle_collector()
        _say_ready(sock, server.host)
        await until_stopped(stop)
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


def _options(server: ServerOptions, limits: Limits, **more: int) -> GatewayOptions:
    return GatewayOptions(limits=limits, dev=server.dev, origins=server.origins, **more)


def _say_ready(sock: socket.socket, host: str) -> None:
    """What a person, or a script that waits for the line, needs to go on."""
    first, *others = addresses_to_open(sock, host)
    print(f"rapid is ready: {first}", flush=True)
    for address in others:
        print(f"  on your network: {address}", flush=True)
