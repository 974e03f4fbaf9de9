"""Checking settings from outside: a row for each bad field, and all or nothing (PROTOCOL 2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from msgspec import UNSET, Struct, structs

from rapid.rules.exclusions import Exclusion, Side, exclusions_of
from rapid.rules.presets import KNOWN_RULESETS, PRESETS
from rapid.rules.ruleset import Option, Pace, PlaysTo, Ruleset, Variants
from rapid.rules.settings import RESET_WITH_RULESET, ROUNDS_MOST, Settings, default_settings, with_ruleset

LARGEST_INTEGER = 2**53 - 1
TARGET_MOST = 99
ROUNDS_OPTION = "three_deals"
"""While it is on there is no target (4.6)."""
LEVELS = ("easy", "normal", "hard")
VARIANT_NAMES = tuple(Variants.__struct_fields__)
DEV_LARGEST_SECONDS = 86_400
"""Even with `--dev`, a timer must be one that can fire."""
NAME_SHOWN_MOST = 64
FAULTS_NAMED_MOST = 20
"""Of one map; a sender of more has other troubles."""


class FieldError(Struct, frozen=True):
    """One bad field and what is wrong with it, in words for the person who sent it."""

    field: str
    message: str


class _Bad(ValueError):
    """A bad value: its message names what is wrong."""


Check = Callable[[Any], Any]


def is_integer(value: object) -> bool:
    """Return whether it is an integer that both encodings carry; `True` and `3.0` are not."""
    return type(value) is int and abs(value) <= LARGEST_INTEGER


def _one_of(*choices: str) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise _Bad("must be one of: " + ", ".join(choices))
        return value

    return check


def _integer(low: int, high: int) -> Check:
    def check(value: Any) -> int:
        if not is_integer(value) or not low <= value <= high:
            raise _Bad(f"must be an integer from {low} to {high}")
        return int(value)

    return check


def _seconds(low: int, high: int, *, dev: bool, zero: bool = False) -> Check:
    def check(value: Any) -> float:
        if not dev:
            return int(_integer(low, high)(value))
        if not is_integer(value) and not (type(value) is float and math.isfinite(value)):
            raise _Bad("must be a number of seconds")
        if value > DEV_LARGEST_SECONDS or value < 0 or (not zero and round(value * 1000) < 1):
            raise _Bad(f"must be {'zero or ' if zero else ''}positive, at most {DEV_LARGEST_SECONDS}")
        return cast("float", value)

    return check


def _rounds(value: Any) -> Any:
    if value == "unlimited":
        return value
    if not is_integer(value) or not 1 <= value <= ROUNDS_MOST:
        raise _Bad(f'must be an integer from 1 to {ROUNDS_MOST} or "unlimited"')
    return value


def _target(ruleset: Ruleset) -> Check:
    def check(value: Any) -> Any:
        if value is None and any(option.name == ROUNDS_OPTION for option in ruleset.options):
            return value  # whether it must be, or must not, hangs on that option
        if value == "none" and ruleset.may_be_endless:
            return value
        return _integer(1, TARGET_MOST)(value)

    return check


def _null(reason: str) -> Check:
    def check(value: Any) -> None:
        if value is not None:
            raise _Bad(f"must be left out: {reason}")

    return check


def _variants(ruleset: Ruleset, present: Variants) -> Check:
    def check(value: Any) -> Variants:
        if not isinstance(value, Mapping):
            raise _Bad("must be a map of booleans")
        _refuse_each(_variant_faults(ruleset, value))
        return structs.replace(present, **value)

    return check


def _variant_faults(ruleset: Ruleset, value: Mapping[Any, Any]) -> Iterator[str]:
    for name, on in value.items():
        if name not in VARIANT_NAMES:
            yield f"there is no variant {_shown(name)}; there are: {', '.join(VARIANT_NAMES)}"
        elif type(on) is not bool:
            yield f"{name} must be true or false"
        elif on and name not in ruleset.variant_names:
            yield f"{name} cannot be on with {ruleset.name}"


def _refuse_each(faults: Iterator[str]) -> None:
    """All that is wrong with a map in one message, so that one answer is enough to mend it."""
    texts = list(itertools.islice(faults, FAULTS_NAMED_MOST))
    if texts:
        raise _Bad("; ".join(texts))


def _shown(name: object) -> str:
    """A name of the sender's own, cut to what an answer should carry."""
    return str(name)[:NAME_SHOWN_MOST]


