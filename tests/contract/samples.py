"""Small facts for the store to keep. What they mean is nothing to it."""

from rapid.engine.events import LobbyOpened
from rapid.engine.intents import Tick
from rapid.engine.refusals import STALE, Refusal
from rapid.store import Store
from rapid.table.ports import Commit, Row, shard_of
from rapid.wire.records import Answer, Ask, Entry, Record
from tests.contract.bench import SHARDS

# Three tables of shard 0 and one of another, found by their hash.
TABLES = [f"table{n:05d}" for n in range(200)]
FIRST, SECOND, THIRD = [table for table in TABLES if shard_of(table, SHARDS) == 0][:3]
ELSEWHERE = next(table for table in TABLES if shard_of(table, SHARDS) == 1)
SHARD = 0


def entry(ref: int | None = None, table: str = FIRST) -> Entry:
    return Entry(table, Tick(), None if ref is None else Ask("g1", ref))


def record(seq: int) -> Record:
    return Record(seq, 1_000 + seq, f"{1_000 + seq}-0", (LobbyOpened(),))


def row(table: str = FIRST, *, public: bool = True, opened_at: int = 5, phase: str = "lobby") -> Row:
    return Row(table, phase, "rapid", "president", 1, 2, 6, None, public, opened_at)


def opening(epoch: int, table: str = FIRST, *, public: bool = True, opened_at: int = 5) -> Commit:
    return Commit(table, epoch, 1, record(1), row(table, public=public, opened_at=opened_at), opens=True)


def commit(epoch: int, n: int, table: str = FIRST) -> Commit:
    return Commit(table, epoch, n, record(n))


def refused(ref: int, gateway: str = "g1") -> Answer:
    return Answer(Ask(gateway, ref), 0, Refusal(STALE))


async def owned(store: Store, *tables: str) -> int:
    """Take the shards of these tables and open them; return the epoch, 1."""
    for shard in {shard_of(table, SHARDS) for table in tables}:
        assert await store.lease.acquire(shard, "w1") == 1
    assert all(await store.log.commit([opening(1, table) for table in tables]))
    return 1


async def ids(store: Store, table: str = FIRST) -> list[str]:
    """Return the ids in a table's log."""
    return [logged.id for logged in await store.log.read(table, "0-0", limit=100)]
