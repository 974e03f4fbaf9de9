"""What the twin's Redis holds, and the faults it can be told to have."""

from __future__ import annotations

import asyncio
import copy
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rapid.errors import StoreUnavailable
from rapid.store.limits import Limits
from rapid.store.memory.clock import MemoryClock
from rapid.store.memory.stream import Stream
from rapid.table.ports import FIRST_ID, Row, shard_of

if TYPE_CHECKING:
    from rapid.store.memory.feed import MemoryFeed


@dataclass
class Data:
    """Everything that survives a restart."""

    inboxes: defaultdict[int, Stream] = field(default_factory=lambda: defaultdict(Stream))
    cursors: defaultdict[int, str] = field(default_factory=lambda: defaultdict(lambda: FIRST_ID))
    epochs: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    runs: dict[int, int] = field(default_factory=dict)
    """Shard → the run that handed out its present epoch."""
    leases: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Shard → owner, and the time at which it is free."""
    planned: dict[int, int] = field(default_factory=dict)
    logs: dict[str, Stream] = field(default_factory=dict)
    expiring: dict[str, int] = field(default_factory=dict)
    """Closed table → the time at which its log is gone."""
    tables: defaultdict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    rows: dict[str, Row] = field(default_factory=dict)
    present: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    """Table and seat → gateway and connection."""
    opened: dict[tuple[str, int], tuple[str, tuple[str, int]]] = field(default_factory=dict)
    """Table and seat → when its present connection was opened (an inbox id), and which that is."""
    held: defaultdict[str, dict[tuple[str, int], bytes]] = field(default_factory=lambda: defaultdict(dict))
    """Gateway → what to post for each seat when it dies."""
    watch: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    workers: dict[str, int] = field(default_factory=dict)
    gateways: dict[str, int] = field(default_factory=dict)
    """Beats; negative since the gateway was taken for dead."""
    answers: defaultdict[str, Stream] = field(default_factory=lambda: defaultdict(Stream))


class World:
    """The twin's Redis."""

    def __init__(self, clock: MemoryClock, shards: int, limits: Limits) -> None:
        self.clock = clock
        self.shards = shards
        self.limits = limits
        self.data = Data()
        self.run = 1
        self.feeds: list[MemoryFeed] = []

    def shard(self, table: str) -> int:
        """Return the table's shard."""
        return shard_of(table, self.shards)

    def post(self, table: str, data: bytes) -> str:
        """Append to the inbox of the table's shard, and wake its reader."""
        entry_id = self.data.inboxes[self.shard(table)].add(data, self.clock.now_ms())
        self.clock.wake()
        return entry_id

    def checkpoint(self) -> Data:
        """Return a copy of what is held now, for `restart`."""
        return copy.deepcopy(self.data)

    def restart(self, data: Data | None = None) -> None:
        """Another run begins, with everything or, if the machine was lost, with an older checkpoint.

        Every subscription breaks and stands up again.
        """
        self.run += 1
        if data is not None:
            self.data = data
        for feed in self.feeds:
            feed.break_off()
            feed.mend()
        self.clock.wake()


class Link:
    """One process' connection to the twin's Redis, and the faults it can be told to have."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.feeds: list[MemoryFeed] = []
        self.is_cut = False
        self._answers_to_lose = 0
        self._run = world.run

    @asynccontextmanager
    async def call(self) -> AsyncIterator[Data]:
        """What every call goes through: lets others run, and has the faults that were asked for."""
        await asyncio.sleep(0)
        if self.is_cut:
            raise StoreUnavailable("the store is away")
        self.meet_run()
        yield self.world.data
        if self._answers_to_lose:
            self._answers_to_lose -= 1
            raise StoreUnavailable("the answer was lost")

    def meet_run(self) -> None:
        """Tell the feeds if what answers is another run than before."""
        if self._run != self.world.run:
            self._run = self.world.run
            for feed in self.feeds:
                feed.other_run()

    def lose_answers(self, count: int = 1) -> None:
        """Fault: the next calls take effect, and their callers cannot know."""
        self._answers_to_lose = count

    def cut(self) -> None:
        """Fault: nothing answers and nothing is heard until `mend`."""
        self.is_cut = True
        for feed in self.feeds:
            feed.break_off()
        self.world.clock.wake()

    def mend(self) -> None:
        """End of that; every feed yields `blind`."""
        self.is_cut = False
        for feed in self.feeds:
            feed.mend()
