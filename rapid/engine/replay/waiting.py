"""Chairs that wait for a lost person, and timers that stop meanwhile (3.10): the policy `wait`."""

from __future__ import annotations

from rapid.engine.replay.clock import is_due_at, is_idling, stop_timer
from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import demand
from rapid.engine.replay.table import Chair, Table

WAIT_MS = 60_000


def has_own_timer(table: Table, seat: int) -> bool:
    """Whether a timer runs, or stands, for what this seat alone has to do: its turn, or cards it owes."""
    now = table.game.round if table.game and table.is_in_round else None
    if now is None:
        return False
    if now.exchange is not None:
        return seat in now.exchange.ends
    return now.trick is not None and now.trick.turn == seat


def stop_for(table: Table, event: Event) -> None:
    """`connection_lost`: until when the chair waits, and that the seat's own timer stops."""
    seat = event["seat"]
    is_waiting = table.settings["disconnect"] == "wait" and table.is_in_game
    demand(event.has("until") == is_waiting, "until belongs to a chair that waits")
    demand(not is_waiting or event["until"] == event.at + WAIT_MS, "the chair waits for {} ms", WAIT_MS)
    stops = is_waiting and has_own_timer(table, seat)
    demand(event.has("deadline") == stops, "deadline belongs to a seat whose own timer stops")
    if stops:
        demand(event["deadline"] is None, "the timer of seat {} stops", seat)
        _set_own(table, seat, None)


def start_for(table: Table, event: Event) -> None:
    """`connection_back`, before the seat counts as connected: its own timer starts in full."""
    seat = event["seat"]
    if is_awaited(table, seat) and has_own_timer(table, seat):
        demand(event.has("deadline"), "the timer of seat {} starts anew", seat)
        is_full = is_due_at(table.settings["action_seconds"], event.at, event["deadline"])
        demand(is_full, "the deadline of seat {} is not in full", seat)
        _set_own(table, seat, event["deadline"])
    elif event.has("deadline"):
        # RULES 9: all chairs were awaited, so that the race timer started anew unseen.
        race_ms = table.settings["race_seconds"] * 1000
        demand(is_idling(table), "a connection resets no timer")
        demand(event.at < event["deadline"] <= event.at + race_ms + 1, "the race timer takes {} ms", race_ms)
        table.deadline, table.late_since_ms = event["deadline"], None


def start_for_leaver(table: Table, seat: int) -> None:
    """A bot acts for an awaited seat that leaves: its own timer starts in full (G7)."""
    if is_awaited(table, seat) and has_own_timer(table, seat):
        _set_own(table, seat, table.at + round(table.settings["action_seconds"] * 1000))


def _set_own(table: Table, seat: int, end: int | None) -> None:
    exchange = table.game.round.exchange if table.game and table.game.round else None
    if exchange is not None:
        exchange.ends[seat] = end
        end = exchange.deadline
    stop_timer(table)
    table.deadline = end


def is_awaited(table: Table, seat: int) -> bool:
    """Whether the seat's chair waits now."""
    return table.is_in_game and table.awaits(seat)


def waited_until_ms(table: Table, chair: Chair) -> int | None:
    """When the game is cancelled for this chair; None: it does not wait."""
    if table.game is None or not is_awaited(table, chair.seat):
        return None
    return max(chair.since_ms, table.game.started_ms, table.resumed_ms) + WAIT_MS


def check_waiting(table: Table, event: Event) -> None:
    """Nothing but another timer overtakes the end of a wait."""
    if event.kind in {"resumed", "host_changed", "table_closed", "game_ended"} or not table.is_in_game:
        return
    if event.kind in {"played", "passed", "given"} and event["by"] == "timer":
        return
    if event.kind == "trick_closed":
        return
    for chair in table.chairs.values():
        due = waited_until_ms(table, chair)
        demand(due is None or event.at < due, "seat {} was waited for until {}", chair.seat, due)
