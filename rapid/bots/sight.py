"""What a bot makes of its view: the hand as a card set, the top as numbers, who else still holds what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import UNSET, structs

from rapid.engine.events import Cards
from rapid.engine.state import Laid
from rapid.engine.view import SeatView, View, YouView
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Rules, Variants
from rapid.rules.settings import Settings, default_settings, rules_of

UNRATED = "normal"
"""How a seat without a level of its own is played: a leaver's."""
STANDIN = "standin"


class Sight(NamedTuple):
    """All that a policy asks of a view; sets of cards are bit masks."""

    rules: Rules
    seat: int
    hand: int
    reversed_: bool
    top: tuple[int, int] | None
    """Rank index and count."""
    is_last_player: bool
    must_rank: int | None
    """The only rank index that the turn allows (V5)."""
    laid: int
    """Cards laid on the present trick: out, like those of the hand, for everybody else."""
    most_cards: int
    """The most cards that another seat in the trick holds: who holds fewer than lie there cannot answer."""
    least_cards: int
    """The fewest that another seat in the round holds."""


@lru_cache(maxsize=256)
def _rules(ruleset: str, mode: str, variants: Variants, options: tuple[tuple[str, Any], ...]) -> Rules:
    fresh = default_settings(PRESETS[ruleset])
    return rules_of(structs.replace(fresh, mode=mode, variants=variants, options=dict(options)))


def rules_seen(settings: Settings) -> Rules:
    """Return the rules as a player knows them. Its timers are the defaults: bots do not read them."""
    return _rules(settings.ruleset, settings.mode, settings.variants, tuple(settings.options.items()))


def row_of(view: View, seat: int) -> SeatView | None:
    """Return the line of a taken chair."""
    for row in view.seats:
        if row.seat == seat:
            return row
    return None


def mover_of(row: SeatView) -> str:
    """Return who a bot that moves for this chair is: `bot`, or `standin` for a lost person."""
    return "standin" if row.standin else "bot"


def level_of(row: SeatView) -> str:
    """Return how the chair is played: a bot by its level, a lost person by the stand-in's rule (RULES 8)."""
    if row.standin:
        return STANDIN
    return UNRATED if row.level is UNSET else row.level


def look(view: View, you: YouView) -> Sight:
    """Return the view in numbers."""
    rules = rules_seen(view.settings)
    wild = rules.wild
    index = rules.deck.index
    hand = laid = 0
    for text in you.hand:
        hand |= 1 << index[text]
    top, is_last_player = None, False
    trick = view.trick
    if trick is not None and trick.top is not None:
        index = index if wild is None else wild.index
        for play in trick.plays:
            for text in play.cards:
                laid |= 1 << index[text]
        top = _top_rank(rules, trick.plays), len(trick.top.cards)
        is_last_player = trick.top.seat == you.seat
    must_rank = None if view.must_rank is None else rules.deck.ranks.index(view.must_rank)
    # What the others hold is asked for in turns alone.
    rows = [row for row in view.seats if row.seat != you.seat and row.cards] if rules.has_turns else ()
    most_cards = max((row.cards for row in rows if not row.passed), default=0)
    least_cards = min((row.cards for row in rows), default=0)
    return Sight(rules, you.seat, hand, view.revolution, top, is_last_player, must_rank, laid, most_cards, least_cards)


def _rank_played(rules: Rules, cards: Cards) -> int:
    return rules.deck.index[cards[0]] >> 2 if rules.wild is None else rules.wild.ranks[cards[0]]


def _top_rank(rules: Rules, plays: Sequence[Laid]) -> int:
    """Return the rank that is to be beaten: a transparent three has taken that of the play it answered (5.5)."""
    for play in reversed(plays):
        rank = _rank_played(rules, play.cards)
        if rank != rules.transparent_rank:
            return rank
    return rules.transparent_rank  # led, a three is a three
