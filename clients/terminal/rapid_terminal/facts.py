"""What a table's settings make of its rules, to be told to people; what is legal, the server alone decides.

`/api/rulesets` describes what may be chosen. What a ruleset is where nothing was chosen stands here, a row each, and
what its options make of that follows from the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rapid_client.cards import JOKER, has_jokers, is_wild
from rapid_client.fold import passes_bind

BOTH_JOKERS = 2
"""What a table that has jokers or none has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """How it is played; the words of its choices are those of the sentences in `rules`."""

    points: Mapping[str, int] = field(default_factory=dict)
    """By role; the others earn nothing."""
    dealing: str = "last_first"
    """Who is dealt to first: `last_first` by the standings, `moving` by one seat a round, `dealer` after the dealer."""
    is_clockwise: bool = True
    must_beat: bool = False
    """An equal rank does not answer."""
    equal_skips: bool = False
    finish_closes: bool = False
    has_killer: bool = False
    passes_bind: bool = True
    exchange: str = "taken"
    """`taken` by the server, `checked` choices of all, two `steps`, `none`."""
    lead_card: str | None = None
    """Whoever holds it leads round 1, in turns; None: the seat after the dealer."""
    lead_later: str = "last"
    """`last` or `first` of the standings, or the seat after the `dealer`."""
    dealer: str = "moves"
    """`moves` by one seat a round, or from round 2 on the `president` or the last (`scum`)."""
    by_standings: bool = False
    """From round 2 on play goes in the order of the standings."""
    shares_win: bool = True
    jokers: int = 0
    wild_jokers: bool = False
    wild_twos: bool = False
    turning: str = "off"
    larger_sets: str = "off"
    two_high_low: bool = False
    transparent_threes: bool = False
    reseat: bool = False


_HOUSE = Facts(
    points={"president": 2, "vice_president": 1}, dealing="dealer", must_beat=True, exchange="steps",
    lead_later="first",
)  # fmt: skip
_RULESETS = {
    "president": Facts(points={"president": 3, "vice_president": 2, "neutral": 1}, lead_card="QH"),
    "presi": Facts(
        points={"president": 2, "vice_president": 1}, dealing="moving", is_clockwise=False, equal_skips=True,
        finish_closes=True, exchange="checked", lead_card="3O", shares_win=False,
    ),
    "house": _HOUSE,
    "escoria": replace(
        _HOUSE, points={**_HOUSE.points, "vice_scum": -1, "scum": -2, "super_scum": -2}, lead_later="dealer",
        dealer="president", by_standings=True,
    ),
}  # fmt: skip
_AS_THEY_ARE = ("dealer", "turning", "larger_sets", "two_high_low", "transparent_threes", "reseat", "wild_twos")
"""Options that are facts by themselves."""


def facts_of(settings: Mapping[str, Any]) -> Facts:
    """The facts of a table; a ruleset that is not known here is taken for the plain one."""
    options = settings.get("options", {})
    base = _RULESETS.get(settings.get("ruleset", ""), Facts())
    must_beat = bool(options.get("must_beat") or (base.must_beat and not options.get("equal")))
    jokers = options.get("jokers") or 0
    given = {name: options[name] for name in _AS_THEY_ARE if name in options}
    return replace(
        base,
        must_beat=must_beat,
        equal_skips=bool(options.get("skip_next", base.equal_skips)) and not must_beat,
        has_killer=bool(options.get("killer")),
        passes_bind=passes_bind(settings),
        exchange=_exchange(base, options),
        lead_later=_lead_later(base, options),
        jokers=BOTH_JOKERS if jokers is True else int(jokers),
        wild_jokers=has_jokers(settings) and is_wild(JOKER, settings),
        **given,
    )


def _exchange(base: Facts, options: Mapping[str, Any]) -> str:
    if options.get("fresh_hands"):
        return "none"
    return "steps" if options.get("exchange") == "one_free" else base.exchange


def _lead_later(base: Facts, options: Mapping[str, Any]) -> str:
    if options.get("fresh_hands"):
        return "dealer"
    return "first" if options.get("leader") == "president" else base.lead_later
