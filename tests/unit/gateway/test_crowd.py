"""Spectators see a delayed table late: view, events, reactions and the time itself (PROTOCOL 3.2)."""

import asyncio

import pytest

from rapid.engine.intents import ChangeSettings
from rapid.gateway.crowd import DELAY_MAX_MS, Crowd
from rapid.gateway.fanout import Pump, Slices
from rapid.gateway.fold import Fold
from rapid.gateway.viewer import Viewer
from rapid.store import MemoryClock
from rapid.wire.codec import JSON
from rapid.wire.messages import Reaction
from tests.unit.gateway.bench import NOW, TABLE, FakePipe, Story


class Bench:
    """A crowd with one spectator; entries of a story are folded into it as the hub would."""

    def __init__(self, now=NOW):
        self.clock = MemoryClock(now)
        self.fold = Fold(TABLE, 100)
        self.slices = Slices(Pump(250))
        self.crowd = Crowd(self.slices, self.clock, lambda: self.fold.state)
        self.pipe = FakePipe()

    def read(self, entries):
        for entry in entries:
            self.crowd.read(self.fold.take(entry.id, entry.record))
        self.crowd.start()

    def show(self, *entries):
        for entry in entries:
            self.crowd.show(self.fold.take(entry.id, entry.record))

    def watch(self):
        self.slices.add(Viewer(1, JSON, self.pipe, 10**9, lambda _: None))

    async def later(self, ms):
        self.clock.advance(ms)
        self.crowd.release()
        return await self.seen()

    async def seen(self):
        await asyncio.sleep(0)
        return [message.get("seq", message["t"]) for message in self.pipe.messages()]


@pytest.fixture
async def bench():
    made = Bench()
    yield made
    made.crowd.stop()


async def test_without_a_delay_all_is_shown_at_once(bench):
    story = Story().opened()
    bench.read(story.entries)
    assert bench.crowd.shown is bench.fold.state
    bench.watch()
    bench.show(*story.seated().entries[1:])
    assert await bench.seen() == [4, 5]
    assert bench.crowd.now_ms() == NOW


async def test_the_first_decision_of_a_log_is_always_shown(bench):
    story = Story().opened(spectator_delay_seconds=30).seated()
    bench.read(story.entries)
    assert bench.crowd.shown.seq == 3
    assert bench.crowd.now_ms() == NOW - 30_000


async def test_events_and_reactions_come_when_they_are_old_enough_in_order(bench):
    story = Story().opened(spectator_delay_seconds=30)
    bench.read(story.entries)
    bench.watch()
    story.seated(at=NOW)
    bench.show(*story.entries[1:])
    bench.crowd.react(Reaction(0, "🔥", NOW + 5))
    assert await bench.seen() == []
    assert await bench.later(29_999) == []
    assert await bench.later(1) == [4, 5]
    assert await bench.later(4) == [4, 5]
    assert await bench.later(1) == [4, 5, "reaction"]
    assert bench.crowd.shown == bench.fold.state


async def test_what_is_shown_of_a_log_that_is_read_is_as_old_as_the_delay(bench):
    story = Story().opened(at=NOW - 100_000, spectator_delay_seconds=30)
    story.seated(("bob",), at=NOW - 40_000).seated(("cy",), at=NOW - 20_000)
    bench.read(story.entries)
    assert bench.crowd.shown.seq == 4
    bench.watch()
    assert await bench.later(10_000) == [5]


async def test_a_long_log_is_folded_once_and_its_young_end_held_back(bench):
    story = Story().opened(at=NOW - DELAY_MAX_MS - 2, spectator_delay_seconds=300)
    story.seated(("bob",), at=NOW - DELAY_MAX_MS - 1).seated(("cy",), at=NOW - DELAY_MAX_MS + 1)
    bench.read(story.entries)
    assert bench.crowd.shown.seq == 4
    bench.watch()
    assert await bench.later(1) == [5]


async def test_the_timer_is_set_to_the_next_thing_to_show(bench):
    story = Story().opened(spectator_delay_seconds=30)
    bench.read(story.entries)
    assert bench.crowd._timer is None
    bench.show(*story.seated(("bob",), at=NOW).entries[1:])
    left_s = bench.crowd._timer.when() - asyncio.get_running_loop().time()
    assert 29 < left_s <= 30.001
    bench.crowd.stop()
    assert bench.crowd._timer is None


async def test_a_shorter_delay_lets_go_and_a_longer_one_takes_nothing_back(bench):
    story = Story().opened(spectator_delay_seconds=30)
    bench.read(story.entries)
    bench.watch()
    bench.show(story.tell(ChangeSettings(0, {"spectator_delay_seconds": 0})))
    assert await bench.seen() == [4]
    bench.show(story.tell(ChangeSettings(0, {"spectator_delay_seconds": 60})))
    assert await bench.seen() == [4]
    assert bench.crowd.shown.seq == 4
    assert await bench.later(60_000) == [4, 5]
