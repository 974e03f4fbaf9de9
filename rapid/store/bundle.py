"""What a process gets to work with: all ports over one storage."""

from __future__ import annotations

from typing import Protocol

from rapid.table.ports import Clock, Feed, Inbox, Lease, Listing, Log, Presence


class ClosableFeed(Feed, Protocol):
    """A feed that can be ended."""

    async def close(self) -> None:
        """End its connections."""


class Store(Protocol):
    """Implemented over Redis and in memory."""

    @property
    def shards(self) -> int:
        """The number of shards."""

    @property
    def inbox(self) -> Inbox:
        """See the port."""

    @property
    def log(self) -> Log:
        """See the port."""

    @property
    def lease(self) -> Lease:
        """See the port."""

    @property
    def presence(self) -> Presence:
        """See the port."""

    @property
    def listing(self) -> Listing:
        """See the port."""

    @property
    def clock(self) -> Clock:
        """See the port."""

    def feed(self, gateway: str) -> ClosableFeed:
        """Return the feed of a gateway; its name is unique to a process' life."""

    async def ready(self) -> bool:
        """Whether storage answers now."""

    async def run_id(self) -> str:
        """Return the name of storage's present run; another one may have lost an unsynced tail (DESIGN 5)."""

    async def close(self) -> None:
        """End all connections and feeds."""
