"""Deadlines: nothing overtakes a timer that is due, and no timer is early (R7-R9)."""

from __future__ import annotations

from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import demand
from rapid.engine.replay.table import Chair, Table

HOST_LOST_MS = 60_000
HOST_LOST_RESULTS_MS = 30_000
IDLE_MS = 600_000
HALF_MS = 0.5

# Firings of timers other than the one `deadline` shows; their order among each other is not fixed.
# `game_ended` may begin the closing of an idle table, which looks at the clock once more itself.
_OTHER_TIMERS = frozenset({"standin_started", "host_changed", "table_closed", "game_ended"})


def is_overdue(table: Table, at: int) -> bool:
    """Whether the running timer must have fired before anything else stamped `at` is decided."""
    if table.deadline is None or at < table.deadline:
        return False
    # A planned hand-over keeps a deadline (PROTOCOL 4, resumed). What waited meanwhile is raised to that
    # moment, so that its `at` does not tell on which side of the deadline its stamp was.
    return not table.deadline <= table.resumed_ms == at


def is_idling(table: Table) -> bool:
    """RULES 9: every chair in the race is awaited, so that R7 opens nothing and the timer starts anew, unseen."""
    now = table.game.round if table.game and table.phase == "playing" else None
    if now is None or now.trick is None or now.trick.plays or table.has_turns:
        return False
    return all(table.awaits(seat) for seat in now.in_round)


def _fires_deadline(event: Event) -> bool:
    return event.kind == "trick_closed" or (event.kind in {"played", "passed", "given"} and event["by"] == "timer")


def check_start(table: Table, event: Event) -> None:
    """R9 for the first event of a decision; `resumed` is no entry and comes whenever it comes."""
    if event.kind == "resumed":
        return
    is_firing = _fires_deadline(event)
    if is_overdue(table, event.at) and not is_firing and not is_idling(table):
        is_timer = event.kind in _OTHER_TIMERS
        demand(is_timer, "at {} is behind the deadline {}, which did not fire", event.at, table.deadline)
        table.late_since_ms = event.at if table.late_since_ms is None else table.late_since_ms
    late = table.late_since_ms
    demand(late is None or event.at == late, "the deadline {} should have fired at {}", table.deadline, late)
    if event.kind not in _OTHER_TIMERS and not is_firing:
        for chair in table.chairs.values():
            _check_standin_in_time(table, chair, event.at)
        _check_host_in_time(table, event.at)
        _check_idle_in_time(table, event.at)


def _check_standin_in_time(table: Table, chair: Chair, at: int) -> None:
    due = standin_due_ms(table, chair)
    is_late = due is not None and chair.was_lost and at >= int(due + HALF_MS)
    demand(not is_late, "the stand-in of seat {} is due since {}", chair.seat, due)


def _check_host_in_time(table: Table, at: int) -> None:
    """G9, where nothing is left open: somebody else was there before the host's 60 s ran out."""
    host = table.chairs.get(table.host)
    if host is None or not host.is_person or host.is_connected:
        return
    due = max(host.since_ms, table.resumed_ms) + HOST_LOST_MS
    is_late = at >= due and any(chair.is_connected and chair.since_ms < due for chair in table.persons())
    demand(not is_late, "a new host is due since {}", due)


def _check_idle_in_time(table: Table, at: int) -> None:
    """G9: nobody connected for ten minutes, counted from the last that can be meant by it."""
    persons = table.persons()
    if not persons or any(chair.is_connected for chair in persons):
        return
    due = max(table.silent_since_ms, table.resumed_ms, *(chair.since_ms for chair in persons)) + IDLE_MS
    demand(at < due, "the table is to be closed as idle since {}", due)


def is_due_at(seconds: float, start_ms: int, end_ms: int | None) -> bool:
    """Whether the end lies the seconds behind the start, rounded to the millisecond, halves either way."""
    return end_ms is not None and abs(end_ms - start_ms - seconds * 1000) <= HALF_MS


def check_fired(table: Table, event: Event) -> None:
    """The running timer fires no earlier than its deadline."""
    demand(
        table.deadline is not None and event.at >= table.deadline,
        "the timer fired at {}, before its deadline {}",
        event.at,
        table.deadline,
    )


def set_deadline(table: Table, event: Event) -> None:
    """R8: the event starts the timer of this phase anew; a deadline that is not in full is wrong."""
    demand(
        is_due_at(table.running_seconds, event.at, event["deadline"]),
        "deadline {} is not {} s after {}",
        event["deadline"],
        table.running_seconds,
        event.at,
    )
    table.deadline = event["deadline"]
    table.late_since_ms = None


def stop_timer(table: Table) -> None:
    """No timer runs."""
    table.deadline = None
    table.late_since_ms = None


def standin_due_ms(table: Table, chair: Chair) -> float | None:
    """When a stand-in takes this seat (G6), or None while there is nothing to take."""
    if table.settings["disconnect"] != "standin":
        return None
    if not chair.is_person or chair.is_connected or chair.has_standin or table.game is None or not table.is_in_game:
        return None
    start = max(chair.since_ms, table.game.started_ms, table.resumed_ms)
    grace_s: float = table.settings["standin_grace_seconds"]
    return start + grace_s * 1000
