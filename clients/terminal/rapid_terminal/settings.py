"""A table's settings in words: what is unusual about them, what was changed, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from rapid_client.cards import JOKER, has_jokers, is_wild, ranks

Row = Mapping[str, Any]

IN_THE_TITLE = frozenset({"ruleset", "mode", "rounds", "target"})
GROUPS = ("variants", "options")
UNSAID = (False, None, "off")
"""What needs no words where the server does not say what is usual."""
VARIANTS = {
    "revolution": "Four of a kind at once turn the order of the cards, another four turn it back.",
    "four_closes": "Four cards of one rank, one behind the other, close the trick.",
    "strongest_closes": "A play of the strongest rank closes the trick.",
    "finish_with_two": "Whoever goes out with twos gets a place at the bottom.",
    "skip": "After an equal rank the next seat plays that rank too, or passes; without it the seat is skipped.",
}
TABLE = {
    "rounds": "Rounds of a game, 1 to 50, or unlimited: until the host ends it.",
    "target": "Points that end a game.",
    "seats": "How many may sit down.",
    "race_seconds": "In a race: seconds without a play until the trick closes.",
    "action_seconds": "Seconds for a turn or an exchange.",
    "standin_grace_seconds": "Seconds until a stand-in plays for a lost connection.",
    "disconnect": "With standin a bot plays for a lost connection; with wait the seat is awaited for 60 s, "
    "then the game is cancelled.",
    "bot_level": "How well bots play that are added from now on: easy, normal, hard.",
    "visibility": "A public table is listed, a private one is found by its address only.",
    "door": "While it is closed nobody new takes a seat.",
    "spectator_delay_seconds": "By how many seconds spectators see everything later.",
}
_PHRASES: dict[str, Callable[[Any], str]] = {
    "rounds": lambda value: _rounds(value) if value is not None else "no number of rounds",
    "target": lambda value: _target(value) if value is not None else "no target",
    "joker": lambda value: f"jokers {value}",
    "jokers": lambda value: _flag("jokers", value) if isinstance(value, bool) else f"{value} joker{_s(value)}",
    "first_dealer": lambda value: "the last seat deals first" if value is None else f"seat {value} deals first",
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

    def in_full(self, settings: Row) -> list[str]:
        """Lines for all settings: the value, the usual one if it is another, and what it means."""
        has_high = has_jokers(settings) and not is_wild(JOKER, settings)
        order = [*ranks(settings), *([JOKER] if has_high else [])]
        lines = [title(settings), f"cards, weakest first: {' '.join(order)}"]
        for group in GROUPS:
            rows = [self._line(settings, name) for name in self._offered(settings, group)]
            lines += [f"{group}:", *rows] if rows else []
        table = [name for name in _flat(settings) if name in TABLE and settings.get(name) is not None]
        lines += ["table:", *(self._line(settings, name) for name in table)]
        return [*lines, "the host changes them in the lobby: set NAME VALUE"]

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

    def _line(self, settings: Row, name: str) -> str:
        value, usual = _flat(settings)[name], self._usual(settings)
        is_unusual = name in usual and usual[name] != value
        said = f"{_typed(value)} (usually {_typed(usual[name])})" if is_unusual else _typed(value)
        return f"  {name}: {said}. {' '.join(self._notes(settings, name))}".rstrip()

    def _notes(self, settings: Row, name: str) -> Iterator[str]:
        row = self._row(settings)
        option: Row = next((one for one in row.get("options", ()) if one.get("name") == name), {})
        if said := option.get("help") or VARIANTS.get(name) or TABLE.get(name):
            yield said
        if name == "target" and row.get("endless"):
            yield "1 to 99, or none: until the host ends it, after 50 rounds at most."  # 5.3
        if choices := option.get("choices"):
            yield f"One of: {', '.join(choices)}."
        if option.get("type") == "integer":
            yield f"{option.get('min')} to {option.get('max')}."
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
    length = _rounds(rounds) if rounds is not None else "3 rounds" if target is None else _target(target)
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
        return " of 3"
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


def _typed(value: object) -> str:
    """A value as `set` takes it."""
    return {True: "on", False: "off", None: "null"}[value] if value is None or isinstance(value, bool) else str(value)


def _flat(settings: Row) -> dict[str, Any]:
    """All settings by name: variants and options have names of their own."""
    groups: dict[str, Any] = {name: value for group in GROUPS for name, value in settings.get(group, {}).items()}
    return {**{name: value for name, value in settings.items() if name not in GROUPS}, **groups}
