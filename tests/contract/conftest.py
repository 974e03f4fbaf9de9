"""Every test here runs on real Redis 6.2 and 7, on the twin in memory, and on that of the simulation: no difference."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.conftest import REAL_KINDS, RealRedis
from tests.contract.bench import Bench, MemoryBench, RedisBench, SimulatedBench

TWINS = {"memory": MemoryBench, "simulated": SimulatedBench}


@pytest.fixture(params=[*REAL_KINDS, *TWINS])
def bench_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server_if_real(bench_kind: str, real_servers: Callable[[str], RealRedis]) -> RealRedis | None:
    return None if bench_kind in TWINS else real_servers(bench_kind)


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
async def bench(bench_kind: str, server_if_real: RealRedis | None, tmp_path: Path) -> AsyncIterator[Bench]:
    if server_if_real is None:
        yield TWINS[bench_kind]()
        return
    real = await RedisBench.opened(server_if_real, tmp_path / "relay")
    yield real
    await real.closed()
