"""Tables opened and seats taken over HTTP (PROTOCOL 2): plain, blocking, before the clock runs."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from msgspec import Struct

AT_ONCE: Final = 8
PATIENCE_SECONDS: Final = 30.0
AGAIN_SECONDS: Final = 0.2
NAMES: Final = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")


class Opened(Struct, frozen=True):
    """A table and the tokens of its seats, in their order."""

    table: str
    tokens: tuple[str, ...]


class Api:
    """One kept connection."""

    def __init__(self, host: str, port: int) -> None:
        self._http = http.client.HTTPConnection(host, port, timeout=PATIENCE_SECONDS)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST; asks again where a busy or rate-limiting server says that it may be tried again."""
        end_s = time.monotonic() + PATIENCE_SECONDS
        while True:
            self._http.request("POST", path, json.dumps(body), {"content-type": "application/json"})
            answer = self._http.getresponse()
            text = answer.read()
            if answer.status == 201:
                found: dict[str, Any] = json.loads(text)
                return found
            if answer.status not in {429, 503} or time.monotonic() > end_s:
                raise RuntimeError(f"POST {path}: {answer.status} {text.decode(errors='replace')}")
            time.sleep(float(answer.headers.get("Retry-After", AGAIN_SECONDS)))

    def get(self, path: str) -> bytes:
        """GET what there must be."""
        self._http.request("GET", path)
        answer = self._http.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status} {text.decode(errors='replace')}")
        return text

    def open_table(self, seats: int, settings: Mapping[str, Any]) -> Opened:
        """Open a table and take so many of its seats."""
        first = self.post("/api/tables", {"name": NAMES[0], "settings": settings})
        path = f"/api/tables/{first['table']}/seats"
        others = [self.post(path, {"name": NAMES[number % len(NAMES)]})["token"] for number in range(1, seats)]
        return Opened(first["table"], (first["token"], *others))


def open_tables(host: str, port: int, count: int, seats: int, settings: Mapping[str, Any]) -> list[Opened]:
    """Open tables, several at once."""

    def some(number: int) -> list[Opened]:
        api = Api(host, port)
        return [api.open_table(seats, settings) for _ in range(number, count, AT_ONCE)]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [opened for found in pool.map(some, range(min(AT_ONCE, count))) for opened in found]
