"""The storage of one worker, bundled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from rapid.table.ports import SHARDS_DEFAULT, Clock, Inbox, Lease, Log, Presence


async def _one_run() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Stores:
    """The ports that a worker uses. `posting` may be the same object as `inbox`."""

    inbox: Inbox
    posting: Inbox
    log: Log
    lease: Lease
    clock: Clock
    presence: Presence
    shards: int = SHARDS_DEFAULT
    run_id: Callable[[], Awaitable[str]] = _one_run
    """Which run of Redis answers: another one may have lost its unsynced tail (DESIGN 5)."""
