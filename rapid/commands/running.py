"""What the commands share that speak to Redis: an event loop, a store that is fit, an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from msgspec import structs

from rapid.config import StoreOptions
from rapid.errors import ConfigError, StoreUnavailable
from rapid.ids import new_token
from rapid.store.embedded import attach_or_start
from rapid.store.limits import DEFAULT_LIMITS, Limits
from rapid.store.redis_store import RedisStore, open_store
from rapid.store.server_check import check_address
from rapid.telemetry.logs import get_logger

Result = TypeVar("Result")

MS_PER_DAY = 86_400_000

_log = get_logger(__name__)


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """Run on uvloop where there is one."""
    try:
        import uvloop  # noqa: PLC0415  # not to be had on every system
    except ImportError:
        return asyncio.run(main)
    return uvloop.run(main)


@contextlib.asynccontextmanager
async def redis_url(options: StoreOptions) -> AsyncIterator[str]:
    """Give the address of the Redis: the one named, else that of the data folder, started if need be."""
    if options.redis is not None:
        yield options.redis
        return
    async with attach_or_start(options.data, fsync=options.fsync) as url:
        yield url


@contextlib.asynccontextmanager
async def opened(url: str, options: StoreOptions) -> AsyncIterator[RedisStore]:
    """Open the store of a Redis that is fit to keep tables; `ConfigError` says what is wrong with it."""
    try:
        for warning in await check_address(url):
            _log.warning("redis_unsafe", warning=warning)
        store = await open_store(url, shards=options.shards, limits=_limits(options))
    except StoreUnavailable as error:
        raise ConfigError(f"no Redis at {options.redis or options.data}: {error}") from error
    try:
        yield store
    finally:
        await store.close()


def _limits(options: StoreOptions) -> Limits:
    return structs.replace(
        DEFAULT_LIMITS,
        lease_ms=options.lease_ms,
        worker_dead_ms=options.lease_ms,
        log_kept_ms=round(options.log_kept_days * MS_PER_DAY),
    )


def own_name(kind: str) -> str:
    """Return a name for this process that no other has, now or later."""
    return f"{kind}-{socket.gethostname()}-{os.getpid()}-{new_token()[:8]}"


def stop_signal() -> asyncio.Event:
    """Return an event that SIGINT or SIGTERM sets; a second one ends the process at once."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def asked(number: signal.Signals) -> None:
        stop.set()
        loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked, number)
    return stop


async def until_stopped(stop: asyncio.Event, *tasks: asyncio.Task[Any]) -> None:
    """Wait for the signal; a task that ends before it has failed, and its error is raised."""
    waiting = asyncio.create_task(stop.wait())
    try:
        done, _ = await asyncio.wait({waiting, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        waiting.cancel()
