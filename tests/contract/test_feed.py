"""The feed: pushed, and never silently blind (DESIGN decisions 6 and 7)."""

import asyncio

import pytest
from msgspec import structs

from rapid.errors import StoreUnavailable
from rapid.store import subscription
from rapid.table.ports import Delivery
from rapid.wire.records import unpack_record
from tests.contract.bench import LIMITS, PATIENCE_S, Bench
from tests.contract.samples import ELSEWHERE, FIRST, SECOND, commit, ids, opening, owned, record, refused


async def take(deliveries, count: int = 1) -> list[Delivery]:
    """Without when a record came and its bytes, which say what the record says."""
    async with asyncio.timeout(PATIENCE_S):
        taken = [await anext(deliveries) for _ in range(count)]
    for delivery in taken:
        assert delivery.data is None or unpack_record(delivery.data) == delivery.record
        assert (delivery.record is None) == (delivery.data is None)
        assert delivery.record is not None or delivery.heard_s is None
    return [structs.replace(delivery, heard_s=None, data=None) for delivery in taken]


def pushed(n: int, table: str = FIRST) -> Delivery:
    return Delivery(table=table, id=f"1-{n}", record=record(n))


async def test_commits_are_pushed_in_order_to_every_feed_that_follows(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    feeds = [bench.store.feed("g1"), bench.owner.feed("g2")]
    for feed in feeds:
        await feed.follow(FIRST)
    await bench.store.log.commit([commit(epoch, n) for n in range(2, 30)])
    for feed in feeds:
        assert await take(feed.deliveries(), 28) == [pushed(n) for n in range(2, 30)]


async def test_what_is_committed_after_follow_has_returned_is_pushed(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    feed = bench.store.feed("g1")
    deliveries = feed.deliveries()
    for n in range(2, 12):
        await feed.follow(FIRST)
        await bench.owner.log.commit([commit(epoch, n)])
        assert await take(deliveries) == [pushed(n)]
        await feed.unfollow(FIRST)


async def test_tables_not_followed_are_not_pushed(bench: Bench):
    epoch = await owned(bench.store, FIRST, SECOND, ELSEWHERE)
    feed = bench.store.feed("g1")
    await feed.follow(FIRST)
    await feed.follow(ELSEWHERE)
    await feed.unfollow(FIRST)
    await feed.follow(SECOND)
    await bench.store.log.commit([commit(epoch, 2), commit(epoch, 2, ELSEWHERE), commit(epoch, 2, SECOND)])
    assert await take(feed.deliveries(), 2) == [pushed(2, ELSEWHERE), pushed(2, SECOND)]


async def test_the_opening_is_pushed_too(bench: Bench):
    await bench.store.lease.acquire(0, "w1")
    feed = bench.store.feed("g1")
    await feed.follow(FIRST)
    await bench.owner.log.commit([opening(1)])
    assert await take(feed.deliveries()) == [pushed(1)]


async def test_following_many_tables_at_once(bench: Bench):
    await bench.store.lease.acquire(0, "w1")
    feed = bench.store.feed("g1")
    await asyncio.gather(*(feed.follow(f"many{n}") for n in range(1_500)), feed.follow(FIRST), feed.follow(FIRST))
    await bench.owner.log.commit([opening(1)])
    assert await take(feed.deliveries()) == [pushed(1)]


async def test_answers_reach_the_gateway_that_asked_in_order(bench: Bench):
    feeds = [bench.store.feed("g1"), bench.store.feed("g2")]
    deliveries = [feed.deliveries() for feed in feeds]
    await bench.owner.log.answer([refused(1), refused(7, "g2"), refused(2)])
    await bench.owner.log.answer([refused(3)])
    assert await take(deliveries[0], 2) == [
        Delivery(answers=(refused(1), refused(2))),
        Delivery(answers=(refused(3),)),
    ]
    assert await take(deliveries[1]) == [Delivery(answers=(refused(7, "g2"),))]


async def test_no_answers_are_nothing(bench: Bench):
    await bench.store.log.answer([])


async def test_answers_given_before_the_gateway_listened_are_not_lost(bench: Bench):
    await bench.owner.log.answer([refused(1)])
    assert await take(bench.store.feed("g1").deliveries()) == [Delivery(answers=(refused(1),))]


async def test_answers_that_nobody_reads_are_bounded(bench: Bench):
    for ref in range(LIMITS.answers_max + 250):
        await bench.owner.log.answer([refused(ref)])
    await bench.owner.log.answer([refused(9_999)])
    deliveries = bench.store.feed("g1").deliveries()
    taken = await take(deliveries)
    while taken[-1].answers != (refused(9_999),):
        taken += await take(deliveries)
        assert len(taken) <= LIMITS.answers_max + 250
    # Redis drops whole nodes of 100 entries.
    assert LIMITS.answers_max <= len(taken) <= LIMITS.answers_max + 100


async def test_notes_reach_all_feeds_that_follow_the_table(bench: Bench):
    feeds = [bench.store.feed("g1"), bench.owner.feed("g2")]
    for feed in feeds:
        await feed.follow(FIRST)
    note = {"kind": "reaction", "seat": 2, "emoji": "🔥", "at": 2**41, "more": None}
    await feeds[0].tell(FIRST, note)
    await feeds[0].tell(SECOND, {"kind": "other"})
    await feeds[0].tell(FIRST, {"kind": "last"})
    for feed in feeds:
        wanted = [Delivery(table=FIRST, note=note), Delivery(table=FIRST, note={"kind": "last"})]
        assert await take(feed.deliveries(), 2) == wanted


async def test_a_reader_is_not_blind_after_an_outage(bench: Bench):
    epoch = await owned(bench.owner, FIRST, ELSEWHERE)
    feed = bench.store.feed("g1")
    deliveries = feed.deliveries()
    await feed.follow(FIRST)
    await feed.follow(ELSEWHERE)
    await bench.owner.log.commit([commit(epoch, 2)])
    assert await take(deliveries) == [pushed(2)]
    await bench.go_away()
    await bench.owner.log.commit([commit(epoch, 3)])
    await bench.owner.log.answer([refused(1)])
    await bench.come_back()
    # It says that something was missed, after which everything is heard again, and the log has the rest.
    taken = await take(deliveries, 2)
    assert Delivery(blind=True) in taken
    assert Delivery(answers=(refused(1),)) in taken
    await bench.owner.log.commit([commit(epoch, 4), commit(epoch, 2, ELSEWHERE)])
    assert await take(deliveries, 2) == [pushed(4), pushed(2, ELSEWHERE)]
    assert await ids(bench.store) == ["1-1", "1-2", "1-3", "1-4"]


async def test_what_was_unfollowed_stays_so_after_an_outage(bench: Bench):
    epoch = await owned(bench.owner, FIRST, SECOND)
    feed = bench.store.feed("g1")
    await feed.follow(FIRST)
    await feed.follow(SECOND)
    await bench.go_away()
    await feed.unfollow(FIRST)
    await bench.come_back()
    assert await take(feed.deliveries()) == [Delivery(blind=True)]
    await bench.owner.log.commit([commit(epoch, 2), commit(epoch, 2, SECOND)])
    assert await take(feed.deliveries()) == [pushed(2, SECOND)]


async def test_each_outage_is_told(bench: Bench):
    feed = bench.store.feed("g1")
    deliveries = feed.deliveries()
    await feed.follow(FIRST)
    for _ in range(3):
        await bench.go_away()
        await bench.come_back()
        assert await take(deliveries) == [Delivery(blind=True)]


async def test_a_restart_is_told_as_blindness(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    feed = bench.store.feed("g1")
    deliveries = feed.deliveries()
    await feed.follow(FIRST)
    await bench.restart()
    assert await take(deliveries) == [Delivery(blind=True)]
    await bench.until(bench.owner.ready)
    await bench.owner.log.commit([commit(epoch, 2)])
    assert await take(deliveries) == [pushed(2)]


async def test_another_run_is_told_before_anything_is_answered_by_it(bench: Bench, monkeypatch):
    """Nothing that is known of the run before is certain from then on."""
    told: list[str] = []
    bench.store.feed("g1").on_other_run(lambda: told.append("another run"))
    ready = bench.store.ready

    async def noted() -> bool:
        is_ready = await ready()
        told.append("an answer" if is_ready else "none")
        return is_ready

    monkeypatch.setattr(bench.store, "ready", noted)
    for _ in range(3):
        await bench.until(bench.store.ready)
        told.clear()
        await bench.restart()
        await bench.until(bench.store.ready)
        assert told.count("another run") == 1
        assert told.index("another run") < told.index("an answer")


async def test_an_outage_is_no_other_run(bench: Bench):
    told: list[str] = []
    bench.store.feed("g1").on_other_run(lambda: told.append("another run"))
    await bench.store.ready()
    for _ in range(2):
        await bench.go_away()
        assert not await bench.store.ready()
        await bench.come_back()
        await bench.until(bench.store.ready)
    assert told == []


async def test_a_feed_that_has_ended_is_told_of_no_run(bench: Bench):
    told: list[str] = []
    feed = bench.store.feed("g1")
    feed.on_other_run(lambda: told.append("another run"))
    await feed.close()
    await bench.restart()
    await bench.until(bench.store.ready)
    assert told == []


async def test_what_another_run_has_pushed_and_nobody_has_taken_is_left_to_the_log(bench: Bench):
    """Of its answers none is."""
    epoch = await owned(bench.owner, FIRST)
    feed = bench.store.feed("g1")
    await feed.follow(FIRST)
    deliveries = feed.deliveries()
    reading = asyncio.ensure_future(anext(deliveries))
    await bench.owner.log.commit([commit(epoch, 2)])
    assert (await reading).id == "1-2"

    async def has_come() -> bool:
        return feed.waiting == 2

    await bench.owner.log.commit([commit(epoch, 3)])
    await bench.owner.log.answer([refused(1)])
    await bench.until(has_come)
    await bench.restart()
    await bench.until(bench.store.ready)
    assert await take(deliveries, 2) == [Delivery(answers=(refused(1),)), Delivery(blind=True)]


async def test_telling_while_redis_is_away_is_an_error(bench: Bench, monkeypatch):
    monkeypatch.setattr(subscription, "FOLLOW_TIMEOUT_MS", 50)
    feed = bench.store.feed("g1")
    await bench.go_away()
    with pytest.raises(StoreUnavailable):
        await feed.tell(FIRST, {"kind": "reaction"})
    with pytest.raises(StoreUnavailable):
        await feed.follow(SECOND)
