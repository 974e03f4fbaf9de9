"""Listings, and that a table is found there as soon as it is open."""

from rapid.table.ports import Commit
from tests.contract.bench import Bench
from tests.contract.samples import ELSEWHERE, FIRST, SECOND, THIRD, opening, owned, record, row


async def test_public_tables_are_listed_newest_first_over_all_shards(bench: Bench):
    epoch = await owned(bench.store)
    assert epoch == 1
    for shard in (0, 1):
        await bench.store.lease.acquire(shard, "w1")
    opened = {FIRST: 20, SECOND: 40, THIRD: 10, ELSEWHERE: 30}
    await bench.store.log.commit([opening(1, table, opened_at=at) for table, at in opened.items()])
    assert [one.table for one in await bench.owner.listing.public(10)] == [SECOND, ELSEWHERE, FIRST, THIRD]
    assert [one.table for one in await bench.owner.listing.public(2)] == [SECOND, ELSEWHERE]


async def test_tables_of_the_same_age_have_an_order(bench: Bench):
    await owned(bench.store, FIRST, SECOND, ELSEWHERE)
    listed = [one.table for one in await bench.store.listing.public(10)]
    assert listed == sorted([FIRST, SECOND, ELSEWHERE], reverse=True)


async def test_private_tables_have_a_row_and_are_not_listed(bench: Bench):
    await owned(bench.store, FIRST)
    await bench.store.log.commit([opening(1, SECOND, public=False)])
    assert await bench.store.listing.row(SECOND) == row(SECOND, public=False)
    assert [one.table for one in await bench.store.listing.public(10)] == [FIRST]
    assert await bench.store.listing.count() == 2


async def test_a_table_may_become_private_and_public_again(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    await bench.store.log.commit([Commit(FIRST, epoch, 2, record(2), row(public=False))])
    assert await bench.store.listing.public(10) == []
    await bench.store.log.commit([Commit(FIRST, epoch, 3, record(3), row(phase="playing"))])
    assert await bench.store.listing.public(10) == [row(phase="playing")]


async def test_an_unknown_table_has_no_row(bench: Bench):
    assert await bench.store.listing.row(FIRST) is None
    assert await bench.store.listing.public(10) == []
    assert await bench.store.listing.count() == 0


async def test_a_closed_table_takes_no_place_in_the_listing(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    await bench.store.log.commit([opening(epoch, SECOND, opened_at=99)])
    await bench.store.log.commit([Commit(SECOND, epoch, 2, record(2), closes=True)])
    assert [one.table for one in await bench.store.listing.public(1)] == [FIRST]
    assert await bench.store.listing.count() == 1
