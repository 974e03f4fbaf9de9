"""The HTTP calls (PROTOCOL 2): open and join tables, look them up, read their logs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from .errors import BadFrame, FieldError, Problem, Unreachable, in_words
from .fields import integer, many, mapping, read, text, wire

TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A seat that was taken. The token is its key and shown once: keep it, never print it."""

    table: str = wire(text)
    seat: int = wire(integer)
    token: str = field(repr=False, metadata=wire(text).metadata)


class Api:
    """The calls of one server. `base` as in `Address.base`; `http` a session to use, which stays open."""

    def __init__(self, base: str, http: aiohttp.ClientSession) -> None:
        self._base, self._http = base.rstrip("/"), http

    async def open_table(self, name: str, settings: Mapping[str, Any] | None = None, bots: int | None = None) -> Place:
        """Open a table and take seat 0 as its host. Raises `Problem` (422 with one row a bad field, 429)."""
        body = {"name": name, "settings": settings, "bots": bots}
        given = {key: value for key, value in body.items() if value is not None}
        return read(Place, await self._call("POST", "/api/tables", given))

    async def join(self, table: str, name: str) -> Place:
        """Take the lowest free seat. Raises `Problem`: 404 no table, 409 full or in a game."""
        return read(Place, await self._call("POST", f"/api/tables/{table}/seats", {"name": name}))

    async def tables(self) -> list[Mapping[str, Any]]:
        """The public tables, newest first."""
        return _rows(await self._call("GET", "/api/tables"), "tables")

    async def table(self, table: str) -> Mapping[str, Any]:
        """One table's row, private ones too. Raises `Problem` 404 if unknown or closed."""
        return mapping(await self._call("GET", f"/api/tables/{table}"))

    async def rulesets(self) -> list[Mapping[str, Any]]:
        """What this server can play: rulesets, their options and defaults."""
        return _rows(await self._call("GET", "/api/rulesets"), "rulesets")

    async def log(self, table: str) -> AsyncIterator[Mapping[str, Any]]:
        """The log's lines as maps, header first. Raises `Problem` 409 while no game has ended."""
        async with self._request("GET", f"/api/tables/{table}/log") as response:
            async for line in response.content:
                if line.strip():
                    yield mapping(json.loads(line))

    async def _call(self, method: str, path: str, body: object = None) -> object:
        async with self._request(method, path, body) as response:
            try:
                return await response.json(content_type=None)
            except ValueError:
                raise BadFrame(f"{path} did not answer with JSON: is this a rapid server?") from None

    @asynccontextmanager
    async def _request(self, method: str, path: str, body: object = None) -> AsyncIterator[aiohttp.ClientResponse]:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT_S, sock_read=TIMEOUT_S)
        try:
            async with self._http.request(method, self._base + path, json=body, timeout=timeout) as response:
                if response.status >= 400:
                    raise await _problem(response)
                yield response
        except (aiohttp.ClientError, TimeoutError) as fault:
            raise Unreachable(f"no server can be reached at {self._base}: {in_words(fault)}") from fault


def _rows(answer: object, name: str) -> list[Mapping[str, Any]]:
    return list(many(mapping)(mapping(answer).get(name)))


async def _problem(response: aiohttp.ClientResponse) -> Problem:
    """The refusal in words, whoever sent it: a proxy on the way may not speak problem+json."""
    try:
        said = mapping(json.loads(await response.text()))
    except (ValueError, BadFrame):
        said = {}
    rows = said.get("errors") or []
    errors = tuple(
        FieldError(str(row.get("field", "")), str(row.get("message", ""))) for row in rows if isinstance(row, Mapping)
    )
    wait = response.headers.get("Retry-After", "")
    return Problem(
        status=response.status,
        title=str(said.get("title") or response.reason or response.status),
        detail=str(said["detail"]) if said.get("detail") else None,
        errors=errors,
        retry_after_s=float(wait) if wait.isdecimal() else None,
    )
