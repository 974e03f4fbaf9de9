"""Who acts next in turn mode, and who leads (T1-T4, P7). Sets of seats are bit masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rapid.rules.ruleset import Lead, Ruleset
from rapid.rules.scoring import dealer_of


def seats_behind(order: Sequence[int], seat: int) -> Iterator[int]:
    """Yield the other seats in play order, from the one behind `seat` on."""
    at = order.index(seat)
    yield from order[at + 1 :]
    yield from order[:at]


def next_in_trick(order: Sequence[int], after: int, last_player: int, in_trick: int) -> int | None:
    """Return whose turn comes after that of `after` (T3), None if the trick closes (T4).

    It closes when the turn comes back to the last player's chair, with or without cards in its hand.
    """
    for seat in seats_behind(order, after):
        if seat == last_player:
            return None
        if in_trick >> seat & 1:
            return seat
    return None


def next_leader(order: Sequence[int], last_player: int, holding: int) -> int:
    """Return who leads the next trick: the last player, without cards the next in the round behind it (P7)."""
    if holding >> last_player & 1:
        return last_player
    return next(seat for seat in seats_behind(order, last_player) if holding >> seat & 1)


def round_leader(
    ruleset: Ruleset, number: int, order: Sequence[int], hands: Sequence[int], standings: Sequence[int]
) -> int:
    """Return who leads a round's first trick (T1, T2, 4.2, 5.1).

    `number` of the round, its play order and hands by seat; `standings` of the round before, empty in round 1.
    """
    lead = ruleset.lead_later if standings else ruleset.lead_first
    if lead is Lead.LAST:
        return standings[-1]
    if lead is Lead.FIRST:
        return standings[0]
    if lead is Lead.DEALERS_LEFT:
        return next(seats_behind(order, dealer_of(ruleset, number, order, standings)))
    card = ruleset.deck.index[ruleset.lead_card]
    return next(seat for seat, hand in enumerate(hands) if hand >> card & 1)
