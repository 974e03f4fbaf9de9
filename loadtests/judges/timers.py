"""Timers on the stream's clock: neither early, nor doubled, nor missing, and in full (R7-R9, G6, G9)."""

from __future__ import annotations

from collections.abc import Iterator

from loadtests.judges.case import Case, Event
from loadtests.judges.table import Chair, Table

HOST_LOST_MS = 60_000
HOST_LOST_AT_RESULTS_MS = 30_000
IDLE_MS = 600_000
ROUNDING_MS = 0.5
CALM_LATE_MS = 1_500
"""A tick that was lost is posted again after a second."""

_FOLLOWS = {
    "committed", "dealt", "finished", "skipped", "turn_began", "trick_opened", "round_ended", "seat_freed",
    "host_changed", "game_ended", "lobby_opened", "exchange_opened", "exchange_closed", "standin_ended", "given",
    "table_closed", "trick_closed",
}  # fmt: skip
"""Kinds that can stand behind the first event of a timer's decision."""


def judge_timers(case: Case) -> Iterator[str]:
    """Walk the log beside its clock."""
    table, fired_ms = Table(), -1
    for event in case.log:
        yield from _stamp(case, table, event)
        if event["type"] != "resumed":
            yield from _late(case, table, event)
        is_firing = _fires(table, event)
        follows = fired_ms == event["at"] and event["type"] in _FOLLOWS
        faults = list(_faults(table, event, is_firing=is_firing, follows=follows))
        yield from (f"log: seq {event['seq']}: {fault}" for fault in faults)
        if is_firing:
            fired_ms = event["at"]
        elif not follows:
            fired_ms = -1
        table.take(event)
    if case.is_settled and case.end_ms is not None and table.deadline is not None:
        late_ms = case.end_ms - table.deadline
        if late_ms > case.slack_ms:
            yield f"log: the deadline {table.deadline} has not fired {late_ms} ms behind it"


def _late(case: Case, table: Table, event: Event) -> Iterator[str]:
    if table.deadline is None:
        return
    is_calm = case.calm_from_ms is not None and table.deadline >= case.calm_from_ms
    late_ms = event["at"] - table.deadline
    if late_ms > (CALM_LATE_MS if is_calm else case.slack_ms):
        yield f"log: seq {event['seq']}: {late_ms} ms behind a deadline that had not fired"


def _stamp(case: Case, table: Table, event: Event) -> Iterator[str]:
    """PROTOCOL 4: a decision's `at` is the stamp of its entry, raised to the `at` before if that is later."""
    stamp_ms = case.stamps.get(event["seq"])
    if stamp_ms is not None and event["at"] != max(stamp_ms, table.at):
        yield f"log: seq {event['seq']} is stamped {stamp_ms}, behind {table.at}, and has at {event['at']}"


def _fires(table: Table, event: Event) -> bool:
    """Whether the event is the first of a timer's decision."""
    kind = event["type"]
    if kind in {"played", "given"}:
        return bool(event["by"] == "timer")
    if kind == "trick_closed":
        return bool(event["why"] == "timer")
    if kind == "host_changed":
        host = table.chairs.get(table.host)
        return host is not None and not host.is_leaving
    return kind == "standin_started" or (kind == "table_closed" and bool(event["why"] == "idle"))


def _faults(table: Table, event: Event, *, is_firing: bool, follows: bool) -> Iterator[str]:
    at = event["at"]
    if event["type"] == "resumed":
        yield from _resumed(table, event)
        return
    if is_firing and not (follows and event["type"] == "given"):
        yield from _early(table, event)
    elif not follows and event["type"] != "game_ended":
        # Whatever is due at the stamp of an entry or before it comes first (R9).
        if table.deadline is not None and at >= table.deadline:
            yield f"{event['type']} at {at} overtakes the deadline {table.deadline}"
        for chair in table.chairs.values():
            due_ms = _standin_due(table, chair)
            if due_ms is not None and at >= due_ms + ROUNDING_MS:
                yield f"{event['type']} at {at} overtakes the stand-in of seat {chair.seat}, due at {due_ms}"
    yield from _full(table, event)


def _early(table: Table, event: Event) -> Iterator[str]:
    kind, at = event["type"], event["at"]
    if kind in {"played", "given", "trick_closed"}:
        if table.deadline is None:
            yield f"{kind} by a timer that does not run"
        elif at < table.deadline:
            yield f"{kind} by the timer at {at}, before its deadline {table.deadline}"
        top = table.trick["top"] if table.trick is not None else None
        if (kind == "played" and top is not None) or (kind == "trick_closed" and top is None):
            yield f"the timer does the wrong thing: {kind}"
    elif kind == "standin_started":
        chair = table.chairs.get(event["seat"])
        due_ms = None if chair is None else _standin_due(table, chair)
        if due_ms is not None and at < due_ms - ROUNDING_MS:
            yield f"the stand-in of seat {event['seat']} comes at {at}, before {due_ms}"
    elif kind == "host_changed":
        yield from _early_host(table, at)


def _early_host(table: Table, at: int) -> Iterator[str]:
    host = table.chairs.get(table.host)
    if host is None or host.is_leaving:
        return
    wait_ms = HOST_LOST_AT_RESULTS_MS if table.phase == "results" else HOST_LOST_MS
    if host.is_connected or at < max(host.lost_ms, 0) + wait_ms:
        yield f"the host changes at {at} though seat {host.seat} has not been lost for {wait_ms} ms"


def _standin_due(table: Table, chair: Chair) -> float | None:
    if chair.kind != "person" or chair.is_leaving or chair.is_connected or chair.has_standin or not table.is_in_game:
        return None
    grace_ms: float = table.settings["standin_grace_seconds"] * 1000
    return max(chair.lost_ms, table.game_ms, table.resumed_ms) + grace_ms


def _full(table: Table, event: Event) -> Iterator[str]:
    """R8: a deadline is the whole time behind the event that sets it."""
    name = _SECONDS.get(event["type"])
    if name is None:
        return
    wanted = event["at"] + table.settings[name] * 1000
    deadline = event["deadline"]
    if deadline is None or abs(deadline - wanted) > ROUNDING_MS:
        yield f"{event['type']} sets the deadline {deadline}, {name} behind it is {wanted}"


_SECONDS = {"trick_opened": "race_seconds", "played": "race_seconds", "exchange_opened": "action_seconds"}


def _resumed(table: Table, event: Event) -> Iterator[str]:
    """R9: in full, or after a planned hand-over as it was, if that is still ahead."""
    at, deadline = event["at"], event["deadline"]
    if event["lost_ms"] != at - table.at:
        yield f"resumed says that {event['lost_ms']} ms were lost, it is {at - table.at}"
    if table.deadline is None or deadline is None:
        if table.deadline != deadline:
            yield f"resumed has the deadline {deadline}, before it stood {table.deadline}"
        return
    name = "action_seconds" if table.phase == "exchange" else "race_seconds"
    is_in_full = abs(deadline - at - table.settings[name] * 1000) <= ROUNDING_MS
    if not is_in_full and (deadline != table.deadline or deadline <= at):
        yield f"resumed sets the deadline {deadline}, which is neither in full nor the one before"
