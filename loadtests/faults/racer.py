"""One viewer over real WebSockets: races, goes to another gateway when its own is gone, and keeps all it was sent."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import aiohttp
import msgpack

from loadtests.faults.follower import Follower, Gap
from loadtests.faults.strategy import Asked, choose
from loadtests.judges.case import Transcript

CONNECT_SECONDS: Final = 1.5
PING_SECONDS: Final = 1.0
"""Whoever has heard nothing for so long asks whether the gateway lives; after as long again without a word it goes
to another."""
NO_ANSWER_SECONDS: Final = 1.0
"""Whoever has had no answer for so long makes another attempt, as people do."""
AGAIN_SECONDS: Final = 0.05
"""Between two tries to connect, and before an attempt after one that was `unavailable`."""
PROTOCOL: Final = "rapid.v1.msgpack"

Gateways = Callable[[], Sequence[str]]
"""The addresses that a client knows at the moment."""


def now_ms() -> int:
    """Return the time of transcripts: that of this machine, and so of its Redis too."""
    return time.time_ns() // 1_000_000


class Recorded:
    """One connection: everything sent and received, with its time."""

    def __init__(self) -> None:
        self.seat: int | None = None
        self.sent: list[tuple[int, Mapping[str, Any]]] = []
        self.received: list[tuple[int, Mapping[str, Any]]] = []
        self.opened_ms = now_ms()
        self.closed_ms: int | None = None
        self.code: int | None = None

    def transcript(self, viewer: str) -> Transcript:
        """Return it for the judges."""
        return Transcript(viewer, self.seat, self.sent, self.received, self.opened_ms, self.closed_ms)


class Racer:
    """A seat's player, or a spectator (no token), at one table."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        gateways: Gateways,
        table: str,
        name: str,
        token: str | None,
        *,
        first: int,
        pace_ms: tuple[float, float],
        saw: Callable[[Mapping[str, Any], int], None],
    ) -> None:
        """`first`: which gateway comes first; `pace_ms`: how long it thinks; `saw` is told of each event."""
        self.name = name
        self.connections: list[Recorded] = []
        self.verdicts: list[str] = []
        """What the client's own reading of the protocol found wrong."""
        self.unavailable_ms: list[int] = []
        self.base = ""
        self.pace_ms = pace_ms
        self.is_finishing = False
        self.is_paused = False
        self._http, self._gateways, self._table, self._turn = http, gateways, table, first
        self._is_seated, self._known = token is not None, Follower(token)
        self._saw = saw
        self._rng = random.Random(f"{table} {name}")  # noqa: S311  # thinking times
        self._ids = 0
        self._pending: int | None = None
        self._asked_s = self._heard_s = 0.0
        self._wait_until_s = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def seq(self) -> int:
        """The last event seen."""
        return self._known.seq

    @property
    def phase(self) -> str:
        """The phase seen."""
        return self._known.phase

    @property
    def round(self) -> int:
        """The round seen, 0 if none."""
        return self._known.round

    @property
    def is_connected(self) -> bool:
        """Whether it was welcomed and follows."""
        last = self.connections[-1] if self.connections else None
        return last is not None and last.closed_ms is None and bool(last.received)

    def start(self) -> None:
        """Connect, and stay connected until `stop`."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Hang up."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def transcripts(self) -> list[Transcript]:
        """Return one for each connection, oldest first."""
        return [recorded.transcript(self.name) for recorded in self.connections]

    async def _run(self) -> None:
        while True:
            bases = self._gateways()
            await self._visit(bases[self._turn % len(bases)])
            self._turn += 1
            await asyncio.sleep(AGAIN_SECONDS)

    async def _visit(self, base: str) -> None:
        """One connection from handshake to end, whatever ends it."""
        url = f"{base}/ws/{self._table}" + ("" if self._is_seated else "?watch")
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                socket = await self._http.ws_connect(
                    url, protocols=(PROTOCOL,), timeout=aiohttp.ClientWSTimeout(ws_close=0.2)
                )
        except (aiohttp.ClientError, OSError, TimeoutError):
            return
        recorded = Recorded()
        self.connections.append(recorded)
        self.base = base
        acting = asyncio.create_task(self._act(socket, recorded))
        try:
            await self._follow(socket, recorded)
        except Gap as fault:
            self.verdicts.append(f"{self.name}: what came does not fit together: {fault}")
        finally:
            acting.cancel()
            recorded.closed_ms = now_ms()
            self._pending = None
            with suppress(aiohttp.ClientError, OSError):
                await socket.close()
            recorded.code = socket.close_code

    async def _follow(self, socket: aiohttp.ClientWebSocketResponse, recorded: Recorded) -> None:
        with suppress(TimeoutError, ConnectionError, aiohttp.ClientError):
            await self._send(socket, recorded, self._known.hello())
            while True:
                frame = await socket.receive()
                if frame.type is not aiohttp.WSMsgType.BINARY:
                    return
                self._heard_s = time.monotonic()
                self._take(msgpack.unpackb(frame.data), recorded)

    def _take(self, message: dict[str, Any], recorded: Recorded) -> None:
        now = now_ms()
        recorded.received.append((now, message))
        kind = message["t"]
        if kind == "event":
            self._saw(message, now)
        elif kind == "welcome":
            recorded.seat = message["seat"]
        elif kind == "reply" and message["id"] == self._pending:
            self._pending = None
            if message.get("why") == "unavailable":
                self.unavailable_ms.append(now)
                self._wait_until_s = time.monotonic() + AGAIN_SECONDS
        self._known.take(message)

    async def _act(self, socket: aiohttp.ClientWebSocketResponse, recorded: Recorded) -> None:
        """Look at the view now and then like somebody who plays, and do what there is to do."""
        pinged_s = self._heard_s = time.monotonic()
        while True:
            await asyncio.sleep(self._rng.uniform(*self.pace_ms) / 1000)
            now_s = time.monotonic()
            with suppress(ConnectionError, aiohttp.ClientError):
                if now_s - max(pinged_s, self._heard_s) > PING_SECONDS:
                    if self._heard_s < pinged_s:
                        await socket.close()
                        return
                    pinged_s = now_s
                    await self._ask(socket, recorded, {"t": "ping"})
                asked = self._what_to_do() if self._is_seated else None
                if asked is not None:
                    self._asked_s = time.monotonic()
                    self._pending = await self._ask(socket, recorded, asked)

    def _what_to_do(self) -> Asked | None:
        now_s = time.monotonic()
        is_waiting = self._pending is not None and now_s < self._asked_s + NO_ANSWER_SECONDS
        if is_waiting or now_s < self._wait_until_s:
            return None
        if (deal := self._known.salt_due) is not None:
            self._known.salt_due = None
            return {"t": "salt", "deal": deal, "salt": secrets.token_hex(16)}
        return None if self.is_paused else choose(self._known, is_finishing=self.is_finishing)

    async def _ask(self, socket: aiohttp.ClientWebSocketResponse, recorded: Recorded, asked: Asked) -> int:
        self._ids += 1
        id_ = self._ids
        await self._send(socket, recorded, {**asked, "id": id_})
        return id_

    async def _send(self, socket: aiohttp.ClientWebSocketResponse, recorded: Recorded, message: Asked) -> None:
        # Noted before it leaves: its answer may be here before we are told that it has left. Tokens are nobody's.
        recorded.sent.append((now_ms(), {name: value for name, value in message.items() if name != "token"}))
        await socket.send_bytes(msgpack.packb(message))
