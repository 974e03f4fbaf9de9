"""HTTP connections that have not asked for anything yet.

aiohttp waits for a first request without end, so idle sockets could use up all the descriptors
of the process and shut newcomers out. What keeps a connection afterwards has limits of its
own: a WebSocket its hello and heartbeat, a body its time, a silent connection aiohttp's keep-alive.
"""

from __future__ import annotations

import asyncio

from aiohttp import web

from rapid.telemetry.metrics import Metrics


class Arrivals:
    """Closes connections whose first request has not come in whole within `timeout_ms`."""

    def __init__(self, timeout_ms: int, metrics: Metrics) -> None:
        self._timeout_s = timeout_ms / 1000
        self._metrics = metrics
        self._silent: dict[asyncio.BaseProtocol, asyncio.TimerHandle] = {}

    def watched(self, protocol: web.RequestHandler) -> web.RequestHandler:
        """A connection is being accepted; returns its protocol."""
        self._silent[protocol] = asyncio.get_running_loop().call_later(self._timeout_s, self._check, protocol)
        return protocol

    def has_asked(self, request: web.Request) -> None:
        """A request has come.

        The timer goes: it would keep the connection in memory, with all its buffers, long after it has ended.
        """
        timer = self._silent.pop(request.protocol, None)
        if timer is not None:
            timer.cancel()

    def _check(self, protocol: web.RequestHandler) -> None:
        if self._silent.pop(protocol, None) is not None and protocol.connected:
            self._metrics.hit("request_timeout_ms")
            protocol.force_close()
