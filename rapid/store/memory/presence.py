"""Present connections and spectators, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from rapid.engine.intents import Connect, Disconnect
from rapid.errors import SeatHeld
from rapid.store.memory.world import Data, Link
from rapid.wire.records import Entry, pack_entry, pack_unmarked


class MemoryPresence:
    """`Presence` of the twin."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._world = link.world
        self._beaten: set[str] = set()

    async def enter(
        self,
        table: str,
        seat: int,
        gateway: str,
        conn: int,
        since: int | None = None,
        mark: str | None = None,
        *,
        again: bool = False,
        over: tuple[str, int] | None = None,
    ) -> tuple[str, int] | None:
        """Make this the present connection; doing so twice changes nothing."""
        async with self._link.call() as data:
            before, mine = data.present.get((table, seat)), (gateway, conn)
            is_elsewhere = before is not None and before[0] != gateway
            lost = Entry(table, Disconnect(seat), since=since, mark=mark)
            gone = pack_entry(lost)
            replaced = None if before is None or before == mine else data.held[before[0]].get((table, seat))
            is_others = replaced is not None and replaced not in {gone, pack_unmarked(lost)}
            is_refused = is_others and over != before and (is_elsewhere or not again)
            if not is_refused and is_elsewhere and again:
                return before
            if not is_refused:
                data.held[gateway][table, seat] = gone
            if not is_refused and before != mine:
                data.present[table, seat] = mine
                if is_others and replaced is not None:
                    self._world.post(table, replaced)
                self._world.post(table, pack_entry(Entry(table, Connect(seat), since=since, mark=mark)))
        if is_refused and before is not None:
            raise SeatHeld(before)
        return None if before == mine else before

    async def leave(
        self, table: str, seat: int, gateway: str, conn: int, since: int | None = None, mark: str | None = None
    ) -> bool:
        """Post that the connection is gone, if it is the present one."""
        async with self._link.call() as data:
            holder = data.present.get((table, seat))
            if holder is None or holder[0] != gateway:
                data.held[gateway].pop((table, seat), None)
            if holder != (gateway, conn):
                return False
            del data.held[gateway][table, seat], data.present[table, seat]
            self._world.post(table, pack_entry(Entry(table, Disconnect(seat), since=since, mark=mark)))
            return True

    async def watch(self, table: str, gateway: str, spectators: int) -> None:
        """Note the gateway's spectators at the table."""
        async with self._link.call() as data:
            data.watch[table][gateway] = spectators
            if spectators == 0:
                del data.watch[table][gateway]

    async def spectators(self, tables: Sequence[str]) -> list[int]:
        """Return the sum of the living gateways' counts for each table."""
        async with self._link.call() as data:
            alive = {gateway for gateway, seen_ms in data.gateways.items() if seen_ms > 0}
            return [sum(n for gateway, n in data.watch[table].items() if gateway in alive) for table in tables]

    async def beat(self, gateway: str) -> bool:
        """Note that the gateway lives; the first beat of a gateway is always fine."""
        async with self._link.call() as data:
            is_known = data.gateways.get(gateway, 0) > 0
            data.gateways[gateway] = self._world.clock.now_ms()
            is_first = gateway not in self._beaten
            self._beaten.add(gateway)
            return is_known or is_first

    async def reap(self) -> list[str]:
        """Take the seats of dead gateways; return those not known as dead before."""
        async with self._link.call() as data:
            now_ms, limits = self._world.clock.now_ms(), self._world.limits
            newly = sorted(name for name, seen in data.gateways.items() if 0 < seen < now_ms - limits.gateway_dead_ms)
            data.gateways.update((name, -now_ms) for name in newly)
            for gateway in sorted(name for name, seen in data.gateways.items() if seen < 0):
                self._take_all(data, gateway)
                if -data.gateways[gateway] < now_ms - limits.gateway_forgotten_ms:
                    del data.gateways[gateway]
            return newly

    async def retire(self, gateway: str) -> None:
        """All seats of the gateway are lost connections now."""
        async with self._link.call() as data:
            self._take_all(data, gateway)
            data.gateways.pop(gateway, None)

    def _take_all(self, data: Data, gateway: str) -> None:
        for (table, seat), disconnect in data.held.pop(gateway, {}).items():
            if data.present.get((table, seat), ("", 0))[0] == gateway:
                del data.present[table, seat]
                self._world.post(table, disconnect)
        for counts in data.watch.values():
            counts.pop(gateway, None)
