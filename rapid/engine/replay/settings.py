"""Settings: complete and in range (PROTOCOL section 2)."""

from __future__ import annotations

import math
from typing import Any

from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.options import lay_options
from rapid.engine.replay.rulebook import RULEBOOKS, VARIANTS, Rulebook
from rapid.engine.replay.shape import is_integer

MAX_ROUNDS = 50
MAX_TARGET = 99
MAX_SPECTATOR_DELAY_S = 300
_CHOICES = {
    "bot_level": ("easy", "normal", "hard"),
    "visibility": ("public", "private"),
    "door": ("open", "closed"),
}


def is_number(value: object) -> bool:
    """A JSON number that can be reckoned with: no boolean, not endless."""
    if type(value) is int:
        return is_integer(value)
    return isinstance(value, float) and math.isfinite(value)


def rulebook_of(settings: dict[str, Any]) -> Rulebook:
    """The row for the ruleset and mode asked for; raises `WrongError` if there is none."""
    ruleset, mode = settings.get("ruleset"), settings.get("mode")
    demand(isinstance(ruleset, str) and isinstance(mode, str), "settings lack ruleset or mode")
    book = RULEBOOKS.get(str(ruleset))
    if book is None or mode not in book.modes:
        raise WrongError(f"ruleset {str(ruleset)[:24]!r} in mode {str(mode)[:24]!r} is not supported")
    return book


def check_settings(settings: dict[str, Any]) -> Rulebook:
    """The rulebook of complete settings; raises `WrongError` for the first bad field.

    The log does not say whether its server ran with `--dev`, so the wider ranges of `--dev` hold.
    """
    book = rulebook_of(settings)
    _check_variants(settings, book)
    demand(isinstance(settings.get("options"), dict), "settings: options is malformed")
    book = lay_options(book, settings)
    _check_length(settings, book)
    policy = settings.get("disconnect")
    demand(
        isinstance(policy, str) and policy in book.policies,
        "settings: disconnect is none of {}",
        ", ".join(book.policies),
    )
    seats = settings.get("seats")
    is_seats = isinstance(seats, int) and is_integer(seats, book.seats_least) and seats <= book.seats_most
    demand(is_seats, "settings: seats is out of range")
    for name in ("race_seconds", "action_seconds"):
        demand(is_number(settings.get(name)) and settings[name] > 0, "settings: {} is out of range", name)
    demand(
        is_number(settings.get("standin_grace_seconds")) and settings["standin_grace_seconds"] >= 0,
        "settings: standin_grace_seconds is out of range",
    )
    delay = settings.get("spectator_delay_seconds")
    demand(
        is_number(delay) and 0 <= settings["spectator_delay_seconds"] <= MAX_SPECTATOR_DELAY_S,
        "settings: spectator_delay_seconds is out of range",
    )
    for name, choices in _CHOICES.items():
        demand(settings.get(name) in choices, "settings: {} is none of {}", name, ", ".join(choices))
    return book


def _check_variants(settings: dict[str, Any], book: Rulebook) -> None:
    variants = settings.get("variants")
    if not isinstance(variants, dict):
        raise WrongError("settings: variants is malformed")
    for name in VARIANTS:
        demand(isinstance(variants.get(name), bool), "settings: variant {} is malformed", name)
    unknown = sorted(name for name in VARIANTS if variants[name] and name not in book.variants)
    demand(not unknown, "settings: {} cannot be on with this ruleset", ", ".join(unknown))
    # R10
    on = sorted(name for name in book.never_in_rapid if variants[name] and settings["mode"] == "rapid")
    demand(not on, "settings: {} cannot be on in rapid mode", ", ".join(on))


def _check_length(settings: dict[str, Any], book: Rulebook) -> None:
    """Rounds or a target, never both (3.8, 4.5, 5.3)."""
    rounds, target = settings.get("rounds"), settings.get("target")
    demand("rounds" in settings and "target" in settings, "settings lack rounds or target")
    if book.has_target or book.rounds_set is not None:
        demand(rounds is None, "settings: rounds is not null")
        is_points = isinstance(target, int) and is_integer(target, 1) and target <= MAX_TARGET
        is_open = target == "none" and settings["ruleset"] == "escoria"
        is_none = book.rounds_set is not None and target is None
        demand(is_none or (book.has_target and (is_points or is_open)), "settings: target is out of range")
        return
    is_set = isinstance(rounds, int) and is_integer(rounds, 1) and rounds <= MAX_ROUNDS
    demand(is_set or rounds == "unlimited", "settings: rounds is out of range")
    demand(target is None, "settings: target is not null")
