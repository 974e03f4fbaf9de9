"""The HTTP calls of PROTOCOL section 2."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec
from aiohttp import web

from rapid.engine import refusals
from rapid.engine.intents import AnyIntent, Leave, Newcomer, OpenTable, TakeSeat
from rapid.engine.refusals import Refusal
from rapid.engine.state import Seat
from rapid.errors import LogCorrupt, OtherRun, StoreUnavailable
from rapid.gateway.gateway import Gateway
from rapid.gateway.limits import Openings
from rapid.gateway.log import extent_of, log_lines
from rapid.gateway.names import read_name
from rapid.gateway.problems import problem
from rapid.gateway.rulesets import rulesets_body
from rapid.gateway.table import Table
from rapid.ids import is_table_id, new_table_id, new_token, token_hash
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings
from rapid.rules.settings_check import FieldError, lay_over
from rapid.table.ports import Row
from rapid.wire.parse import parse_json_text
from rapid.wire.records import mark_of

UNAVAILABLE_RETRY_S: Final = 1.0
FULL_RETRY_S: Final = 60.0
PATIENCE_SHARE: Final = 0.9
"""Of the time that a request waits: an authority that decides later is told to refuse, and the rest is for its way."""
NDJSON: Final = "application/x-ndjson"
_CONFLICTS: Final = {
    refusals.FULL: "Every chair is taken",
    refusals.WRONG_PHASE: "A game is being played: seats are taken in the lobby and behind the final standings",
    refusals.DOOR_CLOSED: "The host has closed the door",
}


def unavailable(detail: str = "The tables cannot be reached for a moment") -> web.Response:
    """Return the 503 for a Redis that is away, or a table nobody decides."""
    return problem(503, detail, code="unavailable", retry_after_s=UNAVAILABLE_RETRY_S)


def _no_table() -> web.Response:
    return problem(404, "There is no such table, or it is closed", code="no_table")


def _bad_input(errors: list[FieldError]) -> web.Response:
    return problem(422, "Some fields are wrong", code="bad_input", errors=errors)


def _json(body: object, status: int = 200) -> web.Response:
    return web.Response(status=status, body=msgspec.json.encode(body), content_type="application/json")


async def _read_body(request: web.Request, timeout_ms: int) -> dict[str, Any] | web.Response:
    """Return the JSON object that was sent, or what is wrong with it.

    Raises `HTTPRequestEntityTooLarge`, and `HTTPRequestTimeout` if it does not come in whole in time.
    """
    if request.content_type != "application/json":
        return problem(415, "Send application/json")
    if (request.content_length or 0) > request.client_max_size:
        # What is announced as too long is not waited for.
        raise web.HTTPRequestEntityTooLarge(request.client_max_size, request.content_length or 0)
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            data = await request.read()
        fields = parse_json_text(data.decode("utf-8"))
    except TimeoutError:
        raise web.HTTPRequestTimeout from None
    except (UnicodeDecodeError, web.RequestPayloadError):
        # The second: it is not in the content encoding it says it is in.
        fields = None
    if fields is None:
        return problem(400, "The body must be one JSON object without doubled keys, in UTF-8")
    return fields


SEATS_MOST: Final = max(ruleset.seats_max for ruleset in PRESETS.values())


def _read_bots(fields: dict[str, Any], settings: Settings | None) -> int | FieldError:
    bots = fields.get("bots", 0)
    most = (SEATS_MOST if settings is None else settings.seats) - 1
    if type(bots) is not int or not 0 <= bots <= most:
        return FieldError("bots", f"must be an integer from 0 to {most}")
    return bots


class Api:
    """Handlers, one a call."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._rulesets = rulesets_body()
        self._openings = Openings()

    def routes(self) -> list[web.RouteDef]:
        """Return the routes."""
        return [
            web.post("/api/tables", self.open_table),
            web.get("/api/tables", self.list_tables),
            web.get("/api/tables/{table}", self.show_table),
            web.post("/api/tables/{table}/seats", self.take_seat),
            web.get("/api/tables/{table}/log", self.show_log),
            web.get("/api/rulesets", self.show_rulesets),
        ]

    # Opening and joining

    async def open_table(self, request: web.Request) -> web.StreamResponse:
        """Open a table and take seat 0."""
        fields = await _read_body(request, self._gateway.options.limits.request_timeout_ms)
        if isinstance(fields, web.Response):
            return fields
        name = read_name(fields.get("name"))
        settings = lay_over(None, fields.get("settings", {}), dev=self._gateway.options.dev)
        bots = _read_bots(fields, settings if isinstance(settings, Settings) else None)
        if isinstance(name, FieldError) or not isinstance(settings, Settings) or isinstance(bots, FieldError):
            errors = [fault for fault in (name, bots) if isinstance(fault, FieldError)]
            return _bad_input([*errors, *(() if isinstance(settings, Settings) else settings)])
        too_many = await self._too_many(request)
        if too_many is not None:
            return too_many
        # In the same turn of the loop as the check, so that the next one counts it.
        with self._openings.one():
            return await self._open(request, name, settings, bots)

    async def _too_many(self, request: web.Request) -> web.Response | None:
        gateway, limits = self._gateway, self._gateway.options.limits
        if not gateway.health.is_up:
            return unavailable()
        now_s = asyncio.get_running_loop().time()
        wait_s = gateway.tables_per_address.wait_s(request.remote or "", now_s)
        if wait_s > 0:
            gateway.metrics.hit("tables_per_address_burst")
            return problem(429, "Too many tables from this address", code="too_many_tables", retry_after_s=wait_s)
        if await self._tables_at_most() >= limits.tables_max:
            gateway.metrics.hit("tables_max")
            return problem(429, "Too many tables are open", code="too_many_tables", retry_after_s=FULL_RETRY_S)
        return None

    async def _tables_at_most(self) -> int:
        """Return how many tables there are, with those that were being opened here while they were counted.

        One of these may have been counted already: near the limit rather one is refused than one too many opened.
        """
        ended = self._openings.ended
        count = await self._gateway.store.listing.count()
        return count + self._openings.begun - ended

    async def _open(self, request: web.Request, name: str, settings: Settings, bots: int) -> web.Response:
        table_id, token = new_table_id(), new_token()
        intent = OpenTable(table_id, settings, Newcomer(name, token_hash(token)), bots)
        async with self._gateway.hub.using(table_id, is_new=True) as table:
            refusal = await self._decide(table_id, intent)
            present = self._gateway.hub.tables.get(table_id, table)
            if present is not None:
                await self._give_back(request, present, present.seat_of_hash(token_hash(token)))
        if refusal is not None:
            return unavailable("The table could not be opened")
        body = {"table": table_id, "seat": 0, "token": token, "url": f"/t/{table_id}"}
        return _json(body, 201)

    async def take_seat(self, request: web.Request) -> web.StreamResponse:
        """Take the lowest free seat (G10)."""
        fields = await _read_body(request, self._gateway.options.limits.request_timeout_ms)
        if isinstance(fields, web.Response):
            return fields
        name = read_name(fields.get("name"))
        if isinstance(name, FieldError):
            return _bad_input([name])
        table_id, token = request.match_info["table"], new_token()
        async with self._gateway.hub.using(table_id) as table:
            if table is None:
                return _no_table()
            if not self._gateway.health.is_up:
                return unavailable()
            refusal = await self._decide(table_id, TakeSeat(Newcomer(name, token_hash(token))))
            present = self._gateway.hub.tables.get(table_id, table)  # it may have been read anew
            seat = present.seat_of_hash(token_hash(token))
            await self._give_back(request, present, seat)
        if refusal is not None:
            return self._no_seat(refusal)
        # Freed again already: the host was quick.
        return _no_table() if seat is None else _json({"table": table_id, "seat": seat.seat, "token": token}, 201)

    def _no_seat(self, refusal: Refusal) -> web.Response:
        if refusal.why in _CONFLICTS:
            return problem(409, _CONFLICTS[refusal.why], code=refusal.why)
        return _no_table() if refusal.why == refusals.NO_TABLE else unavailable()

    async def _give_back(self, request: web.Request, table: Table, seat: Seat | None) -> None:
        """Free the seat of somebody who went before the answer: with its token nobody can ever come for it."""
        is_gone = request.transport is None or request.transport.is_closing()
        if is_gone and seat is not None:
            await self._decide(table.table, Leave(seat.seat), of=seat)

    async def _decide(self, table_id: str, intent: AnyIntent, *, of: Seat | None = None) -> Refusal | None:
        """Ask the table's authority; None if accepted. Whoever waits too long is told to try again.

        `of`: the seat that asks; who has one already needs it decided however late.
        """
        answered: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()

        def on_answer(_seq: int, refusal: Refusal | None) -> None:
            if not answered.done():
                answered.set_result(refusal)

        # Whoever is told to try again must not be found to have a seat all the same, that nobody holds a token for.
        timeout_ms = self._gateway.options.decision_timeout_ms
        patience_ms = round(timeout_ms * PATIENCE_SHARE) if of is None else None
        since, mark = (None, None) if of is None else (of.since, mark_of(of.token_hash))
        ref = self._gateway.asks.ask(table_id, intent, on_answer, since=since, mark=mark, patience_ms=patience_ms)
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                while not answered.done():
                    await self._await_at(table_id, answered)
                return answered.result()
        except TimeoutError:
            return answered.result() if answered.done() else Refusal(refusals.UNAVAILABLE)
        finally:
            if ref is not None:
                self._gateway.asks.forget(ref)

    async def _await_at(self, table_id: str, answered: asyncio.Future[Refusal | None]) -> None:
        """Wait for a while at the table that is in memory now: one that was dropped is read anew.

        The answer stands in its log, and nothing of that is heard without a table.
        """
        every_s = self._gateway.options.check_every_ms / 1000
        try:
            async with self._gateway.hub.using(table_id):
                await asyncio.wait([answered], timeout=every_s)
        except (StoreUnavailable, LogCorrupt):
            await asyncio.wait([answered], timeout=every_s)

    # Looking

    async def list_tables(self, _request: web.Request) -> web.StreamResponse:
        """List public tables, newest first."""
        rows = await self._gateway.store.listing.public(self._gateway.options.limits.tables_listed_max)
        return _json({"tables": await self._described(rows)})

    async def show_table(self, request: web.Request) -> web.StreamResponse:
        """Show one table's row."""
        table_id = request.match_info["table"]
        row = await self._gateway.store.listing.row(table_id) if is_table_id(table_id) else None
        return _no_table() if row is None else _json((await self._described([row]))[0])

    async def _described(self, rows: list[Row]) -> list[dict[str, object]]:
        spectators = await self._gateway.store.presence.spectators([row.table for row in rows]) if rows else []
        return [
            {
                "table": row.table,
                "phase": row.phase,
                "mode": row.mode,
                "ruleset": row.ruleset,
                "people": row.people,
                "bots": row.bots,
                "seats": row.seats,
                "spectators": watching,
                "round": row.round,
            }
            for row, watching in zip(rows, spectators, strict=True)
        ]

    async def show_log(self, request: web.Request) -> web.StreamResponse:
        """Show the log of the games that have ended."""
        table_id, store = request.match_info["table"], self._gateway.store
        if not is_table_id(table_id):
            return _no_table()
        extent = await extent_of(store, table_id)
        if extent.last_seq == 0:
            return _no_table()
        if not extent.has_ended_game:
            return problem(409, "The log is shown once a game has ended", code="no_game_ended")
        response = web.StreamResponse(headers={"Content-Type": NDJSON, "Cache-Control": "no-store"})
        await response.prepare(request)
        if request.method != "HEAD":
            try:
                async for lines in log_lines(store, table_id, extent):
                    await response.write(lines)
            except (StoreUnavailable, LogCorrupt) as fault:
                # Too late for a 503: a body cut off in its middle says that something is missing.
                if isinstance(fault, LogCorrupt):
                    self._gateway.hub.corrupt(fault)
                elif not isinstance(fault, OtherRun):
                    self._gateway.health.lost()
                if request.transport is not None:
                    request.transport.abort()
                return response
        await response.write_eof()
        return response

    async def show_rulesets(self, _request: web.Request) -> web.StreamResponse:
        """Show what can be played here."""
        return web.Response(body=self._rulesets, content_type="application/json")
