"""A gateway over the twin with one table, and people at it by connections of their own."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any, Self

from rapid.gateway.connection import Connection
from rapid.gateway.gateway import Gateway
from rapid.gateway.options import GatewayOptions
from rapid.gateway.viewer import Viewer
from rapid.store import MemoryClock, MemoryStore, memory_store
from rapid.table.ports import shard_of
from rapid.telemetry.logs import get_logger
from rapid.telemetry.metrics import Metrics
from rapid.wire.close import Ending
from rapid.wire.codec import JSON
from rapid.wire.session import Session
from tests.unit.gateway.bench import NOW, TABLE, FakePipe, Story


class Bench:
    """A gateway over the twin, whose loops run only when they are told to; a story is the authority."""

    def __init__(self, **options):
        self.store = memory_store(clock=MemoryClock(NOW))
        self.worker = MemoryStore(self.store.world)
        self.options = GatewayOptions(**options)
        self.metrics = Metrics()
        self.gateway = Gateway(self.store, self.options, self.metrics)
        self.story = Story()
        self.shard = shard_of(TABLE, self.store.shards)
        self.pipes = {}
        self._listening = None

    async def start(self):
        self.story.epoch = await self.worker.lease.acquire(self.shard, "w")
        await self.store.presence.beat(self.gateway.name)
        self._listening = asyncio.create_task(self.gateway.hub.run_deliveries())

    async def stop(self):
        self._listening.cancel()
        await self.gateway.stop()

    async def commit(self, *entries):
        assert all(await self.worker.log.commit(self.story.commits(entries)))
        await self.settle()

    async def settle(self):
        """Let everything that is under way come to its end; nothing here waits for time to pass."""
        for _ in range(50):
            await asyncio.sleep(0)

    def view(self, table, seat=None, since=None, since_at=None):
        conn = self.gateway.new_conn()
        pipe = self.pipes[conn] = FakePipe()
        viewer = Viewer(conn, JSON, pipe, 10**9, lambda _: table.remove(viewer))
        if seat is not None:
            held = table.state.seat_at(seat)
            viewer.seat, viewer.since, viewer.token_hash = seat, held.since, held.token_hash
        table.welcome(viewer, since, since_at)
        return viewer, pipe


class SecondGateway:
    """Another gateway at the same Redis, a bench for `connected`."""

    def __init__(self, bench: Bench) -> None:
        self.store = MemoryStore(bench.store.world)
        self.gateway = Gateway(self.store, bench.options, Metrics())

    async def __aenter__(self) -> Self:
        await self.store.presence.beat(self.gateway.name)
        self._listening = asyncio.create_task(self.gateway.hub.run_deliveries())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.cancel()
        await self.gateway.stop()


class Person:
    """Somebody at the table, by a connection of their own, which hears of its end as a socket's does."""

    def __init__(self, gateway: Gateway) -> None:
        self.pipe = FakePipe()
        self.viewer = Viewer(gateway.new_conn(), JSON, self.pipe, 10**9, self._ended)
        session = Session(JSON, gateway.options.session_limits(), 0.0)
        self.connection = Connection(gateway, TABLE, self.viewer, session, get_logger("test"))

    def _ended(self, _: Ending) -> None:
        self.connection.ended()

    async def say(self, **fields: Any) -> None:
        await self.connection.receive(json.dumps(fields), 0.0)

    @property
    def seen(self) -> list[tuple[Any, ...]]:
        """What it was sent, in short: kind of message or event and `seq`, replies by their id, and the last word."""
        return [_short(message) for message in self.pipe.messages()]

    @property
    def replies(self) -> dict[int, int | str]:
        return {id_: what for kind, id_, what in (one for one in self.seen if len(one) == 3) if kind == "reply"}


def _short(message: dict[str, Any]) -> tuple[Any, ...]:
    kind = message["t"]
    if kind == "reply":
        return "reply", message["id"], message["seq"] if message["ok"] else message["why"]
    return message.get("type", kind), message.get("seq", message.get("why"))


@contextlib.asynccontextmanager
async def connected(
    bench: Bench | SecondGateway, token: str | None = None, *, greets: bool = True
) -> AsyncIterator[Person]:
    """Somebody with that token, or a spectator."""
    person = Person(bench.gateway)
    bench.gateway.viewers[person.viewer.conn] = person.viewer
    if greets:
        await person.say(t="hello", v=1, **({} if token is None else {"token": token}))
    try:
        yield person
    finally:
        del bench.gateway.viewers[person.viewer.conn]
        await person.connection.close()
        person.viewer.gone()


def judge_replies(messages: Iterable[dict[str, Any]]) -> None:
    """What a reply says has come to be stands before it."""
    seen = 0
    for message in messages:
        if message["t"] in {"welcome", "event"}:
            seen = message["seq"]
        elif message["t"] == "reply" and message["ok"]:
            assert message["seq"] <= seen
