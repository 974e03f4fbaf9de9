"""Whose a chair is the log alone decides: no void token, no lost tail and no dropped table undoes that."""

import asyncio
import contextlib

import pytest

from rapid.engine.intents import AddBot, CloseTable, Connect, Disconnect, Leave, Remove, Resume
from rapid.engine.refusals import SPECTATOR, Refusal
from rapid.errors import LogCorrupt, StoreUnavailable
from rapid.gateway.auth import seat_of
from rapid.ids import token_hash
from rapid.table.authority import Authority, Folded
from rapid.wire.records import Answer, Ask, Entry, mark_of, pack_entry
from tests.unit.gateway.bench import NOW, TABLE, Story
from tests.unit.gateway.hub_bench import SecondGateway, connected, judge_replies


def held_up(monkeypatch, port, name):
    """What is asked of the port waits until the event is set."""
    done, may_go = getattr(port, name), asyncio.Event()

    async def slow(*args, **fields):
        await may_go.wait()
        return await done(*args, **fields)

    monkeypatch.setattr(port, name, slow)
    return may_go


def answered_late(monkeypatch, port, name):
    """What is asked of the port is done at once, and answered when the event is set, in the order of the questions."""
    ask, may_hear = getattr(port, name), asyncio.Event()

    async def slow(*args, **fields):
        answer = await ask(*args, **fields)
        await may_hear.wait()
        return answer

    monkeypatch.setattr(port, name, slow)
    return may_hear


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


@pytest.mark.parametrize("why", [Remove(0, 1), Leave(1)], ids=["removed", "left"])
@pytest.mark.parametrize("heard", ["blind", "the beat"])
@pytest.mark.parametrize("is_slow", [False, True], ids=["read at once", "read slowly"])
async def test_who_has_lost_the_chair_to_somebody_is_told_why_however_the_gateway_finds_out(
    bench, monkeypatch, why, heard, is_slow
):
    """And not to come back at once, which would be refused with `bad_token` (PROTOCOL 3.2)."""
    async with SecondGateway(bench) as behind, connected(behind, "bob") as bob:
        table = behind.gateway.hub.tables[TABLE]
        for feed in behind.store.link.feeds:
            feed.break_off()
        await bench.commit(bench.story.tell(why))
        await bench.commit(bench.story.seated(("eve",)).entries[-1])
        may_read = held_up(monkeypatch, table._log, "read")
        async with connected(bench, "eve") as eve:
            if not is_slow:
                may_read.set()
            if heard == "blind":
                for feed in behind.store.link.feeds:
                    feed.mend()
                await bench.settle()
            else:
                bench.store.world.data.gateways[behind.gateway.name] = -1  # it was slow, and taken for dead
                checking = asyncio.create_task(behind.gateway.hub.check())
                await bench.settle()
            may_read.set()
            await bench.settle()
            if heard == "the beat":
                await checking
            assert bob.seen[-1] == ("bye", "removed" if isinstance(why, Remove) else "left")
            assert eve.pipe.close_code is None


async def test_who_cannot_be_told_why_as_redis_is_away_is_told_later(bench, monkeypatch):
    async with SecondGateway(bench) as behind, connected(behind, "bob") as bob:
        for feed in behind.store.link.feeds:
            feed.break_off()
        await someone_else_sits_in_bobs_chair(bench)
        async with connected(bench, "eve"):

            async def away(*_args, **_fields):
                raise StoreUnavailable("away")

            with monkeypatch.context() as patch:
                patch.setattr(behind.gateway.hub.tables[TABLE]._log, "read", away)
                with pytest.raises(StoreUnavailable):
                    await behind.gateway.seats.verify()
            assert bob.pipe.close_code is None
            await behind.gateway.hub.check()
            await bench.settle()
            assert bob.seen[-1] == ("bye", "removed")


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


@pytest.mark.parametrize("how", ["verify", "look"])
@pytest.mark.parametrize("turns", range(12))
async def test_who_is_just_coming_in_is_welcomed_first_whatever_is_entered_again_meanwhile(bench, turns, how):
    """Nothing is lost: only the former holder's gateway is slow."""
    async with SecondGateway(bench) as slow, connected(slow, "bob"):
        slow.store.link.cut()
        await someone_else_sits_in_bobs_chair(bench)
        async with connected(bench), connected(bench, "cy"), connected(bench, greets=False) as eve:
            greeting = asyncio.create_task(eve.say(t="hello", v=1, token="eve"))
            for _ in range(turns):
                await asyncio.sleep(0)
            if how == "look":
                bench.gateway.seats.heard({"t": "look", "table": TABLE, "seat": 1})
            else:
                bench.gateway.seats.verify_later()
            await greeting
            await bench.settle()
            assert eve.seen[0][0] == "welcome"
            assert eve.pipe.close_code is None


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


