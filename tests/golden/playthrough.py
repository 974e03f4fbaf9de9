"""A golden log: one short game as text, short enough to read, with a print of every viewer's frames.

A line an event: `seq +ms what`. The prints (SHA-256) stand for what is too long to keep: the
whole export, and for each seat and a spectator all events and, behind each decision, the
view, as that viewer is shown them.
"""

from __future__ import annotations

import hashlib
import itertools
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import structs

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateError, SimulateOptions, settings_for
from rapid.engine import events as ev
from rapid.engine.evolve import evolve
from rapid.engine.notation import Line, parse_header, parse_line
from rapid.engine.project import project_event
from rapid.engine.state import State, blank
from rapid.engine.view import view_of
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Option, Ruleset

VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two")
SETS: dict[str, tuple[str, ...]] = {
    "none": (),
    **{name: (name,) for name in VARIANTS},
    "all": VARIANTS,
}
TURN_SETS: dict[str, tuple[str, ...]] = {**SETS, "skip": ("skip",), "all": (*VARIANTS, "skip")}
SEATS = (3, 4, 5, 6)
LEVELS = ("easy", "normal", "hard")
ROUNDS_TOLD = 2
SHOWN_WITH: dict[str, dict[str, Any]] = {"joker": {"jokers": 2}}
"""What an option changes nothing without."""
SHOWN = 16
"""Hex digits of a print."""


def _president() -> Iterator[tuple[str, SimulateOptions]]:
    """Yield the race: every seat count with every variant alone, none and all."""
    for seats, (name, on) in itertools.product(SEATS, SETS.items()):
        yield f"president_{seats}_{name}", SimulateOptions(seats=seats, variants=on)


def _president_in_turns() -> Iterator[tuple[str, SimulateOptions]]:
    """Yield turn mode: each variant at four seats, all of them and none at the others."""
    for seats, (name, on) in itertools.product(SEATS, TURN_SETS.items()):
        if seats == 4 or name in {"none", "all"}:
            yield f"president_turns_{seats}_{name}", SimulateOptions(mode="turns", seats=seats, variants=on)


def _of_preset(preset: Ruleset, mode: str) -> Iterator[tuple[str, SimulateOptions]]:
    """Yield a preset in one mode: every seat count; at the least plus one each variant and each option's values."""
    plain = SimulateOptions(ruleset=preset.name, mode=mode, variants=())
    for seats in range(preset.seats_min, preset.seats_max + 1):
        yield f"{seats}_none", structs.replace(plain, seats=seats)
    seats = preset.seats_min + 1
    plain = structs.replace(plain, seats=seats)
    for variant in preset.variant_names:
        yield f"{seats}_{variant}", structs.replace(plain, variants=(variant,))
    for option, value in _single_options(preset):
        yield (
            f"{seats}_{option.name}-{value}",
            structs.replace(plain, options={**_with(option, value), option.name: value}),
        )


def _with(option: Option, value: Any) -> dict[str, Any]:
    """Return the other options that this value of an option needs, or would change nothing without."""
    needed = {**(option.needs or {}), **(option.choice_needs or {}).get(str(value), {})}
    return {**needed, **SHOWN_WITH.get(option.name, {})}


def _single_options(preset: Ruleset) -> Iterator[tuple[Option, Any]]:
    """Yield each value of each option but its default; of numbers the least and the most, of seats the first."""
    for option in preset.options:
        ends = (0,) if option.type == "seat" else (option.min or 1, option.max)
        values = option.choices or ((True, False) if option.type == "boolean" else ends)
        yield from ((option, value) for value in values if value != option.default)


def _others() -> Iterator[tuple[str, SimulateOptions]]:
    """Yield all presets but `president`, whatever they offer; what is refused in a mode is left out there."""
    for preset in PRESETS.values():
        for mode in preset.modes if preset.name != "president" else ():
            for name, options in _of_preset(preset, str(mode)):
                if _is_taken(options):
                    yield f"{preset.name}_{mode}_{name}", options


def _is_taken(options: SimulateOptions) -> bool:
    try:
        settings_for(options)
    except SimulateError:
        return False
    return True


def _numbered(rows: Iterator[tuple[str, SimulateOptions]]) -> dict[str, SimulateOptions]:
    """Give each row its place as seed, and one level behind the other."""
    return {
        name: structs.replace(options, rounds=2, seed=number, level=LEVELS[number % 3])
        for number, (name, options) in enumerate(rows)
    }


def _named(rows: Iterator[tuple[str, SimulateOptions]]) -> dict[str, SimulateOptions]:
    """Give each row a seed of its name, so that a new option changes no other row."""
    seeds = ((name, options, zlib.crc32(name.encode())) for name, options in rows)
    return {name: structs.replace(options, seed=seed, level=LEVELS[seed % 3]) for name, options, seed in seeds}


GOLDEN_OPTIONS = {**_numbered(_president()), **_numbered(_president_in_turns()), **_named(_others())}
NAMES = tuple(GOLDEN_OPTIONS)


def options_of(name: str) -> SimulateOptions:
    """Return what the golden log of this name simulates."""
    return GOLDEN_OPTIONS[name]


def playthrough(name: str) -> str:
    """Return the golden text of this name."""
    lines = list(simulate(options_of(name)))
    events = [parse_line(line) for line in lines[1:]]
    parts = [f"{name} {parse_header(lines[0]).table}", *_log(events), *_prints(lines, events)]
    return "\n".join(parts) + "\n"


def _log(lines: list[Line]) -> Iterator[str]:
    """Yield the game's first rounds: what follows is in the prints."""
    at = rounds = 0
    for line in lines:
        yield f"{line.seq} +{line.at - at} {told(line.event)}"
        at = line.at
        if not isinstance(line.event, ev.RoundEnded):
            continue
        rounds += 1
        if rounds == ROUNDS_TOLD and not isinstance(lines[line.seq].event, ev.GameEnded):
            yield f"… to {lines[-1].seq}"
            return


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


def _leads(seat: int | None) -> str:
    return "" if seat is None else f" for {seat}"


_SHORT: dict[type, Callable[[Any], str]] = {
    ev.Played: _played,
    ev.Passed: lambda event: f"{event.seat} passes{_by(event.by)}",
    ev.RaceLost: lambda event: f"{event.seat} lost {event.on} by {event.late_ms}",
    ev.TrickOpened: lambda event: f"trick {event.trick} opened{_leads(event.leader)}",
    ev.TurnBegan: lambda event: f"turn of {event.seat}{' at ' + event.rank if event.rank else ''}",
    ev.Skipped: lambda event: f"{event.seat} is skipped",
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
