"""The floor's front: `/ws/TABLE/SEAT`; intents go into one stream, events out to the table's sockets."""

from __future__ import annotations

import asyncio
import struct
from typing import Any, Final, cast

from aiohttp import WSMsgType, web

from loadtests.floor.client import Client

HEAD: Final = struct.Struct(">HB")
"""Table and seat, in front of an intent in the inbox."""
INBOX: Final = "in:0"
BACKLOG: Final = 4096
_XADD: Final = ("XADD", INBOX, "MAXLEN", "~", "20000", "*", "d")
SHORT: Final = 126


class Gateway:
    """All sockets of all tables."""

    def __init__(self, redis: Client, pushed: Client, tables: int) -> None:
        self._redis = redis
        self._pushed = pushed
        self._sockets: list[list[asyncio.Transport]] = [[] for _ in range(tables)]
        self._pending: list[bytes] = []
        self._is_sending = False
        self._loop = asyncio.get_running_loop()
        self._sending: asyncio.Future[Any]

    async def start(self, host: str) -> int:
        """Listen; return the port."""
        self._pushed.subscribe([f"ch:{table}" for table in range(len(self._sockets))], self._deliver)
        app = web.Application()
        app.router.add_get("/ws/{table}/{seat}", self._serve)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, host, 0, backlog=BACKLOG)
        await site.start()
        port: int = runner.addresses[0][1]
        return port

    async def _serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False, max_msg_size=65_536)
        await socket.prepare(request)
        table, seat = int(request.match_info["table"]), int(request.match_info["seat"])
        self._sockets[table].append(cast("asyncio.Transport", request.transport))
        head = HEAD.pack(table, seat)
        async for message in socket:
            if message.type is WSMsgType.BINARY:
                self._take(head + message.data)
        return socket

    def _take(self, entry: bytes) -> None:
        """Everything that comes in this turn of the loop goes out in one write, one batch at a time."""
        if not self._is_sending and not self._pending:
            self._loop.call_soon(self._flush)
        self._pending.append(entry)

    def _flush(self) -> None:
        pending = self._pending
        if not pending or self._is_sending:
            return
        self._pending, self._is_sending = [], True
        self._sending = self._redis.batch([(*_XADD, entry) for entry in pending])
        self._sending.add_done_callback(self._sent)

    def _sent(self, done: asyncio.Future[Any]) -> None:
        done.result()
        self._is_sending = False
        self._flush()

    def _deliver(self, pushed: Any) -> None:
        kind, channel, event = pushed
        if kind != b"message":
            return
        size = len(event)
        head = bytes((0x82, size)) if size < SHORT else b"\x82\x7e" + size.to_bytes(2, "big")
        frame = head + event
        for transport in self._sockets[int(channel[3:])]:
            transport.write(frame)
