"""What a connection or a table made goes with it, and does not wait for the collector.

Garbage that refers to itself stays until Python next looks through everything, which a gateway seldom does: thousands
of short connections would leave megabytes, and the process as large as it was at its worst.
"""

import asyncio
import gc
import socket
from collections import Counter

import pytest

from rapid.engine.intents import CloseTable
from rapid.wire.records import Entry
from tests.integration.gateway_bench import Server, served_by

PATIENCE_S = 20.0


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url, {"hello_timeout_ms": 200}, table_idle_ms=100) as server:
        yield server


async def who_closes(server, table):
    for token in (None, table["token"]):
        client, _ = await server.join(table["table"], token)
        await client.close()


async def who_leaves(server, table):
    seat = await server.sit(table["table"])
    client, _ = await server.join(table["table"], seat["token"])
    await client.say("leave")
    await client.end()


async def who_is_replaced(server, table):
    old, _ = await server.join(table["table"], table["token"])
    new, _ = await server.join(table["table"], table["token"])
    assert await old.end() == (4000, "taken_over")
    await new.close()


async def who_says_nonsense(server, table):
    client, _ = await server.join(table["table"])
    await client.socket.send_bytes(b"\xc1")
    await client.end()


async def who_breaks_the_frames(server, table):
    client, _ = await server.join(table["table"])
    await client.socket.send_bytes(bytes(70_000))
    await client.end()


async def who_has_a_wrong_token(server, table):
    client = await server.dial(table["table"])
    await client.send({"t": "hello", "v": 1, "token": "wrong"})
    await client.end()


async def who_never_says_hello(server, table):
    client = await server.dial(table["table"])
    await client.end()


async def who_asks_and_is_gone(server, table):
    client, _ = await server.join(table["table"], table["token"])
    await client.say("host", do="add_bot")
    client.socket.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
    await client.end()


async def who_sees_the_table_close(server, table):
    client, _ = await server.join(table["table"])
    await server.gateway.store.inbox.post([Entry(table["table"], CloseTable())])
    await client.end()


ENDS = [
    who_closes,
    who_leaves,
    who_is_replaced,
    who_says_nonsense,
    who_breaks_the_frames,
    who_has_a_wrong_token,
    who_never_says_hello,
    who_asks_and_is_gone,
    who_sees_the_table_close,
]


async def until_nothing_is_held(server: Server) -> None:
    """Until all connections are gone and all tables have been forgotten."""
    gateway = server.gateway
    async with asyncio.timeout(PATIENCE_S):
        while gateway.viewers:
            await asyncio.sleep(0.01)
        while gateway.hub.tables:
            await asyncio.sleep(0.01)


def found_by_the_collector() -> Counter[str]:
    """Our own things that only the collector could take away."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        names = (f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in gc.garbage)
        return Counter(name for name in names if name.startswith("rapid."))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
async def test_what_ends_goes_at_once(server, end):
    await end(server, await server.open())
    await until_nothing_is_held(server)
    gc.collect()
    gc.disable()
    try:
        await end(server, await server.open())
        await until_nothing_is_held(server)
        assert found_by_the_collector() == Counter()
    finally:
        gc.enable()


def test_garbage_is_found_here():
    """The judge judges."""

    class Ring:
        pass

    Ring.__module__ = "rapid.made_up"
    gc.collect()
    ring = Ring()
    ring.next = ring
    del ring
    assert found_by_the_collector() == Counter({f"rapid.made_up.{Ring.__qualname__}": 1})
