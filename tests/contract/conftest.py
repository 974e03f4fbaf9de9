"""Every test here runs on each kind of real Redis there is, 6.2 and 7, and on the twin in memory: no difference."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.conftest import REAL_KINDS, RealRedis
from tests.contract.bench import Bench, MemoryBench, RedisBench

MEMORY = "memory"


@pytest.fixture(params=[*REAL_KINDS, MEMORY])
def bench_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server_if_real(bench_kind: str, real_servers: Callable[[str], RealRedis]) -> RealRedis | None:
    return None if bench_kind == MEMORY else real_servers(bench_kind)


@pytest.fixture(params=[*REAL_KINDS])
def real_server(request: pytest.FixtureRequest, real_servers: Callable[[str], RealRedis]) -> RealRedis:
    """For what no twin can have: files, memory, the program itself."""
    return real_servers(str(request.param))


@pytest.fixture
async def real_bench(real_server: RealRedis, tmp_path: Path) -> AsyncIterator[RedisBench]:
    real = await RedisBench.opened(real_server, tmp_path / "relay")
    yield real
    await real.closed()


@pytest.fixture
async def bench(server_if_real: RealRedis | None, tmp_path: Path) -> AsyncIterator[Bench]:
    if server_if_real is None:
        yield MemoryBench()
        return
    real = await RedisBench.opened(server_if_real, tmp_path / "relay")
    yield real
    await real.closed()
