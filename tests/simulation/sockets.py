"""A WebSocket without a socket: the real session, connection and viewer, with the network simulated.

The gateway's side does what `rapid.gateway.websocket` does around aiohttp: it reads frame by
frame, ends what does not say hello, and lets go of what is gone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from rapid.gateway.connection import Connection
from rapid.gateway.viewer import Viewer
from rapid.telemetry.logs import for_table, get_logger
from rapid.wire.close import LEAVING, Ending
from rapid.wire.codec import Codec
from rapid.wire.frames import CLOSE
from rapid.wire.session import Session
from tests.simulation.loop import VirtualLoop
from tests.simulation.network import BEHIND_S, Net

if TYPE_CHECKING:
    from tests.simulation.processes import SimGateway

_log = get_logger(__name__)
DEAD_PEER_S = 5.0
"""A peer that is gone without a word is found out after so long (the heartbeat's period and its answer's)."""
RESET = 1006
_SIXTEEN, _SIXTYFOUR = 126, 127


class Peer:
    """The client's end: told of each message, and once of the end with its close code."""

    def __init__(self, on_message: Callable[[dict[str, Any]], None], on_end: Callable[[int], None]) -> None:
        self.on_message = on_message
        self.on_end = on_end


class Socket:
    """One connection, both ends."""

    def __init__(self, host: SimGateway, table: str, codec: Codec, peer: Peer, net: Net) -> None:
        self._host = host
        self._net = net
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self._loop = loop
        self._codec = codec
        self._peer: Peer | None = peer
        self._is_closing = False
        self._is_stalled = False
        """The client does not read."""
        self._is_silent = False
        """The client is gone without a word: nothing comes or goes."""
        self._unread: deque[bytes] = deque()
        self._unread_bytes = 0
        self._arrived: deque[bytes | str | None] = deque()
        self._there = asyncio.Event()
        self._last_up_s = self._last_down_s = 0.0
        host.sockets[self] = None
        host.process.start(self._serve(table))

    # The client's end

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        encode = msgspec.json.encode if self._codec.name.endswith("json") else msgspec.msgpack.encode
        data = encode(message)
        self._up(data.decode() if self._codec.name.endswith("json") else data)

    def close(self) -> None:
        """Close in order: the gateway sees the end behind all that was sent."""
        self._peer = None
        self._up(None)

    def vanish(self) -> None:
        """The client's machine is gone, or its network: the gateway hears nothing for a while."""
        self._peer = None
        self._is_silent = True
        self._loop.outside(DEAD_PEER_S, self._arrive, None)

    def stall(self, *, stalls: bool) -> None:
        """Stop or go on reading."""
        self._is_stalled = stalls
        while self._unread and not self._is_stalled:
            data = self._unread.popleft()
            self._unread_bytes -= len(data)
            self._read(data)

    def _up(self, frame: bytes | str | None) -> None:
        at = max(self._loop.time() + self._net.delay_s(), self._last_up_s + BEHIND_S)
        self._last_up_s = at
        self._loop.outside(at - self._loop.time(), self._arrive, frame)

    def _land(self, data: bytes) -> None:
        if self._is_stalled:
            self._unread.append(data)
            self._unread_bytes += len(data)
        else:
            self._read(data)

    def _read(self, data: bytes) -> None:
        """Take whole frames out of what was written in one go."""
        place = 0
        while place < len(data) and self._peer is not None:
            opcode, length = data[place] & 0x0F, data[place + 1]
            place += 2
            if length == _SIXTEEN:
                length, place = int.from_bytes(data[place : place + 2], "big"), place + 2
            elif length == _SIXTYFOUR:
                length, place = int.from_bytes(data[place : place + 8], "big"), place + 8
            payload, place = data[place : place + length], place + length
            if opcode == CLOSE:
                self._end_peer(int.from_bytes(payload[:2], "big"))
            elif self._codec.name.endswith("json"):
                self._peer.on_message(msgspec.json.decode(payload))
            else:
                self._peer.on_message(msgspec.msgpack.decode(payload))

    def _end_peer(self, code: int) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.on_end(code)
            self._up(None)

    # The gateway's end: what a transport is asked for

    def write(self, data: bytes) -> None:
        """Send."""
        if self._is_silent:
            self._unread_bytes += len(data)
            return
        at = max(self._loop.time() + self._net.delay_s(), self._last_down_s + BEHIND_S)
        self._last_down_s = at
        self._loop.outside(at - self._loop.time(), self._land, data)

    def is_closing(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._is_closing

    def get_write_buffer_size(self) -> int:
        """Return how many bytes the client has not read."""
        return self._unread_bytes

    def _arrive(self, frame: bytes | str | None) -> None:
        self._arrived.append(frame)
        self._there.set()

    async def _serve(self, table: str) -> None:
        gateway = self._host.gateway
        options = gateway.options
        conn = gateway.new_conn()
        viewer = Viewer(conn, self._codec, self, options.limits.viewer_buffer_max_bytes, self._ended)
        session = Session(self._codec, options.session_limits(), self._loop.time())
        self._connection = Connection(gateway, table, viewer, session, for_table(_log, table).bind(conn=conn))
        hello = self._loop.call_later(
            options.limits.hello_timeout_ms / 1000, lambda: self._connection.check_time(self._loop.time())
        )
        gateway.viewers[conn] = viewer
        try:
            if gateway.is_leaving:
                viewer.end(LEAVING)
            while (frame := await self._next()) is not None:
                if viewer.ending is None:
                    await self._connection.receive(frame, self._loop.time())
        finally:
            del gateway.viewers[conn]
            self._is_closing = True
            hello.cancel()
            await self._connection.close()
            self._host.sockets.pop(self, None)
            # Whoever has not closed by now is cut off.
            self._loop.outside(self._net.delay_s(), self._end_peer, RESET)

    async def _next(self) -> bytes | str | None:
        while not self._arrived:
            self._there.clear()
            await self._there.wait()
        return self._arrived.popleft()

    def _ended(self, _ending: Ending) -> None:
        self._connection.ended()
        self._loop.call_later(self._host.gateway.options.close_grace_ms / 1000, self.lost)

    def lost(self) -> None:
        """The transport is closed from our side."""
        self._arrive(None)

    def host_died(self) -> None:
        """The gateway was killed: its machine closes the connection."""
        self._is_closing = True
        at = max(self._loop.time() + self._net.delay_s(), self._last_down_s + BEHIND_S)
        self._loop.outside(at - self._loop.time(), self._end_peer, RESET)
