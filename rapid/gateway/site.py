"""A gateway on a socket that listens already."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

from aiohttp import web

from rapid.gateway.app import ARRIVALS, build_app
from rapid.gateway.options import GatewayOptions
from rapid.store import Store
from rapid.telemetry.metrics import Metrics

BACKLOG_CONNECTIONS = 128
"""So many wait in the kernel to be accepted."""
SHUTDOWN_SECONDS = 3.0
"""What is under way at the end gets so long."""


@contextlib.asynccontextmanager
async def served(store: Store, options: GatewayOptions, metrics: Metrics, sock: socket.socket) -> AsyncIterator[None]:
    """Serve until the end of the block; then viewers are told to come back at once (`leaving`)."""
    app = build_app(store, options, metrics)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    accept = runner.server
    assert accept is not None
    listening: asyncio.Server | None = None
    try:
        # Not `web.SockSite`: it leaves no place to watch connections from their first moment.
        listening = await asyncio.get_running_loop().create_server(
            lambda: app[ARRIVALS].watched(accept()), sock=sock, backlog=BACKLOG_CONNECTIONS
        )
        yield
    finally:
        if listening is not None:
            listening.close()
        await runner.cleanup()
