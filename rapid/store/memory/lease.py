"""Who owns which shard, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rapid.store.memory.world import Data, Link, World


class MemoryLease:
    """`Lease` of the twin."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._world = link.world

    async def beat(self, worker: str) -> list[str]:
        """Note that the worker lives; return the living."""
        async with self._link.call() as data:
            now_ms = self._world.clock.now_ms()
            data.workers[worker] = now_ms + self._world.limits.worker_dead_ms
            dead = [name for name, until_ms in data.workers.items() if until_ms < now_ms]
            for name in dead:
                del data.workers[name]
            return sorted(data.workers)

    async def acquire(self, shard: int, worker: str) -> int | None:
        """Take a shard that is free, or one's own again."""
        async with self._link.call() as data:
            if self._owner(data, shard) not in {None, worker}:
                return None
            self._extend(data, shard, worker)
            return rise(self._world, data, shard, data.epochs[shard] + 1, is_first=data.epochs[shard] == 0)

    async def raise_epoch(self, shard: int, worker: str, least: int) -> int | None:
        """Raise the epoch of an owned shard to at least `least`."""
        async with self._link.call() as data:
            if self._owner(data, shard) != worker:
                return None
            return rise(self._world, data, shard, least)

    async def renew(self, shards: Sequence[int], worker: str) -> list[bool]:
        """Renew leases, also one that ran out but was not taken by another."""
        async with self._link.call() as data:
            owned = [data.leases.get(shard, (None, 0))[0] == worker for shard in shards]
            for shard, is_owned in zip(shards, owned, strict=True):
                if is_owned:
                    self._extend(data, shard, worker)
            return owned

    async def owners(self, shards: Sequence[int]) -> dict[int, str]:
        """Return the owners of shards, free ones left out."""
        async with self._link.call() as data:
            owners = ((shard, self._owner(data, shard)) for shard in shards)
            return {shard: owner for shard, owner in owners if owner is not None}

    async def in_charge(self, epochs: Mapping[int, int]) -> dict[int, bool]:
        """Compare epochs with the present ones."""
        async with self._link.call() as data:
            return {shard: data.epochs[shard] == epoch for shard, epoch in epochs.items()}

    async def release(self, shard: int, worker: str, *, planned: bool) -> None:
        """Give the shard up if it is still owned."""
        async with self._link.call() as data:
            if self._owner(data, shard) != worker:
                return
            del data.leases[shard]
            data.planned.pop(shard, None)
            if planned:
                data.planned[shard] = self._world.clock.now_ms() + self._world.limits.planned_ms

    async def was_planned(self, shard: int) -> bool:
        """Take the note of a planned hand-over."""
        async with self._link.call() as data:
            return data.planned.pop(shard, 0) > self._world.clock.now_ms()

    async def retire(self, worker: str) -> None:
        """Forget the worker's beat."""
        async with self._link.call() as data:
            data.workers.pop(worker, None)

    def _owner(self, data: Data, shard: int) -> str | None:
        owner, free_at_ms = data.leases.get(shard, (None, 0))
        return owner if free_at_ms > self._world.clock.now_ms() else None

    def _extend(self, data: Data, shard: int, worker: str) -> None:
        data.leases[shard] = worker, self._world.clock.now_ms() + self._world.limits.lease_ms


def rise(world: World, data: Data, shard: int, least: int, *, is_first: bool = False) -> int:
    """Raise an epoch as the scripts do: behind a restart, which may have lost some, beyond all that were handed out."""
    if data.runs.get(shard) != world.run:
        data.runs[shard] = world.run
        if not is_first:
            least = max(least, data.epochs[shard] + 1, world.clock.now_ms())
    data.epochs[shard] = max(data.epochs[shard], least)
    return data.epochs[shard]