async def eve_sits_where_dan_did(bench, kept):
    """Both sat down with the same `seq`; the log that says so was not read here yet, though Redis answers again."""
    other, told = await another_story(bench, kept)
    other.seated(("eve",), NOW + 2)
    assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
    bench.store.link.is_cut = False
    return other


@pytest.fixture
async def kept(bench):
    """What Redis has kept; dan sat down behind it."""
    checkpoint = bench.store.world.checkpoint()
    await bench.commit(bench.story.tell(Connect(0)))
    await bench.commit(bench.story.seated(("dan",)).entries[-1])
    return checkpoint


async def judged(bench, state, seen):
    """What the authority says to what was posted behind `seen`."""
    authority = Authority(9, Folded(state, has_log=True))
    posted = await bench.worker.inbox.read({bench.shard: seen}, limit=99, block_ms=0)
    return [(type(one.entry.intent), authority._judge(one.entry, NOW + 9, "").refusal) for one in posted]


@pytest.mark.parametrize("is_in_doubt", [False, True])
@pytest.mark.parametrize(
    "message",
    [{"t": "leave"}, {"t": "pass", "on": 1}, {"t": "play", "on": 1, "cards": ["3S"]}, {"t": "host", "do": "start"}],
    ids=lambda message: message["t"],
)
async def test_what_the_holder_of_a_void_token_asks_does_not_count_for_who_sits_there_now(
    bench, kept, is_in_doubt, message
):
    async with connected(bench, "dan") as dan:
        other = await eve_sits_where_dan_did(bench, kept)
        assert other.state.seat_at(3).since == dan.viewer.since
        if is_in_doubt:
            bench.gateway.hub.tables[TABLE].doubt()
        seen = bench.store.world.data.inboxes[bench.shard].last_id
        await dan.say(id=1, **message)
        await bench.settle()
        ((_, refusal),) = await judged(bench, other.state, seen)
        assert refusal == Refusal(SPECTATOR)


async def test_who_comes_and_goes_with_a_void_token_is_not_the_new_holder_who_comes_and_goes(bench, kept):
    """Neither the connection found nor the connection lost."""
    async with connected(bench), connected(bench, greets=False) as dan:
        other = await eve_sits_where_dan_did(bench, kept)
        seen = bench.store.world.data.inboxes[bench.shard].last_id
        await dan.say(t="hello", v=1, token="dan")
        await dan.connection.close()
        await bench.settle()
        refusals = await judged(bench, other.state, seen)
        assert refusals == [(Connect, Refusal(SPECTATOR)), (Disconnect, Refusal(SPECTATOR))]


async def test_a_void_token_takes_no_seat_from_its_holder_before_the_gap_was_heard_of(bench, kept):
    async with connected(bench), connected(bench, greets=False) as dan, SecondGateway(bench) as ahead:
        await eve_sits_where_dan_did(bench, kept)
        async with connected(ahead, "eve") as eve:
            await dan.say(t="hello", v=1, token="dan")
            await bench.settle()
            assert dan.seen == [("bye", "bad_token")]
            for feed in bench.store.link.feeds:
                feed.mend()
            await bench.settle()
            assert eve.pipe.close_code is None
            assert bench.store.world.data.present[TABLE, 3] == (ahead.gateway.name, eve.viewer.conn)


@pytest.mark.parametrize("departure", ["a lost tail", "being removed"])
async def test_who_is_only_there_for_an_answer_is_not_entered_again(bench, kept, departure):
    async with connected(bench, "dan") as dan:
        dan.viewer.undecided.add(77)  # owed an answer: the end waits for it
        if departure == "a lost tail":
            other, told = await another_story(bench, kept)
            other.seated(("eve",), NOW + 2)
            await is_read(bench, other, told)
        else:
            await bench.commit(bench.story.tell(Remove(0, 3)))
            await bench.commit(bench.story.seated(("eve",)).entries[-1])
        assert dan.pipe.close_code is None
        async with connected(bench, "eve") as eve:
            await bench.settle()
            assert eve.viewer.seat == 3
        await bench.settle()
        await bench.gateway.seats.verify()
        assert (TABLE, 3) not in bench.store.world.data.present


