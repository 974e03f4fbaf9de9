"""Which connection has a seat: the newest, whatever else fails (DESIGN decision 8)."""

import asyncio

import pytest

from rapid.engine.intents import Connect, Disconnect
from rapid.errors import StoreUnavailable
from rapid.gateway import presence
from rapid.gateway.health import Health
from rapid.gateway.presence import Holding, Seats
from rapid.store import MemoryStore, memory_store
from rapid.table.ports import FIRST_ID, shard_of
from rapid.telemetry.metrics import Metrics
from rapid.wire.close import TAKEN_OVER
from tests.unit.gateway.bench import TABLE


def holding(conn, seat=0, since=4):
    return Holding(TABLE, seat, conn, since)


class Side:
    """One gateway's seats; `ended` are the connections it was told to end."""

    def __init__(self, name, store):
        self.name = name
        self.store = store
        self.feed = store.feed(name)
        self.health = Health(store.ready, Metrics(), every_ms=1000, while_away_ms=100)
        self.seats = Seats(name, store.presence, self.feed, self.health)
        self.ended = []
        self.seats.on_taken(self._end)

    def _end(self, conn, ending):
        assert ending == TAKEN_OVER
        self.ended.append(conn)
        self.seats.leave(conn)

    async def hear(self):
        """Hear the notes that have come, and let everything come to its end."""
        for _ in range(20):
            await asyncio.sleep(0)
        while self.feed._merge._waiting:
            delivery = await self.feed._merge.take()
            if delivery.note is not None:
                self.seats.heard(delivery.note)
        for _ in range(20):
            await asyncio.sleep(0)


class Bench:
    def __init__(self):
        self.store = memory_store()
        self.one = Side("g1", self.store)
        self.two = Side("g2", MemoryStore(self.store.world))

    async def start(self):
        for side in (self.one, self.two):
            await side.store.presence.beat(side.name)
            await side.feed.follow(TABLE)

    async def posted(self):
        shard = shard_of(TABLE, self.store.shards)
        return [row.entry for row in await self.store.inbox.read({shard: FIRST_ID}, limit=100, block_ms=0)]

    async def intents(self):
        return [entry.intent for entry in await self.posted()]

    @property
    def present(self):
        return self.store.world.data.present.get((TABLE, 0))


@pytest.fixture
async def bench():
    made = Bench()
    await made.start()
    return made


async def test_a_connection_enters_and_leaves_in_the_order_of_the_inbox(bench):
    await bench.one.seats.enter(holding(1))
    bench.one.seats.leave(1)
    bench.one.seats.leave(1)
    await bench.one.hear()
    assert await bench.intents() == [Connect(0), Disconnect(0)]
    assert {entry.since for entry in await bench.posted()} == {4}


async def test_a_newer_connection_here_ends_the_old_one_whose_close_says_nothing(bench):
    await bench.one.seats.enter(holding(1))
    await bench.one.seats.enter(holding(2))
    await bench.one.hear()
    assert bench.one.ended == [1]
    assert bench.present == ("g1", 2)
    assert await bench.intents() == [Connect(0), Connect(0)]


async def test_a_newer_connection_elsewhere_ends_the_old_one_whose_close_says_nothing(bench):
    await bench.one.seats.enter(holding(1))
    await bench.two.seats.enter(holding(1))
    await bench.one.hear()
    await bench.two.hear()
    assert (bench.one.ended, bench.two.ended) == ([1], [])
    assert bench.present == ("g2", 1)
    assert Disconnect(0) not in await bench.intents()


async def test_gone_while_redis_is_away_is_said_when_it_is_back(bench):
    await bench.one.seats.enter(holding(1))
    bench.one.store.link.cut()
    bench.one.seats.leave(1)
    await bench.one.hear()
    assert not bench.one.health.is_up
    assert bench.present == ("g1", 1)
    bench.one.store.link.mend()
    await bench.one.seats.say_again()
    assert bench.present is None
    assert await bench.intents() == [Connect(0), Disconnect(0)]


async def test_an_entry_whose_answer_was_lost_is_undone_unless_it_is_made_again(bench):
    bench.one.store.link.lose_answers()
    with pytest.raises(StoreUnavailable):
        await bench.one.seats.enter(holding(1))
    await bench.one.seats.enter(holding(1))
    await bench.one.hear()
    assert bench.present == ("g1", 1)
    bench.one.store.link.lose_answers()
    with pytest.raises(StoreUnavailable):
        await bench.one.seats.enter(holding(2))
    await bench.one.hear()
    assert bench.present is None
    assert not await bench.one.seats.beat()
    assert bench.present == ("g1", 1)


