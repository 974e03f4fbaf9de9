"""Who leaves, is removed or whose table closes is answered all that they have asked, and then gone (PROTOCOL 3.1)."""

import asyncio

import pytest

from rapid.engine.intents import AddBot, CloseTable, Leave, Remove
from rapid.engine.refusals import Refusal
from rapid.gateway import viewer as viewer_module
from rapid.wire.records import Answer, Ask
from tests.unit.gateway.bench import NOW, TABLE
from tests.unit.gateway.hub_bench import connected, judge_replies

PASS = {"t": "pass", "on": 1}
LEAVERS = {"one who leaves": Leave(1), "one who is removed": Remove(0, 1)}


@pytest.mark.parametrize("departure", LEAVERS.values(), ids=LEAVERS)
@pytest.mark.parametrize(
    "late",
    [
        {"t": "react", "emoji": "👍"},
        {"t": "play", "on": 1, "cards": ["3S"]},
        {"t": "pass", "on": 1},
        {"t": "leave"},
        {"t": "host", "do": "start"},
    ],
    ids=lambda late: late["t"],
)
async def test_what_is_asked_behind_leaving_is_refused_while_other_answers_are_owed(bench, late, departure):
    """Found by the simulation: a reaction was answered with the `seq` of an event that no leaver is sent."""
    async with connected(bench, "bob") as bob:
        await bob.say(id=1, **PASS)  # nobody decides it
        await bench.commit(bench.story.tell(departure))
        await bench.commit(bench.story.tell(AddBot(0)))
        await bob.say(id=2, **late)
        assert bob.pipe.messages()[-1] == {"t": "reply", "id": 2, "ok": False, "why": "spectator"}
        judge_replies(bob.pipe.messages())


@pytest.mark.parametrize("departure", LEAVERS.values(), ids=LEAVERS)
async def test_a_reaction_under_way_while_its_person_leaves_is_answered_with_where_they_stood(
    bench, departure, monkeypatch
):
    async with connected(bench, "bob") as bob:
        await bob.say(id=1, **PASS)  # nobody decides it
        is_told, tell = asyncio.Event(), bench.gateway.feed.tell

        async def slow_tell(*args):
            await is_told.wait()
            await tell(*args)

        monkeypatch.setattr(bench.gateway.feed, "tell", slow_tell)
        reacting = asyncio.create_task(bob.say(id=2, t="react", emoji="👍"))
        await bench.settle()
        await bench.commit(bench.story.tell(departure))
        await bench.commit(bench.story.tell(AddBot(0)))
        is_told.set()
        await reacting
        reply = bob.pipe.messages()[-1]
        assert (reply["id"], reply["ok"]) == (2, True)
        judge_replies(bob.pipe.messages())


def refs(bench):
    """The numbers of what is asked and not answered, oldest first."""
    return sorted(bench.gateway.asks._pending)


def refuse(bench, ref, why="spectator"):
    """The authority's answer to one of these."""
    bench.gateway.hub._answer(Answer(Ask(bench.gateway.name, ref), bench.story.state.seq, Refusal(why)))


def answered(bench, ref):
    return Answer(Ask(bench.gateway.name, ref), bench.story.state.seq + 1)


# No other ending comes before the answers that are owed


async def test_who_sits_down_in_the_chair_takes_nothing_from_the_one_who_is_on_the_way_out(bench):
    async with connected(bench, "bob") as bob:
        await bob.say(id=1, **PASS)
        (owed,) = refs(bench)
        await bench.commit(bench.story.tell(Remove(0, 1)))
        await bench.commit(bench.story.seated(("eve",)).entries[-1])
        async with connected(bench, "eve") as eve:
            await bench.settle()
            refuse(bench, owed)
            assert bob.replies == {1: "spectator"}
            assert bob.pipe.close_code == 4003
            assert eve.viewer.seat == 1
            assert eve.pipe.close_code is None


async def test_a_second_connection_that_comes_as_the_first_leaves_takes_nothing_over(bench, monkeypatch):
    async with connected(bench, "bob") as bob, connected(bench, greets=False) as second:
        enter, may_enter = bench.store.presence.enter, asyncio.Event()

        async def slow_enter(*args, **fields):
            await may_enter.wait()
            return await enter(*args, **fields)

        await bob.say(id=1, **PASS)
        await bob.say(id=2, t="leave")
        owed, leave = refs(bench)
        monkeypatch.setattr(bench.gateway.seats._presence, "enter", slow_enter)
        greeting = asyncio.create_task(second.say(t="hello", v=1, token="bob"))
        await bench.settle()
        await bench.commit(bench.story.tell(Leave(1), answer=answered(bench, leave)))
        may_enter.set()
        await greeting
        await bench.settle()
        refuse(bench, owed)
        assert second.seen == [("bye", "bad_token")]
        assert bob.replies == {1: "spectator", 2: 6}
        assert bob.pipe.close_code == 1000


async def test_a_gateway_that_goes_tells_who_is_on_the_way_out_not_to_come_back(bench):
    async with connected(bench, "bob") as bob:
        await bob.say(id=1, **PASS)
        await bench.commit(bench.story.tell(Remove(0, 1)))
        bench.gateway.send_away()
        assert bob.seen[-1] == ("bye", "removed")


