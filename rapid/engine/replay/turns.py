"""Turn mode: whose turn it is, who is skipped, who leads (RULES 2.4, V5, P7)."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from rapid.engine.replay.cards import ranks_held
from rapid.engine.replay.clock import set_deadline, stop_timer
from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.flow import Steps, need
from rapid.engine.replay.table import Game, Round, Table
from rapid.engine.replay.trick import Trick, TrickState, is_equal

NextTurn = Generator[tuple[str, ...], Event, tuple[int | None, str | None]]


def behind(order: Sequence[int], seat: int) -> list[int]:
    """All other seats in play order, the one behind this seat first."""
    place = order.index(seat)
    return [*order[place + 1 :], *order[:place]]


def next_in_trick(now: Round, trick: Trick, seat: int) -> int | None:
    """T3: the seat whose turn it is behind this one; None where the last player's chair comes first (T4)."""
    last = trick.plays[-1].seat
    for other in behind(now.order, seat):
        if other == last:
            return None
        if other in now.in_round and other not in trick.passed:
            return other
    return None


def first_leader(table: Table, game: Game, now: Round) -> int:
    """Who leads the round's first trick (T1, T2, 3.3, 4.2, 5.1)."""
    book = table.book
    if now.number == 1 and book.leads_first is not None:
        holders = [seat for seat, hand in now.hands.items() if book.leads_first in hand]
        if not holders:
            raise WrongError(f"nobody holds {book.leads_first}")
        return holders[0]
    if now.number == 1 or book.leads_later == "dealer":
        # The seat left of the dealer is dealt to first.
        return now.dealt.seats[0]
    return game.standings[-1 if book.leads_later == "last" else 0]


def next_leader(now: Round, trick: Trick) -> int:
    """P7: the last player; without cards, the next seat in the round behind it in play order."""
    last = trick.plays[-1].seat
    if last in now.in_round:
        return last
    return next(seat for seat in behind(now.order, last) if seat in now.in_round)


def begin_turn(table: Table, trick: Trick, seat: int, rank: str | None = None) -> Steps:
    """`turn_began`: this seat acts within `action_seconds` (T5)."""
    event = yield from need(table, "turn_began")
    demand(event["seat"] == seat, "the turn is seat {}'s, not {}'s", seat, event["seat"])
    demand(event["rank"] == rank, "rank is {}, not {}", rank or "null", event["rank"] or "null")
    if table.awaits(seat):
        # 3.10: the awaited seat's own timer does not run.
        demand(event["deadline"] is None, "seat {} is awaited, its timer does not run", seat)
        stop_timer(table)
    else:
        set_deadline(table, event)
    trick.turn, trick.must_rank = seat, rank
    trick.turns.setdefault(trick.state, {})[seat] = rank


def turn_after_play(table: Table, now: Round, trick: Trick, before: TrickState) -> NextTurn:
    """Who is next behind an accepted play that closes nothing by itself: (seat or None, rank); `skipped` on the way."""
    top = trick.plays[-1]
    seat = next_in_trick(now, trick, top.seat)
    is_same = is_equal(before.top, top)
    has_skip = table.settings["variants"]["skip"]
    if seat is None or not is_same or not (has_skip or table.book.equal_skips):
        return seat, None
    # V5: it keeps its turn only if it holds at least that many of that rank. 3.4 skips it in any case.
    if has_skip and ranks_held(now.hands[seat]).get(top.rank, 0) >= len(top.cards):
        return seat, top.rank
    event = yield from need(table, "skipped")
    demand(event["seat"] == seat, "seat {} is skipped, not {}", seat, event["seat"])
    demand(event["trick"] == trick.number, "trick {} is open, not {}", trick.number, event["trick"])
    return next_in_trick(now, trick, seat), None
