"""A table's settings in words: what is unusual about them, what was changed, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from . import words
from .rules import VARIANTS, rules_lines
from .styles import Line, Style

Row = Mapping[str, Any]

IN_THE_TITLE = frozenset({"ruleset", "mode", "rounds", "target"})
GROUPS = ("variants", "options")
UNSAID = (False, None, "off")
"""What needs no words where the server does not say what is usual."""
TABLE = {
    "ruleset": "Whose rules are played.",
    "mode": "In rapid anyone may play at any time, and the first legal play counts; in turns one after the other.",
    "rounds": "Rounds of a game; unlimited: until the host ends it.",
    "target": "Points that end a game.",
    "seats": "How many may sit down.",
    "race_seconds": "In a race: seconds without a play until the trick closes.",
    "action_seconds": "Seconds for a turn or an exchange.",
    "standin_grace_seconds": "Seconds until a stand-in plays for a lost connection.",
    "disconnect": "With standin a bot plays for a lost connection; with wait the seat is awaited for 60 s, "
    "then the game is cancelled.",
    "bot_level": "How well bots play that are added from now on.",
    "visibility": "A public table is listed, a private one is found by its address only.",
    "door": "While it is closed nobody new takes a seat.",
    "spectator_delay_seconds": "By how many seconds spectators see everything later.",
}
VALUES = {
    "rounds": "1 to 50, or unlimited",
    "target": "1 to 99",
    "race_seconds": "3 to 60",
    "action_seconds": "5 to 120",
    "standin_grace_seconds": "0 to 60",
    "bot_level": "easy, normal, hard",
    "visibility": "public, private",
    "door": "open, closed",
    "spectator_delay_seconds": "0 to 300",
}
"""What a table's settings can be; the rest is told by the server."""
FIRST_DEALER = "first_dealer"
NOBODY = "none"
ON_OFF = "on, off"
HINT = "the host changes them in the lobby: set NAME VALUE"
_PHRASES: dict[str, Callable[[Any], str]] = {
    "rounds": lambda value: _rounds(value) if value is not None else "no number of rounds",
    "target": lambda value: _target(value) if value is not None else "no target",
    "joker": lambda value: f"jokers {value}",
    "jokers": lambda value: _flag("jokers", value) if isinstance(value, bool) else f"{value} joker{_s(value)}",
    "first_dealer": lambda value: "the last seat deals first" if value is None else f"{words.seat(value)} deals first",
    "seats": lambda value: f"{value} seats at most",
    "race_seconds": lambda value: f"{value} s to race",
    "action_seconds": lambda value: f"{value} s to act",
    "standin_grace_seconds": lambda value: f"stand-ins after {value} s",
    "disconnect": lambda value: {
        "wait": "lost seats are awaited for 60 s, then the game is cancelled",
        "standin": "stand-ins for lost seats",
    }.get(value, f"disconnect {value}"),
    "bot_level": lambda value: f"new bots {value}",
    "visibility": str,
    "spectator_delay_seconds": lambda value: f"spectators {value} s behind",
    "bot_delay_ms": lambda value: f"bots wait {value} ms",
}


