"""Present connections and spectators, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from rapid.engine.intents import Connect, Disconnect
from rapid.errors import SeatHeld
from rapid.store.memory.world import Data, Link
from rapid.table.ports import FIRST_ID, Entered, id_order
from rapid.wire.records import Entry, pack_entry, pack_unmarked

Place = tuple[str, int]
"""Table and seat."""
Connection = tuple[str, int]
"""Gateway and its number there."""


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
        again: str | None = None,
        over: tuple[str, int] | None = None,
    ) -> Entered:
        """Make this the present connection; doing so twice changes nothing."""
        lost = Entry(table, Disconnect(seat), since=since, mark=mark)
        async with self._link.call() as data:
            entered = self._enter(data, (table, seat), (gateway, conn), lost, again, over)
        if isinstance(entered, SeatHeld):
            raise entered
        return entered

    def _enter(
        self, data: Data, place: Place, mine: Connection, lost: Entry, again: str | None, over: Connection | None
    ) -> Entered | SeatHeld:
        before, opened = data.present.get(place), _opened(data, place)
        if before == mine:
            data.held[mine[0]][place] = pack_entry(lost)
            return Entered(opened or again or FIRST_ID)
        if before is not None:
            others = _held_by_another(data, place, before, lost)
            is_elsewhere = before[0] != mine[0]
            if others is not None and over != before and (is_elsewhere or again is None):
                return SeatHeld(before)
            if is_elsewhere and again is not None and not (opened and id_order(again) > id_order(opened)):
                return Entered(again, before, is_elsewhere=True)
            if others is not None:
                self._world.post(lost.table, others)
        data.held[mine[0]][place] = pack_entry(lost)
        now = self._world.post(lost.table, pack_entry(structs.replace(lost, intent=Connect(place[1]))))
        opened = again or max(now, opened or now, key=id_order)
        data.present[place], data.opened[place] = mine, (opened, mine)
        return Entered(opened, before)

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
            data.held[gateway].pop((table, seat), None)
            _vacate(data, (table, seat))
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
                _vacate(data, (table, seat))
                self._world.post(table, disconnect)
        for counts in data.watch.values():
            counts.pop(gateway, None)


def _opened(data: Data, place: Place) -> str | None:
    """Return when the seat's present connection was opened, if that is known of this one."""
    opened, of = data.opened.get(place, (None, None))
    return opened if of == data.present.get(place) else None


def _held_by_another(data: Data, place: Place, before: Connection, lost: Entry) -> bytes | None:
    """Return what to post for the present connection where that is another holder's than `lost` would speak of."""
    held = data.held[before[0]].get(place)
    return None if held in {pack_entry(lost), pack_unmarked(lost)} else held


def _vacate(data: Data, place: Place) -> None:
    del data.present[place]
    data.opened.pop(place, None)
