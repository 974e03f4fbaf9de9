"""What an option does: it changes fields of the ruleset, nothing else (RULES 4.6, 5, 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from rapid.rules.ruleset import Dealer, Lead, Passing, Ruleset

Changes = dict[str, Any]


def _when_on(**changes: Any) -> Callable[[Any], Changes]:
    return lambda is_on: changes if is_on else {}


EFFECTS: dict[str, Callable[[Any], Changes]] = {
    "first_dealer": lambda seat: {"first_dealer": seat},
    "sit_out": _when_on(passing=Passing.BINDS),
    "fresh_hands": _when_on(swaps=(), lead_later=Lead.DEALERS_LEFT),
    "three_deals": _when_on(fixed_rounds=3),
    "dealer": lambda dealer: {"dealer": Dealer(dealer)},
    "reseat": lambda _is_on: {},  # only how the table is shown (5.2)
}


def laid_over(ruleset: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """Return the ruleset with a table's options, which were checked before, laid over it."""
    changes: Changes = {}
    for name, value in options.items():
        changes |= EFFECTS[name](value)
    return structs.replace(ruleset, **changes) if changes else ruleset
