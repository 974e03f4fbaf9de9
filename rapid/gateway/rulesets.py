"""`GET /api/rulesets`: what this server can play, from the presets (PROTOCOL 2)."""

from __future__ import annotations

from typing import Any

import msgspec

from rapid.rules.exclusions import Exclusion, exclusions_of
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Pace, Ruleset
from rapid.rules.settings import default_settings

TURNS_ONLY = frozenset({"skip"})
"""Variants that need a next player (V5, R10)."""


def describe(ruleset: Ruleset) -> dict[str, Any]:
    """Return one row of the answer."""
    has_turns = Pace.TURNS in ruleset.modes
    return {
        "ruleset": ruleset.name,
        "seats": {"min": ruleset.seats_min, "max": ruleset.seats_max},
        "modes": [str(mode) for mode in ruleset.modes],
        "deck": ruleset.deck.name,
        "plays_to": str(ruleset.plays_to),
        "direction": str(ruleset.direction),
        "variants": [name for name in ruleset.variant_names if has_turns or name not in TURNS_ONLY],
        "roles": {str(seats): list(roles) for seats, roles in ruleset.roles.items()},
        "defaults": default_settings(ruleset),
        "options": list(ruleset.options),
        "endless": ruleset.may_be_endless,
        "disconnect": list(ruleset.disconnect),
        "variants_not_in": {name: [str(Pace.RAPID)] for name in ruleset.variant_names if name in TURNS_ONLY},
        "exclusions": [_shown(row) for row in exclusions_of(ruleset)],
    }


def _shown(row: Exclusion) -> dict[str, Any]:
    """What may not hold all together: each of `all` is a setting with `values`, or all values `but` these."""
    return {"all": [row.this, row.that], "help": row.help}


def rulesets_body() -> bytes:
    """Return the body of the answer; it never changes while the server runs."""
    return msgspec.json.encode({"rulesets": [describe(ruleset) for ruleset in PRESETS.values()]})
