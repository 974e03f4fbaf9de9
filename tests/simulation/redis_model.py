"""The model of Redis: the memory twin, with a link and a network of its own for each process.

What the twin does stands under the contract suite together with real Redis (`tests/contract`), and so does
this, with its faults off and on.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from rapid.engine.events import Dealt, ExchangeClosed, Played
from rapid.errors import StoreUnavailable
from rapid.store.clock import RedisClock
from rapid.store.limits import CLOCK_EVERY_MS, FEED_QUEUE_MAX, Limits
from rapid.store.memory.clock import MemoryClock
from rapid.store.memory.feed import MemoryFeed
from rapid.store.memory.inbox import MemoryInbox, _posted
from rapid.store.memory.log import MemoryLog
from rapid.store.memory.store import MemoryStore
from rapid.store.memory.stream import Stream
from rapid.store.memory.world import Data, World
from rapid.store.rows import unpack_note
from rapid.table.ports import Commit, Delivery, Posted
from rapid.wire.records import Answer, Entry, unpack_answers, unpack_record
from tests.simulation.network import BEHIND_S, Net, SimLink, call_at


class ServerClock:
    """Redis' own clock: virtual time, and jumps."""

    def __init__(self) -> None:
        self._offset_ms = 0

    def now_ms(self) -> int:
        """Return the time."""
        return int(asyncio.get_running_loop().time() * 1000) + self._offset_ms

    def jump(self, by_ms: int) -> None:
        """Fault: it is set."""
        self._offset_ms += by_ms

    def wake(self) -> None:
        """Who waits is woken by the world."""


class Monotonic(Protocol):
    """Gives the seconds of a process' own clock."""

    def __call__(self) -> float:
        """Return them."""


class SimWorld(World):
    """One Redis; `data` is what it holds."""

    def __init__(self, clock: Any, shards: int, limits: Limits, net: Net) -> None:
        super().__init__(clock, shards, limits)
        self.net = net
        self.is_down = False
        self.links: list[SimLink] = []
        self.played = 0
        """Accepted plays, those included that were lost with a tail."""
        self.racing_since: dict[str, float] = {}
        """Table → since when a race is on: the deal, or the end of the exchange."""
        self.on_played: Callable[[str], None] = lambda _table: None
        self._reading: dict[asyncio.Future[None], frozenset[int]] = {}

    def post(self, table: str, data: bytes) -> str:
        """Append, and wake who reads that shard."""
        entry_id = super().post(table, data)
        shard = self.shard(table)
        for future in [waiting for waiting, shards in self._reading.items() if shard in shards]:
            del self._reading[future]
            if not future.done():
                future.set_result(None)
        return entry_id

    async def posted(self, link: SimLink, shards: Mapping[int, str], until_ms: int) -> None:
        """Wait until something is posted to one of these shards, or for a time."""
        if isinstance(self.clock, MemoryClock):
            await self.clock.happening(until_ms)
            return
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._reading[future] = frozenset(shards)
        left_s = max(0, until_ms - self.clock.now_ms()) / 1000
        call_at(loop, loop.time() + left_s + BEHIND_S, self._read_enough, future)
        await link.fly(future)

    def _read_enough(self, future: asyncio.Future[None]) -> None:
        self._reading.pop(future, None)
        if not future.done():
            future.set_result(None)

    # Restarts

    def checkpoint(self) -> Data:
        """Return a copy of what is held now: what is synced to disk."""
        return copy_data(self.data)

    def go_down(self) -> None:
        """Fault: Redis is killed; every connection breaks."""
        self.is_down = True
        for feed in self.feeds:
            feed.break_off()
        for link in self.links:
            link.break_off()
        self._reading.clear()

    def come_up(self, data: Data | None = None) -> None:
        """It is back as another run, with everything or with an older checkpoint."""
        self.is_down = False
        self.run += 1
        if data is not None:
            self.data = data
        loop = asyncio.get_running_loop()
        for feed in self.feeds:
            call_at(loop, loop.time() + self.net.delay_s() * 20, feed.mend)


