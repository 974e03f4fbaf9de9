"""One controller a seat at any moment, and every lost seat gets a stand-in or its person back (G6, DESIGN 2.8)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from loadtests.judges.case import Case, Event, Log, Transcript
from loadtests.judges.table import Chair, Table

TAKEN_OVER_MS = 8_000
"""So long an old connection may go on hearing what the new one hears: a black hole ends no sooner."""


def judge_controllers(log: Log) -> Iterator[str]:
    """Who moved for a seat is who may, and presence changes by turns."""
    table, back = Table(), None
    for event in log:
        fault = _mover_fault(table, event) or _presence_fault(table, event)
        if fault is not None:
            yield f"log: seq {event['seq']}: {fault}"
        if back is not None and (event["type"], event.get("seat")) != ("standin_ended", back):
            yield f"log: seq {event['seq']}: the person of seat {back} is back and so is its stand-in"
        table.take(event)
        chair = table.chairs.get(event.get("seat", -1))
        is_back = event["type"] == "connection_back" and chair is not None and chair.has_standin
        back = event["seat"] if is_back else None


def _mover_fault(table: Table, event: Event) -> str | None:
    if event["type"] not in {"played", "passed", "given"} or event["by"] == "timer":
        return None
    seat = event["from"] if event["type"] == "given" else event["seat"]
    chair = table.chairs.get(seat)
    if chair is None:
        return f"nobody sits at {seat}"
    wanted = _controller(chair)
    return None if event["by"] == wanted else f"{event['by']} moves for seat {seat}, in charge is {wanted}"


def _controller(chair: Chair) -> str:
    if chair.kind == "bot" or chair.is_leaving:
        return "bot"
    return "standin" if chair.has_standin else "person"


def _presence_fault(table: Table, event: Event) -> str | None:
    kind, chair = event["type"], table.chairs.get(event.get("seat", -1))
    if kind == "seat_taken":
        return None if chair is None else f"seat {chair.seat} is taken twice"
    if kind not in _PRESENCE:
        return None
    if chair is None or chair.kind != "person" or chair.is_leaving:
        return f"{kind} for a seat that no person holds"
    is_right = {
        "connection_lost": chair.is_connected,
        "connection_back": not chair.is_connected,
        "standin_started": not chair.is_connected and not chair.has_standin and table.is_in_game,
        "standin_ended": chair.is_connected and chair.has_standin,
    }
    return None if is_right[kind] else f"{kind} where it cannot be, for seat {chair.seat}"


_PRESENCE = {"connection_lost", "connection_back", "standin_started", "standin_ended"}


def judge_owners(case: Case) -> Iterator[str]:
    """Of a seat's connections only the newest goes on: the one before is ended soon."""
    by_seat: dict[int, list[Transcript]] = {}
    for transcript in case.transcripts:
        if transcript.seat is not None and _welcomed_ms(transcript) is not None:
            by_seat.setdefault(transcript.seat, []).append(transcript)
    for owners in by_seat.values():
        owners.sort(key=lambda one: _welcomed_ms(one) or 0)
        for before, after in pairwise(owners):
            if before.viewer != after.viewer:
                continue  # the chair was freed and taken by somebody else
            taken_ms = _welcomed_ms(after) or 0
            heard = [at for at, message in before.received if message["t"] == "event" and at > taken_ms + TAKEN_OVER_MS]
            after_end_ms = after.closed_ms if after.closed_ms is not None else None
            if heard and (after_end_ms is None or heard[0] < after_end_ms):
                yield f"{before.named()} hears the table though {after.named()} has the seat"


def _welcomed_ms(transcript: Transcript) -> int | None:
    return next((at for at, message in transcript.received if message["t"] == "welcome"), None)


def judge_lost(case: Case) -> Iterator[str]:
    """At the end of a settled run: who has a connection is connected, who has none has a stand-in in a game."""
    if not case.is_settled:
        return
    table = Table()
    for event in case.log:
        table.take(event)
    if table.phase == "closed":
        return
    here = {one.seat for one in case.transcripts if one.closed_ms is None and _welcomed_ms(one) is not None}
    for chair in table.chairs.values():
        if chair.kind != "person" or chair.is_leaving:
            continue
        if chair.is_connected != (chair.seat in here):
            yield f"seat {chair.seat} is {'not ' if chair.is_connected else ''}there and the log says otherwise"
        due_ms = max(chair.lost_ms, table.game_ms, table.resumed_ms)
        due_ms += int(table.settings["standin_grace_seconds"] * 1000)
        is_overdue = case.end_ms is not None and case.end_ms > due_ms + case.slack_ms
        if table.is_in_game and not chair.is_connected and not chair.has_standin and is_overdue:
            yield f"seat {chair.seat} is lost and has no stand-in"
