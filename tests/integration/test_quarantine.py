"""One bad log quarantines one table: a clear line, a figure, clear answers; all others of its shard go on.

The operator is told which table, which entry and why; `rapid export` gives what stands before it, `rapid close` takes
the table out of the listings.
"""

import asyncio
from collections.abc import Callable

import msgspec
import pytest
import redis.asyncio
import structlog

from rapid.engine.events import Given, LobbyOpened
from rapid.engine.intents import Connect, Disconnect, Play
from rapid.engine.notation import Decided, log_lines
from rapid.engine.replay.verify import verify_lines
from rapid.store import keys
from rapid.table.ports import shard_of
from rapid.wire.records import RECORD_VERSION, Record, pack_record
from tests.golden.test_stored import IDS, rows_of
from tests.integration.cli_bench import rapid
from tests.integration.gateway_bench import Server, gateway_on
from tests.integration.test_worker import until, until_ready
from tests.integration.worker_bench import TABLE, Bench, bench_on, worker_on

SHARDS = 64
SHARD = shard_of(TABLE, SHARDS)
LOG = keys.log(TABLE, SHARDS)
NEIGHBOUR = next(
    f"table{n:07}" for n in range(2, 10_000) if shard_of(f"table{n:07}", SHARDS) == shard_of(TABLE, SHARDS)
)
Client = redis.asyncio.Redis
Damage = Callable[[Client, Record, int], object]


def appended(make: Callable[[Record], bytes], field: str = "r") -> Damage:
    """An entry behind the last one."""

    async def damage(client: Client, last: Record, epoch: int) -> None:
        await client.xadd(LOG, {field: make(last)}, id=f"{epoch}-999")

    return damage


JUNK = {
    "members of nowhere": ("SADD", keys.tables(SHARD), "../../x y", b"\xff\xfe", "", NEIGHBOUR + "x"),
    "a row": ("HSET", keys.rows(SHARD), TABLE, "junk"),
    "the cursor": ("SET", keys.cursor(SHARD), "junk"),
    "a cursor ahead of all": ("SET", keys.cursor(SHARD), f"{2**64 - 1}-0"),
    "the epoch": ("SET", keys.epoch(SHARD), "junk"),
    "an epoch ahead of all": ("SET", keys.epoch(SHARD), f"{2**64}"),
    "the run": ("SET", keys.run(SHARD), "junk"),
}


@pytest.mark.parametrize("junk", list(JUNK))
async def test_junk_beside_the_logs_keeps_no_table_from_being_served(redis_url, junk):
    async with bench_on(redis_url) as bench:
        neighbour = Bench(bench.store, NEIGHBOUR)
        async with worker_on(redis_url, "w1"):
            await bench.open()
            await neighbour.open()
        await bench.store._client.call(*JUNK[junk])
        async with worker_on(redis_url, "w2") as worker:
            await until_ready(worker)
            await neighbour.race()
            await bench.race()
            assert worker.quarantined_tables == (len(JUNK[junk][2:]) if junk == "members of nowhere" else 0)
        await neighbour.until_all_answered()
        await neighbour.judge()
        await bench.judge()
        await bench.store.listing.public(9)
        assert await bench.store.listing.row(NEIGHBOUR) is not None
        assert (await bench.store.listing.row(TABLE) is None) == (junk == "a row")
        await neighbour.close()


async def test_an_inbox_that_is_none_is_told_of_and_play_goes_on_once_it_is_removed(redis_url):
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1"):
        await bench.open()
        other = keys.inbox((SHARD + 3) % SHARDS)  # read in the same command
        await bench.store._client.call("DEL", other)
        with structlog.testing.capture_logs() as said:
            await bench.store._client.call("SET", other, "a note of somebody's")
            await until(lambda: [line for line in said if line["event"] == "inboxes_not_served"])
        assert "WRONGTYPE" in next(line["error"] for line in said if line["event"] == "inboxes_not_served")
        await bench.store._client.call("DEL", other)
        await bench.race()
        await bench.until_all_answered()
        await bench.judge()


def newer(last: Record) -> bytes:
    return msgspec.msgpack.encode([last.last_seq + 1, last.at, last.cursor, [{"type": "x"}], None, RECORD_VERSION + 1])


def next_record(last: Record, *events: object) -> bytes:
    return pack_record(Record(last.last_seq + 1, last.at, last.cursor, events))