async def test_the_mark_of_a_token_is_told_to_nobody(bench):
    async with connected(bench, "ada") as ada, connected(bench, "bob") as bob, connected(bench) as spectator:
        await bob.say(id=1, t="pass", on=1)
        await bench.commit(bench.story.tell(AddBot(0)))
        await bench.settle()
        for person in (ada, bob, spectator):
            assert person.pipe.data
            for name in ("ada", "bob", "cy"):
                assert mark_of(token_hash(name)).encode() not in person.pipe.data


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
@pytest.mark.parametrize("asked", ["leave", "pass"])
async def test_what_has_ended_a_seat_is_shown_where_the_log_was_read_anew(bench, asked, ending, why):
    """From a view of the moment before it, and with no answer that speaks of what was not shown."""
    kept = bench.store.world.checkpoint()
    async with connected(bench, "bob") as bob, connected(bench) as spectator:
        await bench.commit(bench.story.tell(AddBot(0)))
        await bob.say(id=1, t=asked, **({} if asked == "leave" else {"on": 1}))
        await bench.settle()
        (ref,) = bench.gateway.asks._pending
        other, told = await another_story(bench, kept)
        is_theirs = (asked, why) in {("leave", "left"), ("pass", "removed")}
        ask = Ask(bench.gateway.name, ref)
        if is_theirs and asked == "pass":
            other.tell(AddBot(0), NOW + 2, answer=Answer(ask, other.state.seq + 1))
        stood = other.state.seq
        other.tell(ending, NOW + 2, answer=Answer(ask, stood + 1) if is_theirs and asked == "leave" else None)
        behind = other.state.seq
        if why != "closed":
            other.tell(AddBot(0), NOW + 3)
        await is_read(bench, other, told)
        anew = bob.seen[[one[0] for one in bob.seen].index("welcome", 1) :]
        assert anew[0] == ("welcome", stood)
        assert [what for kind, what in (one for one in anew if len(one) == 2) if isinstance(what, int)][-1] == behind
        assert anew[-1] == ("bye", why)
        assert bob.replies == {1: (stood + (asked == "leave")) if is_theirs else "unavailable"}
        judge_replies(bob.pipe.messages())
        assert spectator.pipe.close_code == (1000 if why == "closed" else None)


@pytest.mark.parametrize("first_ends", [None, Remove(0, 1), Leave(1), CloseTable()], ids=str)
async def test_a_log_that_is_read_from_two_runs_is_read_once_more_and_not_called_corrupt(
    bench, monkeypatch, first_ends
):
    """Redis is lost, and its tail, between two pages of one reading. What the first page said does not count."""
    kept, kept_again = bench.store.world.checkpoint(), bench.store.world.checkpoint()
    for _ in range(2):
        await bench.commit(bench.story.tell(AddBot(0)))
    async with connected(bench, "bob") as bob:
        first, _ = await another_story(bench, kept)
        if first_ends is not None:
            first.tell(first_ends, NOW + 1)
        if first_ends != CloseTable():
            for _ in range(2):
                first.tell(Resume(epoch=9, keeps_deadline=False), NOW + 1)
        assert all(await bench.worker.log.commit(first.commits(first.entries[3:])))
        bench.store.link.is_cut = False
        read, pages = bench.store.log.read, []

        async def lost_between(*what, **how):
            if len(pages) == 4:  # read are two decisions behind what will be there
                bench.store.world.clock.advance(5)
                other, told = await another_story(bench, kept_again)
                other.tell(AddBot(0), NOW + 2)
                bench.store.link.is_cut = False
                assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
            pages.append(what)
            return await read(*what, **how)

        monkeypatch.setattr(bench.store.log, "read", lost_between)
        table = bench.gateway.hub.tables[TABLE]
        await table.catch_up()
        assert not table.is_in_doubt
        assert [seat.kind for seat in table.state.seats] == ["person"] * 3 + ["bot"]
        assert bob.pipe.close_code is None
        assert bob.seen[-1][0] == "welcome"