class Rulesets:
    """What the server says of its rulesets (`/api/rulesets`); without rows: it did not say."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows = {row.get("ruleset"): row for row in rows}

    def summary(self, settings: Row) -> str:
        """The title, and with their values all settings that are not the ruleset's usual ones."""
        unusual = [phrase(name, value) for name, value in self._unusual(settings)]
        return f"{title(settings)}, with {', '.join(unusual) or 'the usual settings'}"

    def changed(self, before: Row, after: Row) -> str:
        """What is new; of another ruleset, its summary."""
        if before.get("ruleset") != after.get("ruleset"):
            return self.summary(after)
        old, new = _flat(before), _flat(after)
        said = [phrase(name, value) for name, value in new.items() if name not in old or old[name] != value]
        return ", ".join(said) or "as they were"

    def rules(self, settings: Row) -> list[str]:
        """How the table is played, a line each, and what is unusual about that."""
        unusual = [phrase(name, value) for name, value in self._unusual(settings)]
        told = [f"unusual at this table: {', '.join(unusual)}"] if unusual else []
        head = Line.of((title(settings), Style.BOLD))
        return [
            head,
            *rules_lines(settings, self._row(settings)),
            *told,
            "set shows all settings, set NAME what one can be",
        ]

    def in_full(self, settings: Row) -> list[str]:
        """Lines for all settings: the value, the usual one if it is another, what it means and what it can be."""
        lines = [title(settings)]
        for group in GROUPS:
            rows = [self._line(settings, name) for name in self._offered(settings, group)]
            lines += [f"{group}:", *rows] if rows else []
        table = [name for name in _flat(settings) if name in TABLE and settings.get(name) is not None]
        lines += ["table:", *(self._line(settings, name) for name in table)]
        return [*lines, HINT]

    def explain(self, settings: Row, name: str) -> list[str]:
        """One setting: its value now, what it means and all that it can be."""
        if other := self._counts_by(settings, name):
            return [f"{name}: not with these rules, where {other}"]
        if not self._is_known(settings, name):
            return [f"there is no setting {name!r} with these rules; set alone shows all"]
        return [self._line(settings, name, is_alone=True)]

    def is_seat(self, settings: Row, name: str) -> bool:
        """Whether the setting names one of the seats."""
        described = self._option(settings, name).get("type")
        return bool(described == "seat") if described else name == FIRST_DEALER

    def _is_known(self, settings: Row, name: str) -> bool:
        group = next((group for group in GROUPS if name in settings.get(group, {})), None)
        return name in self._offered(settings, group) if group else name in _flat(settings)

    def _counts_by(self, settings: Row, name: str) -> str | None:
        """What a game's length is counted by, where the setting would count it by something else (G1)."""
        by = self._row(settings).get("plays_to")
        return {
            ("rounds", "target"): "a game is to a target of points",
            ("target", "rounds"): "a game is of so many rounds",
        }.get((name, by or ""))

    def _unusual(self, settings: Row) -> Iterator[tuple[str, Any]]:
        usual = self._usual(settings)
        in_groups = {name for group in GROUPS for name in settings.get(group, {})}
        for name, value in _flat(settings).items():
            if name in IN_THE_TITLE or (name == "race_seconds" and settings.get("mode") == "turns"):
                continue
            if (value != usual.get(name)) if usual else (name in in_groups and value not in UNSAID):
                yield name, value

    def _usual(self, settings: Row) -> Row:
        return _flat(self._row(settings).get("defaults", {}))

    def _row(self, settings: Row) -> Row:
        return self._rows.get(settings.get("ruleset"), {})

    def _offered(self, settings: Row, group: str) -> list[str]:
        """The variants and options that the ruleset has, in the table's own order."""
        offered = self._row(settings).get(group)
        names = None if offered is None else {one if isinstance(one, str) else one.get("name") for one in offered}
        return [name for name in settings.get(group, {}) if names is None or name in names]

    def _option(self, settings: Row, name: str) -> Row:
        options: Iterable[Row] = self._row(settings).get("options", ())
        return next((one for one in options if one.get("name") == name), {})

    def _line(self, settings: Row, name: str, *, is_alone: bool = False) -> str:
        value, usual = _flat(settings)[name], self._usual(settings)
        typed = self._typed(settings, name, value)
        said = f"{name} is {typed} now" if is_alone else f"  {name}: {typed}"
        if name in usual and usual[name] != value:
            said += f" (usually {self._typed(settings, name, usual[name])})"
        can_be = self._can_be(settings, name)
        # In a list of all, what is on or off speaks for itself.
        told = [f"It can be: {can_be}."] if can_be and (is_alone or can_be != ON_OFF) else []
        return " ".join([f"{said}.", *self._notes(settings, name), *told])

    def _typed(self, settings: Row, name: str, value: object) -> str:
        """A value as `set` takes it."""
        if self.is_seat(settings, name) and isinstance(value, int):
            return str(value + 1)
        return ("on" if value else "off") if isinstance(value, bool) else NOBODY if value is None else str(value)

    def _can_be(self, settings: Row, name: str) -> str | None:
        row, option = self._row(settings), self._option(settings, name)
        if isinstance(_flat(settings)[name], bool):
            return ON_OFF
        if self.is_seat(settings, name):
            return f"1 to {settings.get('seats')}, a name, {NOBODY}"
        if name == "target" and row.get("endless"):
            return f"{VALUES[name]}, or none: until the host ends it, after 50 rounds at most"  # 5.3
        choices = {
            "ruleset": [str(known) for known in self._rows],
            "mode": row.get("modes"),
            "disconnect": row.get("disconnect"),
        }.get(name, option.get("choices"))
        ends = row.get("seats", {}) if name == "seats" else option
        span = f"{ends['min']} to {ends['max']}" if {"min", "max"} <= set(ends) else None
        return ", ".join(choices or ()) or span or VALUES.get(name)

    def _notes(self, settings: Row, name: str) -> Iterator[str]:
        row, option = self._row(settings), self._option(settings, name)
        if said := option.get("help") or VARIANTS.get(name) or TABLE.get(name):
            yield said
        needs = {"it": option.get("needs") or {}, **(option.get("choice_needs") or {})}
        yield from (f"{who.capitalize()} needs {', '.join(others)}." for who, others in needs.items() if others)
        if excluded := option.get("excludes"):
            yield f"Not with {', '.join(excluded)}."
        if modes := option.get("not_in") or row.get("variants_not_in", {}).get(name):
            yield f"Not in {', '.join(modes)} mode."


