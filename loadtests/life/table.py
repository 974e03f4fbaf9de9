"""The life of one table, seen from outside: opened, played for a round, closed.

The host starts the game and loses its connection. A stand-in plays the round to its end (G6); then the host comes
back and leaves, and a table with no person seated is closed (G9). A spectator sees all of it.
"""

from __future__ import annotations

import asyncio

import aiohttp
import msgpack

BOTS = 3
PROTOCOL = "rapid.v1.msgpack"
SETTINGS = {"rounds": 1, "seats": BOTS + 1, "bot_delay_ms": 1, "standin_grace_seconds": 0}
PATIENCE_SECONDS = 600.0
CLOSED = 1000
Message = dict[str, object]


class Wrong(Exception):
    """A table that did not live as it should; `table` is its id, if there is one."""

    table: str | None = None


class NotOpened(Wrong):
    """There is none: the server was too busy."""


async def live(http: aiohttp.ClientSession, url: str) -> int:
    """Live one life; return how many events the spectator saw."""
    async with http.post(f"{url}/api/tables", json={"name": "Ann", "bots": BOTS, "settings": SETTINGS}) as answer:
        if answer.status != 201:
            raise NotOpened(f"not opened: {answer.status} {await answer.text()}")
        opened = await answer.json()
    try:
        return await _live_at(http, f"{url}/ws/{opened['table']}", opened["token"])
    except (Wrong, TimeoutError, aiohttp.ClientError) as error:
        wrong = Wrong(str(error) or type(error).__name__)
        wrong.table = opened["table"]
        raise wrong from error


async def _live_at(http: aiohttp.ClientSession, address: str, token: str) -> int:
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        http.ws_connect(f"{address}?watch", protocols=(PROTOCOL,)) as watching,
    ):
        await _hello(watching)
        async with http.ws_connect(address, protocols=(PROTOCOL,)) as host:
            await _hello(host, token=token)
            await _ask(host, 1, "host", do="start")
        events = await _watch(watching, until="round_ended")
        async with http.ws_connect(address, protocols=(PROTOCOL,)) as host:
            await _hello(host, token=token)
            await _ask(host, 1, "leave")
        events += await _watch(watching, until="table_closed")
        while await _next(watching) is not None:
            pass
        if watching.close_code != CLOSED:
            raise Wrong(f"closed with {watching.close_code}")
        return events


async def _hello(socket: aiohttp.ClientWebSocketResponse, **more: object) -> None:
    await socket.send_bytes(msgpack.packb({"t": "hello", "v": 1, **more}))
    await _until(socket, "welcome")


async def _ask(socket: aiohttp.ClientWebSocketResponse, id_: int, t: str, **more: object) -> None:
    await socket.send_bytes(msgpack.packb({"t": t, "id": id_, **more}))
    reply = await _until(socket, "reply")
    if not reply["ok"]:
        raise Wrong(f"{t} refused: {reply}")


async def _until(socket: aiohttp.ClientWebSocketResponse, t: str) -> Message:
    while True:
        message = await _next(socket)
        if message is None:
            raise Wrong(f"closed with {socket.close_code} before a {t}")
        if message["t"] == t:
            return message


async def _watch(socket: aiohttp.ClientWebSocketResponse, *, until: str) -> int:
    """Read on to an event of that type; return how many there were."""
    events = 0
    while (message := await _next(socket)) is not None:
        events += message["t"] == "event"
        if message.get("type") == until:
            return events
    raise Wrong(f"closed with {socket.close_code} before {until}")


async def _next(socket: aiohttp.ClientWebSocketResponse) -> Message | None:
    frame = await socket.receive()
    if frame.type is not aiohttp.WSMsgType.BINARY:
        return None
    message: Message = msgpack.unpackb(frame.data)
    return message