@pytest.mark.parametrize("is_pushed", [True, False])
@pytest.mark.parametrize("newer", ["gone", "its gateway dead", "there"])
async def test_who_was_taken_over_and_not_told_of_it_looks_when_the_newer_one_is_lost(
    bench, monkeypatch, newer, is_pushed
):
    """What takes a seat over may die before it says so; or it is of the version before, and says nothing."""
    async with connected(bench, "bob") as bob, SecondGateway(bench) as other:
        name, presence = other.gateway.name, other.store.presence
        await bench.commit(bench.story.tell(Connect(1)))
        await presence.enter(TABLE, 1, name, 9, since=bob.viewer.since, mark=bob.viewer.mark)
        if newer == "gone":
            await presence.leave(TABLE, 1, name, 9, since=bob.viewer.since, mark=bob.viewer.mark)
        elif newer == "its gateway dead":
            await presence.retire(name)
        with monkeypatch.context() as deaf:
            if not is_pushed:
                deaf.setattr(bench.gateway.feed, "push_record", lambda *_: None)
            await bench.commit(bench.story.tell(Disconnect(1)))
        await bench.gateway.hub.check()
        await bench.settle()
        present = bench.store.world.data.present[TABLE, 1]
        assert present == ((name, 9) if newer == "there" else (bench.gateway.name, bob.viewer.conn))
        assert bob.pipe.close_code == (4000 if newer == "there" else None)


async def test_the_answer_to_a_leave_is_given_however_long_the_log_is_read(bench, monkeypatch):
    kept = bench.store.world.checkpoint()
    async with connected(bench, "bob") as bob:
        await bench.commit(bench.story.tell(AddBot(0)))
        await bob.say(id=1, t="leave")
        await bench.settle()
        (ref,) = bench.gateway.asks._pending
        other, told = await another_story(bench, kept)
        other.tell(Leave(1), NOW + 2, answer=Answer(Ask(bench.gateway.name, ref), other.state.seq + 1))
        for _ in range(4):
            other.tell(Resume(epoch=9, keeps_deadline=False), NOW + 3)
        assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
        read, pages = bench.store.log.read, []

        async def slowly(*what, **how):
            pages.append(what)
            if bob.viewer.parted_at is not None:
                assert bob.replies  # else its time to wait for answers might run out meanwhile
            return await read(*what, **how)

        monkeypatch.setattr(bench.store.log, "read", slowly)
        bench.store.link.is_cut = False
        await bench.gateway.hub.tables[TABLE].catch_up()
        assert len(pages) > 3
        assert list(bob.replies) == [1]
        assert bob.seen[-1] == ("bye", "left")


async def test_no_answer_of_a_lost_run_names_what_who_leaves_was_not_shown(bench):
    """Nothing came of such an attempt: where anything did, the answer stands with it in the log."""
    kept = bench.store.world.checkpoint()
    async with connected(bench, "bob") as bob:
        await bench.commit(bench.story.tell(AddBot(0)))
        await bob.say(id=1, t="pass", on=1)
        await bench.settle()
        (ref,) = bench.gateway.asks._pending
        table = bench.gateway.hub.tables[TABLE]
        assert not table.answered(Answer(Ask(bench.gateway.name, ref), table.state.seq + 2))
        other, told = await another_story(bench, kept)
        other.tell(Remove(0, 1), NOW + 2)
        for _ in range(4):
            other.tell(Resume(epoch=9, keeps_deadline=False), NOW + 3)
        await is_read(bench, other, told)
        assert list(bob.replies) == [1]
        judge_replies(bob.pipe.messages())
        assert bob.seen[-1] == ("bye", "removed")


async def test_a_loss_that_stands_in_a_log_read_anew_is_looked_after_too(bench, monkeypatch):
    async with connected(bench, "bob") as bob, SecondGateway(bench) as other:
        kept = bench.store.world.checkpoint()
        await bench.commit(bench.story.tell(Connect(1)))
        story, told = await another_story(bench, kept)
        assert all(await bench.worker.log.commit(story.commits(story.entries[told:])))
        may_read = held_up(monkeypatch, bench.store.log, "read")
        bench.store.link.mend()
        await bench.settle()
        await bench.gateway.hub.check()
        await bench.settle()
        holder = {"since": bob.viewer.since, "mark": bob.viewer.mark}
        await other.store.presence.enter(TABLE, 1, other.gateway.name, 9, **holder)
        await other.store.presence.retire(other.gateway.name)
        may_read.set()
        await bench.settle()
        assert not bench.gateway.hub.tables[TABLE].state.seat_at(1).connected
        assert bench.store.world.data.present[TABLE, 1] == (bench.gateway.name, bob.viewer.conn)


