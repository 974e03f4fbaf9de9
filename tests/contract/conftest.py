"""Every test here runs on real Redis and on its twin in memory: what they do must not differ."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contract.bench import Bench, MemoryBench, RedisBench


@pytest.fixture(params=["redis", "memory"])
def bench_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server_if_real(bench_kind: str, request: pytest.FixtureRequest) -> object:
    return request.getfixturevalue("redis_server") if bench_kind == "redis" else None


@pytest.fixture
async def bench(server_if_real: object, tmp_path: Path) -> AsyncIterator[Bench]:
    if server_if_real is None:
        yield MemoryBench()
        return
    real = await RedisBench.opened(server_if_real, tmp_path / "relay")
    yield real
    await real.closed()
