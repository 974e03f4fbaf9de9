"""`play` and `watch`: what `rapid play URL` and `rapid watch URL` run."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TextIO

import aiohttp

from rapid_client import (
    Address,
    Api,
    BadAddress,
    BadToken,
    Encoding,
    Place,
    Problem,
    RapidError,
    Removed,
    Table,
    Unreachable,
    View,
    parse_address,
)

from .console import Console
from .lines import Lines
from .options import FAILURE, OK, USAGE, Look, PlayOptions, WatchOptions
from .player import End, Stay
from .screen import Screen
from .seats import Kept, Seats
from .settings import Rulesets
from .words import AWAITED, awaits

DEFAULT_NAME = "Player"
RULESETS_S = 5
"""As long a table may wait for the description of its rules."""
UNPROCESSABLE, CONFLICT = 422, 409
NOT_OURS = (404, 405, 501)  # a web server, but none that knows how to open tables


async def play(url: str, options: PlayOptions, stdin: TextIO, stdout: TextIO, stderr: TextIO | None = None) -> int:
    """Play at the table of an address, or open one on the server of a bare address; the exit code.

    What ends it before its time is told in one line on `stderr` (None: on `stdout`).
    """
    has_row = options.look.row and Console.fits(stdin, stdout)
    try:
        address = parse_address(url)
        async with aiohttp.ClientSession() as http:
            with Console(stdin, stdout) if has_row else nullcontext() as console:
                screen = Screen(stdout, has_colour=_has_colour(options.look, stdout), console=console)
                return await _Game(address, options, http, screen, stdin).run()
    except RapidError as error:
        return _say(stderr or stdout, error)
    except BrokenPipeError:
        # Whoever read along has seen enough (`rapid watch … | head`).
        return OK


async def watch(url: str, options: WatchOptions, stdout: TextIO, stderr: TextIO | None = None) -> int:
    """Watch a table until it closes, or its game ends if so asked; the exit code."""
    screen = Screen(stdout, has_colour=_has_colour(options.look, stdout))
    try:
        address = parse_address(url)
        if address.table is None:
            raise BadAddress("watching needs the address of a table (…/t/ID)")
        encoding = Encoding.JSON if options.use_json else Encoding.MSGPACK
        async with (
            aiohttp.ClientSession() as http,
            Table(address.base, address.table, encoding=encoding, http=http) as table,
        ):
            rulesets = await _rulesets(Api(address.base, http))
            await Stay(table, screen, rulesets, until_final=options.until_final).run(None)
    except RapidError as error:
        return _say(stderr or stdout, error)
    except BrokenPipeError:
        # Whoever read along has seen enough (`rapid watch … | head`).
        return OK
    return OK


async def _rulesets(api: Api) -> Rulesets:
    """What the server says of its rulesets; nothing, if it does not: one can play without."""
    try:
        async with asyncio.timeout(RULESETS_S):
            return Rulesets(await api.rulesets())
    except (RapidError, TimeoutError):
        return Rulesets()


def _has_colour(look: Look, stdout: TextIO) -> bool:
    return look.colour and stdout.isatty()


def _say(sink: TextIO, error: RapidError) -> int:
    Screen(sink).show([f"rapid: {error}"])
    is_usage = isinstance(error, BadAddress) or (isinstance(error, Problem) and error.status == UNPROCESSABLE)
    return USAGE if is_usage else FAILURE


class _Game:
    """A player's way through a table: seat, stay, and perhaps a seat later on."""

    def __init__(
        self, address: Address, options: PlayOptions, http: aiohttp.ClientSession, screen: Screen, stdin: TextIO
    ) -> None:
        self._options, self._http, self._screen, self._stdin = options, http, screen, stdin
        self._api = Api(address.base, http)
        self._base = address.base
        self._seats = Seats(options.state_dir, address)
        self._table = address.table
        self._lines: Lines[View] | None = None
        self._stay: Stay | None = None
        self._rulesets: Rulesets | None = None

    async def run(self) -> int:
        seat: Kept | None
        if self._table is None:
            seat = await self._open()
        elif not self._options.is_fresh and (kept := self._find()):
            try:
                return await self._sit(self._table, kept)
            except BadToken:
                self._screen.show(["The seat you had here is gone."])
                seat = await self._join(self._table)
        else:
            seat = await self._join(self._table)
        return await self._sit(self._table or "", seat)

    def _find(self) -> Kept | None:
        return self._seats.find(self._table, self._options.name) if self._table else None

    async def _open(self) -> Kept:
        name = self._options.name or DEFAULT_NAME
        try:
            place = await self._api.open_table(name, self._options.settings, self._options.bots)
        except Problem as problem:
            if problem.status in NOT_OURS:
                raise self._no_server() from problem
            raise
        self._table = place.table
        self._screen.show([f"Table {Address(self._base, place.table).table_url} - send this to friends"])
        return self._keep(place, name)

    async def _join(self, table: str) -> Kept | None:
        """A seat, or None where there is none to have now; then a person watches."""
        name = self._options.name or DEFAULT_NAME
        try:
            return self._keep(await self._api.join(table, name), name)
        except Problem as problem:
            if problem.status in NOT_OURS and problem.detail is None:
                raise self._no_server() from problem
            if problem.status != CONFLICT or self._options.is_auto:
                raise
            self._screen.show([f"No seat to be had now ({problem}); watching."])
            return None

    def _no_server(self) -> Unreachable:
        return Unreachable(f"there is no rapid server at {self._base}")

    def _keep(self, place: Place, name: str) -> Kept:
        self._seats.keep(place, name)
        return Kept(place.seat, name, place.token)

    async def _sit(self, table: str, seat: Kept | None) -> int:
        try:
            while (end := await self._visit(table, seat)) is End.JOIN:
                seat = await self._join(table)
        except (BadToken, Removed):
            if seat:
                self._seats.forget(table, seat.seat)
            raise
        except asyncio.CancelledError:
            # Ctrl-C: whoever goes so has the seat still, as after quit.
            self._bid_farewell(table, seat)
            raise
        finally:
            if self._lines:
                self._lines.stop()
        if end is End.LEFT and seat:
            self._seats.forget(table, seat.seat)
        if end is End.QUIT:
            self._bid_farewell(table, seat)
        return OK

    def _bid_farewell(self, table: str, seat: Kept | None) -> None:
        """Say what becomes of the seat, and how to come back to it."""
        if seat and self._options.state_dir:
            url = Address(self._base, table).table_url
            what = f"is {AWAITED}" if self._stay and awaits(self._stay.shown) else "stays yours"
            self._screen.show([f"Your seat {what}: rapid play {url} takes it back"])

    async def _visit(self, table: str, seat: Kept | None) -> End:
        encoding = Encoding.JSON if self._options.use_json else Encoding.MSGPACK
        token = seat.token if seat else None
        async with Table(self._base, table, token, encoding=encoding, http=self._http) as connection:
            self._rulesets = self._rulesets or await _rulesets(self._api)
            is_auto = self._options.is_auto
            self._stay = Stay(connection, self._screen, self._rulesets, is_auto=is_auto, until_final=is_auto)
            if self._lines is None:
                self._lines = Lines(self._stdin, self._shown, self._screen.console)
                self._lines.start()
            return await self._stay.run(self._lines)

    def _shown(self) -> View:
        if self._stay is None:
            raise RuntimeError("lines are read during a stay only")
        return self._stay.shown
