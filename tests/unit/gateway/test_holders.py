"""Whose a chair is the log alone decides: no void token, no lost tail and no dropped table undoes that."""

import asyncio

import pytest

from rapid.engine.intents import AddBot, CloseTable, Connect, Disconnect, Leave, Remove, Resume
from rapid.errors import LogCorrupt
from rapid.gateway.auth import seat_of
from rapid.wire.records import Answer, Ask, Entry, pack_entry
from tests.unit.gateway.bench import NOW, TABLE, Story
from tests.unit.gateway.hub_bench import SecondGateway, connected


def held_up(monkeypatch, port, name):
    """What is asked of the port waits until the event is set."""
    done, may_go = getattr(port, name), asyncio.Event()

    async def slow(*args, **fields):
        await may_go.wait()
        return await done(*args, **fields)

    monkeypatch.setattr(port, name, slow)
    return may_go


async def someone_else_sits_in_bobs_chair(bench):
    await bench.commit(bench.story.tell(Remove(0, 1)))
    await bench.commit(bench.story.seated(("eve",)).entries[-1])


# A void token at a gateway that is behind


@pytest.mark.parametrize("since", [{}, {"since": 5}, {"since": 5, "since_at": NOW}], ids=["none", "since", "since_at"])
async def test_a_void_token_takes_no_seat_from_its_holder(bench, since):
    """`bad_token` changes nothing else (PROTOCOL 3.2)."""
    async with SecondGateway(bench) as behind, connected(behind), connected(behind, greets=False) as bob:
        behind.store.link.cut()
        greeting = asyncio.create_task(bob.say(t="hello", v=1, token="bob", **since))
        await bench.settle()
        await someone_else_sits_in_bobs_chair(bench)
        async with connected(bench, "eve") as eve:
            await bench.settle()
            behind.store.link.is_cut = False  # what is asked is answered; what is pushed does not come through yet
            await greeting
            await bench.settle()
            assert bob.seen == [("bye", "bad_token")]
            assert eve.pipe.close_code is None
            assert bench.store.world.data.present[TABLE, 1] == (bench.gateway.name, eve.viewer.conn)


async def test_who_was_removed_is_told_so_though_somebody_sits_there_already(bench, monkeypatch):
    async with SecondGateway(bench) as behind, connected(behind, "bob") as bob:
        table = behind.gateway.hub.tables[TABLE]
        behind.store.link.cut()
        await someone_else_sits_in_bobs_chair(bench)
        may_read = held_up(monkeypatch, table._log, "read")
        behind.store.link.mend()
        await bench.settle()
        async with connected(bench, "eve") as eve:
            await bench.settle()
            may_read.set()
            await bench.settle()
            assert bob.seen[-1] == ("bye", "removed")
            assert eve.pipe.close_code is None


async def test_who_holds_a_chair_that_a_lost_tail_gave_back_to_another_comes_in_again(bench):
    """The new holder's entering is lost, and the old one's leaving: the log alone knows whose it is."""
    await someone_else_sits_in_bobs_chair(bench)
    async with connected(bench, "eve") as eve:
        data = bench.store.world.data
        data.present[TABLE, 1] = ("another", 7)
        data.held["another"][TABLE, 1] = pack_entry(Entry(TABLE, Disconnect(1), since=4))
        await bench.gateway.seats.verify()
        assert eve.seen[-1] == ("bye", "leaving")
    async with connected(bench, "eve") as again:
        assert again.viewer.seat == 1
        assert data.present[TABLE, 1] == (bench.gateway.name, again.viewer.conn)


# A lost tail


async def another_story(bench, kept):
    """Redis is back without what stood behind `kept`, and somebody else is in charge; nobody here has read on."""
    bench.store.link.cut()
    bench.store.world.restart(kept)
    other = Story().opened().seated()
    other.begin(await bench.worker.lease.raise_epoch(bench.shard, "w", 9))
    await bench.worker.log.claim(bench.shard, [TABLE], other.epoch)
    told = len(other.entries)
    other.tell(Resume(epoch=9, keeps_deadline=False), NOW + 1)
    return other, told


async def is_read(bench, other, told):
    assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
    bench.store.link.mend()
    await bench.gateway.health.probe()
    await bench.gateway.hub.check()
    await bench.settle()


async def test_who_sat_down_in_the_lost_tail_is_not_shown_the_cards_of_who_sits_there_now(bench):
    """Even where both sat down with the same `seq`."""
    kept = bench.store.world.checkpoint()
    await bench.commit(bench.story.tell(Connect(0)))
    await bench.commit(bench.story.seated(("dan",)).entries[-1])
    async with connected(bench, "dan") as dan:
        other, told = await another_story(bench, kept)
        other.seated(("eve",), NOW + 2)
        assert other.state.seat_at(3).since == dan.viewer.since
        other.started(NOW + 3)
        await is_read(bench, other, told)
        assert dan.seen[-1] == ("bye", "removed")
        assert not any((message.get("view") or {}).get("you", {}).get("hand") for message in dan.pipe.messages())


async def test_whose_seat_may_be_of_a_lost_tail_waits_until_the_log_was_read(bench):
    """Even where both sat down with the same `seq`."""
    kept = bench.store.world.checkpoint()
    await bench.commit(bench.story.tell(Connect(0)))
    await bench.commit(bench.story.seated(("dan",)).entries[-1])
    async with connected(bench), connected(bench, greets=False) as dan, SecondGateway(bench) as ahead:
        other, told = await another_story(bench, kept)
        other.seated(("eve",), NOW + 2)
        assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
        async with connected(ahead, "eve") as eve:
            bench.store.link.is_cut = False
            assert await bench.gateway.health.probe()  # the subscription does not stand yet
            await dan.say(t="hello", v=1, token="dan")
            await bench.settle()
            assert dan.seen == [("bye", "bad_token")]
            assert eve.viewer.seat == 3
            assert eve.pipe.close_code is None