async def one_entry_gone(client: Client, _last: Record, _epoch: int) -> None:
    entries = await client.xrange(LOG)
    await client.xdel(LOG, entries[len(entries) // 2][0])


async def end_gone(client: Client, _last: Record, _epoch: int) -> None:
    (last,) = await client.xrevrange(LOG, count=1)
    await client.xdel(LOG, last[0])


async def begin_gone(client: Client, _last: Record, _epoch: int) -> None:
    await client.xtrim(LOG, maxlen=2, approximate=False)


async def emptied(client: Client, _last: Record, _epoch: int) -> None:
    for entry_id, _ in await client.xrange(LOG):
        await client.xdel(LOG, entry_id)


async def another_type(client: Client, _last: Record, _epoch: int) -> None:
    await client.set(LOG, "a note of somebody's")


def at_epoch(epoch: int, field: str = "r") -> Damage:
    """An entry of an owner that there cannot have been."""

    async def damage(client: Client, _last: Record, _epoch: int) -> None:
        await client.xadd(LOG, {field: b"\xc1"}, id=f"{epoch}-0")

    return damage


DAMAGES: dict[str, Damage] = {
    "newer version": appended(newer),
    "garbage": appended(lambda _last: b"\xc1\xff"),
    "no bytes": appended(lambda _last: b""),
    "cut short": appended(lambda last: pack_record(last)[:-3]),
    "one bit wrong": appended(lambda last: bytes([next_record(last, LobbyOpened())[0] ^ 0x40]) + pack_record(last)[1:]),
    "unknown field": appended(pack_record, "x"),
    "doubled": appended(pack_record),
    "cannot be folded": appended(lambda last: next_record(last, Given(0, 3, 2, "person", ("3S", "3H")))),
    "cursor of nowhere": appended(lambda last: pack_record(Record(last.last_seq + 1, last.at, "x", (LobbyOpened(),)))),
    "highest epoch": at_epoch(2**64 - 2),
    "epoch beyond doubles": at_epoch(2**53 + 1),
    "claim of nobody": at_epoch(2**64 - 2, "c"),
    "an entry gone": one_entry_gone,
    "its begin gone": begin_gone,
    "its end gone": end_gone,
    "emptied": emptied,
    "another type": another_type,
}


async def damaged(bench: Bench, damage: Damage) -> None:
    record = (await bench.records())[-1]
    epoch = (await bench.epochs())[-1]
    async with redis.asyncio.Redis.from_url(
        bench.store._address.path and f"unix://{bench.store._address.path}"
    ) as client:
        await damage(client, record, epoch)


@pytest.mark.parametrize("damage", list(DAMAGES))
async def test_a_worker_sets_it_aside_says_where_and_serves_all_others(redis_url, damage):
    async with bench_on(redis_url) as bench:
        neighbour = Bench(bench.store, NEIGHBOUR)
        async with worker_on(redis_url, "w1"):
            await bench.open()
            await neighbour.open()
        await damaged(bench, DAMAGES[damage])
        with structlog.testing.capture_logs() as said:
            async with worker_on(redis_url, "w2") as worker:
                await until_ready(worker)
                await neighbour.race()
                await bench.ask(Connect(0), Play(0, 1, ("3S",)))
                await neighbour.race()
                await neighbour.until_all_answered()
                await until(lambda: len(bench.refused) >= 2)
                assert worker.quarantined_tables == 1
        assert {answer.refusal.why for answer in bench.refused} == {"unavailable"}
        (line,) = [line for line in said if line["event"] == "log_corrupt"]
        assert line["table"] == TABLE
        assert line["why"]
        assert (damage == "newer version") == ("newer version" in line["why"])
        await neighbour.judge()
        await neighbour.close()


async def test_a_table_damaged_under_its_worker_is_set_aside_when_it_is_read_again(redis_url):
    """The owner does not read what it wrote; the fence sees that the log is another one."""
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1") as worker:
        neighbour = Bench(bench.store, NEIGHBOUR)
        await bench.open()
        await neighbour.open()
        await damaged(bench, DAMAGES["garbage"])
        await bench.ask(Disconnect(0), Disconnect(1))
        await until(lambda: worker.quarantined_tables == 1)
        await neighbour.race()
        await neighbour.until_all_answered()
        await neighbour.judge()
        await neighbour.close()


GATEWAY_DAMAGES = [
    name
    for name in DAMAGES
    if name not in {"claim of nobody", "emptied", "an entry gone", "its begin gone", "its end gone", "another type"}
]


@pytest.mark.parametrize("damage", GATEWAY_DAMAGES)
async def test_a_gateway_says_unavailable_of_it_and_serves_all_others(redis_url, damage):
    async with bench_on(redis_url) as bench, gateway_on(bench.store, hello_hold_ms=300) as server:
        neighbour = Bench(bench.store, NEIGHBOUR)
        async with worker_on(redis_url, "w1"):
            await bench.open()
            await neighbour.open()
            watching, _ = await server.join(TABLE)
            other, _ = await server.join(NEIGHBOUR)
            with structlog.testing.capture_logs() as said:
                await damaged(bench, DAMAGES[damage])
                # It reads the log by itself: no push tells of this.
                assert await watching.end() == (1001, "leaving")
                await is_unavailable(server, TABLE, shows_log=damage == "cannot be folded")
            lines = [line for line in said if line["event"] == "log_corrupt"]
            assert {line["table"] for line in lines} == {TABLE}
            assert all(line["entry"] and line["why"] for line in lines)
            await neighbour.race()
            await other.event("played")
        assert TABLE not in server.gateway.hub.tables
        assert server.gateway.hub._watch_told.keys() <= {NEIGHBOUR}
        assert not any(TABLE in channel for channel in server.gateway.feed._subscription._wanted)
        await neighbour.close()


async def is_unavailable(server: Server, table: str, *, shows_log: bool) -> None:
    """503 for HTTP; a hello is held for a while, so that clients told `leaving` do not come in circles.

    The log is shown as it stands, without folding it.
    """
    for method, path in (("POST", "seats"), *(() if shows_log else (("GET", "log"),))):
        body = {"json": {"name": "Ada"}} if method == "POST" else {}
        async with server.http.request(method, f"{server.url}/api/tables/{table}/{path}", **body) as answer:
            assert answer.status == 503
            assert (await answer.json())["type"].endswith("unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
    loop = asyncio.get_running_loop()
    asked = loop.time()
    client = await server.dial(table)
    await client.send({"t": "hello", "v": 1})
    assert await client.end() == (1001, "leaving")
    assert loop.time() - asked >= 0.3


async def test_a_client_that_pings_while_its_hello_is_held_and_goes_leaves_no_fault_in_the_log(redis_url, caplog):
    """The ping is read once the hello has been answered; whom its pong was for is gone by then."""
    async with bench_on(redis_url) as bench, gateway_on(bench.store, hello_hold_ms=300) as server:
        async with worker_on(redis_url, "w1"):
            await bench.open()
        await damaged(bench, DAMAGES["garbage"])
        client = await server.dial(TABLE)
        await client.send({"t": "hello", "v": 1})
        await client.socket.ping()
        transport = client.socket._response.connection.transport
        transport.abort()
        await until(lambda: not server.gateway.viewers)
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_an_operator_exports_what_can_be_read_and_closes_the_table(redis_url):
    async with bench_on(redis_url) as bench:
        async with worker_on(redis_url, "w1"):
            await bench.open()
        whole = len(await bench.records())
        await damaged(bench, DAMAGES["garbage"])
        ran = await rapid("export", TABLE, "--redis", redis_url)
        assert ran.code == 1
        assert f"table {TABLE}, entry " in ran.complaint
        (report,) = verify_lines(f"{line}\n".encode() for line in ran.out.splitlines())
        assert report.ok
        assert report.events >= whole
        async with worker_on(redis_url, "w2") as worker:
            await until_ready(worker)
            assert worker.quarantined_tables == 1
            ran = await rapid("close", TABLE, "--redis", redis_url)
            await until(lambda: worker.quarantined_tables == 0)
        assert (ran.code, ran.out) == (0, f"table {TABLE} is closed\n")
        assert "cannot be read" in ran.err
        assert await bench.store.listing.row(TABLE) is None
        assert await bench.store._client.call("PTTL", LOG) > 0
        async with worker_on(redis_url, "w3") as worker:
            await until_ready(worker)
            assert worker.quarantined_tables == 0


async def test_an_operator_closes_a_table_whose_last_entries_are_gone(redis_url):
    async with bench_on(redis_url) as bench:
        async with worker_on(redis_url, "w1"):
            await bench.open()
        await damaged(bench, DAMAGES["its end gone"])
        ran = await rapid("close", TABLE, "--redis", redis_url)
        assert (ran.code, ran.out) == (0, f"table {TABLE} is closed\n")
        assert "the end of it" in ran.err
        assert await bench.store.listing.row(TABLE) is None


async def test_a_table_of_a_newer_version_is_not_closed_by_an_older_one(redis_url):
    async with bench_on(redis_url) as bench:
        async with worker_on(redis_url, "w1"):
            await bench.open()
        await damaged(bench, DAMAGES["newer version"])
        async with worker_on(redis_url, "w2"):
            ran = await rapid("close", TABLE, "--redis", redis_url)
        assert ran.code == 1
        assert "newer version" in ran.complaint
        assert await bench.store.listing.row(TABLE) is not None


async def test_a_table_stored_by_an_older_version_goes_on(redis_url):
    """Rolling upgrade: the bytes that the version before this has left in Redis, in the midst of a trick."""
    table, shard = IDS["v1_live"], shard_of(IDS["v1_live"], SHARDS)
    async with bench_on(redis_url) as bench:
        client = bench.store._client
        for entry_id, fields in rows_of("v1_live"):
            await client.call(
                "XADD", keys.log(table, SHARDS), entry_id, *[part for pair in fields.items() for part in pair]
            )
        await client.call("SADD", keys.tables(shard), table)
        old = Bench(bench.store, table)
        assert (await old.state()).phase == "playing"
        old._listening = asyncio.create_task(old._listen())
        async with worker_on(redis_url, "w1"):
            await old.ask(Connect(0))
            played = len(await old.events("played"))
            await old.race()
            await old.until_event("played", played + 2)
        decided = [Decided(record.seq, record.at, record.events) for record in await old.records()]
        (report,) = verify_lines(log_lines(table, decided))
        assert report.ok, report
        await old.close()
