"""Standings, roles, points (L1, L2) and who gets which extra cards (C3)."""

from __future__ import annotations

from collections.abc import Sequence

from rapid.rules.ruleset import Dealer, Dealing, Ruleset


def standings_of(clean: Sequence[int], left: int, penalised: Sequence[int]) -> tuple[int, ...]:
    """Return the seats best first: clean finishers, the seat left with cards, the penalised (L1)."""
    return (*clean, left, *reversed(penalised))


def roles_of(ruleset: Ruleset, standings: Sequence[int]) -> dict[int, str]:
    """Return seat → role key for these standings (L2); empty where the table has no row."""
    return dict(zip(standings, ruleset.roles.get(len(standings), ()), strict=False))


def points_of(ruleset: Ruleset, roles: dict[int, str]) -> dict[int, int]:
    """Return seat → points of the round (L2)."""
    return {seat: ruleset.points.get(role, 0) for seat, role in roles.items()}


def winners_of(
    totals: dict[int, int], standings: Sequence[int], *, shares: bool, target: int | None
) -> tuple[int, ...]:
    """Return who wins, ascending: all tied leaders (G3), or one alone.

    Where nobody shares, the first to `target` wins, of two in the same round the better placed (3.8).
    """
    best = max(totals.values(), default=0)
    if shares:
        return tuple(sorted(seat for seat, total in totals.items() if total == best))
    enough = best if target is None else min(best, target)
    reached = [seat for seat in (*standings, *sorted(totals)) if totals.get(seat, -1) >= enough and seat in totals]
    return tuple(reached[:1])


def play_order(ruleset: Ruleset, seats: Sequence[int], standings: Sequence[int]) -> tuple[int, ...]:
    """Return the play order of a round; `seats` ascending, `standings` of the round before (5.2)."""
    return tuple(standings) if standings and ruleset.order_by_rank else tuple(seats)


def dealer_of(ruleset: Ruleset, number: int, order: Sequence[int], standings: Sequence[int]) -> int:
    """Return who deals round `number`, `order` being its play order (4.2, 5.1)."""
    if standings and ruleset.dealer is not Dealer.MOVES:
        return standings[0] if ruleset.dealer is Dealer.FIRST else standings[-1]
    first = order.index(ruleset.first_dealer) if ruleset.first_dealer in order else len(order) - 1
    return order[(first + number - 1) % len(order)]


def dealing_order(ruleset: Ruleset, number: int, order: Sequence[int], standings: Sequence[int]) -> tuple[int, ...]:
    """Return who is dealt to, first to last: the first get the extra cards (C3, 3.2, 4.2).

    `number` of the round, `order` its play order; `standings` of the round before, empty in round 1.
    """
    if ruleset.dealing is Dealing.LAST_FIRST:
        return tuple(reversed(standings)) if standings else tuple(order)
    if ruleset.dealing is Dealing.MOVING:
        first = (number - 1) % len(order)
    else:
        first = (order.index(dealer_of(ruleset, number, order, standings)) + 1) % len(order)
    return (*order[first:], *order[:first])
