"""The log: one decision, one entry, fenced (DESIGN decisions 4 and 5)."""

import pytest

from rapid.errors import LogCorrupt, StoreUnavailable
from rapid.store import MemoryStore
from rapid.table.ports import Commit, LogEntry
from tests.contract.bench import Bench, RedisBench
from tests.contract.samples import (
    ELSEWHERE,
    FIRST,
    SECOND,
    SHARD,
    THIRD,
    commit,
    ids,
    opening,
    owned,
    record,
    row,
)


async def test_what_is_committed_is_read_back(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    assert await bench.store.log.commit([commit(epoch, 2), commit(epoch, 3)]) == [True, True]
    logged = [LogEntry(f"1-{n}", record(n)) for n in (1, 2, 3)]
    assert await bench.owner.log.read(FIRST, "0-0", limit=100) == logged
    assert await bench.owner.log.read(FIRST, "1-1", limit=1) == logged[1:2]
    assert await bench.owner.log.read(FIRST, "1-3", limit=100) == []
    assert await bench.owner.log.read(SECOND, "0-0", limit=100) == []


async def test_a_stale_epoch_is_refused(bench: Bench):
    await owned(bench.store, FIRST)
    assert await bench.store.lease.raise_epoch(SHARD, "w1", 2) == 2
    assert await bench.store.log.commit([commit(1, 2)]) == [False]
    assert await ids(bench.store) == ["1-1"]


async def test_an_epoch_that_nobody_was_given_is_refused(bench: Bench):
    await owned(bench.store, FIRST)
    assert await bench.store.log.commit([commit(2, 1), commit(2, 2)]) == [False, False]
    assert await bench.store.log.commit([opening(2, SECOND)]) == [False]
    assert await bench.store.log.commit([opening(1, ELSEWHERE)]) == [False]


async def test_a_stale_owner_cannot_open_a_table(bench: Bench):
    await owned(bench.store, FIRST)
    await bench.store.lease.raise_epoch(SHARD, "w1", 2)
    assert await bench.store.log.commit([opening(1, SECOND)]) == [False]
    assert await bench.store.log.tables(SHARD) == [FIRST]


async def test_an_id_is_taken_once(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    assert await bench.store.log.commit([commit(epoch, 2), commit(epoch, 2)]) == [True, False]
    assert await bench.owner.log.commit([commit(epoch, 2), commit(epoch, 1)]) == [False, False]
    assert await ids(bench.store) == ["1-1", "1-2"]


async def test_no_hole_is_written_over(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    assert await bench.store.log.commit([commit(epoch, 3)]) == [False]
    # Behind a refused one the later ones of that table are refused, those of others are not.
    batch = [commit(epoch, 3), opening(epoch, SECOND), commit(epoch, 4), commit(epoch, 2, SECOND)]
    assert await bench.store.log.commit(batch) == [False, True, False, True]
    assert await ids(bench.store) == ["1-1"]
    assert await ids(bench.store, SECOND) == ["1-1", "1-2"]


async def test_a_table_opens_once_and_first(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    assert await bench.store.log.commit([opening(epoch)]) == [False]
    assert await bench.store.log.commit([commit(epoch, 1, SECOND), commit(epoch, 2, SECOND)]) == [False, False]
    second = opening(epoch, SECOND)
    late = Commit(SECOND, epoch, 2, second.record, second.row, opens=True)
    assert await bench.store.log.commit([late]) == [False]
    assert await ids(bench.store, SECOND) == []


async def test_a_refused_commit_changes_nothing(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    feed = bench.store.feed("g1")
    await feed.follow(FIRST)
    refused = [
        Commit(FIRST, epoch, 5, record(5), row(phase="playing")),
        Commit(FIRST, epoch + 1, 2, record(2), closes=True),
        opening(epoch + 1, SECOND),
    ]
    assert await bench.store.log.commit(refused) == [False] * 3
    assert await bench.store.log.commit([commit(epoch, 2)]) == [True]
    assert (await anext(feed.deliveries())).id == "1-2"
    assert await bench.store.listing.row(FIRST) == row()
    assert await bench.store.listing.row(SECOND) is None
    assert await bench.store.log.tables(SHARD) == [FIRST]


async def test_the_row_is_there_with_the_log_entry(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    assert await bench.store.listing.row(FIRST) == row()
    await bench.store.log.commit([Commit(FIRST, epoch, 2, record(2), row(phase="playing"))])
    assert await bench.store.listing.row(FIRST) == row(phase="playing")
    await bench.store.log.commit([commit(epoch, 3)])
    assert await bench.store.listing.row(FIRST) == row(phase="playing")


async def test_a_closed_table_leaves_everything_but_its_log_which_expires(bench: Bench):
    epoch = await owned(bench.store, FIRST, SECOND)
    await bench.store.presence.enter(FIRST, 0, "g1", 1)
    await bench.store.log.commit([Commit(FIRST, epoch, 2, record(2), row(), closes=True)])
    assert await bench.store.log.tables(SHARD) == [SECOND]
    assert await bench.store.listing.row(FIRST) is None
    assert [public.table for public in await bench.store.listing.public(10)] == [SECOND]
    assert not await bench.store.presence.leave(FIRST, 0, "g1", 1)
    assert await ids(bench.store) == ["1-1", "1-2"]

    async def is_expired() -> bool:
        return await ids(bench.store) == []

    await bench.until(is_expired)
    assert await bench.store.log.tail([FIRST]) == {}
    assert await ids(bench.store, SECOND) == ["1-1"]


async def test_a_buried_table_leaves_everything_but_its_log_which_expires(bench: Bench):
    epoch = await owned(bench.store, FIRST, SECOND)
    await bench.store.presence.enter(FIRST, 0, "g1", 1)
    assert await bench.store.log.bury(FIRST)
    assert not await bench.store.log.bury(FIRST)
    assert await bench.store.log.tables(SHARD) == [SECOND]
    assert await bench.store.listing.row(FIRST) is None
    assert [public.table for public in await bench.store.listing.public(10)] == [SECOND]
    # Whoever still has it in memory writes nothing more to it.
    assert await bench.store.log.commit([commit(epoch, 2), commit(epoch, 2, SECOND)]) == [False, True]

    async def is_expired() -> bool:
        return await ids(bench.store) == []

    await bench.until(is_expired)
    assert await ids(bench.store, SECOND) == ["1-1", "1-2"]


async def test_nothing_is_appended_to_a_closed_table(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    await bench.store.log.commit([Commit(FIRST, epoch, 2, record(2), closes=True)])
    assert await bench.store.log.commit([commit(epoch, 3), opening(epoch)]) == [False, False]
    assert await ids(bench.store) == ["1-1", "1-2"]


async def test_a_new_owner_claims_and_the_old_one_is_refused_from_then_on(bench: Bench):
    epoch = await owned(bench.store, FIRST, SECOND)
    await bench.store.lease.release(SHARD, "w1", planned=False)
    assert await bench.owner.lease.acquire(SHARD, "w2") == epoch + 1
    assert await bench.owner.log.claim(SHARD, [FIRST, SECOND, THIRD], epoch + 1) == [True, True, False]
    assert await bench.store.log.commit([commit(epoch, 2)]) == [False]
    assert await bench.owner.log.commit([commit(epoch + 1, 1)]) == [True]
    assert await bench.owner.log.read(FIRST, "1-1", limit=9) == [LogEntry("2-0", None), LogEntry("2-1", record(1))]
    assert await bench.owner.log.tail([FIRST, SECOND, THIRD]) == {
        FIRST: LogEntry("2-1", record(1)),
        SECOND: LogEntry("2-0", None),
    }


async def test_a_claim_is_refused_where_the_log_is_at_it_or_beyond(bench: Bench):
    await owned(bench.store, FIRST)
    assert await bench.store.log.claim(SHARD, [FIRST], 1) == [False]
    assert await bench.store.log.claim(SHARD, [FIRST], 2) == [False]  # nobody was given epoch 2
    await bench.store.lease.raise_epoch(SHARD, "w1", 2)
    assert await bench.store.log.claim(SHARD, [FIRST], 2) == [True]
    assert await bench.store.log.claim(SHARD, [FIRST], 2) == [False]
    await bench.store.lease.raise_epoch(SHARD, "w1", 3)
    assert await bench.store.log.claim(SHARD, [FIRST], 2) == [False]
    assert await ids(bench.store) == ["1-1", "2-0"]
    # Nor does a claim make a log that is not there.
    assert await bench.store.log.claim(SHARD, [SECOND], 3) == [False]
    assert await bench.store.log.tail([SECOND]) == {}


async def test_the_last_epochs_are_those_of_the_last_ids(bench: Bench):
    await owned(bench.store, FIRST, SECOND)
    assert await bench.store.log.last_epochs([]) == {}
    assert await bench.store.log.last_epochs([THIRD]) == {}
    assert await bench.store.log.last_epochs([FIRST, SECOND]) == {FIRST: 1, SECOND: 1}
    await bench.store.lease.raise_epoch(SHARD, "w1", 12)
    await bench.store.log.claim(SHARD, [SECOND], 12)
    assert await bench.store.log.last_epochs([FIRST, SECOND, THIRD]) == {FIRST: 1, SECOND: 12}


async def test_the_last_ids_are_those_of_the_last_entries(bench: Bench):
    epoch = await owned(bench.store, FIRST, SECOND)
    await bench.store.log.commit([commit(epoch, 2)])
    assert await bench.store.log.last_ids([FIRST, SECOND, THIRD]) == {FIRST: "1-2", SECOND: "1-1"}
    await drop_last(bench, FIRST)
    assert await bench.store.log.last_ids([FIRST]) == {FIRST: "1-1"}
    assert await bench.store.log.last_ids([]) == {}


async def test_tables_belong_to_their_shard(bench: Bench):
    await owned(bench.store, SECOND, FIRST, ELSEWHERE)
    assert await bench.store.log.tables(SHARD) == sorted([FIRST, SECOND])
    assert await bench.store.log.tables(1) == [ELSEWHERE]
    assert await bench.store.log.tables(2) == []


async def test_a_commit_with_a_lost_answer_is_stored_once_whatever_is_tried_after(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    bench.lose_answer()
    with pytest.raises(StoreUnavailable):
        await bench.store.log.commit([commit(epoch, 2)])
    # It took effect. Written again blindly it would be there twice: the fence refuses that.
    assert await bench.store.log.commit([commit(epoch, 2)]) == [False]
    assert await ids(bench.store) == ["1-1", "1-2"]
    assert await bench.store.log.commit([commit(epoch, 3)]) == [True]


async def test_a_commit_whose_answer_was_lost_is_pushed_once(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    feed = bench.owner.feed("g1")
    await feed.follow(FIRST)
    bench.lose_answer()
    with pytest.raises(StoreUnavailable):
        await bench.store.log.commit([commit(epoch, 2)])
    await bench.store.log.commit([commit(epoch, 2), commit(epoch, 3)])
    deliveries = feed.deliveries()
    assert [(await anext(deliveries)).id, (await anext(deliveries)).id] == ["1-2", "1-3"]


async def test_a_lost_tail_is_noticed_because_the_next_id_does_not_follow(bench: Bench):
    """A Redis that lost an unsynced tail must not take the next decision over the hole."""
    epoch = await owned(bench.store, FIRST)
    await bench.store.log.commit([commit(epoch, 2)])
    await drop_last(bench, FIRST)
    assert await bench.store.log.commit([commit(epoch, 3)]) == [False]
    assert await ids(bench.store) == ["1-1"]


async def drop_last(bench: Bench, table: str) -> None:
    if isinstance(bench, RedisBench):
        (last,) = (await bench.store.log.tail([table])).values()
        await bench.store._client.call("XDEL", f"{{s{SHARD}}}:log:{table}", last.id)
        return
    assert isinstance(bench.store, MemoryStore)
    log = bench.store.world.data.logs[table]
    log.entries.pop()
    log.last_id = log.entries[-1][0]


async def test_a_log_that_no_owner_can_have_written_is_an_error_that_names_the_place(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    if isinstance(bench, RedisBench):
        await bench.store._client.call("XADD", f"{{s{SHARD}}}:log:{FIRST}", "1-2", "r", b"\xc1")
    elif isinstance(bench.store, MemoryStore):
        bench.store.world.data.logs[FIRST].add_as("1-2", b"\xc1")
    with pytest.raises(LogCorrupt) as caught:
        await bench.store.log.read(FIRST, "0-0", limit=9)
    assert (caught.value.table, caught.value.entry) == (FIRST, "1-2")
    assert await bench.store.log.last_epochs([FIRST]) == {FIRST: epoch}


async def test_a_large_batch_is_committed_whole(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    assert all(await bench.store.log.commit([commit(epoch, n) for n in range(2, 2_500)]))
    assert list(await bench.store.log.tail([FIRST])) == [FIRST]
    assert (await bench.store.log.tail([FIRST]))[FIRST].id == "1-2499"


async def test_committing_nothing_is_nothing(bench: Bench):
    assert await bench.store.log.commit([]) == []
    assert await bench.store.log.claim(SHARD, [], 1) == []
    assert await bench.store.log.tail([]) == {}
