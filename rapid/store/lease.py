"""Who owns which shard, in Redis (DESIGN decision 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from rapid.store import keys
from rapid.store.connection import Client, Script
from rapid.store.limits import Limits
from rapid.store.line import packed

WORKERS = Script("workers")
ACQUIRE = Script("acquire")
RAISE = Script("raise")
RENEW = Script("renew")
RELEASE = Script("release")
SCRIPTS = (WORKERS, ACQUIRE, RAISE, RENEW, RELEASE)
PACKED_KEPT = 4096
"""Commands kept as they cross the line: each beat sends the same ones for every shard."""


class RedisLease:
    """`Lease` over one client. Names of workers are unique to a process' life."""

    def __init__(self, client: Client, limits: Limits) -> None:
        self._client = client
        self._limits = limits

    async def beat(self, worker: str) -> list[str]:
        """Note that the worker lives, by Redis' clock; return the living."""
        living = await self._client.run_once(WORKERS, (keys.WORKERS,), (worker, self._limits.worker_dead_ms))
        return sorted(name.decode() for name in living)

    async def acquire(self, shard: int, worker: str) -> int | None:
        """Take a shard that is free, or one's own again (the answer may have been lost)."""
        epoch: int | None = await self._client.run_once(
            ACQUIRE,
            (keys.lease(shard), keys.epoch(shard), keys.holder(shard), keys.run(shard)),
            (worker, self._limits.lease_ms),
        )
        return epoch

    async def raise_epoch(self, shard: int, worker: str, least: int) -> int | None:
        """Raise the epoch to at least `least`; None if the shard is owned no longer."""
        epoch: int | None = await self._client.run_once(
            RAISE, (keys.lease(shard), keys.epoch(shard), keys.run(shard)), (worker, least)
        )
        return epoch

    async def renew(self, shards: Sequence[int], worker: str) -> list[bool]:
        """Renew leases in one write."""
        commands = [_renewal(shard, worker, self._limits.lease_ms) for shard in shards]
        return [reply == 1 for reply in await self._client.run_commands(commands, (RENEW,))]

    async def owners(self, shards: Sequence[int]) -> dict[int, str]:
        """Return who owns each of these shards, in one write."""
        names = await self._client.pipe(list(map(_owner_question, shards)))
        return {shard: name.decode() for shard, name in zip(shards, names, strict=True) if name is not None}

    async def in_charge(self, epochs: Mapping[int, int]) -> dict[int, bool]:
        """Compare epochs with the present ones, in one write."""
        present = await self._client.pipe([("GET", keys.epoch(shard)) for shard in epochs])
        pairs = zip(epochs.items(), present, strict=True)
        return {shard: found == b"%d" % epoch for (shard, epoch), found in pairs}

    async def release(self, shard: int, worker: str, *, planned: bool) -> None:
        """Give the shard up if it is still owned."""
        note = self._limits.planned_ms if planned else ""
        await self._client.run_once(
            RELEASE, (keys.lease(shard), keys.planned(shard), keys.holder(shard)), (worker, note)
        )

    async def was_planned(self, shard: int) -> bool:
        """Take the note of a planned hand-over."""
        return await self._client.call("GETDEL", keys.planned(shard)) is not None

    async def retire(self, worker: str) -> None:
        """Forget the worker's beat."""
        await self._client.call("ZREM", keys.WORKERS, worker)


@lru_cache(maxsize=PACKED_KEPT)
def _renewal(shard: int, worker: str, lease_ms: int) -> bytes:
    return packed(RENEW.command((keys.lease(shard), keys.holder(shard)), (worker, lease_ms)))


@lru_cache(maxsize=PACKED_KEPT)
def _owner_question(shard: int) -> bytes:
    return packed(("GET", keys.lease(shard)))