async def test_an_older_connection_of_ours_is_not_put_over_a_newer_one(bench):
    """Found by the simulation: the newer one was being entered while all were entered again."""
    await bench.one.seats.enter(holding(1))
    await bench.one.hear()
    newer = asyncio.create_task(bench.one.seats.enter(holding(2)))
    await bench.one.seats.verify()
    bench.one.seats.heard({"t": presence.GIVEN_BACK, "gateway": "g1", "conn": 1})
    await newer
    await bench.one.hear()
    assert bench.present == ("g1", 2)
    assert bench.one.ended == [1]
    await bench.one.seats.verify()
    assert bench.present == ("g1", 2)
    assert Disconnect(0) not in await bench.intents()


async def test_taken_for_dead_the_seats_are_entered_again(bench):
    await bench.one.seats.enter(holding(1))
    bench.store.world.clock.advance(100_000)
    await bench.two.store.presence.beat("g2")
    assert await bench.two.store.presence.reap() == ["g1"]
    assert bench.present is None
    assert not await bench.one.seats.beat()
    assert bench.present == ("g1", 1)
    assert bench.one.ended == []
    assert await bench.one.seats.beat()


@pytest.mark.parametrize("lost", ["the answer to the beat", "the entering"])
async def test_taken_for_dead_the_seats_are_entered_again_though_that_went_wrong_at_first(bench, monkeypatch, lost):
    """Found by the simulation: Redis says once that a gateway had been taken for dead."""
    await bench.one.seats.enter(holding(1))
    bench.store.world.data.gateways["g1"] = -1
    bench.store.world.data.present.clear()
    with monkeypatch.context() as patch:
        if lost == "the entering":
            patch.setattr(bench.one.seats, "verify", fails)
        else:
            bench.one.store.link.lose_answers()
        with pytest.raises(StoreUnavailable):
            await bench.one.seats.beat()
    assert bench.present is None
    assert not await bench.one.seats.beat()
    assert bench.present == ("g1", 1)
    assert await bench.one.seats.beat()


async def test_what_could_not_be_entered_behind_a_gap_is_entered_with_the_next_beat(bench):
    """Found by the simulation: the one attempt behind a broken subscription failed, and the seat stayed lost."""
    await bench.one.seats.enter(holding(1))
    await bench.one.seats.beat()
    bench.store.world.data.present.clear()
    bench.one.store.link.cut()
    bench.one.seats.verify_later()
    await bench.one.hear()
    bench.one.store.link.mend()
    assert bench.present is None
    await bench.one.seats.beat()
    assert bench.present == ("g1", 1)
    assert await bench.one.seats.beat()


async def fails():
    raise StoreUnavailable("away")


async def test_taken_for_dead_a_seat_opened_elsewhere_meanwhile_stays_there(bench):
    await bench.one.seats.enter(holding(1))
    bench.store.world.clock.advance(100_000)
    await bench.two.store.presence.beat("g2")
    await bench.two.store.presence.reap()
    await bench.two.seats.enter(holding(5))
    assert bench.one.ended == []
    assert not await bench.one.seats.beat()
    await bench.one.hear()
    await bench.two.hear()
    await bench.one.hear()
    assert bench.one.ended == [1]
    assert bench.two.ended == []
    assert bench.present == ("g2", 5)


async def test_a_redis_that_forgot_a_close_with_its_tail_is_told_again(bench):
    """Found by the simulation: the seat was connected for ever, and never had a stand-in."""
    await bench.one.seats.enter(holding(1))
    kept = bench.store.world.checkpoint()
    bench.one.seats.leave(1)
    await bench.one.hear()
    assert bench.present is None
    bench.store.world.restart(kept)
    assert bench.present == ("g1", 1)
    await bench.one.seats.verify()
    assert bench.present is None
    assert await bench.intents() == [Connect(0), Disconnect(0)]


async def test_a_seat_that_was_opened_again_is_not_left_for_an_old_close(bench):
    await bench.one.seats.enter(holding(1))
    bench.one.seats.leave(1)
    await bench.one.hear()
    await bench.one.seats.enter(holding(2))
    await bench.one.seats.verify()
    assert bench.present == ("g1", 2)


