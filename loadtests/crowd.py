"""`python -m loadtests.crowd PORT PATH COUNT`: so many spectators who read everything and look at nothing.

A process of its own, of lower priority than the servers', since it stands for thousands of other machines. PATH `/`
is the bare library, to which nothing is said.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import cast

import msgpack
import uvloop

from loadtests.parts import HOST
from loadtests.racing import PROTOCOL
from loadtests.raw import EMPTY_PONG

AT_ONCE = 50
NICE = 10
PING = b"\x89\x00"
HELLO = msgpack.packb({"t": "hello", "v": 1})
SECONDS = 30.0


class Spectator(asyncio.Protocol):
    """Shakes hands, says hello, and answers pings."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._transport: asyncio.Transport
        self.seen: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done with the first bytes behind the handshake (or with it, where nothing is said)."""
        self._is_through = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio: the socket is there."""
        self._transport = cast("asyncio.Transport", transport)
        offer = "" if self._path == "/" else f"Sec-WebSocket-Protocol: {PROTOCOL}\r\n"
        self._transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{offer}\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Asyncio: bytes have come."""
        if self._is_through:
            # Now and then these two bytes are others', and a pong too many does no harm.
            if PING in data:
                self._transport.write(EMPTY_PONG)
            if not self.seen.done():
                self.seen.set_result(None)
            return
        self._is_through = True
        if self._path == "/":
            self.seen.set_result(None)
        else:
            self._transport.write(b"\x82" + bytes((0x80 | len(HELLO),)) + b"\0\0\0\0" + HELLO)

    def connection_lost(self, exc: Exception | None) -> None:
        """Asyncio: the socket is gone, which spoils the measurement."""
        if not asyncio.get_running_loop().is_closed() and not _LEAVING:
            print(f"a spectator was cut: {exc or 'closed'}", file=sys.stderr, flush=True)


_LEAVING: list[bool] = []


async def main(port: int, path: str, count: int) -> None:
    """Connect all, say so, and stay until SIGTERM."""
    loop, stop, room = asyncio.get_running_loop(), asyncio.Event(), asyncio.Semaphore(AT_ONCE)
    loop.add_signal_handler(signal.SIGTERM, stop.set)

    async def one() -> asyncio.BaseTransport:
        async with room, asyncio.timeout(SECONDS):
            transport, spectator = await loop.create_connection(lambda: Spectator(path), HOST, port)
            await spectator.seen
            return transport

    transports = await asyncio.gather(*(one() for _ in range(count)))
    print(f"a crowd of {len(transports)} is ready", flush=True)
    await stop.wait()
    _LEAVING.append(True)


def step_back() -> None:
    """Run behind the servers, also where those were given real-time priority (`chrt`)."""
    if os.sched_getscheduler(0) == os.SCHED_RR:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    else:
        os.nice(NICE)


if __name__ == "__main__":
    step_back()
    uvloop.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