async def test_a_table_that_closes_gives_the_answers_that_are_owed_and_refuses_what_comes_behind(bench):
    async with connected(bench, "bob") as bob:
        await bob.say(id=1, **PASS)
        await bob.say(id=2, t="leave")
        await bench.commit(bench.story.tell(CloseTable()))
        await bob.say(id=3, **PASS)
        await bob.say(id=4, t="react", emoji="👍")
        for ref in refs(bench):
            refuse(bench, ref, "no_table")
        assert bob.replies == dict.fromkeys((1, 2, 3, 4), "wrong_phase")
        assert bob.seen[-1] == ("bye", "closed")
        assert bob.pipe.close_code == 1000


async def test_what_the_last_person_asks_behind_leaving_is_a_spectators(bench):
    async with connected(bench, "ada") as ada:
        for id_, kind in enumerate(("leave", "pass", "leave"), 1):
            await ada.say(id=id_, t=kind, **({"on": 1} if kind == "pass" else {}))
        leave, *others = refs(bench)
        for seat in (1, 2):
            await bench.commit(bench.story.tell(Leave(seat)))
        await bench.commit(bench.story.tell(Leave(0), answer=answered(bench, leave)))
        assert bench.story.state.phase == "closed"
        for ref in others:
            refuse(bench, ref, "no_table")
        assert (ada.replies[2], ada.replies[3]) == ("spectator", "spectator")
        assert ada.seen[-1] == ("bye", "left")


async def test_what_has_come_in_and_is_not_read_yet_is_owed_too(bench):
    async with connected(bench, "bob") as bob:
        unread = 1
        bob.viewer.unread = lambda: unread
        await bench.commit(bench.story.tell(Remove(0, 1)))
        await bob.say(id=1, t="react", emoji="👍")
        assert bob.pipe.close_code is None
        unread = 0
        bob.viewer.part_now()
        assert bob.replies == {1: "spectator"}
        assert bob.pipe.close_code == 4003


async def test_what_is_never_answered_keeps_nothing(bench, monkeypatch):
    monkeypatch.setattr(viewer_module, "PART_SECONDS", 0)
    async with connected(bench, "bob") as bob:
        await bob.say(id=1, **PASS)
        (owed,) = refs(bench)
        await bench.commit(bench.story.tell(Remove(0, 1)))
        while bob.pipe.close_code is None:
            await asyncio.sleep(0)
        assert (bob.pipe.close_code, refs(bench), bench.gateway.seats._held) == (4003, [], {})
        refuse(bench, owed)
        assert bob.seen[-1] == ("bye", "removed")


# Whoever loses the seat while their hello is under way is not let in as its holder


@pytest.mark.parametrize("departure", LEAVERS.values(), ids=LEAVERS)
@pytest.mark.parametrize("since", [{}, {"since": 5}, {"since": 5, "since_at": NOW}], ids=["none", "since", "since_at"])
@pytest.mark.parametrize("awaited", ["read", "enter"])
@pytest.mark.parametrize("is_pushed", [False, True], ids=["push lost", "pushed"])
async def test_a_seat_that_is_lost_under_the_hello(bench, monkeypatch, since, departure, awaited, is_pushed):
    """At each wait of a hello; then the chair's next holder is dealt cards that nobody else may see."""
    async with connected(bench, "ada"), connected(bench, greets=False) as bob:
        table = bench.gateway.hub.tables[TABLE]
        port = table._log if awaited == "read" else bench.gateway.seats._presence
        done, may_go = getattr(port, awaited), asyncio.Event()

        async def slow(*args, **fields):
            await may_go.wait()
            return await done(*args, **fields)

        monkeypatch.setattr(port, awaited, slow)
        if not is_pushed:
            monkeypatch.setattr(bench.gateway.feed, "push_record", lambda *_: None)
        greeting = asyncio.create_task(bob.say(t="hello", v=1, token="bob", **since))
        await bench.settle()
        assert all(await bench.worker.log.commit(bench.story.commits([bench.story.tell(departure)])))
        await bench.settle()
        may_go.set()
        await greeting
        monkeypatch.undo()
        await bench.commit(*bench.story.seated(("eve",)).entries[-1:])
        told = len(bench.story.entries)
        await bench.commit(*bench.story.started().entries[told:])
        await bench.gateway.hub.check()
        await bench.settle()
        assert bob.pipe.close_code in {1000, 4003, 4005}
        assert not any("1" in (message.get("hands") or {}) for message in bob.pipe.messages())
        assert bob.viewer not in table.seats.values()


# Spectators


async def test_a_spectators_leave_is_answered_behind_the_events_that_its_answer_names(bench):
    async with connected(bench) as spectator:
        table = bench.gateway.hub.tables[TABLE]
        assert all(await bench.worker.log.commit(bench.story.commits([bench.story.tell(AddBot(0))])))
        while table.state.seq < 6:
            await asyncio.sleep(0)
        await spectator.say(id=1, t="leave")  # in the turn of the loop in which the push has come
        await bench.settle()
        assert spectator.replies == {1: 6}
        judge_replies(spectator.pipe.messages())