@pytest.mark.parametrize("has_answered", [False, True])
async def test_whose_seat_was_in_a_lost_tail_is_not_let_in_before_the_subscription_stands_again(bench, has_answered):
    """Whether entering is the first that is asked of the new run or not."""
    kept = bench.store.world.checkpoint()
    await bench.commit(bench.story.tell(Connect(0)))
    await bench.commit(bench.story.seated(("dan",)).entries[-1])
    async with connected(bench), connected(bench, greets=False) as dan:
        other, told = await another_story(bench, kept)
        assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
        bench.store.link.is_cut = False
        if has_answered:
            assert await bench.gateway.health.probe()
        await dan.say(t="hello", v=1, token="dan")
        await bench.settle()
        assert dan.seen == [("bye", "bad_token")]


async def test_a_seat_in_a_tail_that_is_lost_while_the_log_is_read_is_nobodys(bench, monkeypatch):
    kept = bench.store.world.checkpoint()
    await bench.commit(bench.story.tell(Connect(0)))
    async with bench.gateway.hub.using(TABLE) as table:
        read, goes_on = bench.store.log.read, asyncio.Event()

        async def held(*what, **how):
            entries = await read(*what, **how)
            await goes_on.wait()
            return entries

        with monkeypatch.context() as deaf:
            deaf.setattr(bench.gateway.feed, "push_record", lambda *_: None)
            await bench.commit(bench.story.seated(("dan",)).entries[-1])
        monkeypatch.setattr(bench.store.log, "read", held)
        looking = asyncio.create_task(seat_of(table, "dan"))
        await bench.settle()
        other, told = await another_story(bench, kept)
        assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
        bench.store.link.mend()
        await bench.settle()
        goes_on.set()
        assert await looking is None
        assert not table.is_in_doubt


@pytest.mark.parametrize("before", [1, 2, 3])
async def test_who_sits_there_again_behind_the_lost_tail_is_to_come_back(bench, before):
    """Taking the seat was decided once more: the token is good, the chair perhaps another one."""
    kept = bench.store.world.checkpoint()
    for _ in range(before - 1):
        await bench.commit(bench.story.tell(AddBot(0)))
    await bench.commit(bench.story.seated(("dan",)).entries[-1])
    async with connected(bench, "dan") as dan:
        other, told = await another_story(bench, kept)
        other.seated(("dan",), NOW + 2)
        await is_read(bench, other, told)
        seat = next(seat for seat in other.state.seats if seat.name == "Dan")
        is_same = (seat.seat, seat.since) == (dan.viewer.seat, dan.viewer.since)
        assert dan.pipe.close_code == (None if is_same else 1001)
        async with connected(bench, "dan") as again:
            assert (again.viewer.seat, again.viewer.since) == (seat.seat, seat.since)


@pytest.mark.parametrize("ending, why", [(Leave(1), "left"), (Remove(0, 1), "removed"), (CloseTable(), "closed")])
async def test_what_has_ended_a_seat_is_said_where_the_log_was_read_anew(bench, ending, why):
    kept = bench.store.world.checkpoint()
    async with connected(bench, "bob") as bob, connected(bench) as spectator:
        await bench.commit(bench.story.tell(AddBot(0)))
        await bob.say(id=1, t="leave")
        await bench.settle()
        (ref,) = bench.gateway.asks._pending
        other, told = await another_story(bench, kept)
        answer = Answer(Ask(bench.gateway.name, ref), other.state.seq + 1) if why == "left" else None
        other.tell(ending, NOW + 2, answer=answer)
        await is_read(bench, other, told)
        assert bob.replies == {1: 7 if why == "left" else "unavailable"}
        assert bob.seen[-1] == ("bye", why)
        assert spectator.pipe.close_code == (1000 if why == "closed" else None)


# A table that is dropped under a hello


@pytest.mark.parametrize("token", [None, "bob"])
@pytest.mark.parametrize("how", ["gone", "corrupt"])
async def test_nobody_joins_a_table_that_nothing_reaches_any_more(bench, monkeypatch, how, token):
    async with connected(bench, greets=False) as bob:
        hub = bench.gateway.hub
        asked = (bench.gateway.seats._presence, "enter") if token else (bench.store.log, "read")
        async with hub.using(TABLE) as table:
            may_go = held_up(monkeypatch, *asked)
            hello = {"t": "hello", "v": 1, "since": 5} | ({"token": token, "since_at": NOW} if token else {})
            greeting = asyncio.create_task(bob.say(**hello))
            await bench.settle()
            if how == "corrupt":
                hub._drop(table, LogCorrupt(TABLE, "1-9", "x"))
            else:
                del bench.store.world.data.logs[TABLE]
                await hub._check_tail(table, None)
            assert TABLE not in hub.tables
            may_go.set()
            await greeting
            monkeypatch.undo()
        assert bob.pipe.close_code in {1001, 4004}


# A spectator's leave


@pytest.mark.parametrize("message", [{"t": "leave"}, {"t": "pass", "on": 1}, {"t": "react", "emoji": "👍"}])
async def test_what_a_spectator_asks_as_the_table_closes_is_answered(bench, message):
    async with connected(bench) as spectator:
        table = bench.gateway.hub.tables[TABLE]
        assert all(await bench.worker.log.commit(bench.story.commits([bench.story.tell(CloseTable())])))
        while table.exists:
            await asyncio.sleep(0)
        await spectator.say(id=1, **message)
        await bench.settle()
        assert 1 in spectator.replies
        assert spectator.pipe.close_code == 1000
