"""Nothing outlives its use, and nothing is dropped that is still needed."""

import random

import redis.asyncio

from rapid.table.ports import Commit, stamp_of
from tests.contract.bench import LIMITS, Bench, MemoryBench, RedisBench
from tests.contract.samples import FIRST, SECOND, SHARD, THIRD, commit, entry, ids, opening, owned, record, refused, row


async def traces(bench: Bench, text: str) -> set[str]:
    """Every key, and every place in a key that is no stream, that names `text`; inboxes and answers are read over."""
    if isinstance(bench, MemoryBench):
        data = bench.store.world.data
        return {
            name
            for name, held in vars(data).items()
            if name not in {"inboxes", "answers"} and text in repr(_plain(held))
        }
    assert isinstance(bench, RedisBench)
    found = set()
    async with redis.asyncio.Redis.from_url(bench._server.url) as client:
        for key in await client.keys("*"):
            kind = await client.type(key)
            held = b""
            if kind == b"hash":
                held = repr(await client.hgetall(key)).encode()
            elif kind == b"set":
                held = repr(await client.smembers(key)).encode()
            elif kind == b"zset":
                held = repr(await client.zrange(key, 0, -1)).encode()
            if text.encode() in key or text.encode() in held:
                found.add(key.decode())
    return found


def _plain(held: object) -> object:
    """Empty maps in the twin stand for keys that Redis has dropped."""
    if not isinstance(held, dict):
        return held
    return {key: _plain(value) for key, value in held.items() if value not in ({}, set())}


async def test_of_a_table_opened_played_closed_and_expired_nothing_is_left(bench: Bench):
    epoch = await owned(bench.store, FIRST, SECOND)
    store = bench.store
    await store.presence.beat("g1")
    await store.presence.enter(FIRST, 0, "g1", 1)
    await store.presence.enter(FIRST, 1, "g1", 2)
    await store.presence.watch(FIRST, "g1", 3)
    assert all(await store.log.commit([commit(epoch, n) for n in range(2, 50)]))
    assert await traces(bench, FIRST)
    await store.log.commit([Commit(FIRST, epoch, 50, record(50), closes=True)])
    # The sockets end behind the close, and the gateway says so; the number of watchers that it had noted goes with it.
    assert not await store.presence.leave(FIRST, 0, "g1", 1)
    assert not await store.presence.leave(FIRST, 1, "g1", 2)
    await store.presence.watch(FIRST, "g1", 0)
    await until_expired(bench, FIRST)
    assert await traces(bench, FIRST) == set()
    assert await ids(store, SECOND) == ["1-1"]


