"""A table on a real Redis, seen from where a gateway stands: intents in, log and answers out; and worker processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec import structs

from rapid.cards.cardset import card_names
from rapid.engine.intents import AnyIntent, Connect, Newcomer, OpenTable, Pass, Play, Start, TakeSeat
from rapid.engine.notation import Decided, log_lines
from rapid.engine.replay.verify import verify_lines
from rapid.engine.state import State
from rapid.errors import StoreUnavailable
from rapid.rules.legal import answer_fault
from rapid.rules.presets import PRESIDENT
from rapid.rules.settings import default_settings
from rapid.store import RedisStore, open_store
from rapid.table.ports import FIRST_ID, LogEntry
from rapid.table.recovery import fold_log
from rapid.table.worker import Worker
from rapid.wire.records import Answer, Ask, Entry, Record

ROOT = Path(__file__).parents[2]
TABLE = "table0000001"
PATIENCE_SECONDS = 30.0
POLL_SECONDS = 0.01


class Bench:
    """One table with four persons, or with bots, whose every attempt is kept for the judges."""

    def __init__(self, store: RedisStore, table: str = TABLE) -> None:
        self.store = store
        self.table = table
        self.asked: dict[int, AnyIntent] = {}
        self.refused: list[Answer] = []
        self.maybe: set[int] = set()
        """Posts whose answer was lost: they may be there or not."""
        self._entries: list[LogEntry] = []
        self._listening: asyncio.Task[None] | None = None
        self.gateway = f"gateway-{table}"
        self._feed = store.feed(self.gateway)

    async def open(self, *, persons: int = 4, bots: int = 0, **settings: Any) -> None:
        self._listening = asyncio.create_task(self._listen())
        complete = structs.replace(default_settings(PRESIDENT), **settings)
        await self.ask(OpenTable(self.table, complete, Newcomer("P0", "hash0"), bots))
        for n in range(1, persons):
            await self.ask(TakeSeat(Newcomer(f"P{n}", f"hash{n}")))
        for seat in (0, *range(bots + 1, bots + persons)):
            await self.ask(Connect(seat))
        await self.ask(Start(0))
        await self.until(lambda state: state.phase == "playing")

    async def open_with(self, url: str, **settings: Any) -> None:
        """As `open`, with a worker for just that."""
        async with worker_on(url, "opener"):
            await self.open(**settings)

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    async def ask(self, *intents: AnyIntent) -> None:
        """Post in one write; an outage is waited for, and nothing is ever posted twice."""
        entries = []
        for intent in intents:
            ref = len(self.asked) + 1
            self.asked[ref] = intent
            entries.append(Entry(self.table, intent, Ask(self.gateway, ref)))
        try:
            await self.store.inbox.post(entries)
        except StoreUnavailable:
            self.maybe.update(entry.ask.ref for entry in entries if entry.ask is not None)
            await asyncio.sleep(POLL_SECONDS)

    async def records(self) -> list[Record]:
        """The whole log so far; only what is new is read."""
        while True:
            after = self._entries[-1].id if self._entries else FIRST_ID
            try:
                new = await self.store.log.read(self.table, after, limit=500)
            except StoreUnavailable:
                await asyncio.sleep(POLL_SECONDS)
                continue
            self._entries += new
            if not new:
                return [entry.record for entry in self._entries if entry.record is not None]

    async def epochs(self) -> list[int]:
        """The epoch of each entry, in the log's order."""
        await self.records()
        return [int(entry.id.partition("-")[0]) for entry in self._entries]

    async def state(self) -> State:
        while True:
            try:
                return (await fold_log(self.store.log, self.table, FIRST_ID)).state
            except StoreUnavailable:
                await asyncio.sleep(POLL_SECONDS)

    async def until(self, holds: Callable[[State], bool]) -> State:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                state = await self.state()
                if state.seq and holds(state):
                    return state
                await asyncio.sleep(POLL_SECONDS)

    async def events(self, kind: str) -> list[Any]:
        return [e for record in await self.records() for e in record.events if e.__struct_config__.tag == kind]

    async def until_event(self, kind: str, count: int = 1) -> list[Any]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(found := await self.events(kind)) < count:
                await asyncio.sleep(POLL_SECONDS)
            return found

    async def until_all_answered(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (self.asked.keys() - self.maybe) <= await self._answered():
                await asyncio.sleep(POLL_SECONDS)

    async def race(self) -> None:
        """Everybody who has an answer plays it on the present state at once; the others pass."""
        state = await self.state()
        moves = moves_of(state)
        if moves:
            await self.ask(*moves)
            await self.until(lambda now: now.seq > state.seq)

    async def race_posts(self) -> None:
        """As `race`, without waiting for what comes of it."""
        await self.ask(*moves_of(await self.state()))
        await asyncio.sleep(POLL_SECONDS)

    async def judge(self) -> None:
        """Nothing accepted lost, nothing applied twice, every attempt answered, all by the rules."""
        records = await self.records()
        answered = [record.answer.ask.ref for record in records if record.answer]
        assert len(answered) == len(set(answered)), "an attempt stands in the log twice"
        refused = {answer.ask.ref for answer in self.refused}
        assert not refused & set(answered), "refused, and in the log all the same"
        missing = self.asked.keys() - set(answered) - refused - self.maybe
        assert not missing, f"never answered: {[self.asked[ref] for ref in missing]}"
        aims = [event.on for event in await self.events("played")]
        assert len(aims) == len(set(aims)), "two plays for one trick state"
        (report,) = verify_lines(log_lines(self.table, [Decided(r.seq, r.at, r.events) for r in records]))
        assert report.ok, report

    async def _answered(self) -> set[int]:
        in_log = {record.answer.ask.ref for record in await self.records() if record.answer}
        return in_log | {answer.ask.ref for answer in self.refused}

    async def _listen(self) -> None:
        async for delivery in self._feed.deliveries():
            self.refused += delivery.answers or ()


def moves_of(state: State) -> list[Play | Pass]:
    """One move of every person who may make one, all on the same trick state."""
    trick, round_ = state.trick, state.round
    if trick is None or round_ is None:
        return []
    moves: list[Play | Pass] = []
    for seat in state.seats:
        hand = round_.hands[seat.seat]
        if seat.controller != "person" or not hand or trick.passed >> seat.seat & 1:
            continue
        if trick.last_player == seat.seat:
            continue
        cards = _legal(state, hand)
        moves.append(Play(seat.seat, trick.state, cards) if cards else Pass(seat.seat, trick.state))
    return moves


def _legal(state: State, hand: int) -> tuple[str, ...]:
    assert state.trick is not None
    assert state.round is not None
    names = card_names(state.rules.deck, hand)
    by_rank: dict[int, list[str]] = {}
    for name in names:
        by_rank.setdefault(state.rules.deck.index[name] // 4, []).append(name)
    top = state.trick.top
    count = top[1] if top else 1
    for rank, cards in sorted(by_rank.items()):
        if len(cards) >= count and (
            top is None or not answer_fault(state.rules, top, rank, count, reversed_=state.round.revolution)
        ):
            return tuple(cards[:count])
    return ()


@asynccontextmanager
async def bench_on(url: str) -> AsyncIterator[Bench]:
    store = await open_store(url)
    bench = Bench(store)
    try:
        yield bench
    finally:
        await bench.close()
        await store.close()


@asynccontextmanager
async def worker_on(url: str, name: str) -> AsyncIterator[Worker]:
    """A worker in this process; handed over in order at the end, unless it was stopped before."""
    store = await open_store(url)
    worker = Worker(store, name)
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        if not task.done():
            await worker.stop()
        await task
        await store.close()


class WorkerProcess:
    """`rapid worker` as its own process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it says that it is ready."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith("RAPID_")}
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "rapid", "worker", "--redis", self._url),
            cwd=ROOT,
            env={
                **environ,
                "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "clients/python", ROOT / "clients/terminal"))),
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = await self._process.stdout.readline()
        assert b"is ready" in line, line

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def end(self, how: signal.Signals) -> int:
        """End it by a signal; its exit code, negative if killed."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(how)
        return await self._process.wait()


@asynccontextmanager
async def worker_processes(url: str, count: int) -> AsyncIterator[list[WorkerProcess]]:
    workers = [WorkerProcess(url) for _ in range(count)]
    try:
        for worker in workers:
            await worker.start()
        yield workers
    finally:
        for worker in workers:
            if worker._process is not None:
                await worker.end(signal.SIGKILL)
