"""What the worker and the gateway need from storage. `store` implements it twice: Redis, memory.

Shards: a table belongs to shard `shard_of(table, shards)`. A shard has one inbox stream,
one lease, one epoch; a table has one log stream. Ids of inbox entries are Redis' own
`<ms>-<n>`: order and clock at once. Ids of log entries are `<epoch>-<n>`, given by the
owner; `<epoch>-0` is the bare claim of a new owner, with no record.

Failure: every call raises `StoreUnavailable` when Redis is away or the answer was lost, in
which case what was written is unknown and must be read back, never written again blindly.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from msgspec import Struct

from rapid.wire.records import Answer, Ask, Entry, Record

SHARDS_DEFAULT = 64
SHARDS_KNOWN = 10_000
"""Tables whose shard is kept at hand: each intent asks for it."""
FIRST_ID = "0-0"
EPOCH_MAX = 2**52
"""No owner comes to more: epochs rise by ones, or to the time. Scripts count exactly a good way beyond it."""
_ID = re.compile(r"[0-9]{1,20}-[0-9]{1,20}")


@lru_cache(maxsize=SHARDS_KNOWN)
def shard_of(table: str, shards: int) -> int:
    """Return the shard of a table; the same everywhere and for ever."""
    return zlib.crc32(table.encode("utf-8")) % shards


def stamp_of(entry_id: str) -> int:
    """Return an inbox id's time in milliseconds."""
    return int(entry_id.partition("-")[0])


def id_order(entry_id: str) -> tuple[int, int]:
    """Return a key that sorts stream ids."""
    ms, _, n = entry_id.partition("-")
    return int(ms), int(n)


def is_id(text: str) -> bool:
    """Whether this is the id of an entry of a stream."""
    return _ID.fullmatch(text) is not None


class Posted(Struct, frozen=True, gc=False):
    """An inbox entry as read; `entry` is None if its bytes were not an entry's, or those of a newer version.

    `ask`: who waits for the answer to an entry that could not be read, if that much could.
    """

    shard: int
    id: str
    entry: Entry | None
    ask: Ask | None = None


class Row(Struct, frozen=True):
    """A table's line in listings, as the owner knows it; spectators are counted by gateways."""

    table: str
    phase: str
    mode: str
    ruleset: str
    people: int
    bots: int
    seats: int
    round: int | None
    public: bool
    opened_at: int


class Commit(Struct, frozen=True, gc=False):
    """One decision to be appended by the owner of `epoch` as `<epoch>-<n>`, n from 1.

    `row` is given when the table's line changed, and is written in the same atomic step;
    `opens`: the log must not exist yet; `closes`: the table leaves the listings and its log
    is set to expire.
    """

    table: str
    epoch: int
    n: int
    record: Record
    row: Row | None = None
    opens: bool = False
    closes: bool = False


class LogEntry(Struct, frozen=True, gc=False):
    """A log entry as read back; `record` is None for a bare claim."""

    id: str
    record: Record | None


class Beat(Struct, frozen=True):
    """A living worker or gateway."""

    name: str
    seen_ms: int


class Inbox(Protocol):
    """The inbox streams of all shards."""

    async def post(self, entries: Sequence[Entry]) -> list[str]:
        """Append all in one write; return their ids in order."""

    async def read(self, after: Mapping[int, str], *, limit: int, block_ms: int) -> list[Posted]:
        """Read on in these shards (shard → last id seen), waiting up to `block_ms` for the first.

        At most `limit` entries of each shard. Order within a shard is the stream's. One call at a time
        for each Inbox object.
        """

    async def find(self, entry: Entry, after_ms: int) -> str | None:
        """Return the id of the entry with this `ask` stamped at or after `after_ms`, if it is there."""

    async def set_cursor(self, shard: int, epoch: int, cursor: str) -> None:
        """Note that everything up to `cursor` is decided, and trim what is decided and old, now and then.

        Refused silently if `epoch` is not the shard's present one, or stems from another run of Redis. The newest
        entries are kept for `find`. Worth calling where the cursor has not moved: what was decided last grows old too.
        """

    async def cursor(self, shard: int) -> str:
        """Return the noted cursor, `0-0` at first."""

    async def lengths(self) -> list[int]:
        """Return the number of entries in each shard's inbox, decided ones that are still kept included."""


