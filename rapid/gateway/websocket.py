"""`GET /ws/ID`: the socket around a connection's session (PROTOCOL 3).

aiohttp does the handshake, parses frames and answers pings. All data and close frames are
written by us, straight to the transport: prebuilt, and with our own close codes. A closed
connection goes on reading for a moment, since a socket that is shut with unread bytes in it
resets the connection and may take our last words with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, cast

from aiohttp import WSMsgType, web

from rapid.gateway.connection import Connection
from rapid.gateway.gateway import Gateway
from rapid.gateway.origins import may_connect
from rapid.gateway.problems import problem
from rapid.gateway.shortcut import Shortcut
from rapid.gateway.viewer import Viewer
from rapid.telemetry.logs import for_table, get_logger
from rapid.wire.close import LEAVING, MALFORMED, TOO_MANY, TOO_SLOW, Ending
from rapid.wire.codec import CODECS, JSON, Codec
from rapid.wire.frames import close_frame, ping_frame
from rapid.wire.session import Session

log = get_logger(__name__)
FRAME_READ_MAX_BYTES: Final = 65_536
"""Longer frames are not read to their end; those over the protocol's 4096 are, and end the same way."""
LINGER_POLL_S: Final = 0.02
NORMAL_CLOSE: Final = 1000
NO_CLOSE_CODE: Final = 1005
_LIMITS: Final = {TOO_MANY: "messages_per_second", TOO_SLOW: "viewer_buffer_max_bytes"}
_DATA: Final = (WSMsgType.TEXT, WSMsgType.BINARY)


class _Socket(web.WebSocketResponse):
    """A WebSocket that never writes a close frame by itself, and lets plain frames take the shortcut."""

    def take_shortcut(self, take: Callable[[bytes], bool], now_s: Callable[[], float]) -> None:
        """From the handshake on; `shortcut` is there then."""
        self._take_now, self._now_s = take, now_s

    def _post_start(self, request: web.BaseRequest, protocol: Any, writer: Any) -> None:
        """Step in where aiohttp has just given its reader to the protocol of the connection.

        What came together with the handshake is with the reader already.
        """
        connection: Any = request.protocol
        tail = bytes(connection._message_tail)  # noqa: SLF001  # there is no other way in; the version is pinned
        super()._post_start(request, protocol, writer)
        self.shortcut = Shortcut(connection._payload_parser, self._take_now, self._now_s)  # noqa: SLF001
        self.shortcut.follow(tail)
        connection._payload_parser = self.shortcut  # noqa: SLF001

    async def close(self, **_: Any) -> bool:
        """Do nothing; the transport is closed behind the handler."""
        return False


def _offered(request: web.Request) -> list[str]:
    lines = request.headers.getall("Sec-WebSocket-Protocol", [])
    return [name.strip() for line in lines for name in line.split(",") if name.strip()]


def _refusal(gateway: Gateway, request: web.Request) -> web.Response | None:
    """Return the HTTP answer to a handshake that is refused."""
    if not may_connect(request.headers.get("Origin"), request.host, gateway.options.origins):
        return problem(403, "The page's origin may not connect to this server")
    offered = _offered(request)
    if offered and not any(name in CODECS for name in offered):
        return problem(400, "None of these subprotocols is spoken here: rapid.v1.msgpack, rapid.v1.json")
    if request.headers.get("Upgrade", "").lower() != "websocket":
        return problem(400, "This address speaks WebSocket only")
    if gateway.is_leaving:
        return problem(503, "This server is going away", retry_after_s=1)
    if gateway.health.is_cut_off:
        return problem(503, "This server cannot reach its Redis", retry_after_s=1)
    if len(gateway.viewers) >= gateway.options.limits.connections_max:
        gateway.metrics.hit("connections_max")
        return problem(503, "This server holds as many connections as it can", retry_after_s=1)
    return None


class Heart:
    """Asks a client that has been silent for a while whether it is there, and cuts off one that does not answer."""

    __slots__ = ("_every_s", "_is_asked", "_loop", "_shortcut", "_timer", "_transport")

    def __init__(self, transport: asyncio.Transport, shortcut: Shortcut, every_s: float) -> None:
        self._transport = transport
        self._shortcut = shortcut
        self._every_s = every_s
        self._is_asked = False
        self._loop = asyncio.get_running_loop()
        # One timer a connection, not one a message: it looks when it fires.
        self._timer = self._loop.call_later(every_s, self._beat)

    def stop(self) -> None:
        """The connection is gone."""
        self._timer.cancel()

    def _beat(self) -> None:
        silent_s = self._loop.time() - self._shortcut.heard_s
        if self._transport.is_closing():
            return
        if silent_s < self._every_s:
            self._is_asked = False
            wait_s = self._every_s - silent_s
        elif not self._is_asked:
            self._is_asked = True
            self._transport.write(ping_frame())
            wait_s = self._every_s / 2
        else:
            self._transport.abort()
            return
        self._timer = self._loop.call_later(wait_s, self._beat)


