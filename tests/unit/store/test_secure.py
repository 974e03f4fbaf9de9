"""A Redis behind a password and TLS: the hot path's client gets in, and nobody else's does.

`loopback.pem` is a certificate of 127.0.0.1 with its key, made for these tests alone.
"""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rapid.errors import StoreUnavailable
from rapid.store import open_store
from rapid.store.connection import connect
from rapid.table.ports import shard_of
from tests.contract.bench import SHARDS
from tests.contract.samples import FIRST, commit, entry, owned

CERTIFICATE = Path(__file__).with_name("loopback.pem")
ASKS_FOR_TRUST = f"?ssl_ca_certs={CERTIFICATE}"


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()


@pytest.fixture
async def port(redis_server) -> AsyncIterator[int]:
    """A door with TLS before a Redis that lets in `rapid` with its password."""
    path = redis_server.url.partition("unix://")[2].partition("?")[0]
    owner = connect(redis_server.url)
    await owner.call("ACL", "SETUSER", "rapid", "reset", "on", ">pass word", "~*", "&*", "+@all")
    await owner.call("ACL", "SETUSER", "default", "resetpass", ">other")
    talks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(path)
        for ends in ((reader, far_writer), (far_reader, writer)):
            talks.add(asyncio.create_task(_pump(*ends)))

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    yield server.sockets[0].getsockname()[1]
    server.close()
    for talk in talks:
        talk.cancel()
    await asyncio.gather(*talks, return_exceptions=True)
    await owner.call("ACL", "SETUSER", "default", "nopass")
    await owner.call("ACL", "DELUSER", "rapid")
    await owner.close()


async def test_all_that_the_store_does_goes_through_tls_with_a_password(port: int):
    store = await open_store(f"rediss://rapid:pass%20word@127.0.0.1:{port}{ASKS_FOR_TRUST}", shards=SHARDS)
    feed = store.feed("g1")
    await feed.follow(FIRST)
    epoch = await owned(store, FIRST)
    shard = shard_of(FIRST, store.shards)
    (posted,) = await store.inbox.post([entry(1)])
    read = await store.inbox.read({shard: "0-0"}, limit=9, block_ms=5_000)
    assert posted in [one.id for one in read]
    assert await store.log.commit([commit(epoch, 2)]) == [True]
    delivery = await anext(aiter(feed.deliveries()))
    assert (delivery.table, delivery.id) == (FIRST, f"{epoch}-1")
    await store.close()


@pytest.mark.parametrize("who", ["", "rapid:wrong@", ":wrong@", "nobody:pass%20word@"])
async def test_without_the_password_nothing_is_done(port: int, who: str):
    client = connect(f"rediss://{who}127.0.0.1:{port}{ASKS_FOR_TRUST}")
    with pytest.raises(StoreUnavailable) as refused:
        await client.call("GET", "x")
    assert "pass word" not in str(refused.value)
    await client.close()


async def test_a_certificate_that_nobody_trusts_is_not_spoken_to(port: int):
    client = connect(f"rediss://rapid:pass%20word@127.0.0.1:{port}")
    with pytest.raises(StoreUnavailable):
        await client.call("GET", "x")
    await client.close()
