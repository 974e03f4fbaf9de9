"""The options of `rapid simulate` and their checks (PROTOCOL section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from rapid.rules.presets import KNOWN_RULESETS, PRESETS
from rapid.rules.ruleset import PlaysTo
from rapid.rules.settings import ROUNDS_MOST, Settings, default_settings
from rapid.rules.settings_check import LEVELS, VARIANT_NAMES, lay_over

GAMES_MOST = 1_000_000
OPTION_OF = {"bot_level": "level"}
"""By setting, where the option that asks for it has another name."""


class SimulateError(ValueError):
    """An option is wrong; the text says which and how, for whoever typed it."""


class SimulateOptions(Struct, frozen=True):
    """What to simulate; None stands for the ruleset's own default."""

    ruleset: str = "president"
    mode: str | None = None
    seats: int = 4
    rounds: int | None = None
    """Where the ruleset plays to points, the host stops the game after so many (G4)."""
    target: int | str | None = None
    """Points that end a game; `none` where the ruleset has that."""
    games: int = 1
    seed: int = 1
    variants: tuple[str, ...] | None = None
    """Exactly those that are on."""
    options: Mapping[str, Any] = {}
    level: str = "normal"


def parse_variants(text: str) -> tuple[str, ...]:
    """Return the names in `a,b`; `none` is no name.

    Raises:
        SimulateError: a name that is no variant's, or one that stands twice.
    """
    if text.strip() == "none":
        return ()
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in VARIANT_NAMES:
            raise SimulateError(f"--variants: no variant {name!r}; there are: {', '.join(VARIANT_NAMES)}, or none")
    if len(set(names)) < len(names):
        raise SimulateError("--variants: each at most once")
    return names


def parse_options(text: str, option: str = "--options") -> dict[str, Any]:
    """Return the map in `k=v,k=v`, as given with that option: true, false, null, integers, else text.

    Raises:
        SimulateError: a part without `=`, or a name that stands twice.
    """
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, value = part.partition("=")
        if not sign or not name or name in values:
            raise SimulateError(f"{option}: {part!r} is not name=value, each name once")
        values[name] = _value(value)
    return values


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "null": None}
    if text in words:
        return words[text]
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 17 else text


def settings_for(options: SimulateOptions) -> Settings:
    """Return the settings of the simulated tables.

    Raises:
        SimulateError: an option is out of range.
    """
    if options.ruleset not in PRESETS:
        known = "is not played here" if options.ruleset in KNOWN_RULESETS else "is no ruleset"
        raise SimulateError(f"--ruleset: {options.ruleset!r} {known}; rulesets: {', '.join(PRESETS)}")
    if not 1 <= options.games <= GAMES_MOST:
        raise SimulateError(f"--games: must be from 1 to {GAMES_MOST}")
    if options.rounds is not None and not 1 <= options.rounds <= ROUNDS_MOST:
        raise SimulateError(f"--rounds: must be from 1 to {ROUNDS_MOST}")
    if options.level not in LEVELS:
        raise SimulateError(f"--level: must be one of: {', '.join(LEVELS)}")
    settings = lay_over(default_settings(PRESETS["president"]), _fields(options))
    if isinstance(settings, Settings):
        return settings
    said = (f"--{OPTION_OF.get(error.field, error.field)}: {error.message}" for error in settings)
    raise SimulateError("; ".join(said))


def rounds_allowed(options: SimulateOptions) -> int | None:
    """Return after how many rounds the host stops a game that plays to points; None: it is played to its end."""
    return None if _plays_rounds(options) else options.rounds


def _plays_rounds(options: SimulateOptions) -> bool:
    return PRESETS[options.ruleset].plays_to is PlaysTo.ROUNDS


def _fields(options: SimulateOptions) -> dict[str, Any]:
    fields: dict[str, Any] = {"ruleset": options.ruleset, "seats": options.seats, "bot_level": options.level}
    if options.mode is not None:
        fields["mode"] = options.mode
    if options.rounds is not None and _plays_rounds(options):
        fields["rounds"] = options.rounds
    if options.target is not None:
        fields["target"] = options.target
    if options.variants is not None:
        fields["variants"] = {name: name in options.variants for name in VARIANT_NAMES}
    if options.options:
        fields["options"] = dict(options.options)
    return fields