class _Handler:
    """One socket from handshake to end."""

    def __init__(self, gateway: Gateway, request: web.Request, codec: Codec) -> None:
        self._gateway = gateway
        self._loop = asyncio.get_running_loop()
        # Not checked by `isinstance`: the transports of uvloop are no subclasses of asyncio's.
        transport = cast("asyncio.Transport", request.transport)
        self._transport = transport
        options = gateway.options
        table_id = request.match_info["table"]
        conn = gateway.new_conn()
        self._viewer = Viewer(
            conn, codec, transport, options.limits.viewer_buffer_max_bytes, self._ended, gateway.metrics.sent_bytes
        )
        self._session = Session(codec, options.session_limits(), self._loop.time())
        bound = for_table(log, table_id).bind(conn=conn)
        self._connection = Connection(gateway, table_id, self._viewer, self._session, bound)
        self._timers: list[asyncio.TimerHandle] = []

    def gone(self) -> None:
        """Nothing of the socket is to come."""
        self._viewer.gone()

    def take_now(self, payload: bytes) -> bool:
        """Do what a message asks for at once; False: it is to go the long way."""
        return self._viewer.ending is None and self._connection.receive_now(payload, self._loop.time())

    async def run(self, socket: _Socket) -> None:
        """Read until the client is gone."""
        gateway, viewer = self._gateway, self._viewer
        gateway.viewers[viewer.conn] = viewer
        viewer.unread = socket.shortcut.count_owed
        self._timers.append(
            self._loop.call_later(gateway.options.limits.hello_timeout_ms / 1000, self._check_time),
        )
        heart = Heart(self._transport, socket.shortcut, gateway.options.heartbeat_ms / 1000)
        try:
            if gateway.is_leaving:
                viewer.end(LEAVING)
            await self._read(socket)
        finally:
            del gateway.viewers[viewer.conn]
            await self._connection.close()
            heart.stop()
            for timer in self._timers:
                timer.cancel()
            # What was not sent within the grace is dropped with the connection.
            if viewer.ending is not None and not self._is_flushed():
                self._transport.abort()

    async def _read(self, socket: _Socket) -> None:
        while True:
            try:
                message = await socket.receive()
            except ConnectionResetError:
                return  # it had asked, and is gone before it could be answered
            if message.type in _DATA:
                if self._viewer.ending is None:
                    await self._connection.receive(message.data, self._loop.time())
                socket.shortcut.owed -= 1
                self._viewer.part_now()
            elif message.type is WSMsgType.CLOSE:
                self._answer_close(message.data)
                return
            elif message.type is WSMsgType.ERROR:
                # aiohttp's reader keeps it, and it would keep the reader.
                message.data.with_traceback(None)
                if not self._transport.is_closing():
                    # A frame that is too long, or none of WebSocket: nothing more can be read.
                    self._viewer.end(MALFORMED)
                    await self._linger()
                return
            else:
                return

    def _answer_close(self, code: int | None) -> None:
        """Answer the client's close, unless it is the answer to ours."""
        if self._viewer.ending is None and not self._transport.is_closing():
            has_code = code is not None and code not in {0, NO_CLOSE_CODE}
            self._transport.write(close_frame(code if has_code and code is not None else NORMAL_CLOSE))

    async def _linger(self) -> None:
        """Give the client the time to read our close and to go; the abort timer ends this.

        Nothing tells a handler that the connection of a broken parser is gone, hence the asking.
        """
        while not self._transport.is_closing():  # noqa: ASYNC110
            await asyncio.sleep(LINGER_POLL_S)

    def _ended(self, ending: Ending) -> None:
        self._connection.log.debug("ended", why=ending.why)
        self._gateway.metrics.viewers_cut[ending.why] += 1
        if ending in _LIMITS:
            self._gateway.metrics.hit(_LIMITS[ending])
        self._connection.ended()
        self._timers.append(self._loop.call_later(self._gateway.options.close_grace_ms / 1000, self._cut))

    def _cut(self) -> None:
        """The client has not closed in time. What has left us is not taken back by a reset: it may still read it."""
        if self._is_flushed():
            self._transport.close()
        else:
            self._transport.abort()

    def _check_time(self) -> None:
        self._connection.check_time(self._loop.time())

    def _is_flushed(self) -> bool:
        return self._transport.is_closing() or self._transport.get_write_buffer_size() == 0


async def serve_socket(gateway: Gateway, request: web.Request) -> web.StreamResponse:
    """Answer `GET /ws/ID`."""
    refused = _refusal(gateway, request)
    if refused is not None:
        return refused
    offered = _offered(request)
    codec = next((CODECS[name] for name in offered if name in CODECS), JSON)
    socket = _Socket(
        protocols=(codec.name,) if offered else (),
        compress=False,
        autoclose=False,
        max_msg_size=FRAME_READ_MAX_BYTES,
    )
    if offered:
        # aiohttp answers the first header line alone; several are one list (RFC 6455 section 11.3.4).
        socket.headers["Sec-WebSocket-Protocol"] = codec.name
    handler = _Handler(gateway, request, codec)
    socket.take_shortcut(handler.take_now, asyncio.get_running_loop().time)
    try:
        return await _talk(handler, socket, request)
    finally:
        handler.gone()


async def _talk(handler: _Handler, socket: _Socket, request: web.Request) -> web.StreamResponse:
    try:
        await socket.prepare(request)
    except ConnectionResetError:
        # Gone before we could agree. Nobody hears the answer, and it is no fault to be logged.
        return problem(400, "The client has gone")
    await handler.run(socket)
    return socket
