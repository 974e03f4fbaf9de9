"""Settings of tables as the server lays them, and what it says of its rulesets."""

import json

import msgspec

from rapid.gateway.rulesets import rulesets_body
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over
from rapid_terminal.settings import Rulesets

ROWS = json.loads(rulesets_body())["rulesets"]
RULESETS = Rulesets(ROWS)


def settings(ruleset="president", **fields):
    laid = lay_over(None, {"ruleset": ruleset, **fields})
    assert isinstance(laid, Settings), laid
    return msgspec.to_builtins(laid)


def single_changes():
    """Yield (ruleset, field or group, name, value): each variant, each value of each option, but its default."""
    for row in ROWS:
        for name in row["variants"]:
            yield row["ruleset"], "variants", name, not row["defaults"]["variants"][name]
        for option in row["options"]:
            ends = [0, 1] if option["type"] == "seat" else [option.get("min"), option.get("max")]
            values = option.get("choices") or ([True, False] if option["type"] == "boolean" else ends)
            yield from ((row["ruleset"], "options", option["name"], one) for one in values if one != option["default"])