class Log(Protocol):
    """The logs of all tables."""

    async def commit(self, commits: Sequence[Commit]) -> list[bool]:
        """Append all at once (pipelined), each atomically and published with the same step.

        True: durable and published. False: refused by the fence (another epoch is in charge,
        the id is not behind the last, or `opens` and the log exists). Commits of one table
        stand in their order; behind a refused one the later ones of that table are refused too.
        """

    async def claim(self, shard: int, tables: Sequence[str], epoch: int) -> list[bool]:
        """Append the bare claim `<epoch>-0` to each; False where a log is at it or beyond, or not there."""

    async def read(self, table: str, after: str, *, limit: int) -> list[LogEntry]:
        """Read a table's entries behind the id `after` (`0-0`: from the start)."""

    async def tail(self, tables: Sequence[str]) -> dict[str, LogEntry]:
        """Return the last entry of each log that exists."""

    async def last_ids(self, tables: Sequence[str]) -> dict[str, str]:
        """Return the id of the last entry of each log that exists."""

    async def last_epochs(self, tables: Sequence[str]) -> dict[str, int]:
        """Return the epoch in the last id of each log that exists, and whose end nobody has taken out."""

    async def tables(self, shard: int) -> list[str]:
        """Return the ids of the shard's tables that are not closed."""

    async def bury(self, table: str) -> bool:
        """Take a table whose log cannot be read out of all listings, and set the log to expire; False if not open.

        An operator's last resort: no event tells of it.
        """

    async def answer(self, answers: Sequence[Answer]) -> None:
        """Send answers that are no events (refusals) to the gateways that asked."""


class Lease(Protocol):
    """Who owns which shard. A lease only keeps owners from overlapping; the fence protects."""

    async def beat(self, worker: str) -> list[str]:
        """Note that the worker lives; return the names of all living workers, sorted."""

    async def acquire(self, shard: int, worker: str) -> int | None:
        """Take a free shard: return its raised epoch (at least 1), None if it is owned."""

    async def raise_epoch(self, shard: int, worker: str, least: int) -> int | None:
        """Raise the epoch of an owned shard to at least `least`; None if it is owned no longer."""

    async def renew(self, shards: Sequence[int], worker: str) -> list[bool]:
        """Renew leases, also one that ran out while nobody took the shard; False where another has taken it."""

    async def owners(self, shards: Sequence[int]) -> dict[int, str]:
        """Return who owns each of these shards, free ones left out."""

    async def in_charge(self, epochs: Mapping[int, int]) -> dict[int, bool]:
        """Return for each shard whether this epoch is its present one."""

    async def release(self, shard: int, worker: str, *, planned: bool) -> None:
        """Give a shard up; `planned` notes a hand-over that the next owner may find for a moment."""

    async def was_planned(self, shard: int) -> bool:
        """Return whether the last owner handed over as planned, just now; asked once."""

    async def retire(self, worker: str) -> None:
        """Forget the worker's beat."""


class Clock(Protocol):
    """The clock of the Redis streams, estimated."""

    def now_ms(self) -> int:
        """Return the present time in milliseconds."""

    async def read_ms(self) -> int:
        """Ask Redis itself; also improves the estimate."""


class Entered(Struct, frozen=True):
    """What came of entering.

    `opened`: when the connection was opened, for `again`: the inbox id of its first `Connect`. `before`: gateway and
    number of the connection that it has replaced; or, if `is_elsewhere`, of that which keeps the seat.
    """

    opened: str
    before: tuple[str, int] | None = None
    is_elsewhere: bool = False