@pytest.mark.parametrize("turns", range(8))
async def test_a_new_tab_keeps_the_seat_from_the_old_one_that_is_looked_after_in_that_moment(bench, turns):
    async with connected(bench, "bob") as old, connected(bench, greets=False) as new:
        seen = bench.store.world.data.inboxes[bench.shard].last_id
        greeting = asyncio.create_task(new.say(t="hello", v=1, token="bob"))
        for _ in range(turns):
            await asyncio.sleep(0)
        bench.gateway.seats.look(TABLE, 1)
        await greeting
        await bench.settle()
        posted = await bench.worker.inbox.read({bench.shard: seen}, limit=99, block_ms=0)
        assert Disconnect not in {type(one.entry.intent) for one in posted}
        assert bench.store.world.data.present[TABLE, 1] == (bench.gateway.name, new.viewer.conn)
        assert old.pipe.close_code == 4000


async def test_who_is_taken_for_dead_lives_again_before_it_enters_what_was_reaped(bench):
    async with connected(bench, "bob") as bob:
        await bench.settle()
        await bench.commit(bench.story.tell(Connect(1)))
        bench.store.world.clock.advance(bench.store.world.limits.gateway_dead_ms + 1)
        await bench.worker.presence.reap()
        assert (TABLE, 1) not in bench.store.world.data.present
        await bench.commit(bench.story.tell(Disconnect(1)))
        await bench.worker.presence.reap()
        assert bench.store.world.data.present[TABLE, 1] == (bench.gateway.name, bob.viewer.conn)


async def test_losses_read_at_once_are_looked_after_once_and_one_that_comes_meanwhile_once_more(bench, monkeypatch):
    async with connected(bench, "bob") as bob:
        await bench.settle()
        enter, entered = bench.store.presence.enter, []

        async def counted(*what, **how):
            entered.append(what)
            return await enter(*what, **how)

        monkeypatch.setattr(bench.store.presence, "enter", counted)
        may_beat = held_up(monkeypatch, bench.store.presence, "beat")
        for _ in range(100):
            bench.gateway.seats.look(TABLE, 1)
        await bench.settle()
        for _ in range(100):
            bench.gateway.seats.look(TABLE, 1)
        may_beat.set()
        await bench.settle()
        assert len(entered) == 2
        assert bench.store.world.data.present[TABLE, 1] == (bench.gateway.name, bob.viewer.conn)


@pytest.mark.parametrize("answers", ["look first", "beat first"])
async def test_a_beat_settles_no_doubt_that_comes_while_it_is_under_way(bench, monkeypatch, answers):
    """A look may be the one that is told that we were dead: seats and the number of spectators are told again."""
    async with connected(bench, "bob"), connected(bench, "cy"), connected(bench):
        await bench.settle()
        await bench.gateway.hub.check()
        data, presence, seats = bench.store.world.data, bench.store.presence, bench.gateway.seats
        bench.store.world.clock.advance(bench.store.world.limits.gateway_dead_ms + 1)
        await bench.worker.presence.reap()
        assert (TABLE, 2) not in data.present
        assert not data.watch[TABLE]
        with monkeypatch.context() as slow:
            may_hear = answered_late(slow, presence, "beat")
            if answers == "look first":
                seats.look(TABLE, 1)
                beating = asyncio.create_task(bench.gateway.hub.check())
            else:
                beating = asyncio.create_task(bench.gateway.hub.check())
                await asyncio.sleep(0)
                seats.look(TABLE, 1)
            await bench.settle()
            may_hear.set()
            await beating
            await bench.settle()
        await bench.gateway.hub.check()
        await bench.settle()
        assert {seat for table, seat in data.present if table == TABLE} == {1, 2}
        assert data.watch[TABLE] == {bench.gateway.name: 1}


async def test_what_fails_while_a_beat_is_under_way_is_made_up_for_by_the_next(bench, monkeypatch):
    async with connected(bench, "bob") as bob:
        await bench.settle()
        presence, seats, data = bench.store.presence, bench.gateway.seats, bench.store.world.data
        await bench.commit(bench.story.tell(Connect(1)))
        del data.present[TABLE, 1]

        async def away(*_what, **_how):
            raise StoreUnavailable("away")

        with monkeypatch.context() as broken:
            with monkeypatch.context() as slow:
                may_hear = answered_late(slow, presence, "beat")
                beating = asyncio.create_task(seats.beat())
                await bench.settle()
            broken.setattr(presence, "enter", away)
            await bench.commit(bench.story.tell(Disconnect(1)))
            may_hear.set()
            await beating
        await bench.gateway.health.probe()
        await bench.gateway.hub.check()
        await bench.settle()
        assert data.present[TABLE, 1] == (bench.gateway.name, bob.viewer.conn)


