"""The grammar of decisions: what may begin one, from the opening of the table on (PROTOCOL section 4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator

from rapid.engine.replay.clock import check_start, set_deadline
from rapid.engine.replay.dealing import commit_from, deal
from rapid.engine.replay.endings import after_departure, game_ended, lobby_opened, table_closed
from rapid.engine.replay.event import Event
from rapid.engine.replay.exchange import given
from rapid.engine.replay.faults import demand
from rapid.engine.replay.flow import Steps, need
from rapid.engine.replay.members import (
    check_leave,
    connection_back,
    connection_lost,
    drop_seat,
    host_changed,
    mark_leaving,
    salted,
    seat_taken,
    settings_changed,
    standin_started,
)
from rapid.engine.replay.plays import check_conserved, passed, played
from rapid.engine.replay.race import race_lost, timer_closed
from rapid.engine.replay.settings import check_settings
from rapid.engine.replay.table import Commit, Game, Table
from rapid.engine.replay.waiting import check_waiting

PLAY_AGAIN_AFTER = frozenset({"rounds", "target", "ended"})


def open_table(name: str) -> Generator[tuple[str, ...], Event, Table]:
    """`table_opened committed seat_taken+`; seats behind the first read as decisions of their own."""
    opened = yield ("table_opened",)
    demand(opened.kind == "table_opened", "{} before table_opened", opened.kind)
    book = check_settings(opened["settings"])
    table = Table(name, book, opened["settings"], Commit(0, "", None), opened.at, silent_since_ms=opened.at)
    committed = yield from need(table, "committed")
    table.commit = commit_from(committed, 1)
    first = yield from need(table, "seat_taken")
    # Seat 0 is host.
    demand(first["seat"] == table.host, "the first seat is {}, not {}", table.host, first["seat"])
    yield from seat_taken(table, first)
    return table


def decide_all(table: Table) -> Steps:
    """Every decision behind the opening, for ever; `()` is asked for between two of them."""
    while True:
        event = yield ()
        demand(table.phase != "closed" or event.kind == "resumed", "{} at a closed table", event.kind)
        demand(event.kind in _BEGINS, "{} cannot stand here", event.kind)
        _check_leavers_gone(table, event)
        check_start(table, event)
        check_waiting(table, event)
        table.at = event.at
        yield from _BEGINS[event.kind](table, event)
        check_conserved(table)


def _check_leavers_gone(table: Table, event: Event) -> None:
    """G7, 3.10: no game ends with a leaver's seat still taken; those of a cancelled one are freed right behind it."""
    left = [seat for seat, chair in table.chairs.items() if chair.leaving]
    if left and table.phase == "lobby":
        is_freed = event.kind == "seat_freed" and event["seat"] == min(left) and event.at == table.at
        demand(is_freed, "seat {} was left and is to be freed", min(left))


def _leaving(table: Table, event: Event) -> Steps:
    mark_leaving(table, event)
    yield from after_departure(table, event["seat"])


def _seat_freed(table: Table, event: Event) -> Steps:
    if table.book.keeps_leavers and table.phase == "results" and check_leave(table, event).leaving:
        yield from _group_freed(table, event)
        return
    check_leave(table, event)
    is_kept = table.is_in_round or (table.book.keeps_leavers and table.is_in_game)
    demand(not is_kept, "a seat is not freed here")
    drop_seat(table, event["seat"])
    yield from after_departure(table, event["seat"])


def _group_freed(table: Table, event: Event) -> Steps:
    """`seat_freed+ game_ended`: the host ends the game, before which the leavers' seats are freed (4.7)."""
    for seat in sorted(seat for seat, chair in table.chairs.items() if chair.leaving):
        demand(event.kind == "seat_freed" and event["seat"] == seat, "seat {} is to be freed", seat)
        demand(event["why"] == table.chairs[seat].leaving, "seat {} was {}", seat, table.chairs[seat].leaving)
        drop_seat(table, seat)
        event = yield from need(table, "seat_freed", "game_ended")
    demand(event.kind == "game_ended", "{} where game_ended must follow", event.kind)
    yield from game_ended(table, event)


def _is_same(one: object, other: object) -> bool:
    """To the letter: in Python `False == 0.0`, in a log those are not the same (PROTOCOL 1)."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _game_started(table: Table, event: Event) -> Steps:
    """`game_started DEAL` (G1, G5)."""
    may_start = table.phase == "lobby" or (table.phase == "final" and table.final_why in PLAY_AGAIN_AFTER)
    demand(may_start, "no game may start here")
    count = len(table.chairs)
    demand(table.book.seats_least <= count <= table.book.seats_most, "{} seats cannot play", count)
    table.games += 1
    demand(event["game"] == table.games, "game {} where {} is due", event["game"], table.games)
    demand(sorted(event["seats"]) == sorted(table.chairs), "seats are not those taken")
    demand(_is_same(event["settings"], table.settings), "settings differ from those of the table")
    table.game = Game(table.games, event.at, dict.fromkeys(sorted(table.chairs), 0))
    table.phase = "results"
    dealt = yield from need(table, "dealt")
    yield from deal(table, dealt)


def _dealt(table: Table, event: Event) -> Steps:
    """`DEAL` alone is `next_round` (G2)."""
    demand(table.phase == "results", "no round is to be dealt")
    yield from deal(table, event)


def _resumed(table: Table, event: Event) -> Steps:
    """A new authority: the running timer anew in full, or kept by a planned hand-over (R9)."""
    yield from ()
    lost_ms = event.at - table.at_before
    demand(event["lost_ms"] == lost_ms, "lost_ms is {}, not {}", lost_ms, event["lost_ms"])
    demand(event["epoch"] > table.epoch, "epoch {} does not follow {}", event["epoch"], table.epoch)
    table.epoch, table.resumed_ms, table.late_since_ms = event["epoch"], event.at, None
    if table.deadline is None:
        demand(event["deadline"] is None, "no timer runs, so deadline is null")
    elif event["deadline"] != table.deadline:
        set_deadline(table, event)
        exchange = table.game.round.exchange if table.game and table.game.round else None
        if exchange is not None:
            exchange.ends = {seat: end and event["deadline"] for seat, end in exchange.ends.items()}


_BEGINS: dict[str, Callable[[Table, Event], Steps]] = {
    "seat_taken": seat_taken,
    "leaving": _leaving,
    "seat_freed": _seat_freed,
    "host_changed": host_changed,
    "settings_changed": settings_changed,
    "connection_lost": connection_lost,
    "connection_back": connection_back,
    "standin_started": standin_started,
    "salted": salted,
    "game_started": _game_started,
    "dealt": _dealt,
    "given": given,
    "played": played,
    "passed": passed,
    "race_lost": race_lost,
    "trick_closed": timer_closed,
    "game_ended": game_ended,
    "lobby_opened": lobby_opened,
    "resumed": _resumed,
    "table_closed": table_closed,
}
