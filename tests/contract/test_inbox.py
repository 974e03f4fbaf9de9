"""The inbox: one total order, which is the clock too (DESIGN decisions 2 and 3)."""

import asyncio

import pytest

from rapid.errors import StoreUnavailable
from rapid.store.inbox import FIND_MARGIN_MS
from rapid.table.ports import Posted, id_order, stamp_of
from tests.contract.bench import LIMITS, Bench
from tests.contract.samples import ELSEWHERE, SECOND, SHARD, entry


async def test_what_is_posted_is_read_in_order_with_its_ids(bench: Bench):
    entries = [entry(1), entry(2, SECOND), entry(3)]
    ids = await bench.store.inbox.post(entries)
    read = await bench.store.inbox.read({SHARD: "0-0"}, limit=10, block_ms=0)
    assert read == [Posted(SHARD, one, posted) for one, posted in zip(ids, entries, strict=True)]
    assert sorted(ids, key=id_order) == ids


async def test_posts_that_overlap_keep_the_order_of_the_calls(bench: Bench):
    posts = [asyncio.ensure_future(bench.store.inbox.post([entry(ref)])) for ref in range(50)]
    ids = [(await post)[0] for post in posts]
    assert sorted(ids, key=id_order) == ids


async def test_ids_are_stamped_by_the_clock_of_the_store(bench: Bench):
    before = await bench.store.clock.read_ms()
    (one,) = await bench.store.inbox.post([entry()])
    assert before <= stamp_of(one) <= await bench.store.clock.read_ms()


async def test_several_shards_are_read_at_once_each_from_its_own_place(bench: Bench):
    first, second = await bench.store.inbox.post([entry(1), entry(2)])
    (third,) = await bench.store.inbox.post([entry(3, ELSEWHERE)])
    read = await bench.store.inbox.read({0: first, 1: "0-0", 2: "0-0"}, limit=10, block_ms=0)
    assert {(posted.shard, posted.id) for posted in read} == {(0, second), (1, third)}


async def test_a_read_is_limited_and_goes_on_where_it_ended(bench: Bench):
    ids = await bench.store.inbox.post([entry(ref) for ref in range(5)])
    read = await bench.store.inbox.read({SHARD: "0-0"}, limit=3, block_ms=0)
    rest = await bench.store.inbox.read({SHARD: read[-1].id}, limit=3, block_ms=0)
    assert [posted.id for posted in read + rest] == ids


async def test_reading_no_shards_finds_nothing(bench: Bench):
    assert await bench.store.inbox.read({}, limit=3, block_ms=0) == []


async def test_a_read_waits_for_the_first_entry(bench: Bench):
    reading = asyncio.ensure_future(bench.store.inbox.read({SHARD: "0-0", 1: "0-0"}, limit=3, block_ms=5_000))
    await bench.owner.inbox.post([entry(1)])
    assert [posted.entry for posted in await reading] == [entry(1)]


async def test_a_read_ends_when_its_time_is_over(bench: Bench):
    reading = asyncio.ensure_future(bench.store.inbox.read({SHARD: "0-0"}, limit=3, block_ms=30))

    async def is_over() -> bool:
        return reading.done()

    await bench.until(is_over)
    assert reading.result() == []


@pytest.mark.parametrize("garbage", [b"", b"\xc1", b"\x91\xa1x", b"not an entry", b"\x93\xa1x\x81\xa1i\xa4nope\xc0"])
async def test_bytes_that_are_no_entry_are_stepped_over(bench: Bench, garbage: bytes):
    await bench.post_bytes(SHARD, garbage)
    (good,) = await bench.store.inbox.post([entry(1)])
    read = await bench.store.inbox.read({SHARD: "0-0"}, limit=10, block_ms=0)
    assert [posted.entry for posted in read] == [None, entry(1)]
    assert read[-1].id == good
    assert await bench.store.inbox.find(entry(1), stamp_of(good)) == good


async def test_find_tells_by_the_ask_whether_an_entry_is_there(bench: Bench):
    now_ms = await bench.store.clock.read_ms()
    (_, second) = await bench.store.inbox.post([entry(1), entry(2)])
    assert await bench.store.inbox.find(entry(2), now_ms) == second
    assert await bench.store.inbox.find(entry(3), now_ms) is None
    assert await bench.store.inbox.find(entry(2, SECOND), now_ms) is None
    assert await bench.store.inbox.find(entry(), now_ms) is None
    assert await bench.store.inbox.find(entry(2), stamp_of(second) + FIND_MARGIN_MS + 1) is None


