"""One WebSocket connection: frames out, frames in, and the code it closed with. Reconnecting is not its business."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import aiohttp

from .codec import Encoding, decode, encode
from .errors import ConnectionLost, Unreachable, in_words

MAX_FRAME_BYTES = 4 * 2**20
CONNECT_S = 10.0
CLOSE_S = 2.0
BROKEN = 1006


class Link:
    """An open connection. Iterate over it for decoded frames until it is closed; then `code` says how."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, encoding: Encoding) -> None:
        self._socket, self._encoding = socket, encoding
        self._is_closed_here = False

    @classmethod
    async def open(cls, http: aiohttp.ClientSession, url: str, encoding: Encoding) -> Link:
        """Connect. Raises `Unreachable`."""
        try:
            async with asyncio.timeout(CONNECT_S):
                socket = await http.ws_connect(
                    url,
                    protocols=(encoding.value,),
                    max_msg_size=MAX_FRAME_BYTES,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_S),
                )
        except (aiohttp.ClientError, TimeoutError, OSError) as fault:
            server = url.partition("/ws/")[0]
            raise Unreachable(f"no server can be reached at {server}: {in_words(fault)}") from fault
        return cls(socket, encoding)

    async def send(self, message: dict[str, Any]) -> None:
        """Send one frame. Raises `ConnectionLost`."""
        payload = encode(self._encoding, message)
        try:
            if isinstance(payload, str):
                await self._socket.send_str(payload)
            else:
                await self._socket.send_bytes(payload)
        except (aiohttp.ClientError, OSError) as fault:
            raise ConnectionLost("the connection was lost while sending") from fault

    async def frames(self) -> AsyncGenerator[object, None]:
        """Decoded frames, until the connection is closed. Raises `BadFrame`."""
        async for message in self._socket:
            if message.type not in {aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY}:
                return
            yield decode(message.data)

    async def close(self, code: int = 1000) -> None:
        """Close it, waiting no longer than `CLOSE_S`."""
        self._is_closed_here = self._is_closed_here or not self._socket.closed
        await self._socket.close(code=code)

    @property
    def code(self) -> int | None:
        """The server's close code; None while open, when it broke without one, or when it was closed from here."""
        code = self._socket.close_code
        return None if self._is_closed_here or code == BROKEN else code