class Presence(Protocol):
    """Which gateway holds the present connection of which seat (DESIGN decision 8).

    Each call that changes something posts the `Connect` or `Disconnect` to the inbox in the
    same atomic step, so that the order of presence is the order of the inbox.
    """

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
        """Make this the seat's present connection.

        `SeatHeld`, and nothing is changed, where that is another holder's (entered with another `since` or
        `mark`; one that was entered without a mark, by a gateway of the version before, has any), unless it is
        `over`: whoever asks has made sure meanwhile that the log says the seat is theirs.

        `again`: it has entered before, and was opened then (`Entered.opened`). It takes the place of another gateway's
        only if it was opened later, which a Redis that lost its tail has forgotten. Else that one keeps the seat, also
        if both were opened at the same moment, or nobody knows when it was (`SeatHeld`, if it is another holder's).

        `since` and `mark` go into the posted entry (see `Entry`), here and in `leave`.
        """

    async def leave(
        self, table: str, seat: int, gateway: str, conn: int, since: int | None = None, mark: str | None = None
    ) -> bool:
        """The connection is gone; does nothing (False) if it is not the seat's present one."""

    async def watch(self, table: str, gateway: str, spectators: int) -> None:
        """Note how many spectators this gateway has at the table."""

    async def spectators(self, tables: Sequence[str]) -> list[int]:
        """Return the number of spectators of each table over all living gateways."""

    async def beat(self, gateway: str) -> bool:
        """Note that the gateway lives. False: it had been taken for dead; enter and watch again."""

    async def reap(self) -> list[str]:
        """Turn the seats of dead gateways into lost connections; return the dead gateways."""

    async def retire(self, gateway: str) -> None:
        """An orderly end: all its seats are lost connections now."""


class Listing(Protocol):
    """Rows of tables."""

    async def row(self, table: str) -> Row | None:
        """Return a table's row, None if unknown or closed."""

    async def public(self, limit: int) -> list[Row]:
        """Return the rows of public tables, newest first."""

    async def count(self) -> int:
        """Return how many tables are open."""


class Delivery(Struct, frozen=True, gc=False):
    """What a subscription yields: exactly one of the fields besides `table` is set.

    `record` with its log `id`: a commit was pushed. `answers`: refusals for this gateway.
    `note`: a small map that gateways tell each other (reactions, spectators, take-overs).
    `blind`: the subscription broke and stands again; anything may have been missed, for all
    tables. `heard_s`: when a record came in, by `time.perf_counter`, and
    `data`: its bytes, if they are known.
    """

    table: str | None = None
    id: str | None = None
    record: Record | None = None
    answers: tuple[Answer, ...] | None = None
    note: dict[str, object] | None = None
    blind: bool = False
    heard_s: float | None = None
    data: bytes | None = None


class Feed(Protocol):
    """Pushes to one gateway. Never trusted alone: what does not follow is read from the log."""

    async def follow(self, table: str) -> None:
        """Subscribe to a table; returns once Redis has confirmed."""

    async def unfollow(self, table: str) -> None:
        """End that."""

    async def tell(self, table: str, note: Mapping[str, object]) -> None:
        """Send a note to all gateways that follow the table."""

    @property
    def waiting(self) -> int:
        """Return how many deliveries have come that nobody has taken."""

    def hand_to(self, taker: Callable[[Delivery], None]) -> None:
        """Call this at once with what arrives while nothing waits for `deliveries`; the order stays that of arrival.

        It must not raise.
        """

    def on_other_run(self, callback: Callable[[], None]) -> None:
        """Call this when Redis is another run, which may have lost an unsynced tail. It must not raise.

        That is before any call is answered by that run; `blind` comes later, when the subscription stands there, and
        nothing that the run before has pushed comes between the two.
        """

    def deliveries(self) -> AsyncIterator[Delivery]:
        """Yield what arrives, without end; reconnects by itself and then yields `blind`."""
