"""A golden log: one short game as text, short enough to read, with a print of every viewer's frames.

A line an event: `seq +ms what`. The prints (SHA-256) stand for what is too long to keep: the
whole export, and for each seat and a spectator all events and, behind each decision, the
view, as that viewer is shown them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine import events as ev
from rapid.engine.evolve import evolve
from rapid.engine.notation import Line, parse_header, parse_line
from rapid.engine.project import project_event
from rapid.engine.state import State, blank
from rapid.engine.view import view_of

VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two")
SETS: dict[str, tuple[str, ...]] = {
    "none": (),
    **{name: (name,) for name in VARIANTS},
    "all": VARIANTS,
}
SEATS = (3, 4, 5, 6)
NAMES = tuple(f"president_{seats}_{name}" for seats in SEATS for name in SETS)
SHOWN = 16
"""Hex digits of a print."""


def options_of(name: str) -> SimulateOptions:
    """Return what the golden log of this name simulates."""
    ruleset, seats, variants = name.split("_", 2)
    level = ("easy", "normal", "hard")[NAMES.index(name) % 3]
    return SimulateOptions(
        ruleset=ruleset, seats=int(seats), rounds=2, seed=NAMES.index(name), variants=SETS[variants], level=level
    )


def playthrough(name: str) -> str:
    """Return the golden text of this name."""
    lines = list(simulate(options_of(name)))
    events = [parse_line(line) for line in lines[1:]]
    parts = [f"{name} {parse_header(lines[0]).table}", *_log(events), *_prints(lines, events)]
    return "\n".join(parts) + "\n"


def _log(lines: list[Line]) -> Iterator[str]:
    at = 0
    for line in lines:
        yield f"{line.seq} +{line.at - at} {told(line.event)}"
        at = line.at


def told(event: ev.AnyEvent) -> str:
    """Return an event in a few words; what comes often is told shortest."""
    tell = _SHORT.get(type(event))
    if tell is not None:
        return tell(event)
    fields = msgspec.to_builtins(event)
    kind = fields.pop("type")
    return f"{kind} {msgspec.json.encode(fields).decode()}"


def _played(event: ev.Played) -> str:
    turned = " revolution" if event.revolution else ""
    return f"{event.seat} plays {' '.join(event.cards)} on {event.on}{_by(event.by)}{turned}"


def _by(by: str) -> str:
    return "" if by == "bot" else f" by {by}"


_SHORT: dict[type, Callable[[Any], str]] = {
    ev.Played: _played,
    ev.Passed: lambda event: f"{event.seat} passes{_by(event.by)}",
    ev.RaceLost: lambda event: f"{event.seat} lost {event.on} by {event.late_ms}",
    ev.TrickOpened: lambda event: f"trick {event.trick} opened",
    ev.TrickClosed: lambda event: f"trick {event.trick} closed: {event.why}",
    ev.Finished: lambda event: f"{event.seat} finished{' penalised' if event.penalised else ''}",
}


def _prints(lines: list[str], events: list[Line]) -> Iterator[str]:
    yield f"export {_print(lines)}"
    seats = sorted({line.event.seat for line in events if isinstance(line.event, ev.SeatTaken)})
    states = list(_states(parse_header(lines[0]).table, events))
    for viewer in (None, *seats):
        who = "spectator" if viewer is None else f"seat {viewer}"
        shown = (msgspec.json.encode(project_event(line.event, viewer)).decode() for line in events)
        views = (msgspec.json.encode(view_of(state, viewer)).decode() for state in states)
        yield f"{who} events {_print(shown)} views {_print(views)}"


def _states(table: str, lines: list[Line]) -> Iterator[State]:
    """Yield the state behind each moment."""
    state = blank(table)
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        state = evolve(state, line.event, line.at)
        if following is None or following.at != line.at:
            yield state


def _print(texts: Any) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:SHOWN]
