"""A short selection of `python -m loadtests.faults`: real processes end while people race, and the judges look on.

Everything is shared, for starting processes is what takes the time: two workers, two gateways, a Redis of their own.
"""

import tempfile
from pathlib import Path

import pytest
import pytest_asyncio

from loadtests.faults.bench import bench_in
from loadtests.faults.run import run_kind
from rapid.store import keys
from tests.integration.cli_bench import rapid

TABLES = 3
LEASE_MS = 600
KINDS = ("worker-kill", "worker-drain", "gateway-drain", "redis-kill", "disk-full")

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bench():
    # Not pytest's own folder: a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="rapid-faults-") as folder:
        async with bench_in(Path(folder), lease_ms=LEASE_MS) as bench:
            yield bench


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_accepted_is_lost_doubled_or_reordered(bench, kind):
    """And logs and transcripts that are then broken by hand are found, every one."""
    outcome = await run_kind(bench, kind, TABLES)
    assert outcome.verdicts == []
    assert outcome.affected > 0
    assert len(outcome.pauses_ms) == TABLES
    assert outcome.acknowledged > 100


async def test_the_lease_of_a_worker_is_as_long_as_it_was_told(bench):
    left_ms = [await bench.store._client.call("PTTL", keys.lease(shard)) for shard in range(bench.store.shards)]
    assert 0 < max(left_ms) <= LEASE_MS
    refused = await rapid("worker", "--redis", bench.redis.url, "--lease-ms", "50")
    assert refused.code == 2
    assert "lease" in refused.err


async def test_workers_share_the_shards_out_as_they_come_and_go(bench):
    tables = await bench.open_tables(TABLES)
    try:
        third = await bench.add("worker")
        await bench.until_balanced()
        bench.forget(third)
        assert await third.end() == 0
        await bench.until_balanced()
    finally:
        for table in tables:
            await table.stop()
