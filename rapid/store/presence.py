"""Present connections and spectators in Redis (DESIGN decision 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapid.engine.intents import Connect, Disconnect
from rapid.errors import SeatHeld
from rapid.store import keys
from rapid.store.connection import Client, Script
from rapid.store.limits import Limits
from rapid.table.ports import FIRST_ID, Entered, shard_of
from rapid.wire.records import Entry, pack_entry, pack_unmarked

ENTER = Script("enter")
LEAVE = Script("leave")
WATCH = Script("watch")
BEAT = Script("gateway_beat")
DEAD = Script("gateways_dead")
REAP = Script("reap")
SCRIPTS = (ENTER, LEAVE, WATCH, BEAT, DEAD, REAP)

HELD, HAS_ELSEWHERE = b"held", b"elsewhere"
"""Why nothing was entered."""
EVER_US = 2**53
"""Later than any moment."""


class RedisPresence:
    """`Presence` over one client.

    Names of gateways are unique to a process' life, and a gateway beats before it takes
    connections: one that never did is not missed when it dies.
    """

    def __init__(self, client: Client, shards: int, limits: Limits) -> None:
        self._client = client
        self._shards = shards
        self._limits = limits
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
        connect = pack_entry(Entry(table, Connect(seat), since=since, mark=mark))
        what, opened, before = await self._client.run_once(
            ENTER,
            self._keys(table, gateway),
            (
                *(seat, conn, gateway, f"{table} {seat}", connect, pack_entry(lost), pack_unmarked(lost)),
                again or "",
                "" if over is None else f"{over[1]} {over[0]}",
            ),
        )
        if what == HELD:
            raise SeatHeld(_connection(before))
        kept = None if before is None else _connection(before)
        return Entered(opened.decode() or FIRST_ID, kept, is_elsewhere=what == HAS_ELSEWHERE)

    async def leave(
        self, table: str, seat: int, gateway: str, conn: int, since: int | None = None, mark: str | None = None
    ) -> bool:
        """Post that the connection is gone, if it is the present one."""
        disconnect = pack_entry(Entry(table, Disconnect(seat), since=since, mark=mark))
        args = (seat, conn, gateway, f"{table} {seat}", disconnect)
        return bool(await self._client.run_once(LEAVE, self._keys(table, gateway), args) == 1)

    async def watch(self, table: str, gateway: str, spectators: int) -> None:
        """Note the gateway's spectators at the table."""
        names = (keys.watch(table, self._shards), keys.watched(shard_of(table, self._shards), gateway))
        await self._client.run_once(WATCH, names, (table, gateway, spectators))

    async def spectators(self, tables: Sequence[str]) -> list[int]:
        """Return the sum of the living gateways' counts for each table."""
        counts, (living,) = await self._counts(tables)
        alive = set(living)
        return [
            sum(int(n) for gateway, n in zip(pairs[::2], pairs[1::2], strict=True) if gateway in alive)
            for pairs in counts
        ]

    async def beat(self, gateway: str) -> bool:
        """Note that the gateway lives; the first beat of a gateway is always fine."""
        is_known = await self._client.run_once(BEAT, (keys.GATEWAYS,), (gateway,)) == 1
        is_first = gateway not in self._beaten
        self._beaten.add(gateway)
        return is_known or is_first

    async def reap(self) -> list[str]:
        """Take the seats of dead gateways; return those not known as dead before.

        A dead gateway is reaped again for a while, so that neither a reaper that dies on
        the way nor a gateway that writes with its last breath leaves a seat behind.
        """
        args = (self._limits.gateway_dead_ms, self._limits.gateway_forgotten_ms)
        before_us, newly, dead, forgotten_ms = await self._client.run_once(DEAD, (keys.GATEWAYS,), args)
        await self._reap((gateway.decode() for gateway in dead), int(before_us))
        # Only now: one that was found dead long after its death, by a reaper that died on the way, has been reaped too.
        await self._client.call("ZREMRANGEBYSCORE", keys.GATEWAYS, f"(-{forgotten_ms.decode()}", "(0")
        return sorted(gateway.decode() for gateway in newly)

    async def retire(self, gateway: str) -> None:
        """All seats of the gateway are lost connections now."""
        await self._reap([gateway], EVER_US)
        await self._client.call("ZREM", keys.GATEWAYS, gateway)

    async def _reap(self, gateways: Iterable[str], before_us: int) -> None:
        calls = [
            (
                (keys.held(shard, gateway), keys.watched(shard, gateway), keys.inbox(shard)),
                (gateway, before_us, keys.tag(shard)),
            )
            for gateway in gateways
            for shard in range(self._shards)
        ]
        await self._client.run(REAP, calls)

    async def _counts(self, tables: Sequence[str]) -> tuple[list[list[bytes]], list[list[bytes]]]:
        replies = await self._client.pipe(
            [
                *(("HGETALL", keys.watch(table, self._shards)) for table in tables),
                ("ZRANGEBYSCORE", keys.GATEWAYS, "(0", "+inf"),
            ]
        )
        return replies[:-1], replies[-1:]

    def _keys(self, table: str, gateway: str) -> Sequence[str]:
        shard = shard_of(table, self._shards)
        return keys.present(table, self._shards), keys.held(shard, gateway), keys.inbox(shard)


def _connection(packed: bytes) -> tuple[str, int]:
    """Return gateway and number of what the scripts write as `CONN GATEWAY`."""
    conn, _, gateway = packed.decode().partition(" ")
    return gateway, int(conn)
