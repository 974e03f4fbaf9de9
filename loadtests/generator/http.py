"""Tables opened and seats taken over HTTP (PROTOCOL 2): plain, blocking, before the clock runs."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

AT_ONCE: Final = 8
PATIENCE_SECONDS: Final = 30.0
AGAIN_SECONDS: Final = 0.2
SHOWN_BYTES: Final = 200
NAMES: Final = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")


class Unusable(RuntimeError):
    """What answers is not a server of ours, or does not do what every load needs."""


class Opened(Struct, frozen=True):
    """A table and the tokens of its seats, in their order."""

    table: str
    tokens: tuple[str, ...]


class Api:
    """One kept connection."""

    def __init__(self, host: str, port: int) -> None:
        self._http = http.client.HTTPConnection(host, port, timeout=PATIENCE_SECONDS)
        self._where = f"http://{bracketed(host)}:{port}"

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST; asks again where a busy or rate-limiting server says that it may be tried again."""
        end_s = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer, text = self._ask("POST", path, json.dumps(body), {"content-type": "application/json"})
            if answer.status == 201:
                return self._fields(text)
            wait_s = _wait_s(answer.headers.get("Retry-After"))
            if answer.status not in {429, 503} or time.monotonic() + wait_s > end_s:
                raise Unusable(self._refused("POST", path, answer.status, text))
            time.sleep(wait_s)

    def get(self, path: str) -> bytes:
        """GET what there must be."""
        answer, text = self._ask("GET", path)
        if answer.status != 200:
            raise Unusable(self._refused("GET", path, answer.status, text))
        return text

    def _ask(self, *request: Any) -> tuple[http.client.HTTPResponse, bytes]:
        try:
            return answer_of(self._http, PATIENCE_SECONDS, *request)
        except (OSError, http.client.HTTPException) as error:
            raise Unusable(f"{self._where} does not answer as a server does: {str(error) or repr(error)}") from error

    def _fields(self, text: bytes) -> dict[str, Any]:
        with suppress(ValueError):
            found = json.loads(text)
            if isinstance(found, dict) and all(isinstance(found.get(name), str) for name in ("table", "token")):
                return found
        raise Unusable(f"{self._where} is not a server of this kind: it answers {_short(text)}")

    def _refused(self, method: str, path: str, status: int, text: bytes) -> str:
        return f"{self._where} refuses {method} {path}: {status} {_short(text)}"

    def open_table(self, seats: int, settings: Mapping[str, Any]) -> Opened:
        """Open a table and take so many of its seats."""
        first = self.post("/api/tables", {"name": NAMES[0], "settings": settings})
        path = f"/api/tables/{first['table']}/seats"
        others = [self.post(path, {"name": NAMES[number % len(NAMES)]})["token"] for number in range(1, seats)]
        return Opened(first["table"], (first["token"], *others))


def bracketed(host: str) -> str:
    """Return a host as it stands in front of a port: an address of version 6 has colons of its own."""
    return f"[{host}]" if ":" in host else host


def answer_of(
    connection: http.client.HTTPConnection, seconds: float, *request: Any
) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask, and read all of the answer; `OSError` if it is not whole within so long, however steadily it trickles."""
    connection.request(*request)
    sock, is_over = connection.sock, threading.Event()

    def hang_up() -> None:
        is_over.set()
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        answer = connection.getresponse()
        text = answer.read()
    except (OSError, http.client.HTTPException):
        if not is_over.is_set():
            raise
    finally:
        timer.cancel()
    if is_over.is_set():
        connection.close()
        raise TimeoutError(f"no whole answer within {seconds:g} s")
    return answer, text


def _wait_s(retry_after: str | None) -> float:
    try:
        return max(0.0, float(retry_after or AGAIN_SECONDS))
    except ValueError:
        return AGAIN_SECONDS  # it may be a date


def _short(text: bytes) -> str:
    """Return the beginning of it on one line."""
    return " ".join(text[:SHOWN_BYTES].decode(errors="replace").split())


def open_tables(host: str, port: int, count: int, seats: int, settings: Mapping[str, Any]) -> list[Opened]:
    """Open tables, several at once."""

    def some(number: int) -> list[Opened]:
        api = Api(host, port)
        return [api.open_table(seats, settings) for _ in range(number, count, AT_ONCE)]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [opened for found in pool.map(some, range(min(AT_ONCE, count))) for opened in found]