def copy_data(data: Data) -> Data:
    """Copy deeply what can change; entries and rows cannot."""
    made = copy.copy(data)
    for name, value in vars(data).items():
        setattr(made, name, _copied(value))
    return made


def _copied(value: Any) -> Any:
    if isinstance(value, Stream):
        stream = Stream()
        stream.entries, stream.last_id = list(value.entries), value.last_id
        return stream
    if isinstance(value, dict):
        made = copy.copy(value)
        made.update((key, _copied(inner)) for key, inner in value.items())
        return made
    return set(value) if isinstance(value, set) else value


class SimInbox(MemoryInbox):
    """Writes on the process' connection, reads on one of its own."""

    def __init__(self, link: SimLink, reader: SimLink) -> None:
        super().__init__(link)
        self._reader = reader

    async def post(self, entries: Sequence[Entry]) -> list[str]:
        """Append all; what is sent arrives, whatever becomes of its sender."""
        link = self._link
        assert isinstance(link, SimLink)
        return list(await link.do(lambda data: self._post(data, entries)))

    async def read(self, after: Mapping[int, str], *, limit: int, block_ms: int) -> list[Posted]:
        """Read on, waiting at Redis."""
        world, link = self._reader.world, self._reader
        await link.depart()
        until_ms = world.clock.now_ms() + block_ms
        while True:
            inboxes = world.data.inboxes
            found = [
                _posted(shard, entry_id, data)
                for shard, last in after.items()
                for entry_id, data in inboxes[shard].behind(last, limit)
            ]
            if found or world.clock.now_ms() >= until_ms:
                break
            await world.posted(link, after, until_ms)
        await link.arrive()
        return found


class SimLog(MemoryLog):
    """What is sent arrives, whatever becomes of its sender; and the plays that become durable are counted."""

    async def commit(self, commits: Sequence[Commit]) -> list[bool]:
        """Append all."""
        return list(await self._sim.do(lambda data: [self._commit(data, commit) for commit in commits]))

    async def answer(self, answers: Sequence[Answer]) -> None:
        """Send answers."""
        await self._sim.do(lambda data: self._answer(data, answers))

    @property
    def _sim(self) -> SimLink:
        assert isinstance(self._link, SimLink)
        return self._link

    def _commit(self, data: Data, commit: Commit) -> bool:
        is_durable = super()._commit(data, commit)
        if is_durable:
            world = self._world
            assert isinstance(world, SimWorld)
            for event in commit.record.events:
                if isinstance(event, Played):
                    world.played += 1
                    world.on_played(commit.table)
                elif isinstance(event, Dealt | ExchangeClosed):
                    world.racing_since[commit.table] = asyncio.get_running_loop().time()
        return is_durable


class SimFeed(MemoryFeed):
    """What is pushed takes its time, and its chances."""

    def __init__(self, link: SimLink, gateway: str) -> None:
        super().__init__(link, gateway)
        self._net = link.net
        self._last_s = 0.0
        self._connection = 0

    def push_record(self, table: str, log_id: str, data: bytes) -> None:
        """A commit was made."""
        if table in self._followed and not self._is_broken:
            self._push(Delivery(table=table, id=log_id, record=unpack_record(data)))

    def push_note(self, table: str, data: bytes) -> None:
        """A note was sent."""
        # A note is lost with its connection only, which `blind` tells of; nothing else would tell of one.
        if table in self._followed and not self._is_broken:
            self._send(Delivery(table=table, note=unpack_note(data)))

    def read_answers(self) -> None:
        """Answers are read, so none is lost; one may come twice."""
        if self._is_broken:
            return
        answers = self._world.data.answers[self._gateway]
        for entry_id, data in answers.behind(self._answered, FEED_QUEUE_MAX):
            self._answered = entry_id
            delivery = Delivery(answers=unpack_answers(data))
            self._send(delivery)
            if self._net.happens("answer_doubled", self._net.weather.answer_doubled):
                self._send(delivery)
        answers.trim(least=self._answered)

    def break_off(self) -> None:
        """Fault: what is on its way is lost too."""
        super().break_off()
        self._connection += 1
        # Answers stand in a stream and are read again from where the reader has them.
        self._last_s = 0.0

    def _push(self, delivery: Delivery) -> None:
        weather = self._net.weather
        if self._net.happens("push_lost", weather.push_lost):
            return
        self._send(delivery)
        if self._net.happens("push_doubled", weather.push_doubled):
            self._send(delivery)

    def _send(self, delivery: Delivery) -> None:
        loop = asyncio.get_running_loop()
        at = loop.time() + self._net.delay_s()
        if self._net.happens("push_reordered", self._net.weather.push_reordered):
            at += self._net.dice.random() * 0.3
        else:
            at = self._last_s = max(at, self._last_s + BEHIND_S)
        connection = -1 if delivery.answers is not None else self._connection
        call_at(loop, at, self._land, delivery, connection)

    def _land(self, delivery: Delivery, connection: int) -> None:
        if connection in {-1, self._connection}:
            self._merge.put(delivery)


