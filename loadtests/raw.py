"""A WebSocket client that costs little: one `asyncio.Protocol`, frames stamped on arrival.

For measuring only. What it sends is masked with zeros, which a server may not notice and
which keeps the generator's own time out of the figures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import cast

OnFrame = Callable[[bytes, float], None]
SHORT, MEDIUM = 126, 127
BINARY, PING = 2, 9
EMPTY_PONG = b"\x8a\x80\0\0\0\0"
"""Masked. A server's pings are empty, and it lets go of whoever does not answer."""


class RawSocket(asyncio.Protocol):
    """One binary WebSocket; `on_frame(payload, perf_counter)` for each message."""

    def __init__(self, on_frame: OnFrame) -> None:
        self.on_frame = on_frame
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.transport: asyncio.Transport
        self._data = bytearray()

    @classmethod
    async def open(cls, host: str, port: int, path: str, on_frame: OnFrame, protocol: str | None = None) -> RawSocket:
        """Connect and shake hands; `ConnectionError` with the status line if refused."""
        loop = asyncio.get_running_loop()
        transport, socket = await loop.create_connection(lambda: cls(on_frame), host, port)
        offer = f"Sec-WebSocket-Protocol: {protocol}\r\n" if protocol else ""
        transport.write(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{offer}\r\n".encode()
        )
        await socket.opened
        return socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio: the socket is there."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is not a subclass

    def connection_lost(self, _exc: Exception | None) -> None:
        """Asyncio: the socket is gone."""
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("closed before the handshake"))

    def data_received(self, data: bytes) -> None:
        """Asyncio: bytes have come; all frames in them arrived now."""
        now = time.perf_counter()
        self._data += data
        if not self.opened.done() and not self._shake_hands():
            return
        while (payload := self._frame()) is not None:
            self.on_frame(payload, now)

    def _shake_hands(self) -> bool:
        end = self._data.find(b"\r\n\r\n")
        if end < 0:
            return False
        status = bytes(self._data[: self._data.find(b"\r\n")])
        del self._data[: end + 4]
        if b" 101 " not in status:
            self.opened.set_exception(ConnectionError(status.decode("latin-1")))
            return False
        self.opened.set_result(None)
        return True

    def _frame(self) -> bytes | None:
        """Take the next binary message out of the buffer; other kinds are passed over."""
        data = self._data
        if len(data) < 2:
            return None
        length, start = data[1] & 0x7F, 2
        if length >= SHORT:
            start = 4 if length == SHORT else 10
            if len(data) < start:
                return None
            length = int.from_bytes(data[2:start], "big")
        if len(data) < start + length:
            return None
        opcode = data[0] & 0xF
        payload = bytes(data[start : start + length])
        del data[: start + length]
        if opcode == PING:
            self.transport.write(EMPTY_PONG)
        return payload if opcode == BINARY else self._frame()

    def send(self, payload: bytes) -> None:
        """Send one binary message."""
        length = len(payload)
        size = bytes((0x80 | length,)) if length < SHORT else b"\xfe" + length.to_bytes(2, "big")
        self.transport.write(b"\x82" + size + b"\0\0\0\0" + payload)

    def close(self) -> None:
        """Cut the connection."""
        self.transport.close()
