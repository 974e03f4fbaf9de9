"""A relay before a real Redis, whose connections can be broken; and scripts of a test's own."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rapid.store.connection import Script
from tests.contract.relay import Relay


@pytest.fixture
async def relay(redis_server, tmp_path: Path) -> AsyncIterator[Relay]:
    relay = Relay(tmp_path / "relay", redis_server.url.partition("unix://")[2].partition("?")[0])
    await relay.open()
    yield relay
    await relay.cut()


def script(text: str) -> Script:
    made = Script.__new__(Script)
    made.text = text
    made.sha = hashlib.sha1(text.encode()).hexdigest()
    return made
