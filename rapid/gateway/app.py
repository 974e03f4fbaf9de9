"""The gateway as an aiohttp application: built from a store, options and metrics, nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from aiohttp import web

from rapid.errors import LogCorrupt, OtherRun, StoreUnavailable
from rapid.gateway.arrivals import Arrivals
from rapid.gateway.gateway import Gateway
from rapid.gateway.http import Api, unavailable
from rapid.gateway.options import GatewayOptions
from rapid.gateway.problems import problem
from rapid.gateway.static import Client, security_headers
from rapid.gateway.websocket import serve_socket
from rapid.store import Store
from rapid.telemetry.metrics import CONTENT_TYPE, Metrics

GATEWAY: Final = web.AppKey("gateway", Gateway)
ARRIVALS: Final = web.AppKey("arrivals", Arrivals)
HAND_OVER_PAUSES_S: Final = (0.02, 0.05, 0.1, 0.1)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
CORRUPT_RETRY_S: Final = 60.0
_FAULTS: Final = {
    404: "There is nothing here",
    405: "This address does not know that method",
    408: "The body did not come in time",
    413: "The body is too long",
}


def build_app(
    store: Store, options: GatewayOptions, metrics: Metrics, *, client_folder: Path | None = None
) -> web.Application:
    """Return the application; it starts and stops the gateway with itself, and leaves the store open.

    `client_folder`: the built web client, if it is not to be looked for.
    """
    gateway = Gateway(store, options, metrics)
    app = web.Application(client_max_size=options.body_max_bytes, middlewares=[_note_arrival, _faults_as_problems])
    app[GATEWAY] = gateway
    app[ARRIVALS] = Arrivals(options.limits.request_timeout_ms, metrics)
    app.on_response_prepare.append(_add_headers)
    app.on_startup.append(_start)
    app.on_shutdown.append(_leave)
    app.on_cleanup.append(_stop)
    app.add_routes(_server_routes(gateway))
    app.add_routes(Api(gateway).routes())
    app.add_routes(Client(client_folder).routes())
    return app


def _server_routes(gateway: Gateway) -> list[web.RouteDef]:
    async def socket(request: web.Request) -> web.StreamResponse:
        return await serve_socket(gateway, request)

    async def healthz(_request: web.Request) -> web.StreamResponse:
        return web.Response(text="alive\n")

    async def readyz(_request: web.Request) -> web.StreamResponse:
        if gateway.is_leaving:
            return problem(503, "This server is going away")
        if not await gateway.health.probe():
            return unavailable()
        if not await _are_all_owned(gateway):
            return unavailable("Some tables have no authority for a moment")
        return web.Response(text="ready\n")

    async def show_metrics(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=gateway.metrics.render(), headers={"Content-Type": CONTENT_TYPE})

    return [
        web.get("/ws/{table}", socket, allow_head=False),
        web.get("/healthz", healthz),
        web.get("/readyz", readyz),
        web.get("/metrics", show_metrics),
    ]


async def _are_all_owned(gateway: Gateway) -> bool:
    """Whether every shard has a worker; one that is just being handed over, as planned, has one in a moment."""
    shards = range(gateway.store.shards)
    for pause_s in HAND_OVER_PAUSES_S:
        if len(await gateway.store.lease.owners(shards)) == len(shards):
            return True
        await asyncio.sleep(pause_s)
    return False


@web.middleware
async def _note_arrival(request: web.Request, handler: Handler) -> web.StreamResponse:
    request.app[ARRIVALS].has_asked(request)
    return await handler(request)


@web.middleware
async def _faults_as_problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as fault:
        if fault.status < 400:
            raise
        answer = problem(fault.status, _FAULTS.get(fault.status, fault.reason))
        if "Allow" in fault.headers:
            answer.headers["Allow"] = fault.headers["Allow"]
        return answer
    except OtherRun:
        return unavailable()
    except StoreUnavailable:
        request.app[GATEWAY].health.lost()
        return unavailable()
    except LogCorrupt as fault:
        # Until somebody has looked at it this table is as good as away.
        request.app[GATEWAY].hub.corrupt(fault)
        return problem(503, "The log of this table cannot be read", code="unavailable", retry_after_s=CORRUPT_RETRY_S)


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    if response.status != 101:
        response.headers.update(security_headers(request.host))


async def _start(app: web.Application) -> None:
    await app[GATEWAY].start()


async def _leave(app: web.Application) -> None:
    await app[GATEWAY].leave()


async def _stop(app: web.Application) -> None:
    await app[GATEWAY].stop()
