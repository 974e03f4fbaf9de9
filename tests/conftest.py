"""What tests of every kind may ask for. A real Redis server: there is always one, or the tests fail."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from rapid.store.embedded import EmbeddedRedis

BROWSERS = Path(__file__).parent / "browser"


class RealRedis:
    """The Redis server of this test run. A test that ends it brings it back, with `restart`."""

    def __init__(self, folder: Path) -> None:
        self._server = EmbeddedRedis(folder)
        self.url = self._server.url

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        """End it in order; connections break."""
        await self._server.stop()

    async def kill(self) -> None:
        """End it as a crash would."""
        assert self._server.pid is not None
        os.kill(self._server.pid, signal.SIGKILL)
        await self._server.stop()

    async def restart(self) -> None:
        """End it if it runs and start it again with what it kept: another `run_id`, the same address."""
        await self._server.stop()
        await self._server.start()

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()


@pytest.fixture(scope="session")
def redis_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealRedis]:
    server = RealRedis(tmp_path_factory.mktemp("redis"))
    asyncio.run(server.start())
    yield server
    asyncio.run(server.stop())


@pytest.fixture
def redis_server(redis_of_the_run: RealRedis) -> RealRedis:
    """A running, empty Redis server; `url`, `await stop()`, `await kill()`, `await restart()`."""
    if not redis_of_the_run._server.pid:
        asyncio.run(redis_of_the_run.start())
    redis_of_the_run.flush()
    return redis_of_the_run


@pytest.fixture
def redis_url(redis_server: RealRedis) -> str:
    """The address of a running, empty Redis server."""
    return redis_server.url


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browsers last: their library keeps an event loop of its own running from its first test to the end."""
    items.sort(key=lambda item: item.path.is_relative_to(BROWSERS))
