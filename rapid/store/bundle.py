"""What a process gets to work with: all ports over one storage."""

from __future__ import annotations

from typing import Protocol

from rapid.table.ports import Feed, Listing
from rapid.table.stores import Stores


class ClosableFeed(Feed, Protocol):
    """A feed that can be ended."""

    async def close(self) -> None:
        """End its connections."""


class Store(Stores, Protocol):
    """What a worker uses, and what a gateway needs besides; implemented over Redis and in memory."""

    @property
    def listing(self) -> Listing:
        """Rows of tables."""

    def feed(self, gateway: str) -> ClosableFeed:
        """Return the feed of a gateway; its name is unique to a process' life."""

    async def ready(self) -> bool:
        """Whether storage answers now."""

    @property
    def is_silent(self) -> bool:
        """Whether at the last `ready` nobody even refused: it may be we alone who are cut off."""

    async def close(self) -> None:
        """End all connections and feeds."""
