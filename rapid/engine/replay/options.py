"""Options of a ruleset: each of its values says which fields of the rulebook it changes (RULES 4.6, 5.5, 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rapid.engine.replay.cards import SPANISH_40, Deck
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
    "escoria": {
        "reseat": {},
        "equal": {"is_strict": False},
        "skip_next": {"equal_skips": True},
        "two_high_low": {"two_high_low": True},
        "transparent_threes": {"has_transparent_threes": True},
    },
    "presi": {"must_beat": {"is_strict": True, "equal_skips": False}, "wild_twos": {"has_wild_twos": True}},
}
"""What an option that is on changes; off it changes nothing."""

CHOICES: dict[str, dict[str, dict[Any, Changes]]] = {
    "presi": {
        "deck": {"spanish48": {}, "spanish40": {"deck": SPANISH_40}},
        "killer": {True: {}, "on": {}, False: {"killer": None}, "off": {"killer": None}},
        "passing": {"binds": {}, "free": {"is_binding": False}},
        "exchange": {"checked": {}, "one_free": {"exchange": "steps", "trades": (LAST_TO_FIRST,)}},
        "leader": {"culo": {}, "president": {"leads_later": "first"}},
        "turning": {name: {"turning": name} for name in ("off", "order", "order_and_direction")},
    },
    "escoria": {
        "dealer": {"president": {}, "scum": {"dealer_place": -1}},
        "larger_sets": {name: {"larger_sets": name} for name in ("off", "higher", "any")},
        "turning": {name: {"turning": name} for name in ("off", "order", "run")},
    },
}
"""What each value of an option changes."""

MAX_JOKERS = {"presi": 4, "escoria": 2}
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
    changes["deck"] = _deck(ruleset, changes.get("deck", book.deck), options)
    has_equal = ruleset != "escoria" or options.get("equal", False)
    needs = options.get("skip_next", False) or (ruleset == "escoria" and options.get("turning") == "run")
    demand(has_equal or not needs, "settings: skip_next and turning run need equal")
    is_turning = changes.get("turning", "off") != "off"
    demand(not (is_turning and settings["variants"]["revolution"]), "settings: turning excludes revolution")
    says_which_counts = not (options.get("wild_twos", False) and settings["variants"]["finish_with_two"])
    demand(says_which_counts, "settings: wild_twos excludes finish_with_two")
    dealer = options.get("first_dealer")
    demand(dealer is None or is_integer(dealer), "settings: option first_dealer is malformed")
    if settings["mode"] == "rapid":
        for name, values in NEVER_IN_RAPID.items():
            demand(options.get(name, values[0]) in values, "settings: {} cannot be on in rapid mode", name)
    return replace(book, **changes)


def _deck(ruleset: str, deck: Deck, options: dict[str, Any]) -> Deck:
    """The deck with its jokers, and the order of ranks where an option changes it."""
    jokers = options.get("jokers", 0)
    most = MAX_JOKERS.get(ruleset, 0)
    if isinstance(jokers, bool) and ruleset == "escoria":
        # 5.5: two, or none.
        jokers = most if jokers else 0
    demand(is_integer(jokers) and jokers <= most, "settings: option jokers is malformed")
    three, joker = options.get("three", "lowest"), options.get("joker", "high")
    demand(three in ("lowest", "below_two"), "settings: option three is malformed")
    demand(joker in ("high", "wild"), "settings: option joker is malformed")
    ranks = deck.ranks
    if three == "below_two":
        ranks = (*ranks[1:-1], ranks[0], ranks[-1])
    turned = None
    if ruleset == "escoria" and options.get("turning") == "run":
        # Strongest first: A 2 3 4 5 6 7 8 9 T J Q K.
        turned = tuple("KQJT98765432A")
    return replace(deck, ranks=ranks, jokers=jokers, turned=turned, has_wild_jokers=joker == "wild")
