"""This server, started as an operator would, on a Redis and a folder of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from loadtests.stopping import held_back
from loadtests.under_test.children import Child, own_folder
from loadtests.under_test.measured import Target
from rapid.config import Fsync
from rapid.store.embedded import EmbeddedRedis

HOST: Final = "127.0.0.1"
# All clients of a load test come from one address, and play faster than people can.
RAISED: Final = {
    "MESSAGES_PER_SECOND": "100000",
    "MESSAGES_BURST": "100000",
    "INTENTS_PER_SECOND": "100000",
    "INTENTS_BURST": "100000",
    "TABLES_PER_ADDRESS_BURST": "1000000",
    "TABLES_PER_ADDRESS_PER_MINUTE": "1000000",
    "CONNECTIONS_MAX": "1000000",
    "TABLES_MAX": "1000000",
}


@contextmanager
def redis_in(folder: Path, fsync: Fsync) -> Iterator[EmbeddedRedis]:
    """Run a Redis of our own, append-only file on."""
    redis = EmbeddedRedis(folder, fsync=fsync)
    try:
        asyncio.run(redis.start())
        yield redis
    finally:
        with held_back():
            asyncio.run(redis.stop())


@contextmanager
def own_server(
    *, is_split: bool, fsync: Fsync, limits: Mapping[str, str] = RAISED, has_watch_gateway: bool = False
) -> Iterator[Target]:
    """`rapid serve`, or gateway and worker by themselves; ended with the block.

    `has_watch_gateway`: one more gateway, for spectators alone.
    """
    with ExitStack() as parts:
        folder = parts.enter_context(own_folder("rapid-load-"))
        redis = parts.enter_context(redis_in(folder / "data", fsync))
        assert redis.pid is not None
        pids = {"redis": redis.pid}
        common = ("--redis", redis.url, "--log-level", "warning")
        listen = (*common, "--dev", "--host", HOST, "--port", "0")

        def start(part: str, *arguments: str) -> int:
            with held_back():
                child = Child(folder, limits, "rapid", *arguments)
                parts.callback(child.end)
            pids[part] = child.pid
            return child.port()

        if is_split:
            start("worker", "worker", *common)
        port = start("gateway", "gateway" if is_split else "serve", *listen)
        watch_port = start("watch_gateway", "gateway", *listen) if has_watch_gateway else 0
        yield Target(HOST, port, pids, redis.url, watch_port)
