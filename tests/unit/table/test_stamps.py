"""A Redis whose clock was set back stamps no entry before the one in front of it: a worker says so."""

import pytest
from structlog.testing import capture_logs

from rapid.store import MemoryClock, memory_store
from rapid.table.runner import STAMP_AHEAD_MS, Runner
from rapid.table.shard import Shard

NOW = 1_000_000


@pytest.fixture
async def runner():
    return Runner(memory_store(shards=4, clock=MemoryClock(NOW)), "w1")


async def said(runner, *cursors):
    runner.charge.shards = {number: Shard(number, 1, cursor) for number, cursor in enumerate(cursors)}
    with capture_logs() as lines:
        await runner.check_stamps()
    return [(line["event"], line["ahead_ms"]) for line in lines]


def shown(runner):
    return next(line for line in runner.metrics.render().decode().splitlines() if line.startswith("rapid_stamp_ahead_"))


async def test_stamps_ahead_of_redis_time_by_over_a_second_are_reported(runner):
    ahead = STAMP_AHEAD_MS + 1
    assert await said(runner, "0-0", f"{NOW + ahead}-3", f"{NOW}-0") == [("stamp_ahead", ahead)]
    assert shown(runner) == f"rapid_stamp_ahead_seconds {ahead / 1000}"


async def test_what_is_not_so_far_ahead_is_shown_only(runner):
    assert await said(runner, f"{NOW + STAMP_AHEAD_MS}-0") == []
    assert shown(runner) == f"rapid_stamp_ahead_seconds {STAMP_AHEAD_MS / 1000}"
    assert await said(runner, "0-0", f"{NOW - 5_000}-0") == []
    assert shown(runner) == "rapid_stamp_ahead_seconds 0.0"
    assert await said(runner) == []
