"""All ports of the twin, bundled."""

from __future__ import annotations

from rapid.errors import StoreUnavailable
from rapid.store.limits import DEFAULT_LIMITS, Limits
from rapid.store.memory.clock import MemoryClock
from rapid.store.memory.feed import MemoryFeed
from rapid.store.memory.inbox import MemoryInbox
from rapid.store.memory.lease import MemoryLease
from rapid.store.memory.listing import MemoryListing
from rapid.store.memory.log import MemoryLog
from rapid.store.memory.presence import MemoryPresence
from rapid.store.memory.world import Link, World
from rapid.table.ports import SHARDS_DEFAULT


class MemoryStore:
    """`Store` in memory. `link` has the faults; stores of the same world are processes at the same Redis."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.link = Link(world)
        self.shards = world.shards
        self.is_silent = False
        self.clock = world.clock
        self.inbox = MemoryInbox(self.link)
        self.log = MemoryLog(self.link)
        self.lease = MemoryLease(self.link)
        self.presence = MemoryPresence(self.link)
        self.listing = MemoryListing(self.link)

    def feed(self, gateway: str) -> MemoryFeed:
        """Return the feed of a gateway."""
        return MemoryFeed(self.link, gateway)

    async def ready(self) -> bool:
        """Whether the store answers now."""
        try:
            async with self.link.call():
                return True
        except StoreUnavailable:
            return False

    async def run_id(self) -> str:
        """Return the name of the present run."""
        async with self.link.call():
            return f"run-{self.world.run}"

    async def close(self) -> None:
        """End the feeds."""
        for feed in list(self.link.feeds):
            await feed.close()


def memory_store(
    *,
    shards: int = SHARDS_DEFAULT,
    limits: Limits = DEFAULT_LIMITS,
    clock: MemoryClock | None = None,
) -> MemoryStore:
    """Return an empty twin; its clock stands until it is set, unless a ticking one is given."""
    return MemoryStore(World(clock or MemoryClock(), shards, limits))
