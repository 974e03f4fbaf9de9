"""A Redis that died in the middle of a write: what is back is a beginning of what was, in whole entries."""

import os
from pathlib import Path

import pytest
import redis.asyncio

from rapid.errors import ServerDidNotStart
from rapid.store import open_store
from rapid.store.embedded import EmbeddedRedis
from rapid.table.ports import LogEntry
from tests.conftest import RealRedis
from tests.contract.bench import LIMITS, SHARDS, RedisBench
from tests.contract.samples import FIRST, SHARD, commit, opening, owned, record

LAST = 12


def append_only_file(data: Path) -> Path:
    """The one that is being written: of Redis 7 the newest increment."""
    increments = sorted((data / "redis" / "appendonlydir").glob("*.incr.aof"))
    return increments[-1] if increments else data / "redis" / "appendonly.aof"


async def is_written(url: str) -> bool:
    async with redis.asyncio.Redis.from_url(url) as client:
        return (await client.info("persistence"))["aof_buffer_length"] == 0


@pytest.mark.parametrize("torn_bytes", [1, 2, 9, 40, 150, 700])
async def test_whole_entries_are_back_and_the_owner_does_not_write_over_the_hole(
    real_bench: RedisBench, real_server: RealRedis, torn_bytes: int
):
    epoch = await owned(real_bench.store, FIRST)
    for n in range(2, LAST + 1):
        assert await real_bench.store.log.commit([commit(epoch, n)]) == [True]
    # On a slow disk Redis holds its writes back for a while: those are no torn tail, they were never in the file.
    await real_bench.until(lambda: is_written(real_server.url))
    await real_server.kill()
    file = append_only_file(real_server.folder)
    os.truncate(file, file.stat().st_size - torn_bytes)
    await real_server.start()
    await real_bench.until(real_bench.store.ready)
    await real_bench.until(real_bench.owner.ready)
    back = await real_bench.store.log.read(FIRST, "0-0", limit=99)
    assert back == [LogEntry(f"1-{n}", record(n)) for n in range(1, len(back) + 1)]
    assert 0 < len(back) < LAST
    # The owner goes on where it thinks it stands: it is told that the log is another one.
    assert await real_bench.store.log.commit([commit(epoch, LAST + 1)]) == [False]
    # A decision is one entry with its row and its place in the lists: none of it is there without the others.
    assert await real_bench.store.log.tables(SHARD) == [FIRST]
    lease = real_bench.owner.lease
    raised = await lease.raise_epoch(SHARD, "w1", 2) or await lease.acquire(SHARD, "w2")
    assert raised is not None
    assert raised > epoch
    assert await real_bench.owner.log.claim(SHARD, [FIRST], raised) == [True]
    assert await real_bench.owner.log.commit([commit(raised, 1)]) == [True]


async def test_damage_in_the_middle_is_said_and_nothing_is_served_from_it(real_server: RealRedis, tmp_path: Path):
    """Half of the tables would be gone without a word. `redis-check-aof` tells an operator more; a backup is better."""
    server = EmbeddedRedis(tmp_path / "data", search_path=real_server._server._search_path)
    await server.start()
    store = await open_store(server.url, shards=SHARDS, limits=LIMITS)
    epoch = await store.lease.acquire(SHARD, "w1")
    await store.log.commit([opening(epoch), *(commit(epoch, n) for n in range(2, 200))])
    await store.close()
    await server.stop()
    file = append_only_file(tmp_path / "data")
    content = bytearray(file.read_bytes())
    middle = content.index(b"XADD", len(content) // 2)
    content[middle - 20 : middle] = b"?" * 20
    file.write_bytes(content)
    with pytest.raises(ServerDidNotStart) as caught:
        await server.start()
    assert "append only file" in str(caught.value).lower()
