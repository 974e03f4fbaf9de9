"""What may not hold together (RULES 4.6, 5.5, 6, 7, 9, R10): one table, in words and for the checks.

`settings_check` refuses by it, `GET /api/rulesets` shows it, and what an option says of itself (`needs`, `excludes`,
`not_in`) is read from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs

from rapid.rules.ruleset import Option, Ruleset


class Side(Struct, frozen=True, omit_defaults=True):
    """Some values of a setting; of a variant or an option, with its `name`."""

    field: str
    name: str | None = None
    values: tuple[Any, ...] | None = None
    """Any of these."""
    but: tuple[Any, ...] | None = None
    """Any but these."""

    @property
    def label(self) -> str:
        """What it is called in a sentence."""
        return self.name or self.field

    def is_of(self, ruleset: Ruleset) -> bool:
        """Return whether the ruleset has that setting."""
        if self.field == "options":
            return any(option.name == self.name for option in ruleset.options)
        if self.field == "seats":
            return any(ruleset.seats_min <= seats <= ruleset.seats_max for seats in self.values or ())
        return self.field != "variants" or self.name in ruleset.variant_names

    def is_met(self, value: Any) -> bool:
        """Return whether that value is meant."""
        return value in self.values if self.values is not None else value not in (self.but or ())

    def is_asked(self, fields: Mapping[str, Any]) -> bool:
        """Return whether a request says anything about that setting."""
        asked = fields.get(self.field, UNSET)
        if asked is UNSET or self.name is None:
            return asked is not UNSET
        return isinstance(asked, Mapping) and self.name in asked


class Exclusion(Struct, frozen=True):
    """Two things that may not hold together. All four rulesets share the table: a row is of those that have both."""

    this: Side
    that: Side
    help: str
    yields: bool = False
    """Whether `this` gives way where it is not asked for: to its default, or to `to`."""
    to: Any | UnsetType = UNSET

    def is_of(self, ruleset: Ruleset) -> bool:
        """Return whether the ruleset has both."""
        return self.this.is_of(ruleset) and self.that.is_of(ruleset)


def _option(name: str, *values: Any) -> Side:
    return Side("options", name, values=values)


_RAPID = Side("mode", values=("rapid",))
_THREE_DEALS = "three_deals"
_DEALERS_SEATS = (4, 5, 6)
"""Of the rulesets with a first dealer, who is one of seven at most (RULES 4.1, 5.1)."""

EXCLUSIONS = (
    Exclusion(
        Side("variants", "skip", values=(True,)),
        _RAPID,
        "skip cannot be on in rapid mode: there is no next player",  # R10
        yields=True,
    ),
    Exclusion(
        _option("skip_next", True),
        _RAPID,
        "skip_next cannot be on in rapid mode: there is no next player",
        yields=True,
    ),
    Exclusion(
        _option("leader", "president"), _RAPID, "leader must be culo in rapid mode: nobody leads there", yields=True
    ),
    Exclusion(
        _option("reseat", True), _RAPID, "reseat cannot be on in rapid mode: there is no play order", yields=True
    ),
    Exclusion(_option("skip_next", True), _option("equal", False), "skip_next needs equal"),  # 5.5
    Exclusion(_option("turning", "run"), _option("equal", False), "turning run needs equal"),  # 5.5
    Exclusion(
        Side("options", "turning", but=("off",)),
        Side("variants", "revolution", values=(True,)),
        "turning and revolution exclude each other: both turn the order",  # RULES 9
    ),
    Exclusion(
        _option("wild_twos", True),
        Side("variants", "finish_with_two", values=(True,)),
        "wild_twos and finish_with_two exclude each other: a two that stands for another card would be both",
    ),
    Exclusion(
        Side("target", but=(None,)),
        _option(_THREE_DEALS, True),
        f"target must be left out while {_THREE_DEALS} is on",  # 4.6
        yields=True,
        to=None,
    ),
    Exclusion(
        Side("target", values=(None,)),
        _option(_THREE_DEALS, False),
        f"target must be a number while {_THREE_DEALS} is off",
        yields=True,
    ),
    *(
        Exclusion(
            _option("first_dealer", *range(seats, _DEALERS_SEATS[-1] + 1)),
            Side("seats", values=(seats,)),
            f"first_dealer must be a chair there is: with {seats} seats they are 0 to {seats - 1}",
            yields=True,
        )
        for seats in _DEALERS_SEATS
    ),
)
"""All of them. What a value by itself may be, and which variants and options a ruleset has, is not among them."""


def exclusions_of(ruleset: Ruleset) -> tuple[Exclusion, ...]:
    """Return the rows that a ruleset has both sides of."""
    return tuple(row for row in EXCLUSIONS if row.is_of(ruleset))


def described(ruleset: Ruleset) -> Ruleset:
    """Return the ruleset with options that say what they need and exclude."""
    rows = exclusions_of(ruleset)
    options = tuple(
        structs.replace(option, **_said(option, [row for row in rows if row.this.name == option.name]))
        for option in ruleset.options
    )
    return structs.replace(ruleset, options=options)


def _said(option: Option, rows: list[Exclusion]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for row in rows:
        that, values = row.that, row.that.values or ()
        if that.field == "mode":
            said["not_in"] = values
        elif that.field == "seats":
            continue  # how many there are says which there are
        elif that.field == "variants":
            said["excludes"] = (*said.get("excludes", ()), that.label)
        elif option.type == "choice":
            said.setdefault("choice_needs", {}).update(
                {str(value): {that.label: True} for value in row.this.values or ()}
            )
        else:
            said.setdefault("needs", {})[that.label] = True
    return said
