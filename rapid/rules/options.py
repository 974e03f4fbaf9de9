"""What an option does: it changes fields of the ruleset, nothing else (RULES 4.6, 5, 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from rapid.cards.deck import SPANISH_40, SPANISH_48, Deck, with_jokers
from rapid.rules.presets import spanish_strength
from rapid.rules.ruleset import Answer, Dealer, ExchangeStyle, LargerSets, Lead, Passing, Ruleset, Swap, Turning

Changes = dict[str, Any]


def _when_on(**changes: Any) -> Callable[[Any], Changes]:
    return lambda is_on: changes if is_on else {}


def _spanish(deck: Deck) -> Changes:
    return {"deck": deck, "strength": spanish_strength(deck), "penalty_rank": deck.ranks.index("2")}


DECKS = {deck.name: _spanish(deck) for deck in (SPANISH_40, SPANISH_48)}
BOTH_JOKERS = 2
"""What a ruleset that has jokers or none has (5.5)."""

EFFECTS: dict[str, Callable[[Any], Changes]] = {
    "first_dealer": lambda seat: {"first_dealer": seat},
    "sit_out": _when_on(passing=Passing.BINDS),
    "fresh_hands": _when_on(swaps=(), lead_later=Lead.DEALERS_LEFT),
    "three_deals": _when_on(fixed_rounds=3),
    "dealer": lambda dealer: {"dealer": Dealer(dealer)},
    "deck": lambda name: DECKS[name],
    "must_beat": _when_on(answer=Answer.HIGHER, equal_skips=False),
    "killer": lambda is_on: {} if is_on else {"has_killer": False},
    "passing": lambda passing: {"passing": Passing(passing)},
    "exchange": lambda style: (
        {"exchange": ExchangeStyle.STEPS, "swaps": (Swap(depth=0, count=1),)} if style == "one_free" else {}
    ),
    "leader": lambda place: {"lead_later": Lead.FIRST} if place == "president" else {},
    "larger_sets": lambda which: {"larger_sets": LargerSets(which)},
    "equal": _when_on(answer=Answer.EQUAL_OR_HIGHER),
    "skip_next": _when_on(equal_skips=True),
    "turning": lambda which: {"turning": Turning(which)},
    "jokers": lambda jokers: {"jokers": BOTH_JOKERS if jokers is True else int(jokers)},
    "joker": lambda kind: {"wild_jokers": kind == "wild"},
    "wild_twos": _when_on(wild_twos=True),
    "three": lambda place: {"threes_below_two": place == "below_two"},
    "two_high_low": _when_on(two_high_low=True),
    "transparent_threes": _when_on(transparent_threes=True),
    "reseat": lambda _is_on: {},  # only how the table is shown (5.2)
}


def laid_over(ruleset: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """Return the ruleset with a table's options, which were checked before, laid over it."""
    changes: Changes = {}
    for name, value in options.items():
        changes |= EFFECTS[name](value)
    if not changes:
        return ruleset
    laid = structs.replace(ruleset, **changes)
    deck = with_jokers(laid.deck, laid.jokers) if laid.jokers else laid.deck
    return structs.replace(laid, deck=deck, strength=_strength(laid))


def _strength(laid: Ruleset) -> tuple[int, ...]:
    """Return the strengths with the three below the two, where that is its place (RULES 6)."""
    three, two = (laid.deck.ranks.index(rank) for rank in "32")
    if not laid.threes_below_two:
        return laid.strength
    place = laid.strength[two] - 1
    return tuple(place if rank == three else one - (one < laid.strength[two]) for rank, one in enumerate(laid.strength))
