"""Each script and each key stays in one slot of a Redis Cluster (DESIGN decision 3)."""

import asyncio
import re
from pathlib import Path

import hiredis
import pytest

from rapid.store import keys
from rapid.store.connection import Client
from rapid.store.line import packed
from rapid.store.presence import DEAD
from rapid.table.ports import Commit, shard_of
from tests.contract.bench import PATIENCE_S, SHARDS, RedisBench
from tests.contract.samples import ELSEWHERE, FIRST, SECOND, THIRD, commit, entry, owned, record, refused, row

TAG = re.compile(r"\{(.+?)\}")


def words_of(command):
    """The words of a command, packed or not."""
    reader = hiredis.Reader()
    reader.feed(command if isinstance(command, bytes) else packed(command))
    return [word.decode("utf-8", "replace") for word in reader.gets()]


@pytest.fixture
def scripts_run(monkeypatch) -> list[list[str]]:
    """The keys of every script call."""
    seen: list[list[str]] = []
    run_commands = Client.run_commands

    async def noting(self, commands, scripts, **how):
        for command in commands:
            words = words_of(command)
            seen.append(words[3 : 3 + int(words[2])])
        return await run_commands(self, commands, scripts, **how)

    monkeypatch.setattr(Client, "run_commands", noting)
    return seen


async def use_everything(bench: RedisBench) -> None:
    store = bench.store
    epoch = await owned(store, FIRST, SECOND, ELSEWHERE)
    await store.inbox.post([entry(1), entry(2, ELSEWHERE)])
    await store.inbox.set_cursor(0, epoch, "1-1")
    closing = Commit(SECOND, epoch, 2, record(2), row(), closes=True)
    await store.log.commit([commit(epoch, 2), commit(epoch, 2, ELSEWHERE), closing])
    await store.log.answer([refused(1)])
    for table in (FIRST, ELSEWHERE):
        await store.presence.enter(table, 1, "g1", 1)
        await store.presence.enter(table, 2, "g1", 2)
        await store.presence.leave(table, 2, "g1", 2)
        await store.presence.watch(table, "g1", 3)
    # Another gateway has taken the seat: the first answers for it no longer.
    await store.presence.enter(FIRST, 3, "g1", 3)
    await store.presence.enter(FIRST, 3, "g2", 1)
    await store.presence.leave(FIRST, 3, "g1", 3)
    await store.presence.leave(FIRST, 3, "g2", 1)
    await store.presence.beat("g1")
    await store.lease.beat("w1")
    await store.lease.raise_epoch(0, "w1", 5)
    await store.log.claim(0, [FIRST], 5)
    await store.lease.release(1, "w1", planned=True)


async def test_no_script_touches_two_slots(redis_server, tmp_path: Path, scripts_run):
    bench = await RedisBench.opened(redis_server, tmp_path / "relay")
    await use_everything(bench)
    await bench.store.presence.retire("g1")
    await bench.closed()
    assert len(scripts_run) > 20
    for names in scripts_run:
        slots = {found.group(1) if (found := TAG.search(name)) else name for name in names}
        assert len(slots) == 1, names


async def test_every_key_about_a_table_has_the_tag_of_its_shard(redis_server, tmp_path: Path):
    bench = await RedisBench.opened(redis_server, tmp_path / "relay")
    await use_everything(bench)
    names = [name.decode() for name in await bench.owner._client.call("KEYS", "*")]
    await bench.closed()
    about_tables = [(name, table) for name in names for table in (FIRST, SECOND, ELSEWHERE) if table in name]
    assert len(about_tables) >= 7
    for name, table in about_tables:
        assert name.startswith(f"{{s{shard_of(table, SHARDS)}}}:"), name
    bare = {name for name in names if not TAG.search(name)}
    assert bare == {"rapid:shards", "rapid:workers", "rapid:gateways"}
    assert THIRD not in "".join(names)


async def test_a_gateway_answers_for_no_seat_that_another_has(redis_server, tmp_path: Path):
    bench = await RedisBench.opened(redis_server, tmp_path / "relay")
    await bench.store.presence.enter(FIRST, 3, "g1", 3)
    await bench.store.presence.enter(FIRST, 3, "g2", 1)
    await bench.store.presence.leave(FIRST, 3, "g1", 3)
    names = {name.decode() for name in await bench.owner._client.call("KEYS", "*held*")}
    await bench.closed()
    assert names == {keys.held(0, "g2")}


async def test_what_is_entered_again_while_the_dead_are_reaped_stays(redis_server, tmp_path: Path):
    """The gateway was only slow: it comes back between being taken for dead and its seats being taken."""
    bench = await RedisBench.opened(redis_server, tmp_path / "relay")
    presence = bench.store.presence
    await presence.beat("g1")
    await presence.enter(FIRST, 1, "g1", 1)
    await presence.enter(FIRST, 2, "g1", 2)
    await presence.watch(SECOND, "g1", 4)
    dead: list[bytes] = []
    async with asyncio.timeout(PATIENCE_S):
        while not dead:
            taken_for_dead_us, dead, *_ = await bench.owner._client.run_once(DEAD, (keys.GATEWAYS,), (50, 1_000))
    assert not await presence.beat("g1")
    await presence.enter(FIRST, 2, "g1", 2)
    await presence.watch(SECOND, "g1", 5)
    await presence._reap(["g1"], int(taken_for_dead_us))
    assert await presence.spectators([SECOND]) == [5]
    assert not await presence.leave(FIRST, 1, "g1", 1)
    assert await presence.leave(FIRST, 2, "g1", 2)
    await bench.closed()


async def test_the_dead_are_forgotten_at_last(redis_server, tmp_path: Path):
    bench = await RedisBench.opened(redis_server, tmp_path / "relay")
    client = bench.owner._client
    await bench.store.presence.beat("g1")
    found: list[str] = []
    async with asyncio.timeout(PATIENCE_S):
        while not found:
            found = await bench.owner.presence.reap()
    assert await bench.owner.presence.reap() == []
    assert await client.call("ZRANGE", keys.GATEWAYS, 0, -1) == [b"g1"]
    async with asyncio.timeout(PATIENCE_S):
        while await client.call("EXISTS", keys.GATEWAYS):
            assert await bench.owner.presence.reap() == []
    await bench.closed()


async def test_nothing_is_left_of_a_gateway_and_a_closed_table_but_the_log(redis_server, tmp_path: Path):
    bench = await RedisBench.opened(redis_server, tmp_path / "relay")
    await use_everything(bench)
    await bench.store.log.commit([Commit(FIRST, 5, 1, record(3), closes=True)])
    await bench.store.presence.retire("g1")
    names = {name.decode() for name in await bench.owner._client.call("KEYS", "*")}
    expiring = [name for name in names if await bench.owner._client.call("PTTL", name) >= 0]
    await bench.closed()
    assert not [name for name in names if "g1" in name and name not in expiring]
    assert [name for name in names if FIRST in name] == [f"{{s0}}:log:{FIRST}"]
    assert f"{{s0}}:log:{FIRST}" in expiring
