"""Pushes are never trusted: whatever is lost, viewers get every event once and in order (DESIGN decision 6)."""

import asyncio
import contextlib
import json

import pytest

from rapid.engine.events import TrickClosed
from rapid.engine.intents import AddBot, ChangeSettings, Leave, Remove, Resume
from rapid.errors import StoreUnavailable
from rapid.gateway.asks import UNAVAILABLE
from rapid.gateway.auth import seat_of
from rapid.gateway.connection import Connection
from rapid.gateway.viewer import Viewer
from rapid.table.ports import Commit, shard_of
from rapid.telemetry.logs import get_logger
from rapid.wire.close import NO_TABLE
from rapid.wire.codec import JSON
from rapid.wire.records import Answer, Ask, Record
from rapid.wire.session import Session
from tests.unit.gateway.bench import NOW, TABLE, TOKENS, FakePipe, Story


def seqs(pipe):
    return [message["seq"] for message in pipe.messages() if message["t"] in {"welcome", "event"}]


async def test_a_push_that_follows_is_shown_at_once(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        await bench.commit(bench.story.bots(1).entries[-1])
        assert seqs(pipe) == [5, 6]


async def test_a_lost_push_is_read_from_the_log_when_the_next_one_comes(bench, monkeypatch):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        with monkeypatch.context() as deaf:
            deaf.setattr(bench.gateway.feed, "push_record", lambda *_: None)
            await bench.commit(*bench.story.bots(2).entries[-2:])
        assert seqs(pipe) == [5]
        await bench.commit(bench.story.bots(1).entries[-1])
        assert seqs(pipe) == [5, 6, 7, 8]
        assert "rapid_log_gaps_total 1.0" in bench.metrics.render().decode()


async def test_a_lost_last_push_is_found_by_the_regular_check(bench, monkeypatch):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        with monkeypatch.context() as deaf:
            deaf.setattr(bench.gateway.feed, "push_record", lambda *_: None)
            await bench.commit(bench.story.bots(1).entries[-1])
        await bench.gateway.hub.check()
        await bench.settle()
        assert seqs(pipe) == [5, 6]


async def test_a_doubled_push_is_shown_once(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        entry = bench.story.bots(1).entries[-1]
        await bench.commit(entry)
        assert table.pushed(entry.id, entry.record)
        assert table.pushed(bench.story.entries[0].id, bench.story.entries[0].record)
        assert seqs(pipe) == [5, 6]


async def test_what_was_missed_while_blind_is_read(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        bench.store.link.cut()
        await bench.commit(*bench.story.bots(2).entries[-2:])
        bench.store.link.mend()
        await bench.settle()
        assert seqs(pipe) == [5, 6, 7]


async def test_a_doubt_that_comes_while_a_table_is_loaded_is_settled(bench, monkeypatch):
    read, is_read, goes_on = bench.store.log.read, asyncio.Event(), asyncio.Event()

    async def held(*what, **how):
        is_read.set()
        await goes_on.wait()
        return await read(*what, **how)

    async def use():
        async with bench.gateway.hub.using(TABLE) as table:
            await bench.settle()
            assert not table.is_in_doubt
            _, pipe = bench.view(table)
            await bench.commit(bench.story.bots(1).entries[-1])
            assert seqs(pipe) == [5, 6]

    monkeypatch.setattr(bench.store.log, "read", held)
    using = asyncio.create_task(use())
    await is_read.wait()
    bench.store.world.restart()
    await bench.settle()
    goes_on.set()
    await using
    assert "rapid_log_gaps_total 0.0" in bench.metrics.render().decode()


async def test_a_doubt_that_could_not_be_settled_is_settled_by_the_regular_check(bench, monkeypatch):
    async with bench.gateway.hub.using(TABLE) as table:
        with monkeypatch.context() as away:

            async def read(*_, **__):
                raise StoreUnavailable("away")

            away.setattr(bench.store.log, "read", read)
            bench.store.world.restart()
            await bench.gateway.health.probe()
            await bench.settle()
        assert table.is_in_doubt
        await bench.gateway.hub.check()
        await bench.settle()
        assert not table.is_in_doubt


async def test_blind_while_redis_is_away_is_made_up_for_when_it_is_back(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        bench.store.link.cut()
        await bench.commit(bench.story.bots(1).entries[-1])
        await bench.gateway.hub.check()
        assert not bench.gateway.health.is_up
        bench.store.link.mend()
        assert await bench.gateway.health.probe()
        await bench.settle()
        assert seqs(pipe) == [5, 6]


async def test_a_claim_and_a_new_epoch_are_followed(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        bench.story.begin(await bench.worker.lease.raise_epoch(bench.shard, "w", 9))
        await bench.worker.log.claim(bench.shard, [TABLE], 9)
        await bench.gateway.hub.check()
        await bench.settle()
        assert table.fold.last_id == "9-0"
        await bench.commit(bench.story.bots(1).entries[-1])
        assert seqs(pipe) == [5, 6]


async def test_a_redis_that_lost_its_tail_gives_everyone_a_view(bench):
    """DESIGN decision 5: the table still folds, and viewers get a `welcome` with a view."""
    kept = bench.store.world.checkpoint()
    async with bench.gateway.hub.using(TABLE) as table:
        _, seated = bench.view(table, seat=1)
        _, watching = bench.view(table)
        await bench.commit(*bench.story.bots(2).entries[-2:])
        assert seqs(seated) == [5, 6, 7]
        bench.store.world.restart(kept)
        other = Story().opened().seated()
        other.begin(await bench.worker.lease.raise_epoch(bench.shard, "w", 9))
        await bench.worker.log.claim(bench.shard, [TABLE], other.epoch)
        bench.story = other
        await bench.commit(other.seated(("dee",)).entries[-1])
        await bench.gateway.hub.check()
        await bench.settle()
        assert table.state == other.state
        for pipe in (seated, watching):
            assert seqs(pipe) == [5, 6, 7, 6]
            last = [message for message in pipe.messages() if message["t"] == "welcome"][-1]
            assert [seat["name"] for seat in last["view"]["seats"]] == ["Ada", "Bob", "Cy", "Dee"]
        await bench.commit(other.bots(1).entries[-1])
        assert seqs(watching) == [5, 6, 7, 6, 7]


async def test_a_redis_that_lost_its_tail_shows_spectators_of_a_delayed_table_nothing_sooner(bench):
    delay = ChangeSettings(0, {"spectator_delay_seconds": 30})
    await bench.commit(bench.story.tell(delay))
    kept, clock = bench.store.world.checkpoint(), bench.store.clock
    async with bench.gateway.hub.using(TABLE) as table:
        clock.advance(40_000)
        table.crowd.release()
        _, watching = bench.view(table)
        await bench.commit(bench.story.tell(AddBot(0), NOW + 40_000))
        assert seqs(watching) == [6]
        bench.store.world.restart(kept)
        other = Story().opened().seated()
        other.tell(delay)
        other.begin(await bench.worker.lease.acquire(bench.shard, "w"))
        await bench.worker.log.claim(bench.shard, [TABLE], other.epoch)
        bench.story = other
        await bench.commit(*[other.tell(AddBot(0), NOW + 30_000 + ms) for ms in (0, 1, 10_000)])
        await bench.gateway.hub.check()
        clock.advance(20_000)
        await bench.settle()
        assert table.state.seq == 9
        assert seqs(watching) == [6, 6]
        clock.advance(1)
        table.crowd.release()
        await bench.settle()
        assert seqs(watching) == [6, 6, 7, 8]


async def test_an_epoch_handed_out_twice_behind_a_lost_tail_makes_no_fork(bench):
    """Found by the simulation: the ids of the other story go on where ours ended, and so does its `seq`."""
    kept = bench.store.world.checkpoint()
    async with bench.gateway.hub.using(TABLE) as table:
        _, seated = bench.view(table, seat=1)
        _, watching = bench.view(table)
        await bench.commit(*bench.story.bots(2).entries[-2:])
        bench.store.world.data = kept
        other = Story(epoch=bench.story.epoch).opened().seated()
        await bench.worker.log.commit(other.commits(other.seated(("dee",), NOW + 1).bots(1, NOW + 1).entries[-2:]))
        bench.store.world.restart()
        # Pushed before the log has been read: it would follow, by its id and by its `seq`.
        await bench.commit(other.bots(1, NOW + 2).entries[-1])
        assert table.state == other.state
        for pipe in (seated, watching):
            assert seqs(pipe) == [5, 6, 7, 8]
            last = [message for message in pipe.messages() if message["t"] == "welcome"][-1]
            assert [seat["name"] for seat in last["view"]["seats"]][:4] == ["Ada", "Bob", "Cy", "Dee"]


async def test_who_comes_back_with_events_of_a_lost_tail_gets_a_view(bench):
    """Found by the simulation: `since` alone does not tell whose event of that number the client has seen."""
    await bench.commit(*bench.story.bots(1).entries[-1:])
    bench.story.begin(9)
    assert await bench.worker.lease.raise_epoch(bench.shard, "w", 9) == 9
    await bench.worker.log.claim(bench.shard, [TABLE], 9)
    await bench.commit(bench.story.tell(Resume(9), NOW + 50))
    await bench.commit(bench.story.tell(AddBot(0), NOW + 60))
    async with bench.gateway.hub.using(TABLE) as table:

        def came_back(since, since_at=None):
            _, pipe = bench.view(table, seat=1, since=since, since_at=since_at)
            first = pipe.messages()[0]
            return first["view"] is None

        assert came_back(6)  # before anything could have been lost
        assert not came_back(7)
        assert not came_back(8)
        assert not came_back(7, NOW + 49)
        assert came_back(7, NOW + 50)
        assert came_back(8, NOW + 60)
        assert not came_back(8, NOW + 50)


@pytest.mark.parametrize("is_young", [False, True])
async def test_what_was_asked_in_a_lost_tail_is_answered(bench, is_young):
    """Redis had confirmed it, so no failed call says that it is gone: only the name of the run does.

    Found by the simulation: a gateway that had not yet asked for a name never heard of another one.
    """
    gateway, answers = bench.gateway, []
    if not is_young:
        await gateway.hub.check()
    checkpoint = bench.store.world.checkpoint()
    gateway.asks.ask(TABLE, Leave(0), lambda seq, why: answers.append((seq, why)))
    await bench.settle()
    bench.store.world.restart(checkpoint)
    await bench.settle()
    assert gateway.health.is_up
    assert answers == []
    await gateway.hub.check()
    assert answers == [(0, UNAVAILABLE)]


async def test_what_was_decided_and_dropped_while_we_were_away_is_answered_from_the_log(bench):
    """Away for longer than decided entries are kept: that it is not in the inbox says nothing then."""
    answers = []
    async with bench.gateway.hub.using(TABLE):
        bench.store.link.lose_answers()
        ref = bench.gateway.asks.ask(TABLE, AddBot(0), lambda seq, why: answers.append((seq, why)))
        await bench.settle()
        bench.store.link.cut()
        bench.worker.world.data.inboxes[bench.shard].entries.clear()
        added = bench.story.tell(AddBot(0), answer=Answer(Ask(bench.gateway.name, ref), bench.story.state.seq + 1))
        await bench.commit(added)
        assert answers == []
        bench.store.link.mend()
        await bench.gateway.health.probe()
        await bench.settle()
    assert answers == [(bench.story.state.seq, None)]


async def test_a_seat_that_the_lost_tail_had_taken_is_gone(bench):
    kept = bench.store.world.checkpoint()
    async with bench.gateway.hub.using(TABLE) as table:
        await bench.commit(bench.story.seated(("dee",)).entries[-1])
        _, pipe = bench.view(table, seat=3)
        bench.store.world.restart(kept)
        bench.story = other = Story().opened().seated()
        other.begin(await bench.worker.lease.raise_epoch(bench.shard, "w", 9))
        await bench.worker.log.claim(bench.shard, [TABLE], other.epoch)
        await bench.commit(other.tell(Leave(1)))
        await bench.gateway.hub.check()
        await bench.settle()
        assert table.state == other.state
        assert pipe.close_code == 4003


async def test_a_log_that_is_gone_ends_its_viewers(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        del bench.store.world.data.logs[TABLE]
        await bench.gateway.hub.check()
        await bench.settle()
        assert pipe.close_code == 4004
        assert TABLE not in bench.gateway.hub.tables


async def test_a_corrupt_log_ends_its_viewers_and_harms_no_other_table(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table)
        bench.store.world.data.logs[TABLE].entries.append(("9-9", b"\xc1"))
        bench.store.world.data.logs[TABLE].last_id = "9-9"
        await bench.gateway.hub.check()
        await bench.settle()
        assert pipe.close_code == 1001
        assert TABLE not in bench.gateway.hub.tables


@pytest.mark.parametrize("is_pushed", [True, False])
async def test_events_that_cannot_be_folded_end_the_viewers_of_their_table_only(bench, monkeypatch, is_pushed):
    """Whatever the fold makes of them; the loop that takes deliveries goes on."""
    second = Story("abcdefghij24").opened()
    second.epoch = await bench.worker.lease.acquire(shard_of("abcdefghij24", bench.store.shards), "w")
    assert all(await bench.worker.log.commit(second.commits()))
    async with bench.gateway.hub.using(TABLE) as table, bench.gateway.hub.using("abcdefghij24") as other:
        (_, pipe), (_, neighbour) = bench.view(table), bench.view(other)
        if not is_pushed:
            monkeypatch.setattr(bench.gateway.feed, "push_record", lambda *_: None)
        wrong = Record(table.state.seq + 1, NOW, f"{NOW}-1", (TrickClosed(1, "timer"),))
        number = int(table.fold.last_id.partition("-")[2]) + 1
        assert await bench.worker.log.commit([Commit(TABLE, bench.story.epoch, number, wrong)]) == [True]
        await bench.settle()
        await bench.gateway.hub.check()
        await bench.settle()
        assert pipe.close_code == 1001
        assert TABLE not in bench.gateway.hub.tables
        monkeypatch.undo()
        assert all(await bench.worker.log.commit(second.commits([second.tell(AddBot(0))])))
        await bench.settle()
        assert seqs(neighbour) == [3, 4]


# Answers


async def test_an_answer_in_a_record_comes_behind_its_events(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table, seat=1)
        told = []
        ref = bench.gateway.asks.ask(TABLE, Leave(1), lambda seq, why: told.append((seq, why, seqs(pipe))))
        answer = Answer(Ask(bench.gateway.name, ref), 6)
        await bench.commit(bench.story.tell(Leave(1), answer=answer))
        assert told == [(6, None, [5, 6])]
        assert pipe.messages()[-1] == {"t": "bye", "why": "left"}
        assert pipe.close_code == 1000


async def test_an_answer_is_found_by_reading_the_log_too(bench, monkeypatch):
    async with bench.gateway.hub.using(TABLE):
        told = []
        ref = bench.gateway.asks.ask(TABLE, Leave(1), lambda seq, why: told.append((seq, why)))
        answer = Answer(Ask(bench.gateway.name, ref), 6)
        with monkeypatch.context() as deaf:
            deaf.setattr(bench.gateway.feed, "push_record", lambda *_: None)
            await bench.commit(bench.story.tell(Leave(1), answer=answer))
        assert told == []
        await bench.gateway.hub.check()
        await bench.settle()
        assert told == [(6, None)]


async def test_removed_seats_are_closed_behind_the_event(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        _, pipe = bench.view(table, seat=2)
        await bench.commit(bench.story.tell(Remove(0, 2)))
        assert pipe.messages()[-2]["type"] == "seat_freed"
        assert pipe.messages()[-1] == {"t": "bye", "why": "removed"}
        assert pipe.close_code == 4003
        assert table.seats == {}


# Memory, and who a token is


async def test_a_table_is_kept_while_it_is_used_and_read_once(bench, monkeypatch):
    reads = []
    read = bench.store.log.read

    async def counted(table, after, *, limit):
        reads.append(after)
        return await read(table, after, limit=limit)

    monkeypatch.setattr(bench.store.log, "read", counted)
    hub = bench.gateway.hub
    async with contextlib.AsyncExitStack() as stack:
        users = await asyncio.gather(*(stack.enter_async_context(hub.using(TABLE)) for _ in range(5)))
        assert len(set(map(id, users))) == 1
        assert reads.count("0-0") == 1
        assert users[0].users == 5
    assert hub.tables[TABLE].users == 0


async def test_no_table(bench):
    for name in ("zzzzzzzzzzzz", "short", "UPPERCASE1234", "x" * 100):
        async with bench.gateway.hub.using(name) as table:
            assert table is None
    assert bench.gateway.hub.tables == {}


async def test_away_and_not_in_memory(bench):
    bench.store.link.cut()
    with pytest.raises(StoreUnavailable):
        async with bench.gateway.hub.using(TABLE):
            raise AssertionError
    assert not bench.gateway.health.is_up
    bench.store.link.mend()
    async with bench.gateway.hub.using(TABLE) as table:
        assert table.state == bench.story.state


async def test_a_token_finds_its_seat_and_void_ones_none(bench):
    async with bench.gateway.hub.using(TABLE) as table:
        for seat, token in enumerate(TOKENS[:3]):
            assert (await seat_of(table, token)).seat == seat
        for token in ("", "x", "\udcff", "ada "):
            assert await seat_of(table, token) is None
        await bench.commit(bench.story.tell(Leave(1)))
        assert await seat_of(table, "bob") is None


async def test_a_token_newer_than_the_last_push_is_found_in_the_log(bench, monkeypatch):
    async with bench.gateway.hub.using(TABLE) as table:
        monkeypatch.setattr(bench.gateway.feed, "push_record", lambda *_: None)
        await bench.commit(bench.story.seated(("dee",)).entries[-1])
        assert (await seat_of(table, "dee")).seat == 3


async def test_a_table_opened_while_the_tails_are_asked_for_is_not_taken_for_gone(bench, monkeypatch):
    """Found by the simulation: the answer says that there is no log, and is from before there was one."""
    ask, table_id = bench.gateway.store.log.tail, "kkkkkkkkkk23"
    epoch = await bench.worker.lease.acquire(shard_of(table_id, bench.store.shards), "w")
    opened, hub = Story(table_id, epoch).opened(), bench.gateway.hub

    async def late(tables):
        tails = await ask(tables)
        await bench.worker.log.commit(opened.commits())
        await bench.settle()
        return tails

    async with hub.using(table_id, is_new=True) as table:
        monkeypatch.setattr(bench.gateway.store.log, "tail", late)
        await hub.check()
        assert table.state == opened.state
        assert hub.tables[table_id] is table


@pytest.mark.parametrize("token", [None, "ada"])
async def test_a_table_that_is_gone_when_its_log_is_read_for_a_hello_welcomes_nobody(bench, token):
    """Found by the simulation: a viewer of a lost tail came back with `since`, and was shown a table that never was."""
    conn, pipe = bench.gateway.new_conn(), FakePipe()
    viewer = Viewer(conn, JSON, pipe, 10**9, lambda _: None)
    session = Session(JSON, bench.gateway.options.session_limits(), 0.0)
    connection = Connection(bench.gateway, TABLE, viewer, session, get_logger("test"))
    async with bench.gateway.hub.using(TABLE):
        bench.store.world.restart(type(bench.store.world.data)())
        hello = {"t": "hello", "v": 1, "since": 3} | ({} if token is None else {"token": token})
        await connection.receive(json.dumps(hello), 0.0)
        assert [message["t"] for message in pipe.messages()] == ["bye"]
        assert viewer.ending == NO_TABLE
    await connection.close()