async def test_a_seat_entered_behind_the_close_leaves_nothing_either(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    await bench.store.presence.beat("g1")
    await bench.store.log.commit([Commit(FIRST, epoch, 2, record(2), closes=True)])
    await bench.store.presence.enter(FIRST, 0, "g1", 1)
    await bench.store.presence.watch(FIRST, "g1", 1)
    await bench.store.presence.retire("g1")
    await until_expired(bench, FIRST)
    assert await traces(bench, FIRST) == set()
    assert await traces(bench, "g1") == set()


async def test_of_a_gateway_that_died_nothing_is_left_however_late_it_is_found(bench: Bench):
    """Nobody was there to find it for longer than a dead gateway is remembered."""
    await owned(bench.store, FIRST)
    await bench.store.presence.beat("g1")
    await bench.store.presence.enter(FIRST, 0, "g1", 1)
    await bench.store.presence.watch(FIRST, "g1", 2)
    since_ms = await bench.store.clock.read_ms()

    async def is_long_ago() -> bool:
        return await bench.store.clock.read_ms() > since_ms + LIMITS.gateway_dead_ms + LIMITS.gateway_forgotten_ms

    await bench.until(is_long_ago)
    assert await bench.owner.presence.reap() == ["g1"]
    assert await traces(bench, "g1") <= {"rapid:gateways", "gateways"}

    async def is_forgotten() -> bool:
        await bench.owner.presence.reap()
        return not await traces(bench, "g1")

    await bench.until(is_forgotten)
    posted = await bench.store.inbox.read({SHARD: "0-0"}, limit=99, block_ms=0)
    assert [type(one.entry.intent).__name__ for one in posted] == ["Connect", "Disconnect"]


async def test_only_the_logs_of_closed_tables_expire(bench: Bench):
    epoch = await owned(bench.store, FIRST, SECOND)
    await bench.store.log.commit([Commit(FIRST, epoch, 2, record(2), closes=True)])
    await until_expired(bench, FIRST)
    assert await ids(bench.store, SECOND) == ["1-1"]
    await bench.store.log.commit([commit(epoch, 2, SECOND)])
    assert await bench.store.log.commit([opening(epoch, THIRD)]) == [True]
    assert await ids(bench.store, SECOND) == ["1-1", "1-2"]
    assert await bench.store.listing.row(SECOND) == row(SECOND)


async def until_expired(bench: Bench, table: str) -> None:
    async def is_expired() -> bool:
        return await ids(bench.store, table) == []

    await bench.until(is_expired)


async def grown_old(bench: Bench, entry_id: str) -> None:
    async def is_old() -> bool:
        return await bench.store.clock.read_ms() > stamp_of(entry_id) + LIMITS.inbox_kept_ms + 5

    await bench.until(is_old)


async def there(bench: Bench) -> list[str]:
    return [posted.id for posted in await bench.store.inbox.read({SHARD: "0-0"}, limit=9_999, block_ms=0)]


async def test_a_backlog_is_never_trimmed_however_old_and_long(bench: Bench):
    """The owner was away. What it has not decided is there, whatever was noted meanwhile."""
    epoch = await bench.store.lease.acquire(SHARD, "w1")
    posted = await bench.store.inbox.post([entry(ref) for ref in range(390)])
    await grown_old(bench, posted[-1])
    rng = random.Random(4)
    decided = 0
    for _ in range(6):
        decided = rng.randint(decided, len(posted) - 1)
        await bench.store.inbox.set_cursor(SHARD, epoch, posted[decided])
        assert (await there(bench))[-(len(posted) - decided) :] == posted[decided:]
    assert await bench.store.inbox.find(entry(389), stamp_of(posted[0])) == posted[-1]


async def test_what_was_decided_last_is_dropped_in_its_time_though_nothing_happens_any_more(bench: Bench):
    epoch = await bench.store.lease.acquire(SHARD, "w1")
    posted = await bench.store.inbox.post([entry(ref) for ref in range(390)])
    await bench.store.inbox.set_cursor(SHARD, epoch, posted[-1])
    assert len(await there(bench)) == 390, "too young"
    await grown_old(bench, posted[-1])
    await bench.store.inbox.set_cursor(SHARD, epoch, posted[-1])
    # Redis drops whole nodes of 100 entries.
    assert LIMITS.inbox_kept <= len(await there(bench)) < 200


async def test_answers_that_were_read_do_not_stay(bench: Bench):
    feed = bench.store.feed("g1")
    deliveries = feed.deliveries()
    for ref in range(450):
        await bench.owner.log.answer([refused(ref)])
        if ref % 9 == 8:
            assert [(await anext(deliveries)).answers[0].ask.ref for _ in range(9)] == list(range(ref - 8, ref + 1))

    async def is_dropped() -> bool:
        return await answers_held(bench) <= 250

    await bench.until(is_dropped)
    await bench.owner.log.answer([refused(450)])
    assert (await anext(deliveries)).answers[0].ask.ref == 450


async def answers_held(bench: Bench) -> int:
    if isinstance(bench, MemoryBench):
        return len(bench.store.world.data.answers["g1"].entries)
    return int(await bench.store._client.call("XLEN", "{g:g1}:answers"))
