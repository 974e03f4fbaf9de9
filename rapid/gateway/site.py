"""A gateway on a socket that listens already."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator

from aiohttp import web

from rapid.gateway.app import build_app
from rapid.gateway.options import GatewayOptions
from rapid.store import Store
from rapid.telemetry.metrics import Metrics

SHUTDOWN_SECONDS = 3.0
"""What is under way at the end gets so long."""


@contextlib.asynccontextmanager
async def served(store: Store, options: GatewayOptions, metrics: Metrics, sock: socket.socket) -> AsyncIterator[None]:
    """Serve until the end of the block; then viewers are told to come back at once (`leaving`)."""
    runner = web.AppRunner(build_app(store, options, metrics), access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        await web.SockSite(runner, sock).start()
        yield
    finally:
        await runner.cleanup()
