"""All tables of one generator on this server: opened, seated, started, played to their end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from loadtests.generator.connection import Connection
from loadtests.generator.http import open_tables
from loadtests.generator.loop import Loop
from loadtests.generator.plan import Plan
from loadtests.generator.race_table import Player, RaceTable
from loadtests.generator.recorder import Recorder
from loadtests.generator.wire import WIRES

PATIENCE_SECONDS: Final = 60.0
CONNECTING_MAX: Final = 100
"""Handshakes at once: a listening socket's queue is bounded."""


class NotReady(Exception):
    """The server did not do what every load needs before it begins, or does not come to its end."""


def open_race(loop: Loop, recorder: Recorder, plan: Plan) -> list[RaceTable]:
    """Open tables, connect every seat, start the games; ready when cards are dealt."""
    rng = random.Random(plan.seed + plan.first)  # noqa: S311  which seat moves, not which cards it has
    wire = WIRES[plan.codec]
    tables = []
    for opened in open_tables(plan.host, plan.port, plan.tables, plan.seats, plan.settings):
        table = RaceTable(loop, recorder, wire, opened.table, rng, plan.contention)
        table.seat([_player(loop, plan, table, number) for number in range(plan.seats)])
        for player, token in zip(table.players, opened.tokens, strict=True):
            player.say_hello(token)
        tables.append(table)
        _until(loop, lambda: _connecting(tables) < CONNECTING_MAX, "connections are not answered")
    start(loop, tables)
    return tables


def _player(loop: Loop, plan: Plan, table: RaceTable, number: int) -> Player:
    player = Player(table, number)
    protocol = table.wire.protocol
    player.connection = Connection(loop, plan.host, plan.port, f"/ws/{table.table}", player.heard, protocol=protocol)
    return player


def start(loop: Loop, tables: Sequence[RaceTable]) -> None:
    """Start the games of tables whose seats are all there."""
    _until(loop, lambda: all(table.is_all_there for table in tables), "not every seat is welcomed")
    for table in tables:
        table.hurry()
    _until(loop, lambda: all(table.fold.phase in {"playing", "exchange"} for table in tables), "a game does not start")
    for table in tables:
        table.is_hurried = False
    _until(loop, lambda: not any(table.is_busy for table in tables), "a first intent is not answered")


def finish(loop: Loop, tables: Sequence[RaceTable]) -> None:
    """Play every round to its end and end the game."""
    for table in tables:
        table.is_finishing = True
        table.backlog.clear()
        table.hurry()
    _until(loop, lambda: all(table.is_over for table in tables), "a game does not end")
    _until(loop, lambda: all(_is_answered(one) for table in tables for one in table.players), "a reply is missing")


def _is_answered(player: Player) -> bool:
    """Whether every message has its reply: the last ones may come behind the events that everybody waits for."""
    mark = player.table.wire.reply
    asked = sum("id" in message for _, message in player.sent)
    return sum(chunk.count(mark) for chunk in player.connection.chunks) >= asked


def _connecting(tables: Sequence[RaceTable]) -> int:
    return sum(not player.connection.is_open for table in tables[-50:] for player in table.players)


def _until(loop: Loop, holds: Callable[[], bool], otherwise: str) -> None:
    if not loop.until(holds, PATIENCE_SECONDS):
        raise NotReady(otherwise)