class _TimeClient:
    """All that the clock's estimate asks of a client."""

    def __init__(self, link: SimLink) -> None:
        self._link = link

    async def call(self, *_command: object) -> tuple[int, int]:
        """`TIME`."""
        async with self._link.call():
            now_ms = self._link.world.clock.now_ms()
            return now_ms // 1000, now_ms % 1000 * 1000


class SimStore(MemoryStore):
    """All ports of one process: a connection for writing, one for the blocking read, its own idea of the time."""

    world: SimWorld

    def __init__(self, world: SimWorld, monotonic: Monotonic | None = None) -> None:
        super().__init__(world)
        self._reader = SimLink(world)
        self.link: SimLink = SimLink(world)
        world.links += [self.link, self._reader]
        for name in ("lease", "presence", "listing"):
            getattr(self, name)._link = self.link
        self.inbox = SimInbox(self.link, self._reader)
        self.log = SimLog(self.link)
        self._feeds: list[SimFeed] = []
        if monotonic is not None:
            self.clock = _clock_of(self.link, monotonic)

    def feed(self, gateway: str) -> SimFeed:
        """Return the feed of a gateway."""
        feed = SimFeed(self.link, gateway)
        self._feeds.append(feed)
        return feed

    async def keep_time(self) -> None:
        """Compare the clock with that of Redis, without end."""
        while True:
            with contextlib.suppress(StoreUnavailable):
                await self.clock.read_ms()
            await asyncio.sleep(CLOCK_EVERY_MS / 1000)

    def break_off(self) -> None:
        """Fault: both connections break."""
        self.link.break_off()
        self._reader.break_off()

    def cut(self) -> None:
        """Fault: this process cannot reach Redis, nor be reached."""
        self._reader.is_cut = True
        self._reader.break_off()
        self.link.cut()

    def mend(self) -> None:
        """End of that."""
        self._reader.is_cut = False
        self.link.mend()

    def vanish(self) -> None:
        """The process is gone: Redis forgets its connections."""
        for feed in self._feeds:
            if feed in self.world.feeds:
                self.world.feeds.remove(feed)
        for link in (self.link, self._reader):
            if link in self.world.links:
                self.world.links.remove(link)


def _clock_of(link: SimLink, monotonic: Monotonic) -> Any:
    clock = RedisClock(_TimeClient(link), monotonic)  # type: ignore[arg-type]
    # It starts from the machine's own clock, which may be seconds off.
    clock._offset_ms = clock._target_ms = (link.world.net.dice.random() - 0.5) * 4000
    return clock


def simulated_store(shards: int, limits: Limits, seed: int = 0) -> SimStore:
    """Return an empty model with a clock that stands until it is set: what the contract suite is tried on."""
    return SimStore(SimWorld(MemoryClock(), shards, limits, Net(random.Random(seed))))