def _option_value(option: Option, value: Any) -> None:
    if option.type == "boolean":
        if type(value) is not bool:
            raise _Bad(f"{option.name} must be true or false")
    elif option.type == "choice":
        if value not in (option.choices or ()):
            raise _Bad(f"{option.name} must be one of: {', '.join(option.choices or ())}")
    elif value is not None or option.default is not None:
        low, high = option.min or 0, LARGEST_INTEGER if option.max is None else option.max
        if not is_integer(value) or not low <= value <= high:
            raise _Bad(f"{option.name} must be an integer from {low} to {high}")


def _options(ruleset: Ruleset, present: dict[str, Any]) -> Check:
    offered = {option.name: option for option in ruleset.options}

    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _Bad("must be a map")
        _refuse_each(_option_faults(ruleset.name, offered, value))
        return {**present, **value}

    return check


def _option_faults(ruleset: str, offered: Mapping[str, Option], value: Mapping[Any, Any]) -> Iterator[str]:
    for name, chosen in value.items():
        if name not in offered:
            yield f"{ruleset} has no option {_shown(name)}"
            continue
        try:
            _option_value(offered[name], chosen)
        except _Bad as fault:
            yield str(fault)


def _checks(ruleset: Ruleset, present: Settings, *, dev: bool) -> dict[str, Check]:
    by_rounds = ruleset.plays_to is PlaysTo.ROUNDS
    checks: dict[str, Check] = {
        "ruleset": _one_of(*PRESETS),
        "mode": _mode(ruleset),
        "rounds": _rounds if by_rounds else _null(f"{ruleset.name} plays to points"),
        "target": _null(f"{ruleset.name} plays rounds") if by_rounds else _target(ruleset),
        "variants": _variants(ruleset, present.variants),
        "options": _options(ruleset, present.options),
        "seats": _integer(ruleset.seats_min, ruleset.seats_max),
        "race_seconds": _seconds(3, 60, dev=dev),
        "action_seconds": _seconds(5, 120, dev=dev),
        "standin_grace_seconds": _seconds(0, 60, dev=dev, zero=True),
        "disconnect": _one_of(*ruleset.disconnect),
        "bot_level": _one_of(*LEVELS),
        "visibility": _one_of("public", "private"),
        "door": _one_of("open", "closed"),
        "spectator_delay_seconds": _integer(0, 300),
    }
    if dev:
        checks["bot_delay_ms"] = _integer(0, 1000 * DEV_LARGEST_SECONDS)
    return checks


def _mode(ruleset: Ruleset) -> Check:
    def check(value: Any) -> str:
        known = [str(mode) for mode in Pace]
        if value in known and value not in ruleset.modes:
            raise _Bad(f"{ruleset.name} is not played in this mode here; modes: {', '.join(ruleset.modes)}")
        return str(_one_of(*ruleset.modes)(value))

    return check


def _ruleset_of(fields: Mapping[str, Any], present: Settings) -> tuple[Settings, list[FieldError]]:
    """Lay the ruleset first: what the other fields may be hangs on it."""
    name = fields.get("ruleset", present.ruleset)
    if name in PRESETS if isinstance(name, str) else False:
        if name != present.ruleset:
            present = with_ruleset(present, PRESETS[name])
        return present, []
    if isinstance(name, str) and name in KNOWN_RULESETS:
        message = f"{name} is not played here; rulesets: {', '.join(PRESETS)}"
    else:
        message = "must be one of: " + ", ".join(PRESETS)
    return present, [FieldError("ruleset", message)]


