"""Who owes whom what before a round, and which cards will do (X1-X3, 3.9)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rapid.cards.cardset import members
from rapid.rules.ruleset import ExchangeStyle, Rules, Ruleset

ANY, BEST, WORST = "any", "best", "worst"


class Duty(Struct, frozen=True):
    """Cards that `giver` chooses for `taker`: `pick` says which will do."""

    giver: int
    taker: int
    count: int
    pick: str


class Trade(Struct, frozen=True):
    """One swap of this round, between a lower and an upper place."""

    lower: int
    upper: int
    count: int


def trades_of(ruleset: Ruleset, standings: Sequence[int]) -> tuple[Trade, ...]:
    """Return this round's swaps; `standings` of the round before, empty in round 1 (X1)."""
    if not standings:
        return ()
    return tuple(
        Trade(lower=standings[-1 - swap.depth], upper=standings[swap.depth], count=swap.count)
        for swap in ruleset.swaps
        if len(standings) >= swap.least_seats
    )


def duties_of(ruleset: Ruleset, trades: Sequence[Trade], step: int = 1) -> tuple[Duty, ...]:
    """Return who chooses cards: the upper seats (X3), all at the same time (3.9), or the lower first (4.4)."""
    style = ruleset.exchange
    if style is ExchangeStyle.STEPS and step == 1:
        return tuple(Duty(trade.lower, trade.upper, trade.count, BEST) for trade in trades)
    if style in (ExchangeStyle.TAKEN, ExchangeStyle.STEPS):
        return tuple(Duty(trade.upper, trade.lower, trade.count, ANY) for trade in trades)
    return tuple(
        duty
        for trade in trades
        for duty in (
            Duty(trade.lower, trade.upper, trade.count, BEST),
            Duty(trade.upper, trade.lower, trade.count, WORST),
        )
    )


def extreme_cards(rules: Rules, hand: int, count: int, *, best: bool) -> int:
    """Return the `count` best or worst cards of the hand, normal order, among equals in suit order (X2, 3.9)."""
    order = rules.exchange_order
    sign = -1 if best else 1
    ranked = sorted(members(hand), key=lambda card: (sign * order[card], card))
    return sum(1 << card for card in ranked[:count])


def is_choice(rules: Rules, hand: int, duty: Duty, cards: int) -> bool:
    """Return whether these cards of the hand settle the duty: only equals leave a choice (3.9)."""
    if cards.bit_count() != duty.count:
        return False
    if duty.pick == ANY:
        return True
    wanted = extreme_cards(rules, hand, duty.count, best=duty.pick == BEST)
    order = rules.exchange_order
    return sorted(order[card] for card in members(cards)) == sorted(order[card] for card in members(wanted))


def forced_cards(rules: Rules, hand: int, duty: Duty) -> int:
    """Return what the stand-in gives: what is forced, else the weakest cards (RULES 8)."""
    return extreme_cards(rules, hand, duty.count, best=duty.pick == BEST)
