"""Options of a ruleset: each of its values says which fields of the rulebook it changes (RULES 4.6, 5.5, 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rapid.engine.replay.cards import SPANISH_40
from rapid.engine.replay.faults import demand
from rapid.engine.replay.rulebook import LAST_TO_FIRST, Rulebook
from rapid.engine.replay.shape import is_integer

Changes = dict[str, Any]

_ON = True
FLAGS: dict[str, dict[str, Changes]] = {
    "house": {
        "sit_out": {"is_binding": True},
        "fresh_hands": {"exchange": "none", "leads_later": "dealer"},
        "three_deals": {"has_target": False, "rounds_set": 3},
    },
    "escoria": {"reseat": {}},
    "presi": {"must_beat": {"is_strict": True, "equal_skips": False}},
}
"""What an option that is on changes; off it changes nothing."""

CHOICES: dict[str, dict[str, dict[Any, Changes]]] = {
    "presi": {
        "deck": {"spanish48": {}, "spanish40": {"deck": SPANISH_40}},
        "killer": {True: {}, "on": {}, False: {"killer": None}, "off": {"killer": None}},
        "passing": {"binds": {}, "free": {"is_binding": False}},
        "exchange": {"checked": {}, "one_free": {"exchange": "steps", "trades": (LAST_TO_FIRST,)}},
        "leader": {"culo": {}, "president": {"leads_later": "first"}},
    },
    "escoria": {"dealer": {"president": {}, "scum": {"dealer_place": -1}}},
}
"""What each value of an option changes."""

NOT_YET: dict[str, dict[str, Any]] = {
    "presi": {"three": "lowest", "jokers": 0, "joker": "high", "wild_twos": False, "turning": "off"},
    "escoria": {
        "larger_sets": "off",
        "equal": False,
        "skip_next": False,
        "turning": "off",
        "jokers": False,
        "two_high_low": False,
        "transparent_threes": False,
    },
}
"""Options whose other values are not read here, and the value that is."""

NEVER_IN_RAPID = {"skip_next": (False,), "leader": ("culo",), "reseat": (False,)}
"""RULES 7: refused by name in rapid mode unless off or at their default."""


def lay_options(book: Rulebook, settings: dict[str, Any]) -> Rulebook:
    """The rulebook of a table with these options; raises `WrongError` for one that is malformed."""
    ruleset, options = settings["ruleset"], settings["options"]
    changes: Changes = {}
    for name, on in FLAGS.get(ruleset, {}).items():
        value = options.get(name, False)
        demand(isinstance(value, bool), "settings: option {} is malformed", name)
        changes |= on if value else {}
    for name, choices in CHOICES.get(ruleset, {}).items():
        value = options.get(name, next(iter(choices)))
        demand(isinstance(value, str | bool) and value in choices, "settings: option {} is malformed", name)
        changes |= choices[value]
    for name, only in NOT_YET.get(ruleset, {}).items():
        value = options.get(name, only)
        is_only = type(value) is type(only) and value == only
        demand(is_only, "settings: option {} other than {} is not supported", name, only)
    dealer = options.get("first_dealer")
    demand(dealer is None or is_integer(dealer), "settings: option first_dealer is malformed")
    if settings["mode"] == "rapid":
        for name, values in NEVER_IN_RAPID.items():
            demand(options.get(name, values[0]) in values, "settings: {} cannot be on in rapid mode", name)
    return replace(book, **changes)