def _without_clashes(settings: Settings, fields: Mapping[str, Any]) -> tuple[Settings, list[FieldError]]:
    """Contradictions are refused by name; what was not asked for may give way (`exclusions`)."""
    errors: list[FieldError] = []
    for row in exclusions_of(PRESETS[settings.ruleset]):
        if not (_holds(row.this, settings) and _holds(row.that, settings)):
            continue
        if row.yields and not row.this.is_asked(fields):
            settings = _given_way(settings, row)
            continue
        sides = (row.this,) if row.yields else (row.this, row.that)
        errors += (FieldError(side.field, row.help) for side in sides if side.is_asked(fields))
    return settings, errors


def _holds(side: Side, settings: Settings) -> bool:
    return side.is_met(_value_of(settings, side))


def _value_of(settings: Settings, side: Side) -> Any:
    group = getattr(settings, side.field)
    if side.name is None:
        return group
    return group[side.name] if isinstance(group, dict) else getattr(group, side.name)


def _given_way(settings: Settings, row: Exclusion) -> Settings:
    """R10, RULES 7: changing only the mode resets what needs turns; 4.6: `three_deals` sets the target."""
    side = row.this
    value = _value_of(default_settings(PRESETS[settings.ruleset]), side) if row.to is UNSET else row.to
    if side.name is None:
        return structs.replace(settings, **{side.field: value})
    group = getattr(settings, side.field)
    group = {**group, side.name: value} if isinstance(group, dict) else structs.replace(group, **{side.name: value})
    return structs.replace(settings, **{side.field: group})


def _one_a_field(errors: list[FieldError]) -> tuple[FieldError, ...]:
    """PROTOCOL 2: one row per bad field."""
    texts: dict[str, list[str]] = {}
    for error in errors:
        texts.setdefault(error.field, []).append(error.message)
    return tuple(FieldError(field, "; ".join(dict.fromkeys(found))) for field, found in texts.items())


def lay_over(
    present: Settings | None, fields: object, *, dev: bool = False, seats_taken: int = 0
) -> Settings | tuple[FieldError, ...]:
    """Lay the given fields over the present settings (None: the defaults), or say what is wrong.

    `seats_taken` is one more than the highest seat taken: fewer seats than that are refused.
    """
    base = present or default_settings(PRESETS["president"])
    if not isinstance(fields, Mapping):
        return (FieldError("settings", "must be a map"),)
    base, errors = _ruleset_of(fields, base)
    unjudged = RESET_WITH_RULESET if errors else ()
    base = _complete(base)
    checks = _checks(PRESETS[base.ruleset], base, dev=dev)
    laid: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "ruleset":
            continue
        if name in unjudged:
            errors += _wrong_everywhere(name, value)
            continue
        if name not in checks:
            hint = " without --dev" if name == "bot_delay_ms" else ""
            errors.append(FieldError(_shown(name), f"no such setting{hint}"))
            continue
        try:
            laid[name] = checks[name](value)
        except _Bad as fault:
            errors.append(FieldError(name, str(fault)))
    return _laid(base, laid, fields, errors, seats_taken)


def _wrong_everywhere(name: str, value: Any) -> list[FieldError]:
    """What hangs on the ruleset is judged without one only where no ruleset takes it."""
    faults = []
    for ruleset in PRESETS.values():
        try:
            _checks(ruleset, default_settings(ruleset), dev=False)[name](value)
        except _Bad as fault:
            faults.append(str(fault))
        else:
            return []
    return [FieldError(name, faults[0] if len(set(faults)) == 1 else "fits no ruleset")]


def _complete(settings: Settings) -> Settings:
    """Add the options that a table which was opened before they came does not have: at their defaults."""
    options = default_settings(PRESETS[settings.ruleset]).options
    return structs.replace(settings, options={**options, **settings.options})


def _laid(
    base: Settings,
    laid: dict[str, Any],
    fields: Mapping[str, Any],
    errors: list[FieldError],
    seats_taken: int,
) -> Settings | tuple[FieldError, ...]:
    if "seats" not in laid and base.seats < seats_taken:
        errors.append(FieldError("ruleset", f"{seats_taken} seats are in use"))
    if laid.get("seats", seats_taken) < seats_taken:
        errors.append(FieldError("seats", f"must be at least {seats_taken}: those are in use"))
    settings, clashes = _without_clashes(structs.replace(base, **laid), fields)
    return _one_a_field(errors + clashes) or settings
