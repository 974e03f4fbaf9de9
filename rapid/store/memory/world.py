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
    held: defaultdict[str, dict[tuple[str, int], bytes]] = field(default_factory=lambda: defaultdict(dict))
    """Gateway → what to post for each seat when it dies."""
    watch: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    workers: dict[str, int] = field(default_factory=dict)
    gateways: dict[str, int] = field(default_factory=dict)
    """Beats; negative since the gateway was taken for dead."""
    answers: defaultdict[str, Stream] = field(default_factory=lambda: defaultdict(Stream))


class World:
    """The twin's Redis: all its ports share one."""

    def __init__(self, clock: MemoryClock, shards: int, limits: Limits) -> None:
        self.clock = clock
        self.shards = shards
        self.limits = limits
        self.data = Data()
        self.run = 1
        self.feeds: list[MemoryFeed] = []
        self._is_away = False
        self._replies_to_lose = 0

    def shard(self, table: str) -> int:
        """Return the table's shard."""
        return shard_of(table, self.shards)

    def post(self, table: str, data: bytes) -> str:
        """Append to the inbox of the table's shard, and wake its reader."""
        entry_id = self.data.inboxes[self.shard(table)].add(data, self.clock.now_ms())
        self.clock.wake()
        return entry_id

    @asynccontextmanager
    async def call(self) -> AsyncIterator[Data]:
        """What every call goes through: lets others run, and has the faults that were asked for."""
        await asyncio.sleep(0)
        if self._is_away:
            raise StoreUnavailable("the store is away")
        yield self.data
        if self._replies_to_lose:
            self._replies_to_lose -= 1
            raise StoreUnavailable("the answer was lost")

    def lose_replies(self, count: int = 1) -> None:
        """Fault: the next calls take effect, and their callers are told that they may not have."""
        self._replies_to_lose = count

    def go_away(self) -> None:
        """Fault: nothing answers until `come_back`."""
        self._is_away = True
        self.break_feeds()
        self.clock.wake()

    def come_back(self) -> None:
        """End of that; subscriptions stand up again."""
        self._is_away = False
        self.mend_feeds()

    def break_feeds(self) -> None:
        """Fault: what is pushed from now on is lost."""
        for feed in self.feeds:
            feed.is_broken = True

    def mend_feeds(self) -> None:
        """End of that; every feed yields `blind`."""
        for feed in self.feeds:
            feed.mend()

    def checkpoint(self) -> Data:
        """Return a copy of what is held now, for `restart`."""
        return copy.deepcopy(self.data)

    def restart(self, data: Data | None = None) -> None:
        """Another run begins, with everything or, if the machine was lost, with an older checkpoint."""
        self.go_away()
        self.run += 1
        if data is not None:
            self.data = data
        self.come_back()
