"""A gateway over real sockets, and clients of it that know the protocol and nothing of the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgpack
from aiohttp import web

from rapid.config import Limits
from rapid.gateway.app import GATEWAY, build_app
from rapid.gateway.gateway import Gateway
from rapid.gateway.options import GatewayOptions
from rapid.store import DEFAULT_LIMITS, Store, open_store
from rapid.store import Limits as StoreLimits
from rapid.table.worker import Worker
from rapid.telemetry.metrics import Metrics

PATIENCE_S = 20.0
MSGPACK, JSON = "rapid.v1.msgpack", "rapid.v1.json"
SALT = "00" * 16


class Closed(Exception):
    """The server closed the connection with this code."""


class Client:
    """One WebSocket. `seen` holds all messages in the order in which they came."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.seen: list[dict[str, Any]] = []
        self._ids = 0

    @property
    def is_binary(self) -> bool:
        return self.socket.protocol == MSGPACK

    async def say(self, t: str, **fields: Any) -> int:
        """Send a message; return its id."""
        self._ids += 1
        await self.send({"t": t, "id": self._ids, **fields})
        return self._ids

    async def send(self, fields: dict[str, Any]) -> None:
        if self.is_binary:
            await self.socket.send_bytes(msgpack.packb(fields))
        else:
            await self.socket.send_str(json.dumps(fields))

    async def next(self) -> dict[str, Any]:
        """Return the next message; `Closed` if there is none any more."""
        message = await asyncio.wait_for(self.socket.receive(), PATIENCE_S)
        if message.type is aiohttp.WSMsgType.BINARY:
            assert self.is_binary
            fields = msgpack.unpackb(message.data)
        elif message.type is aiohttp.WSMsgType.TEXT:
            assert not self.is_binary
            fields = json.loads(message.data)
        else:
            raise Closed(self.socket.close_code)
        self.seen.append(fields)
        return dict(fields)

    async def until(self, t: str, **fields: Any) -> dict[str, Any]:
        """Read on to the first message of that kind with these fields."""
        while True:
            message = await self.next()
            if message["t"] == t and all(message.get(name) == value for name, value in fields.items()):
                return message

    async def ask(self, t: str, **fields: Any) -> dict[str, Any]:
        """Send a message and read on to its reply."""
        return await self.until("reply", id=await self.say(t, **fields))

    async def event(self, type_: str, **fields: Any) -> dict[str, Any]:
        return await self.until("event", type=type_, **fields)

    async def end(self) -> tuple[int, str | None]:
        """Read to the end; return the close code and the last `bye`."""
        with contextlib.suppress(Closed):
            while True:
                await self.next()
        byes = [message["why"] for message in self.seen if message["t"] == "bye"]
        assert self.socket.close_code is not None
        assert len(byes) <= 1
        return self.socket.close_code, byes[0] if byes else None

    @property
    def events(self) -> list[dict[str, Any]]:
        return [message for message in self.seen if message["t"] == "event"]

    def judge_order(self) -> None:
        """Behind each welcome every event comes once, in order, without gaps."""
        stands = None
        for message in self.seen:
            if message["t"] == "welcome":
                stands = message["seq"]
            elif message["t"] == "event":
                assert stands is not None
                assert message["seq"] == stands + 1
                stands = message["seq"]
            elif message["t"] == "reply" and message["ok"]:
                assert stands is not None
                assert message["seq"] <= stands

    async def close(self) -> None:
        await self.socket.close()


class Server:
    """One gateway on a free port."""

    def __init__(self, gateway: Gateway, port: int, http: aiohttp.ClientSession) -> None:
        self.gateway = gateway
        self.port = port
        self.http = http
        self.url = f"http://127.0.0.1:{port}"
        self._clients: list[Client] = []

    async def post(self, path: str, body: Any, status: int = 201, **more: Any) -> dict[str, Any]:
        async with self.http.post(self.url + path, json=body, **more) as answer:
            fields = await answer.json(content_type=None)
            assert answer.status == status, fields
            return dict(fields)

    async def get(self, path: str, status: int = 200) -> Any:
        async with self.http.get(self.url + path) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json(content_type=None)

    async def open(self, name: str = "Ada", *, bots: int = 0, **settings: Any) -> dict[str, Any]:
        return await self.post("/api/tables", {"name": name, "bots": bots, "settings": settings})

    async def sit(self, table: str, name: str = "Bob") -> dict[str, Any]:
        return await self.post(f"/api/tables/{table}/seats", {"name": name})

    async def dial(self, table: str, protocol: str | None = MSGPACK, **more: Any) -> Client:
        """Connect, and say nothing yet."""
        protocols = () if protocol is None else (protocol,)
        socket = await self.http.ws_connect(f"{self.url}/ws/{table}", protocols=protocols, **more)
        client = Client(socket)
        self._clients.append(client)
        return client

    async def join(
        self, table: str, token: str | None = None, protocol: str | None = MSGPACK, **hello: Any
    ) -> tuple[Client, dict[str, Any]]:
        """Connect and say hello; return the client and its welcome."""
        client = await self.dial(table, protocol)
        await client.send({"t": "hello", "v": 1, **({"token": token} if token else {}), **hello})
        return client, await client.until("welcome")

    async def close_clients(self) -> None:
        for client in self._clients:
            await client.close()


@contextlib.asynccontextmanager
async def gateway_on(store: Store, limits: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Server]:
    """A gateway on this store; it sees a change within a tenth of a second even if no push tells it."""
    limits = {"tables_per_address_burst": 1000, **(limits or {})}
    options = {"dev": True, "check_every_ms": 100, "probe_every_ms": 20, "close_grace_ms": 500, **options}
    app = build_app(store, GatewayOptions(limits=Limits(**limits), **options), Metrics())
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with aiohttp.ClientSession() as http:
        server = Server(app[GATEWAY], port, http)
        try:
            yield server
        finally:
            await server.close_clients()
            await runner.cleanup()


@contextlib.asynccontextmanager
async def worker_on(url: str, name: str = "worker", limits: StoreLimits = DEFAULT_LIMITS) -> AsyncIterator[Worker]:
    """A worker as in a process of its own: with connections of its own."""
    store = await open_store(url, limits=limits)
    try:
        async with worker_beside(store, name) as worker:
            yield worker
    finally:
        await store.close()


@contextlib.asynccontextmanager
async def worker_beside(store: Store, name: str = "worker") -> AsyncIterator[Worker]:
    """A worker in the same process as whoever else uses this store, as in `rapid serve`."""
    worker = Worker(store, name)
    running = asyncio.create_task(worker.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await worker.supervisor.ready.wait()
        yield worker
    finally:
        await worker.stop()
        await running


@contextlib.asynccontextmanager
async def served_by(
    url: str, limits: dict[str, Any] | None = None, *, is_split: bool = False, **options: Any
) -> AsyncIterator[Server]:
    """A worker and a gateway on a real Redis, in one process as by `rapid serve`, or as in one each."""
    store = await open_store(url)
    worker = worker_on(url) if is_split else worker_beside(store)
    try:
        async with worker, gateway_on(store, limits, **options) as server:
            yield server
    finally:
        await store.close()
