"""One seed's world: a Redis, workers, gateways, tables and clients, and what is known of them."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
from collections.abc import Sequence
from typing import Any

import msgspec

from loadtests.judges import Case, Loss
from rapid.engine.events import ConnectionBack, ConnectionLost, Given, Passed, Played, RaceLost, Salted, SeatTaken
from rapid.engine.intents import AnyIntent, Newcomer, OpenTable, TakeSeat
from rapid.engine.refusals import UNAVAILABLE, Refusal
from rapid.errors import StoreUnavailable
from rapid.ids import TABLE_ID_ALPHABET, token_hash
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over
from rapid.store.limits import Limits
from rapid.store.memory.world import Data
from rapid.table.ports import stamp_of
from rapid.wire.records import unpack_record
from tests.simulation.clients import Client, Person, loop_of
from tests.simulation.network import Net
from tests.simulation.processes import SimGateway, SimProcess, SimWorker
from tests.simulation.redis_model import ServerClock, SimWorld

SHARDS = 2
LIMITS = Limits(
    lease_ms=1_200,
    worker_dead_ms=1_600,
    gateway_dead_ms=3_000,
    inbox_kept=60,
    inbox_kept_ms=4_000,
    inbox_trim_every_ms=1_000,
    gateway_forgotten_ms=20_000,
)
RESTART_S = (0.3, 1.5)
"""A process that has died is started again after so long, under another name."""
JOIN_TRIES = 40


class Scene:
    """Everything of one run. `dice` decides all that is random, each part with dice of its own."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(f"scene {seed}")
        self.loop = loop_of()
        self.net = Net(random.Random(f"net {seed}"))
        self.world = SimWorld(ServerClock(), SHARDS, LIMITS, self.net)
        self.workers: list[SimWorker] = []
        self.gateways: list[SimGateway] = []
        self.clients: list[Client] = []
        self.tables: list[str] = []
        self.losses: dict[str, list[Loss]] = {}
        self.is_playing = True
        self.is_over = False
        self.calm_from_ms: int | None = None
        self._names = self._latecomers = 0
        self._joining: set[asyncio.Task[None]] = set()
        self._trace = hashlib.blake2b(digest_size=16)

    # Processes

    def new_name(self, kind: str) -> str:
        """Return a name that no process had before."""
        self._names += 1
        return f"{kind}-{self._names}"

    def start_worker(self) -> SimWorker:
        """Start a worker."""
        worker = SimWorker(self.world, self.new_name("worker"), random.Random(self.dice.random()))
        self.workers.append(worker)
        return worker

    def start_gateway(self) -> SimGateway:
        """Start a gateway."""
        gateway = SimGateway(self.world, self.new_name("gateway"), random.Random(self.dice.random()))
        self.gateways.append(gateway)
        return gateway

    def some_gateway(self, dice: random.Random) -> SimGateway | None:
        """Return what a balancer would pick."""
        taking = [gateway for gateway in self.gateways if gateway.takes_connections]
        return dice.choice(taking) if taking else None

    def processes(self) -> Sequence[SimProcess]:
        """Return all that have not ended."""
        return [process for process in (*self.workers, *self.gateways) if process.is_alive]

    def tend(self) -> None:
        """Start anew what has died; what a service manager does."""
        for group, least, start in (
            (self.workers, 2, self.start_worker),
            (self.gateways, 2, self.start_gateway),
        ):
            living = [process for process in group if process.is_alive and not process.is_leaving]
            for _ in range(least - len(living)):
                start()

    # Tables

    async def open_table(self) -> None:
        """Open a table as a first person does, and let others join and watch."""
        dice = random.Random(self.dice.random())
        settings = _settings(dice)
        people = dice.randint(2, 4)
        bots = min(dice.randint(0, 2), settings.seats - 1)
        wanted = min(settings.seats, people + bots)
        for _ in range(JOIN_TRIES):
            table = "".join(dice.choice(TABLE_ID_ALPHABET) for _ in range(12))
            token = f"{dice.getrandbits(256):064x}"
            intent = OpenTable(table, settings, Newcomer("Host", token_hash(token)), bots)
            refusal = await self._decide(table, intent, dice, is_new=True)
            if refusal is None:
                break
            await asyncio.sleep(0.3)
        else:
            return
        self.tables.append(table)
        self._sit(Person(self, f"host of {table}", table, dice, token, 0, wanted))
        for number in range(1, people):
            await self._join(table, f"guest {number} of {table}", random.Random(dice.random()), wanted)
        for number in range(dice.randint(0, 2)):
            watcher = Client(self, f"watcher {number} of {table}", table, random.Random(dice.random()))
            self._sit(watcher)

    def join_later(self, table: str, wanted: int, after_s: float) -> None:
        """Somebody comes and wants a chair."""
        dice = random.Random(self.dice.random())
        self._latecomers += 1
        name = f"latecomer {self._latecomers} of {table}"

        async def join() -> None:
            await asyncio.sleep(after_s)
            if self.is_playing:
                await self._join(table, name, dice, wanted)

        task = self.loop.create_task(join())
        self._joining.add(task)
        task.add_done_callback(self._joining.discard)

    def is_raced_at(self, table: str) -> bool:
        """Whether a person still sits there who will come back."""
        return any(isinstance(one, Person) and one.table == table and not one.is_gone for one in self.clients)

    async def _join(self, table: str, name: str, dice: random.Random, wanted: int) -> None:
        for _ in range(JOIN_TRIES):
            token = f"{dice.getrandbits(256):064x}"
            refusal = await self._decide(table, TakeSeat(Newcomer(name, token_hash(token))), dice)
            if refusal is None:
                seat = self._seat_of(table, token)
                if seat is not None:
                    self._sit(Person(self, name, table, dice, token, seat, wanted))
                return
            if refusal.why != UNAVAILABLE:
                return
            await asyncio.sleep(0.2)

    def _sit(self, client: Client) -> None:
        self.clients.append(client)
        client.connect()

    def _seat_of(self, table: str, token: str) -> int | None:
        for event in self.log_of(table):
            if event["type"] == "seat_taken" and event.get("token_hash") == token_hash(token):
                seat: int = event["seat"]
                return seat
        return None

    async def _decide(
        self, table: str, intent: AnyIntent, dice: random.Random, *, is_new: bool = False
    ) -> Refusal | None:
        """What the gateway's HTTP calls do, in the gateway's process; who hears nothing tries again."""
        gateway = self.some_gateway(dice)
        if gateway is None:
            return Refusal(UNAVAILABLE)
        answered: asyncio.Future[Refusal | None] = self.loop.create_future()

        def on_answer(_seq: int, refusal: Refusal | None) -> None:
            if not answered.done():
                answered.set_result(refusal)

        async def ask() -> None:
            with contextlib.suppress(StoreUnavailable):
                async with gateway.gateway.hub.using(table, is_new=is_new):
                    gateway.gateway.asks.ask(table, intent, on_answer)
                    await asyncio.wait((answered,), timeout=5)

        gateway.process.start(ask())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(6):
                return await answered
        # It may have been done all the same: then a chair stands empty, as after any lost HTTP reply.
        return Refusal(UNAVAILABLE)

    # What is known at the end

    def log_of(self, table: str, data: Data | None = None) -> list[dict[str, Any]]:
        """Return a table's whole log, as `rapid export` shows it."""
        stream = (data or self.world.data).logs.get(table)
        events: list[dict[str, Any]] = []
        for _, packed in stream.entries if stream is not None else ():
            if packed:
                record = unpack_record(packed)
                plain = msgspec.json.decode(msgspec.json.encode(record.events))
                events += [{"seq": seq, "at": record.at, **event} for seq, event in enumerate(plain, record.seq)]
        return events

    def _stamps_of(self, table: str) -> dict[int, int]:
        """Return the stamps of what was decided; timers fire before the entry at which they do, and have none."""
        stream, stamps = self.world.data.logs.get(table), {}
        for _, packed in stream.entries if stream is not None else ():
            if packed:
                record = unpack_record(packed)
                first = record.events[0]
                if isinstance(first, _DECIDED) and getattr(first, "by", "") != "timer":
                    stamps[record.seq] = stamp_of(record.cursor)
        return stamps

    def lose_tail(self, kept: Data) -> None:
        """Note what each log is about to lose."""
        for table in self.tables:
            before, after = self.log_of(table), self.log_of(table, kept)
            if len(before) > len(after):
                at_ms = int(self.loop.time() * 1000)
                self.losses.setdefault(table, []).append(Loss(before, len(after), at_ms))

    def case_of(self, table: str) -> Case:
        """Return all that the judges want to know of a table."""
        transcripts = [line.transcript() for client in self.clients if client.table == table for line in client.lines]
        transcripts.sort(key=lambda one: one.opened_ms)
        return Case(
            self.log_of(table),
            transcripts,
            losses=self.losses.get(table, []),
            table=table,
            stamps=self._stamps_of(table),
            calm_from_ms=self.calm_from_ms,
            end_ms=self.world.clock.now_ms(),
            is_settled=True,
        )

    def trace(self, *parts: object) -> None:
        """Add to what two runs of one seed must have in common."""
        self._trace.update(repr((self.loop.time(), parts)).encode())

    @property
    def trace_hash(self) -> str:
        """Return what two runs of one seed have in common."""
        return self._trace.hexdigest()


def _settings(dice: random.Random) -> Settings:
    fields: dict[str, Any] = {
        "seats": dice.randint(3, 6),
        "rounds": dice.choice([1, 2, 3, "unlimited", "unlimited"]),
        "race_seconds": dice.choice([3, 4, 6]),
        "action_seconds": 5,
        "standin_grace_seconds": dice.choice([0, 0.5, 1, 2]),
        "bot_delay_ms": dice.choice([80, 200, 500]),
        "bot_level": dice.choice(["easy", "normal", "hard"]),
        "spectator_delay_seconds": dice.choice([0, 0, 1, 3]),
        "variants": {name: dice.random() < 0.4 for name in _VARIANTS},
    }
    settings = lay_over(None, fields, dev=True)
    assert isinstance(settings, Settings), settings
    return settings


_DECIDED = (Played, Passed, Given, RaceLost, Salted, SeatTaken, ConnectionBack, ConnectionLost)
"""What only an entry brings about, whoever made it."""
_VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two")