async def test_an_entry_is_found_by_an_asker_whose_clock_was_set(bench: Bench):
    """Found by the simulation: one that ran two seconds ahead took a play that was accepted for one that was lost."""
    (posted,) = await bench.store.inbox.post([entry(1)])
    assert await bench.store.inbox.find(entry(1), stamp_of(posted) + 20_000) == posted


async def test_find_reads_on_through_a_long_inbox(bench: Bench):
    now_ms = await bench.store.clock.read_ms()
    ids = await bench.store.inbox.post([entry(ref) for ref in range(1_200)])
    assert await bench.store.inbox.find(entry(1_199), now_ms) == ids[-1]


async def test_a_write_with_a_lost_answer_is_found_again_not_written_twice(bench: Bench):
    now_ms = await bench.store.clock.read_ms()
    bench.lose_answer()
    with pytest.raises(StoreUnavailable):
        await bench.store.inbox.post([entry(7)])
    found = await bench.store.inbox.find(entry(7), now_ms)
    assert [posted.id for posted in await bench.store.inbox.read({SHARD: "0-0"}, limit=9, block_ms=0)] == [found]


async def test_the_cursor_is_noted_by_the_present_epoch_only(bench: Bench):
    assert await bench.store.inbox.cursor(SHARD) == "0-0"
    (one,) = await bench.store.inbox.post([entry(1)])
    epoch = await bench.store.lease.acquire(SHARD, "w1")
    await bench.store.inbox.set_cursor(SHARD, epoch, one)
    await bench.store.inbox.set_cursor(SHARD, epoch - 1, "9-9")
    await bench.store.inbox.set_cursor(SHARD, epoch + 1, "9-9")
    assert await bench.owner.inbox.cursor(SHARD) == one


async def test_in_another_run_the_cursor_waits_for_an_epoch_of_that_run(bench: Bench):
    """Found by the simulation: an owner that has not noticed the restart decides by what was lost with the tail."""
    (one,) = await bench.store.inbox.post([entry(1)])
    epoch = await bench.store.lease.acquire(SHARD, "w1")
    await bench.restart()
    (two,) = await bench.store.inbox.post([entry(2)])
    await bench.store.inbox.set_cursor(SHARD, epoch, two)
    assert await bench.owner.inbox.cursor(SHARD) == "0-0"
    raised = None
    while raised is None:  # on a busy machine the lease may run out in between
        await bench.store.lease.renew([SHARD], "w1")
        raised = await bench.store.lease.raise_epoch(SHARD, "w1", epoch + 1)
    await bench.store.inbox.set_cursor(SHARD, raised, one)
    assert await bench.owner.inbox.cursor(SHARD) == one


async def test_trimming_drops_what_is_decided_and_old_and_nothing_else(bench: Bench):
    epoch = await bench.store.lease.acquire(SHARD, "w1")
    old = await bench.store.inbox.post([entry(ref) for ref in range(300)])

    async def is_old() -> bool:
        return await bench.store.clock.read_ms() > stamp_of(old[-1]) + LIMITS.inbox_kept_ms

    # Nothing is decided yet: age alone drops nothing.
    await bench.store.inbox.set_cursor(SHARD, epoch, "1-0")
    await bench.until(is_old)
    new = await bench.store.inbox.post([entry(ref) for ref in range(300, 310)])
    await bench.store.inbox.set_cursor(SHARD, epoch, old[0])
    kept = [posted.id for posted in await bench.store.inbox.read({SHARD: "0-0"}, limit=999, block_ms=0)]
    assert kept == old + new
    await bench.store.inbox.set_cursor(SHARD, epoch, new[-1])
    kept = [posted.id for posted in await bench.store.inbox.read({SHARD: "0-0"}, limit=999, block_ms=0)]
    # Redis drops whole nodes of 100 entries.
    assert LIMITS.inbox_kept <= len(kept) < 200
    assert kept == (old + new)[-len(kept) :]


async def test_an_inbox_that_nobody_decides_takes_nothing_more(bench: Bench):
    await bench.store.inbox.post([entry(ref) for ref in range(LIMITS.inbox_max)])
    assert (await bench.store.inbox.lengths())[SHARD] == LIMITS.inbox_max
    with pytest.raises(StoreUnavailable):
        await bench.store.inbox.post([entry(1)])
    await bench.store.inbox.post([entry(1, ELSEWHERE)])


async def test_posting_nothing_is_nothing(bench: Bench):
    assert await bench.store.inbox.post([]) == []
