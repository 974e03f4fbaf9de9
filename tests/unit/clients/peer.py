"""A small server that speaks PROTOCOL by script, one script a connection, with frames that the tests pin."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import msgpack
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

TABLE = "abcdefgh2345"
TOKEN = "t" * 43
WAIT_S = 10
SETTINGS = {
    "ruleset": "president",
    "mode": "rapid",
    "rounds": 5,
    "target": None,
    "variants": {"revolution": True, "four_closes": False, "strongest_closes": False, "finish_with_two": False},
    "options": {},
    "seats": 6,
    "race_seconds": 10,
    "action_seconds": 30,
}


def seat(number: int, name: str, **changes: Any) -> dict[str, Any]:
    row = {
        "seat": number, "name": name, "kind": "person", "connected": True, "standin": False, "leaving": False,
        "cards": 0, "passed": False, "place": None, "role": None, "total": 0,
    }  # fmt: skip
    return row | changes


def lobby(**changes: Any) -> dict[str, Any]:
    """The view of seat 0, a host among three."""
    view = {
        "table": TABLE, "phase": "lobby", "settings": SETTINGS, "host": 0, "order": [0, 1, 2],
        "seats": [seat(0, "Ana"), seat(1, "Bo"), seat(2, "Cy", kind="bot", level="normal")],
        "game": None, "round": None, "trick": None, "revolution": False, "turn": None, "must_rank": None,
        "deadline": None, "exchange": None, "you": {"seat": 0, "hand": [], "owes": None, "salted": True},
        "results": None, "commit": None, "deal": None,
    }  # fmt: skip
    return view | changes


def racing(**changes: Any) -> dict[str, Any]:
    """Seat 0 in an open trick with a pair of sevens of seat 1 on top, state 20."""
    layer = {"seat": 1, "cards": ["7S", "7H"]}
    view = lobby(
        phase="playing", game=1, round=1, deadline=60_000,
        trick={"number": 2, "state": 20, "top": layer, "plays": [layer]},
        seats=[seat(0, "Ana", cards=5), seat(1, "Bo", cards=3), seat(2, "Cy", cards=4, kind="bot", level="hard")],
        you={"seat": 0, "hand": ["3S", "8S", "8H", "QD", "2C"], "owes": None, "salted": True},
    )  # fmt: skip
    return view | changes


def welcome(view: dict[str, Any] | None, seq: int = 20, seat: int | None = 0) -> dict[str, Any]:
    return {"t": "welcome", "v": 1, "table": TABLE, "seat": seat, "seq": seq, "now": 50_000, "view": view}


def event(seq: int, kind: str, /, **fields: Any) -> dict[str, Any]:
    return {"t": "event", "seq": seq, "at": 50_000 + seq, "type": kind, **fields}


def played(seq: int, by_seat: int, cards: list[str], on: int, **fields: Any) -> dict[str, Any]:
    rest = {"trick": 2, "by": "person", "revolution": False, "deadline": 70_000}
    return event(seq, "played", seat=by_seat, cards=cards, on=on, **(rest | fields))


class Connection:
    """The server's end of one socket."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request, heard: asyncio.Event) -> None:
        self.socket, self.request, self.heard = socket, request, heard
        self.received: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, Any]:
        """The next message that is no ping; pings are answered."""
        while True:
            frame = await self.socket.receive()
            if frame.type not in {WSMsgType.TEXT, WSMsgType.BINARY}:
                raise ConnectionResetError
            message = json.loads(frame.data) if frame.type == WSMsgType.TEXT else msgpack.unpackb(frame.data)
            if message["t"] == "ping":
                await self.send({"t": "pong", "id": message["id"], "now": 50_000})
                continue
            self.received.append(message)
            self.heard.set()
            return message

    async def send(self, *messages: dict[str, Any]) -> None:
        for message in messages:
            if self.socket.ws_protocol == "rapid.v1.msgpack":
                await self.socket.send_bytes(msgpack.packb(message))
            else:
                await self.socket.send_str(json.dumps(message))

    async def greet(self, view: dict[str, Any] | None, seq: int = 20, seat: int | None = 0) -> dict[str, Any]:
        hello = await self.receive()
        await self.send(welcome(view, seq, seat))
        return hello

    async def stay(self) -> None:
        """Take messages until the client goes."""
        try:
            while True:
                await self.receive()
        except ConnectionResetError:
            return

    def cut(self) -> None:
        """Break the connection without a close frame."""
        assert self.request.transport is not None
        self.request.transport.abort()

    async def close(self, code: int) -> None:
        await self.socket.close(code=code)


Script = Callable[[Connection], Awaitable[None]]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Peer:
    """Runs the scripts in order; a connection beyond the last script stays in the lobby."""

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        self.connections: list[Connection] = []
        self.routes: dict[tuple[str, str], Handler] = {}
        self.failures: list[BaseException] = []
        self._heard = asyncio.Event()
        app = web.Application()
        app.router.add_get(f"/ws/{TABLE}", self._socket)
        app.router.add_route("*", "/api/{rest:.*}", self._http)
        self._server = TestServer(app, host="127.0.0.1")

    async def start(self) -> None:
        await self._server.start_server()

    async def stop(self) -> None:
        await self._server.close()
        assert self.failures == []

    @property
    def base(self) -> str:
        return str(self._server.make_url("/")).rstrip("/")

    @property
    def received(self) -> list[dict[str, Any]]:
        """All messages of all connections, in order."""
        return [message for connection in self.connections for message in connection.received]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds, looking whenever a message or a call came in."""
        async with asyncio.timeout(WAIT_S):
            while not holds():
                self._heard.clear()
                await self._heard.wait()

    def route(self, method: str, path: str, body: object, status: int = 200, **headers: str) -> list[Any]:
        """Answer a call; the returned list collects the bodies that were sent."""
        asked: list[Any] = []

        async def answer(request: web.Request) -> web.Response:
            asked.append(await request.json() if request.can_read_body else None)
            kind = "application/json" if status < 400 else "application/problem+json"
            text = body if isinstance(body, str) else json.dumps(body)
            self._heard.set()
            return web.Response(text=text, status=status, content_type=kind, headers=headers)

        self.routes[method, path] = answer
        return asked

    async def _http(self, request: web.Request) -> web.StreamResponse:
        handler = self.routes.get((request.method, request.path))
        return await handler(request) if handler else web.Response(status=404)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(protocols=("rapid.v1.msgpack", "rapid.v1.json"))
        await socket.prepare(request)
        connection = Connection(socket, request, self._heard)
        self.connections.append(connection)
        script = self.scripts.pop(0) if self.scripts else _in_the_lobby
        try:
            await script(connection)
        except (ConnectionResetError, asyncio.CancelledError):
            pass
        except BaseException as failure:  # noqa: BLE001 - told to the test by `stop`
            self.failures.append(failure)
        return socket


async def _in_the_lobby(connection: Connection) -> None:
    await connection.greet(lobby())
    await connection.stay()
