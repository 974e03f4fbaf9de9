"""A scripted peer for the clients."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.unit.clients.peer import Peer


@pytest_asyncio.fixture
async def peer() -> AsyncIterator[Peer]:
    peer = Peer()
    await peer.start()
    yield peer
    await peer.stop()