@pytest.mark.parametrize("refusal", [None, Refusal("beaten")], ids=["ok", "refused"])
@pytest.mark.parametrize("is_lost", [True, False])
async def test_in_doubt_an_ok_waits_for_the_story_that_it_names_and_a_refusal_for_nothing(
    bench, monkeypatch, is_lost, refusal
):
    kept = bench.store.world.checkpoint()
    async with connected(bench, "bob") as bob:
        for _ in range(3):
            await bench.commit(bench.story.tell(AddBot(0)))
        await bob.say(id=1, t="pass", on=1)
        await bench.settle()
        (ref,) = bench.gateway.asks._pending
        table = bench.gateway.hub.tables[TABLE]
        may_read = held_up(monkeypatch, bench.store.log, "read")
        if is_lost:
            other, told = await another_story(bench, kept)
            assert all(await bench.worker.log.commit(other.commits(other.entries[told:])))
            bench.store.link.mend()
        else:
            table.doubt()
            bench.gateway.hub.catch_up_later([table])
        await bench.settle()
        assert table.is_in_doubt
        await bench.worker.log.answer([Answer(Ask(bench.gateway.name, ref), 6, refusal)])
        await bench.settle()
        assert bob.replies == ({} if refusal is None else {1: "beaten"})
        may_read.set()
        await bench.settle()
        assert bob.replies == {1: 6 if refusal is None else "beaten"}
        assert [kind for kind, *_ in bob.seen].count("welcome") == 1 + is_lost
        if refusal is None:
            judge_replies(bob.pipe.messages())


async def test_of_two_beats_at_once_the_one_that_ends_last_unsettles_nothing(bench, monkeypatch):
    async with connected(bench, "bob"):
        await bench.settle()
        seats, verify, gates = bench.gateway.seats, bench.gateway.seats.verify, []

        async def slow():
            gates.append(asyncio.Event())
            await gates[-1].wait()
            await verify()

        with monkeypatch.context() as patch:
            patch.setattr(seats, "verify", slow)
            seats.verify_later()
            await bench.settle()
            gates.pop().set()
            first, second = asyncio.create_task(seats.beat()), asyncio.create_task(seats.beat())
            await bench.settle()
            gates[1].set()
            await second
            gates[0].set()
            await first
        assert await seats.beat()


async def test_who_watches_a_table_that_closes_behind_a_lost_tail_is_shown_where_it_ended(bench):
    kept = bench.store.world.checkpoint()
    async with connected(bench, "bob") as bob, connected(bench) as spectator:
        await bench.commit(bench.story.tell(AddBot(0)), bench.story.tell(AddBot(0)))
        other, told = await another_story(bench, kept)
        other.tell(CloseTable(), NOW + 2)
        await is_read(bench, other, told)
        assert spectator.seen[-2:] == [("welcome", other.state.seq), ("bye", "closed")]
        assert bob.seen[-1] == ("bye", "closed")


# Tabs, behind a lost tail


@pytest.mark.parametrize("old", ["there", "closed", "its gateway dead"])
@pytest.mark.parametrize("is_old_first", [True, False], ids=["older gateway first", "newer gateway first"])
async def test_behind_a_lost_tail_the_newest_tab_has_the_seat_whoever_is_back_first(bench, is_old_first, old):
    """Redis has kept that the older one is there, and nothing of the newer one."""
    async with SecondGateway(bench) as other, connected(bench) as spectator, contextlib.AsyncExitStack() as stack:
        older = await stack.enter_async_context(connected(bench, "bob"))
        await bench.settle()
        kept = bench.store.world.checkpoint()
        if old == "closed":
            await stack.aclose()
            await bench.settle()
        async with connected(other, "bob") as newer:
            await bench.settle()
            assert older.pipe.close_code == (4000 if old != "closed" else None)
            for side in (bench, other):
                side.store.link.cut()
            bench.store.world.restart(kept)
            sides = [bench, other] if is_old_first else [other, bench]
            if old == "its gateway dead":
                sides.remove(bench)
            for heard in ("blind", "the beat"):
                for side in sides:
                    if heard == "blind":
                        side.store.link.mend()
                    else:
                        await side.gateway.hub.check()
                    await bench.settle()
            assert newer.pipe.close_code is None
            assert spectator.pipe.close_code is None
            assert bench.store.world.data.present[TABLE, 1] == (other.gateway.name, newer.viewer.conn)


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
