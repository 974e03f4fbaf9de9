"""HTTP connections that ask for nothing, or never to the end, are closed; all others are left alone."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket

import aiohttp
import pytest
from aiohttp import web

from rapid.config import Limits
from rapid.gateway.options import GatewayOptions
from rapid.gateway.site import served
from rapid.store import open_store
from rapid.telemetry.metrics import Metrics
from tests.integration.gateway_bench import PATIENCE_S

TIMEOUT_MS = 200
HEAD = b"POST /api/tables HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
IDLE = [b"", b"G", b"GET /healthz HTTP/1.1\r\n", b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "]


@contextlib.asynccontextmanager
async def listening(redis_url, timeout_ms=TIMEOUT_MS):
    store = await open_store(redis_url)
    metrics = Metrics()
    sock = socket.create_server(("127.0.0.1", 0))
    try:
        options = GatewayOptions(limits=Limits(request_timeout_ms=timeout_ms, hello_timeout_ms=60_000))
        async with served(store, options, metrics, sock):
            yield sock.getsockname()[1], metrics
    finally:
        await store.close()


async def rest_of(reader):
    """Read until the server closes."""
    async with asyncio.timeout(PATIENCE_S):
        return await reader.read()


@pytest.mark.parametrize("said", IDLE)
async def test_a_connection_that_never_asks_is_closed(redis_url, said):
    async with listening(redis_url) as (port, metrics):
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(50)]
        for _, writer in crowd:
            writer.write(said)
        assert [await rest_of(reader) for reader, _ in crowd] == [b""] * len(crowd)
        for _, writer in crowd:
            writer.close()
        shown = metrics.render().decode()
        assert 'rapid_limit_hits_total{limit="request_timeout_ms"} 50.0' in shown


async def test_a_body_that_never_comes_is_given_up(redis_url):
    async with listening(redis_url) as (port, _metrics):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b'{"name": ')
        async with asyncio.timeout(PATIENCE_S):
            head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in head
        writer.close()


async def test_who_has_asked_stays(redis_url):
    async with listening(redis_url) as (port, metrics), aiohttp.ClientSession() as http:
        kept_reader, kept = await asyncio.open_connection("127.0.0.1", port)
        ask = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        kept.write(ask)
        await kept_reader.readuntil(b"alive\n")
        open_socket = await http.ws_connect(f"http://127.0.0.1:{port}/ws/abcdefghijkl")
        idle_reader, idle = await asyncio.open_connection("127.0.0.1", port)
        # The idle one came last: once it is closed, the time of the others was over before.
        assert await rest_of(idle_reader) == b""
        kept.write(ask)
        async with asyncio.timeout(PATIENCE_S):
            await kept_reader.readuntil(b"alive\n")
        await open_socket.ping()
        assert not open_socket.closed
        assert 'rapid_limit_hits_total{limit="request_timeout_ms"} 1.0' in metrics.render().decode()
        idle.close()
        kept.close()
        await open_socket.close()


async def test_of_a_connection_that_has_ended_nothing_is_kept_until_its_time_would_have_been_over(redis_url):
    """Some twenty thousand bytes each; a busy gateway has thousands of them in a minute."""

    def held() -> int:
        gc.collect()
        return sum(isinstance(one, web.RequestHandler) for one in gc.get_objects())

    async with listening(redis_url, timeout_ms=3_600_000) as (port, _metrics):
        before = held()
        for _ in range(20):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert (await rest_of(reader)).endswith(b"alive\n")
            writer.close()
        async with asyncio.timeout(PATIENCE_S):
            while held() > before:
                await asyncio.sleep(0.01)