async def test_an_orderly_end_loses_all_seats_at_once(bench):
    await bench.one.seats.enter(holding(1))
    await bench.one.seats.enter(holding(2, seat=1))
    await bench.one.seats.stop()
    assert await bench.intents() == [Connect(0), Connect(1), Disconnect(0), Disconnect(1)]


async def test_strange_notes_are_no_matter(bench):
    await bench.one.seats.enter(holding(1))
    taken, given_back = {"t": "taken", "gateway": "g1"}, {"t": "given_back", "gateway": "g1"}
    others = {"t": "taken", "gateway": "g9", "conn": 1}
    for note in ({}, {"t": "taken"}, taken, taken | {"conn": "1"}, others, given_back | {"conn": 77}):
        bench.one.seats.heard(note)
    await bench.one.hear()
    assert bench.one.ended == []


async def test_blind_while_the_seat_was_opened_elsewhere_the_newest_has_it(bench):
    await bench.one.seats.enter(holding(1))
    bench.one.feed.break_off()
    await bench.two.seats.enter(holding(5))
    bench.one.feed.mend()
    await bench.one.hear()
    assert bench.one.ended == []
    bench.one.seats.verify_later()
    await bench.one.hear()
    await bench.two.hear()
    assert (bench.one.ended, bench.two.ended) == ([1], [])
    assert bench.present == ("g2", 5)


async def test_who_verifies_and_hears_no_answer_has_taken_no_seat_from_who_opened_it_later(bench):
    """Found by the simulation: it died before it could give the seat back."""
    await bench.one.seats.enter(holding(1))
    await bench.two.seats.enter(holding(5))
    bench.one.store.link.lose_answers()
    with pytest.raises(StoreUnavailable):
        await bench.one.seats.verify()
    assert bench.present == ("g2", 5)
    bench.store.world.clock.advance(100_000)
    await bench.two.store.presence.beat("g2")
    await bench.two.store.presence.reap()
    assert bench.present == ("g2", 5)
    assert Disconnect(0) not in await bench.intents()


async def test_who_enters_anew_behind_a_lost_answer_ends_whom_it_has_replaced_then(bench):
    """Found by the simulation: only the answer that was lost said whom."""
    await bench.one.seats.enter(holding(1))
    bench.two.store.link.lose_answers()
    with pytest.raises(StoreUnavailable):
        await bench.two.seats.enter(holding(5))
    await bench.two.hear()
    await bench.two.seats.enter(holding(5))
    for gateway in (bench.one, bench.two):
        await gateway.hear()
    assert (bench.one.ended, bench.two.ended) == ([1], [])
    assert bench.present == ("g2", 5)
    assert not bench.two.seats._unheard


@pytest.fixture
async def forgotten(bench):
    """The seat was opened at `one`, then at `two`, and Redis has lost the second with its tail; `one` was not told."""
    await bench.one.seats.enter(holding(1))
    kept = bench.store.world.checkpoint()
    bench.one.feed.break_off()
    await bench.two.seats.enter(holding(5))
    bench.store.world.restart(kept)
    return bench


@pytest.mark.parametrize("order", ["12", "21", "1212", "2121"])
async def test_who_was_opened_later_takes_the_seat_back_behind_a_lost_tail(forgotten, order):
    bench = forgotten
    for side in order:
        await (bench.one if side == "1" else bench.two).seats.verify()
        await bench.one.hear()
        await bench.two.hear()
    assert (bench.one.ended, bench.two.ended) == ([1], [])
    assert bench.present == ("g2", 5)


async def test_who_takes_the_seat_back_and_hears_no_answer_has_the_older_one_look(forgotten):
    bench = forgotten
    bench.two.store.link.lose_answers()
    with pytest.raises(StoreUnavailable):
        await bench.two.seats.verify()
    assert bench.present == ("g2", 5)
    await bench.two.seats.verify()
    for side in (bench.one, bench.two):
        await side.hear()
    assert (bench.one.ended, bench.two.ended) == ([1], [])
    assert not bench.two.seats._unheard


async def test_who_was_opened_first_leaves_once_more_and_takes_nothing_from_the_newer_one(bench):
    """The page was closed here and loaded again there, and Redis has lost both."""
    await bench.one.seats.enter(holding(1))
    kept = bench.store.world.checkpoint()
    bench.one.seats.leave(1)
    await bench.one.hear()
    await bench.two.seats.enter(holding(5))
    bench.store.world.restart(kept)
    await bench.two.seats.verify()
    await bench.one.seats.verify()
    for side in (bench.one, bench.two):
        await side.hear()
    assert bench.two.ended == []
    assert bench.present == ("g2", 5)


