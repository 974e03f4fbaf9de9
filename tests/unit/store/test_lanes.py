"""Inboxes read over several connections: nothing is given twice, nothing from a place that was left (DESIGN 2.11)."""

import asyncio
import random

import hiredis
import pytest

from rapid.errors import StoreUnavailable
from rapid.store.lanes import Lanes, _Lane
from rapid.store.line import packed

NAMES = [b"in:0", b"in:1", b"in:2", b"in:3"]


def words_of(command):
    reader = hiredis.Reader()
    reader.feed(command)
    return reader.gets()


class Client:
    """Answers when it is told to."""

    def __init__(self):
        self.commands = []
        self.done = None
        self.aborted = 0

    def start(self, commands, done, *, block_ms):
        assert self.done is None, "one read at a time"
        self.commands += map(words_of, commands)
        self.done = done

    def answer(self, reply):
        done, self.done = self.done, None
        done(reply if isinstance(reply, StoreUnavailable) else [reply])

    def abort(self):
        self.aborted += 1
        self.answer(StoreUnavailable("aborted"))


@pytest.fixture
def clients():
    return [Client(), Client()]


@pytest.fixture
def lanes(clients):
    return Lanes(clients, NAMES, lambda shard, row: (shard, row))


def entries(shard, *ids):
    return [NAMES[shard], [[one, [b"e", b""]] for one in ids]]


async def reading(lanes, after):
    """A read that has been asked for."""
    task = asyncio.ensure_future(lanes.read(after, limit=9, block_ms=100))
    await asyncio.sleep(0)
    return task


def ids(rows):
    return [(shard, row[0]) for shard, row in rows]


async def test_each_lane_is_asked_for_its_own_shards_from_their_places(lanes, clients):
    task = await reading(lanes, {0: "1-0", 1: "2-0", 2: "3-0"})
    head = (b"XREAD", b"COUNT", b"9", b"BLOCK", b"100", b"STREAMS")
    assert clients[0].commands == [[*head, b"in:0", b"in:2", b"1-0", b"3-0"]]
    assert clients[1].commands == [[*head, b"in:1", b"2-0"]]
    clients[0].answer([entries(2, b"3-1")])
    assert ids(await task) == [(2, b"3-1")]


async def test_what_is_there_on_all_lanes_is_taken_at_once(lanes, clients):
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    clients[0].answer([entries(0, b"1-1", b"1-2")])
    clients[1].answer([entries(1, b"1-1")])
    assert ids(await task) == [(0, b"1-1"), (0, b"1-2"), (1, b"1-1")]


async def test_a_lane_goes_on_reading_over_calls_and_is_not_asked_twice(lanes, clients):
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    clients[0].answer([entries(0, b"1-1")])
    await task
    task = await reading(lanes, {0: "1-1", 1: "1-0"})
    assert [len(client.commands) for client in clients] == [2, 1]
    clients[1].answer([entries(1, b"1-5")])
    assert ids(await task) == [(1, b"1-5")]


async def test_what_comes_between_two_calls_is_there_for_the_next(lanes, clients):
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    clients[0].answer([entries(0, b"1-1")])
    await task
    clients[1].answer([entries(1, b"1-1")])
    assert ids(await lanes.read({0: "1-1", 1: "1-0"}, limit=9, block_ms=100)) == [(1, b"1-1")]


@pytest.mark.parametrize("after", [{0: "1-0"}, {0: "1-0", 1: "0-5"}])
async def test_a_shard_given_up_or_taken_anew_meanwhile_is_not_read_from_where_it_was(lanes, clients, after):
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    clients[0].answer(None)
    await task
    clients[1].answer([entries(1, b"1-1")])
    task = await reading(lanes, after)
    assert ids(await task) == []
    task = await reading(lanes, {0: "1-0", 1: "0-5"})
    assert clients[1].commands[-1][-2:] == [b"in:1", b"0-5"]
    clients[1].answer([entries(1, b"0-6", b"1-1")])
    assert ids(await task) == [(1, b"0-6"), (1, b"1-1")]


async def test_a_broken_lane_is_told_and_what_the_others_had_is_read_again(lanes, clients):
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    clients[0].answer([entries(0, b"1-1")])
    clients[1].answer(StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        await task
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    assert [len(client.commands) for client in clients] == [2, 2]
    clients[0].answer([entries(0, b"1-1")])
    assert ids(await task) == [(0, b"1-1")]


async def test_nobody_is_left_blocked_when_the_reader_is_cancelled(lanes, clients):
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [client.aborted for client in clients] == [1, 1]
    task = await reading(lanes, {0: "1-0", 1: "1-0"})
    clients[1].answer([entries(1, b"1-1")])
    assert ids(await task) == [(1, b"1-1")]


def test_whatever_moves_comes_or_goes_the_read_is_the_one_packed_whole():
    rng, names = random.Random(1), {shard: b"in:%d" % shard for shard in range(0, 12, 3)}
    lane = _Lane(None, names)
    after = {}
    for turn in range(300):
        for shard in rng.sample(range(12), rng.randint(0, 3)):
            if rng.random() < 0.3:
                after.pop(shard, None)
            else:
                after[shard] = f"{turn}-{shard}"
        limit, block_ms = rng.choice([(9, 100), (500, 100), (500, 50)])
        read = [shard for shard in names if shard in after]
        words = ("XREAD", "COUNT", limit, "BLOCK", block_ms, "STREAMS", *map(names.get, read), *map(after.get, read))
        assert lane.command(after, limit, block_ms) == (packed(words) if read else b"")
        assert lane.asked == {shard: after.get(shard) for shard in names}
