"""Checking settings from outside: a row for each bad field, and all or nothing (PROTOCOL 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from msgspec import Struct, structs

from rapid.rules.options import laid_over
from rapid.rules.presets import KNOWN_RULESETS, PRESETS
from rapid.rules.ruleset import Option, Pace, PlaysTo, Ruleset, Variants
from rapid.rules.settings import ROUNDS_MOST, Settings, default_settings, with_ruleset, without_skip

LARGEST_INTEGER = 2**53 - 1
TARGET_MOST = 99
ROUNDS_OPTION = "three_deals"
"""While it is on there is no target (4.6)."""
LEVELS = ("easy", "normal", "hard")
VARIANT_NAMES = tuple(Variants.__struct_fields__)
DEV_LARGEST_SECONDS = 86_400
"""Even with `--dev`, a timer must be one that can fire."""


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
            raise _Bad(f"must be null: {reason}")

    return check


def _variants(ruleset: Ruleset, present: Variants) -> Check:
    def check(value: Any) -> Variants:
        if not isinstance(value, Mapping):
            raise _Bad("must be a map of booleans")
        for name, on in value.items():
            if name not in VARIANT_NAMES:
                raise _Bad(f"there is no variant of that name; there are: {', '.join(VARIANT_NAMES)}")
            if type(on) is not bool:
                raise _Bad(f"{name} must be true or false")
            if on and name not in ruleset.variant_names:
                raise _Bad(f"{name} cannot be on with {ruleset.name}")
        return structs.replace(present, **value)

    return check


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
        for name, chosen in value.items():
            if name not in offered:
                raise _Bad(f"{ruleset.name} has no such option")
            _option_value(offered[name], chosen)
        return {**present, **value}

    return check


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


def _skip_in_rapid(settings: Settings, fields: Mapping[str, Any]) -> Settings | FieldError:
    """R10: refused if both are asked for; changing only the mode turns it off."""
    if settings.mode != Pace.RAPID or not settings.variants.skip:
        return settings
    asked = fields.get("variants")
    if isinstance(asked, Mapping) and asked.get("skip"):
        return FieldError("variants", "skip cannot be on in rapid mode: there is no next player")
    return without_skip(settings)


def _options_of_mode(settings: Settings, fields: Mapping[str, Any]) -> Settings | FieldError:
    """RULES 7: what needs turns is refused by name in rapid mode; changing only the mode resets it."""
    asked = fields.get("options")
    options = dict(settings.options)
    for option in PRESETS[settings.ruleset].options:
        if settings.mode not in (option.not_in or ()) or options.get(option.name) == option.default:
            continue
        if isinstance(asked, Mapping) and option.name in asked:
            return FieldError("options", f"{option.name} must be {option.default} in {settings.mode} mode")
        options[option.name] = option.default
    return structs.replace(settings, options=options)


def _needs_of(option: Option, value: Any) -> dict[str, Any]:
    """Return what other options must be while this one has that value (5.5)."""
    if value == option.default:
        return {}
    return {**(option.needs or {}), **(option.choice_needs or {}).get(str(value), {})}


def _clash_of(settings: Settings, fields: Mapping[str, Any]) -> FieldError | None:
    """Contradictions between options, and of options with variants, refused by name."""
    options = settings.options
    for option in PRESETS[settings.ruleset].options:
        for needed, wanted in _needs_of(option, options[option.name]).items():
            if options[needed] != wanted:
                text = f"{option.name} {options[option.name]} needs {needed} {wanted}"
                return FieldError("options", text.replace(" True", ""))
        for variant in option.excludes or ():
            if options[option.name] != option.default and getattr(settings.variants, variant):
                field = "options" if "options" in fields else "variants"
                return FieldError(field, f"{option.name} and {variant} exclude each other")
    return None


def _target_or_rounds(settings: Settings, fields: Mapping[str, Any]) -> Settings | FieldError:
    """4.6: with a fixed number of rounds there is no target, and only then; changing the option alone sets it."""
    ruleset = PRESETS[settings.ruleset]
    if ruleset.plays_to is PlaysTo.ROUNDS:
        return settings
    is_fixed = laid_over(ruleset, settings.options).fixed_rounds is not None
    if is_fixed == (settings.target is None):
        return settings
    if "target" in fields:
        must = f"null while {ROUNDS_OPTION} is on" if is_fixed else f"a number while {ROUNDS_OPTION} is off"
        return FieldError("target", f"must be {must}")
    return structs.replace(settings, target=None if is_fixed else default_settings(ruleset).target)


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
    checks = _checks(PRESETS[base.ruleset], base, dev=dev)
    laid: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "ruleset":
            continue
        if name not in checks:
            hint = " without --dev" if name == "bot_delay_ms" else ""
            errors.append(FieldError(str(name)[:64], f"no such setting{hint}"))
            continue
        try:
            laid[name] = checks[name](value)
        except _Bad as fault:
            errors.append(FieldError(name, str(fault)))
    return _laid(base, laid, fields, errors, seats_taken)


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
    settings = _skip_in_rapid(structs.replace(base, **laid), fields)
    if isinstance(settings, Settings):
        settings = _options_of_mode(settings, fields)
    if isinstance(settings, Settings):
        settings = _clash_of(settings, fields) or _target_or_rounds(settings, fields)
    if isinstance(settings, FieldError):
        errors.append(settings)
        return tuple(errors)
    return tuple(errors) or settings