async def test_of_a_connection_that_is_gone_no_time_is_kept(bench):
    enter = bench.one.seats.enter(holding(1))
    entering = asyncio.create_task(enter)
    await asyncio.sleep(0)
    bench.one.seats.leave(1)
    await entering
    await bench.one.seats.enter(holding(2))
    await bench.one.seats.verify()
    bench.one.seats.leave(2)
    await bench.one.hear()
    assert (bench.one.seats._opened, bench.one.seats._missed) == ({}, set())


# Entered again while the entering is under way


@pytest.mark.parametrize("how", ["verify", "look"])
async def test_what_is_to_be_entered_again_while_it_is_being_entered_is_entered_behind_that(bench, how):
    """The gateway was taken for dead behind the entering, and hears of that before the answer."""
    enter, is_answered = bench.one.store.presence.enter, asyncio.Event()

    async def slowly_answered(*given, **fields):
        entered = await enter(*given, **fields)
        await is_answered.wait()
        return entered

    bench.one.store.presence.enter = slowly_answered
    entering = asyncio.create_task(bench.one.seats.enter(holding(1)))
    await bench.one.hear()
    await bench.two.store.presence.retire("g1")
    assert bench.present is None
    if how == "verify":
        await bench.one.seats.verify()
    else:
        bench.one.seats.heard({"t": presence.LOOK, "table": TABLE, "seat": 0})
    await bench.one.hear()
    is_answered.set()
    await entering
    await bench.one.hear()
    assert bench.present == ("g1", 1)
    assert bench.one.ended == []


async def test_a_note_that_could_not_be_sent_is_sent_when_redis_is_back(bench, monkeypatch):
    await bench.one.seats.enter(holding(1))

    async def fails(_table, _note):
        raise StoreUnavailable("away")

    with monkeypatch.context() as away:
        away.setattr(bench.two.feed, "tell", fails)
        await bench.two.seats.enter(holding(5))
    await bench.one.hear()
    assert bench.one.ended == []
    assert not bench.two.health.is_up
    await bench.two.seats.say_again()
    await bench.one.hear()
    assert bench.one.ended == [1]


async def test_what_was_said_is_remembered_for_a_while_only(bench, monkeypatch):
    """A gateway of ten thousand tables a day must not keep every connection it ever had."""
    for conn in range(1, 20):
        await bench.one.seats.enter(holding(conn))
        bench.one.seats.leave(conn)
        await bench.one.hear()
    await bench.one.seats.say_again()
    assert len(bench.one.seats._said_gone) == 19
    monkeypatch.setattr(presence, "SAID_GONE_KEPT_S", 0.0)
    await bench.one.seats.say_again()
    assert len(bench.one.seats._said_gone) == 0


@pytest.mark.parametrize("is_first", [True, False])
async def test_what_enters_as_its_gateway_goes_takes_nothing_from_who_has_come_back_elsewhere(bench, is_first):
    enter, has_gone = bench.one.store.presence.enter, asyncio.Event()

    async def under_way(*given, **how):
        if is_first:
            before = await enter(*given, **how)
            await has_gone.wait()
            return before
        await has_gone.wait()
        return await enter(*given, **how)

    bench.one.store.presence.enter = under_way
    entering = asyncio.create_task(bench.one.seats.enter(holding(1)))
    await bench.one.hear()
    bench.one.seats.go()
    await bench.two.seats.enter(holding(7))
    has_gone.set()
    await entering
    await bench.one.seats.stop()
    await bench.one.hear()
    await bench.two.hear()
    assert bench.two.ended == []
    assert bench.present == ("g2", 7)
    assert (await bench.intents())[-1] == Connect(0)


async def test_who_goes_enters_nothing_again_whatever_it_hears(bench):
    await bench.one.seats.enter(holding(1))
    bench.one.seats.go()
    await bench.one.seats.stop()
    for note in ({"t": presence.LOOK}, {"t": presence.GIVEN_BACK, "gateway": "g1", "conn": 1}, {"t": presence.TAKEN}):
        bench.one.seats.heard({"table": TABLE, "seat": 0, **note})
        await bench.one.hear()
    await bench.one.seats.verify()
    assert bench.present is None
