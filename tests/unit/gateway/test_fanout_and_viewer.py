"""Spectators in slices, and viewers who are cut off rather than waited for (DESIGN decision 12)."""

import asyncio

import pytest

from rapid.gateway import viewer as viewer_module
from rapid.gateway.fanout import Pump, Slices
from rapid.gateway.viewer import Viewer
from rapid.wire.close import CLOSED, LEAVING, LEFT, TAKEN_OVER, TOO_SLOW
from rapid.wire.codec import JSON, MSGPACK
from rapid.wire.messages import Presence
from tests.unit.gateway.bench import FakePipe


def viewer_of(conn, codec=JSON, limit=1000):
    ends = []
    pipe = FakePipe()
    viewer = Viewer(conn, codec, pipe, limit, ends.append)
    return viewer, pipe, ends


def crowd_of(count, pump, codec=JSON):
    slices = Slices(pump)
    made = [viewer_of(conn, codec) for conn in range(count)]
    for viewer, _, _ in made:
        slices.add(viewer)
    return slices, [pipe for _, pipe, _ in made], made


def frames_of(message):
    return {JSON: JSON.frame(message), MSGPACK: MSGPACK.frame(message)}


async def test_no_turn_of_the_loop_writes_to_more_sockets_than_it_may():
    slices, pipes, _ = crowd_of(1000, Pump(250))
    slices.send(frames_of(Presence(1)))
    assert sum(pipe.writes for pipe in pipes) == 0
    for turn in range(1, 5):
        await asyncio.sleep(0)
        assert sum(pipe.writes for pipe in pipes) == 250 * turn
    assert all(pipe.messages() == [{"t": "presence", "spectators": 1}] for pipe in pipes)


async def test_what_comes_meanwhile_is_written_with_what_waits_in_order():
    slices, pipes, _ = crowd_of(20, Pump(10))
    for number in range(3):
        slices.send(frames_of(Presence(number)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for pipe in pipes:
        assert [message["spectators"] for message in pipe.messages()] == [0, 1, 2]
        assert pipe.writes == 1


async def test_who_comes_later_gets_nothing_that_is_older():
    slices, pipes, _ = crowd_of(1, Pump(10))
    slices.send(frames_of(Presence(1)))
    late, pipe, _ = viewer_of(99)
    slices.add(late)
    assert pipes[0].messages()
    slices.send(frames_of(Presence(2)))
    await asyncio.sleep(0)
    assert [message["spectators"] for message in pipe.messages()] == [2]


async def test_each_codec_gets_its_own_bytes():
    slices = Slices(Pump(10))
    made = [viewer_of(1, JSON), viewer_of(2, MSGPACK)]
    for viewer, _, _ in made:
        slices.add(viewer)
    assert slices.codecs == {JSON, MSGPACK}
    slices.send(frames_of(Presence(5)))
    await asyncio.sleep(0)
    for viewer, pipe, _ in made:
        assert pipe.messages(viewer.codec) == [{"t": "presence", "spectators": 5}]


async def test_an_ending_comes_behind_what_waits():
    slices, pipes, made = crowd_of(3, Pump(2))
    slices.send(frames_of(Presence(1)))
    slices.end(CLOSED)
    for _ in range(3):
        await asyncio.sleep(0)
    for pipe in pipes:
        assert pipe.messages() == [{"t": "presence", "spectators": 1}, {"t": "bye", "why": "closed"}]
        assert pipe.close_code == 1000
    assert all(ends == [CLOSED] for _, _, ends in made)


async def test_who_has_gone_is_forgotten():
    slices, pipes, _ = crowd_of(3, Pump(2))
    for conn in (0, 1, 1, 77):
        slices.remove(conn)
    assert len(slices) == 1
    slices.send(frames_of(Presence(1)))
    await asyncio.sleep(0)
    assert [pipe.writes for pipe in pipes] == [0, 0, 1]
    slices.remove(2)
    assert (len(slices), slices.codecs, slices.viewers()) == (0, set(), [])


def test_a_viewer_who_does_not_read_is_cut_and_gets_nothing_more():
    viewer, pipe, ends = viewer_of(1, limit=100)
    pipe.waiting = 100
    viewer.tell(Presence(1))
    assert ends == []
    pipe.waiting = 101
    viewer.tell(Presence(2))
    assert [ending.code for ending in ends] == [4008]
    viewer.tell(Presence(3))
    assert [message["t"] for message in pipe.messages()] == ["presence", "presence", "bye"]
    assert pipe.close_code == 4008


def test_a_viewer_ends_once():
    viewer, pipe, ends = viewer_of(1)
    viewer.end(TAKEN_OVER)
    viewer.end(CLOSED)
    assert ends == [TAKEN_OVER]
    assert pipe.messages() == [{"t": "bye", "why": "taken_over"}]


def test_nothing_is_written_to_a_connection_that_is_gone():
    viewer, pipe, ends = viewer_of(1)
    pipe.is_closed = True
    viewer.tell(Presence(1))
    viewer.end(CLOSED)
    assert (pipe.data, ends, viewer.waiting_bytes) == (b"", [CLOSED], 0)


async def test_one_that_parts_ends_with_its_last_answer():
    viewer, pipe, ends = viewer_of(1)
    viewer.undecided |= {5, 6}
    viewer.part(LEFT, 9)
    viewer.part(CLOSED, 10)
    assert viewer.parted_at == 9
    viewer.undecided.discard(5)
    viewer.part_now()
    assert ends == []
    viewer.tell(Presence(1))
    viewer.undecided.discard(6)
    viewer.part_now()
    assert ends == [LEFT]
    assert [message["t"] for message in pipe.messages()] == ["presence", "bye"]


async def test_one_that_owes_nothing_parts_at_once_and_one_that_has_ended_never():
    viewer, _, ends = viewer_of(1)
    viewer.part(LEFT, 9)
    assert ends == [LEFT]
    viewer.undecided.add(5)
    viewer.part(CLOSED, 10)
    viewer.undecided.clear()
    viewer.part_now()
    assert ends == [LEFT]


@pytest.mark.parametrize("ending, told", [(TOO_SLOW, [TOO_SLOW]), (LEAVING, [LEFT]), (TAKEN_OVER, [])])
async def test_of_one_that_parts_nothing_else_comes_to_be_but_that_it_cannot_be_answered(ending, told):
    viewer, _, ends = viewer_of(1)
    viewer.undecided.add(5)
    viewer.part(LEFT, 9)
    viewer.end(ending)
    assert ends == told


async def test_without_an_answer_it_parts_when_its_time_is_over(monkeypatch):
    monkeypatch.setattr(viewer_module, "PART_SECONDS", 0)
    viewer, _, ends = viewer_of(1)
    viewer.undecided.add(5)
    viewer.part(LEFT, 9)
    assert ends == []
    while not ends:
        await asyncio.sleep(0)
    assert ends == [LEFT]