def title(settings: Row) -> str:
    """Which game, how, and how long."""
    rounds, target = settings.get("rounds"), settings.get("target")
    # Without both it is the house's three deals (RULES 4.6).
    length = _rounds(rounds) if rounds is not None else _rounds(words.DEALS) if target is None else _target(target)
    return f"{settings.get('ruleset', '?')}, {settings.get('mode', '?')}, {length}"


def is_endless(settings: Row) -> bool:
    """Whether the game goes on until the host ends it, and has winners then (G4)."""
    return settings.get("rounds") == "unlimited" or settings.get("target") == "none"


def rounds_of(settings: Row) -> str:
    """How far a game goes, behind the number of a round: ` of 5`, ` (to 11 points)`; without an end nothing."""
    rounds, target = settings.get("rounds"), settings.get("target")
    if isinstance(target, int):
        return f" ({_target(target)})"
    if rounds is None and target is None:
        return f" of {words.DEALS}"
    return f" of {rounds}" if isinstance(rounds, int) else ""


def phrase(name: str, value: Any) -> str:
    """A setting and its value: `deck spanish40`, `wild twos`, `no killer`."""
    said = _PHRASES.get(name)
    if said:
        return said(value)
    label = name.replace("_", " ")
    if value is None or isinstance(value, bool):
        return _flag(label, value)
    return f"{label} {str(value).replace('_', ' ')}"


def _flag(label: str, value: object) -> str:
    return label if value else f"no {label}"


def _rounds(value: object) -> str:
    return f"{value} round{_s(value)}" if isinstance(value, int) else "until the host ends it"


def _target(value: object) -> str:
    return f"to {value} point{_s(value)}" if isinstance(value, int) else "until the host ends it"


def _s(number: object) -> str:
    return "" if number == 1 else "s"


def _flat(settings: Row) -> dict[str, Any]:
    """All settings by name: variants and options have names of their own."""
    groups: dict[str, Any] = {name: value for group in GROUPS for name, value in settings.get(group, {}).items()}
    return {**{name: value for name, value in settings.items() if name not in GROUPS}, **groups}
