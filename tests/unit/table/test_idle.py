"""G9 in a whole worker, in virtual time: tables that nobody is at are closed, and all that was theirs expires."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager

import pytest
from msgspec import structs

from rapid.engine.intents import AnyIntent, Connect, Disconnect, Leave, Newcomer, OpenTable, Start, TakeSeat
from rapid.engine.state import State
from rapid.rules.presets import PRESIDENT
from rapid.rules.settings import default_settings
from rapid.store import MemoryClock, MemoryStore, memory_store
from rapid.store.limits import DEFAULT_LIMITS
from rapid.table import runner
from rapid.table.recovery import fold_log
from rapid.table.worker import Worker
from rapid.wire.records import Entry
from tests.simulation.loop import run

TABLE = "table00000001"
MINUTE_S, DAY_S = 60.0, 86_400.0
# An hour of a worker that has nothing to do, in few steps.
BEAT_S = 15.0
LIMITS = structs.replace(DEFAULT_LIMITS, lease_ms=60_000, worker_dead_ms=60_000)
Life = Callable[["Place"], Coroutine[None, None, None]]


@pytest.fixture(autouse=True)
def reads_patiently(monkeypatch):
    monkeypatch.setattr(runner, "READ_BLOCK_MS", 5_000)


class Place:
    """One table, and a worker that serves it."""

    def __init__(self) -> None:
        self.store = memory_store(shards=2, limits=LIMITS, clock=MemoryClock(ticking=True))
        self.worker: Worker | None = None

    @asynccontextmanager
    async def served(self):
        self.worker = Worker(MemoryStore(self.store.world), "w1", beat_seconds=BEAT_S)
        running = asyncio.create_task(self.worker.run())
        await self.worker.supervisor.ready.wait()
        yield
        await self.worker.stop()
        await running

    async def ask(self, *intents: AnyIntent) -> None:
        await self.store.inbox.post([Entry(TABLE, intent) for intent in intents])
        await asyncio.sleep(0.3)

    async def open(self, *, person: bool = True, bots: int = 3) -> None:
        host = Newcomer("Ann", "hash") if person else None
        await self.ask(OpenTable(TABLE, default_settings(PRESIDENT), host, bots))

    async def state(self) -> State:
        return (await fold_log(self.store.log, TABLE, "0-0")).state

    async def is_open(self) -> bool:
        return await self.store.listing.row(TABLE) is not None

    async def why_closed(self) -> str:
        entries = await self.store.log.read(TABLE, "0-0", limit=9_999)
        last = entries[-1].record.events[-1]
        assert last.__struct_config__.tag == "table_closed"
        return str(last.why)

    def nothing_is_kept(self) -> bool:
        runner = self.worker.runner
        kept = [shard.tables or shard.aside for shard in runner.charge.shards.values()]
        return not any(kept) and not runner._timers._due and not runner._drivers._states and not runner._drivers._plans


def lived(life: Life) -> None:
    async def main() -> None:
        place = Place()
        async with place.served():
            await life(place)

    assert run(main) == []


def test_a_table_whose_host_never_comes_is_closed_after_ten_minutes_and_its_log_expires_after_thirty_days():
    async def life(place: Place) -> None:
        await place.open()
        await asyncio.sleep(9.9 * MINUTE_S)
        assert await place.is_open()
        await asyncio.sleep(0.2 * MINUTE_S)
        assert not await place.is_open()
        assert await place.why_closed() == "idle"
        assert place.nothing_is_kept()

    lived(life)


def test_logs_are_kept_for_thirty_days():
    """Without a worker: a month of its beats would be all that this test does."""

    async def main() -> None:
        place = Place()
        async with place.served():
            await place.open()
            await place.ask(Leave(0))
        assert await place.why_closed() == "empty"
        await asyncio.sleep(DEFAULT_LIMITS.log_kept_ms / 1000 - MINUTE_S)
        assert (await place.state()).seq > 0
        await asyncio.sleep(2 * MINUTE_S)
        assert (await place.state()).seq == 0
        assert DEFAULT_LIMITS.log_kept_ms == 30 * DAY_S * 1000

    assert run(main) == []


def test_a_table_is_open_as_long_as_somebody_is_there_and_ten_minutes_more():
    async def life(place: Place) -> None:
        await place.open()
        await place.ask(Connect(0))
        await asyncio.sleep(25 * MINUTE_S)
        assert await place.is_open()
        await place.ask(Disconnect(0))
        await asyncio.sleep(9.9 * MINUTE_S)
        await place.ask(Connect(0))
        await asyncio.sleep(9.9 * MINUTE_S)
        await place.ask(Disconnect(0))
        await asyncio.sleep(9.9 * MINUTE_S)
        assert await place.is_open()
        await asyncio.sleep(0.2 * MINUTE_S)
        assert await place.why_closed() == "idle"

    lived(life)


def test_in_a_game_the_game_is_cancelled_first_and_its_stand_ins_stop():
    async def life(place: Place) -> None:
        await place.open()
        await place.ask(Connect(0), Start(0), Disconnect(0))
        await asyncio.sleep(11 * MINUTE_S)
        assert await place.why_closed() == "idle"
        assert place.nothing_is_kept()
        inbox = [await place.store.inbox.lengths()]
        await asyncio.sleep(MINUTE_S)
        inbox.append(await place.store.inbox.lengths())
        assert sum(inbox[1]) <= sum(inbox[0]), "nobody posts for a table that is closed"

    lived(life)


@pytest.mark.parametrize("others", [0, 1])
def test_the_last_person_who_leaves_closes_it_at_once(others):
    async def life(place: Place) -> None:
        await place.open()
        await place.ask(Connect(0))
        for n in range(others):
            await place.ask(TakeSeat(Newcomer(f"B{n}", f"hash{n}")))
        await place.ask(Leave(0))
        assert await place.is_open() == bool(others)
        for _ in range(others):
            await place.ask(Leave((await place.state()).persons[0].seat))
        assert await place.why_closed() == "empty"
        assert place.nothing_is_kept()

    lived(life)


def test_a_table_that_never_had_a_person_is_left_alone():
    async def life(place: Place) -> None:
        await place.open(person=False, bots=4)
        await asyncio.sleep(30 * MINUTE_S)
        assert await place.is_open()

    lived(life)


def test_behind_a_change_of_authority_the_ten_minutes_start_anew():
    """R9: nothing fires for the time in which nobody was in charge."""

    async def main() -> None:
        place = Place()
        async with place.served():
            await place.open()
            await asyncio.sleep(8 * MINUTE_S)
        await asyncio.sleep(60 * MINUTE_S)
        async with place.served():
            await asyncio.sleep(9.8 * MINUTE_S)
            assert await place.is_open()
            await asyncio.sleep(0.4 * MINUTE_S)
            assert await place.why_closed() == "idle"

    assert run(main) == []
