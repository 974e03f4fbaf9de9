"""The storage of one worker, bundled; `store` has it twice, as the ports themselves."""

from __future__ import annotations

from typing import Protocol

from rapid.table.ports import Clock, Inbox, Lease, Log, Presence


class Stores(Protocol):
    """The ports that a worker uses."""

    @property
    def shards(self) -> int:
        """Into how many shards the tables are hashed."""

    @property
    def inbox(self) -> Inbox:
        """The inbox streams."""

    @property
    def log(self) -> Log:
        """The logs."""

    @property
    def lease(self) -> Lease:
        """Who owns which shard."""

    @property
    def clock(self) -> Clock:
        """The clock of the streams."""

    @property
    def presence(self) -> Presence:
        """Connections of seats."""

    async def run_id(self) -> str:
        """Return which run of Redis answers: another one may have lost its unsynced tail (DESIGN 5)."""
