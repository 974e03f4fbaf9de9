"""A table of four people on raw sockets who play one game after another, as many events as they are asked for."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

import aiohttp
import msgpack

from loadtests.bench_latency import ANSWER_SECONDS, SEATS, Race
from loadtests.parts import HOST
from loadtests.raw import RawSocket

SETTINGS = {"seats": SEATS, "race_seconds": 60, "rounds": 1}
PROTOCOL = "rapid.v1.msgpack"


class Racers:
    """`opened`, then `connect`, `start` and `play`; `samples` are milliseconds from an intent to each seat."""

    def __init__(self, port: int, table: str, tokens: list[str], seed: int) -> None:
        self.table = table
        self.events = 0
        self.decisions = 0
        """Ours; none else is made but by the timer, which is far away."""
        self.samples: list[float] = []
        self._port = port
        self._tokens = tokens
        self._rng = random.Random(seed)  # noqa: S311  a measured game, not a dealt one
        self._race = Race(self._rng)
        self._sockets: list[RawSocket] = []
        self._welcomed = asyncio.Semaphore(0)
        self._id = 0

    @classmethod
    async def opened(cls, http: aiohttp.ClientSession, port: int, seed: int) -> Racers:
        """Open a table and take its seats; nobody connects yet."""
        url = f"http://{HOST}:{port}/api/tables"
        first = await _post(http, url, {"name": "a", "settings": SETTINGS})
        seats = f"{url}/{first['table']}/seats"
        others = [await _post(http, seats, {"name": name}) for name in "bcd"]
        return cls(port, first["table"], [place["token"] for place in (first, *others)], seed)

    async def connect(self) -> None:
        """Connect all seats, and wait until each has been welcomed."""
        for seat, token in enumerate(self._tokens):
            on_frame = lambda payload, now, seat=seat: self._on_frame(seat, payload, now)  # noqa: E731
            socket = await RawSocket.open(HOST, self._port, f"/ws/{self.table}", on_frame, PROTOCOL)
            socket.send(msgpack.packb({"t": "hello", "v": 1, "token": token}))
            self._sockets.append(socket)
        for _ in self._tokens:
            await self._soon(self._welcomed.acquire())

    async def start(self, do: str = "start") -> None:
        """Begin the first game, or with `play_again` the next one."""
        self._race = Race(self._rng)
        self._send(0, {"t": "host", "do": do})
        self.decisions += 1
        await self._soon(self._race.dealt.wait())

    async def play(self, events: int, pause_seconds: float = 0) -> None:
        """Play until so many events more have come."""
        until = self.events + events
        while self.events < until:
            if self._race.is_over:
                await self.start("play_again")
            race = self._race
            seat, message = race.next_intent()
            race.arrived.clear()
            race.waiting = set(range(SEATS))
            race.sent_at = time.perf_counter()
            self._send(seat, message)
            self.decisions += 1
            await self._soon(race.arrived.wait())
            self.samples += race.samples
            race.samples.clear()
            if pause_seconds:
                await asyncio.sleep(pause_seconds)

    def close(self) -> None:
        """Cut all connections."""
        for socket in self._sockets:
            socket.close()

    def _send(self, seat: int, message: dict[str, Any]) -> None:
        self._id += 1
        self._sockets[seat].send(msgpack.packb(message | {"id": self._id}))

    def _on_frame(self, seat: int, payload: bytes, now: float) -> None:
        if seat == SEATS - 1 and b"\xa5event" in payload[:16]:
            self.events += 1
        if b"\xa7welcome" in payload[:16]:
            self._welcomed.release()
        else:
            self._race.on_frame(seat, payload, now)

    async def _soon(self, what: Any) -> None:
        async with asyncio.timeout(ANSWER_SECONDS):
            await what


async def _post(http: aiohttp.ClientSession, url: str, body: dict[str, Any]) -> dict[str, Any]:
    async with http.post(url, json=body) as answer:
        if answer.status != 201:
            raise SystemExit(f"{url}: {answer.status} {await answer.text()}")
        fields: dict[str, Any] = await answer.json()
        return fields
