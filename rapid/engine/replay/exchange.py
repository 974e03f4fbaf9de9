"""The exchange, and the opening of a trick behind it (RULES 2.7)."""

from __future__ import annotations

from typing import Any

from rapid.engine.replay.clock import check_fired, set_deadline
from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.flow import Steps, game_of, need, round_of
from rapid.engine.replay.standin import strongest, weakest
from rapid.engine.replay.table import Exchange, Table
from rapid.engine.replay.trick import Trick, TrickState
from rapid.engine.replay.turns import begin_turn, first_leader

Moves = dict[int, tuple[int, frozenset[str]]]


def open_round(table: Table) -> Steps:
    """Behind a deal: the exchange, if the last standings ask for one, else the first trick."""
    trades = _trades(table)
    if not trades:
        yield from open_trick(table)
        return
    event = yield from need(table, "exchange_opened")
    now = round_of(table)
    demand(event["round"] == now.number, "round {} where {} is due", event["round"], now.number)
    demand(not event.has("step"), "this exchange has no steps")
    due: Moves = {}
    for giver, receiver, count in trades:
        due[giver] = (receiver, frozenset(strongest(table.book.deck, now.hands[giver], count)))
    _check_moves(event["moves"], due)
    owes = {receiver: (giver, count) for giver, receiver, count in trades}
    _check_owes(event["owes"], owes)
    _move(now.hands, due)
    now.exchange = Exchange(owes)
    set_deadline(table, event)


def _trades(table: Table) -> list[tuple[int, int, int]]:
    """X1, X2: (giver, receiver, count) by the last standings, without the seats freed since (G7)."""
    placed = game_of(table).standings
    return [
        (placed[trade.giver], placed[trade.receiver], trade.count)
        for trade in table.book.trades
        if len(placed) >= trade.seats_at_least
    ]


def _check_moves(listed: list[dict[str, Any]], due: Moves) -> None:
    demand(len(listed) == len(due), "{} moves where {} are due", len(listed), len(due))
    for move in listed:
        giver = move["from"]
        demand(giver in due, "no move is due from seat {}", giver)
        receiver, cards = due[giver]
        demand(move["to"] == receiver, "the move of seat {} goes to {}, not {}", giver, receiver, move["to"])
        demand(frozenset(move["cards"]) == cards, "the move of seat {} is not {}", giver, " ".join(sorted(cards)))
        demand(move["count"] == len(cards), "count of the move of seat {} is not {}", giver, len(cards))
    demand(len({move["from"] for move in listed}) == len(due), "a seat moves cards twice")


def _check_owes(listed: list[dict[str, Any]], due: dict[int, tuple[int, int]]) -> None:
    found = {(owed["from"], owed["to"], owed["count"], owed["pick"]) for owed in listed}
    # X3: any cards.
    demand(
        len(listed) == len(due) and found == {(seat, to, count, "any") for seat, (to, count) in due.items()},
        "owes is not what President and Vice-president return",
    )


def _move(hands: dict[int, set[str]], moves: Moves) -> None:
    for giver, (_, cards) in moves.items():
        hands[giver] -= cards
    for receiver, cards in moves.values():
        hands[receiver] |= cards


def given(table: Table, event: Event) -> Steps:
    """`given+ [exchange_closed trick_opened]`: one return by a seat, or the timer's for all that is owed."""
    now = round_of(table)
    exchange = now.exchange
    if exchange is None:
        raise WrongError("no exchange is open")
    is_timer = event["by"] == "timer"
    if is_timer:
        check_fired(table, event)
    _take(table, exchange, event)
    while is_timer and len(exchange.given) < len(exchange.owes):
        more = yield from need(table, "given")
        demand(more["by"] == "timer", "the timer returns for all who have not")
        _take(table, exchange, more)
    if len(exchange.given) == len(exchange.owes):
        closed = yield from need(table, "exchange_closed")
        demand(closed["round"] == now.number, "round {} where {} is due", closed["round"], now.number)
        demand(not closed.has("step"), "this exchange has no steps")
        _check_moves(closed["moves"], exchange.given)
        for receiver, cards in exchange.given.values():
            now.hands[receiver] |= cards
        now.exchange = None
        yield from open_trick(table)


def _take(table: Table, exchange: Exchange, event: Event) -> None:
    seat, cards, hand = event["from"], frozenset(event["cards"]), round_of(table).hands.get(event["from"], set())
    demand(seat in exchange.owes, "seat {} owes nothing", seat)
    demand(seat not in exchange.given, "seat {} has given already", seat)
    receiver, count = exchange.owes[seat]
    demand(event["to"] == receiver, "seat {} gives to {}, not {}", seat, receiver, event["to"])
    demand(event["count"] == count == len(cards), "seat {} gives {} cards", seat, count)
    demand(cards <= hand, "seat {} does not hold {}", seat, " ".join(sorted(cards - hand)))
    by, actor = event["by"], table.chairs[seat].actor
    demand(by in {"timer", actor}, "by is {}, but {} acts for seat {}", by, actor, seat)
    if by in {"timer", "standin"}:
        due = weakest(table.book.deck, hand, count)
        demand(cards == due, "by {} these would be {}", by, " ".join(sorted(due)))
    hand -= cards
    exchange.given[seat] = (receiver, cards)


def open_trick(table: Table) -> Steps:
    """The first trick of a round, nobody leading in rapid mode (R1), else by T1 and T2."""
    leader = first_leader(table, game_of(table), round_of(table)) if table.has_turns else None
    yield from trick_opened(table, leader)


def trick_opened(table: Table, leader: int | None) -> Steps:
    """`trick_opened [turn_began]`: everyone in the round is in the trick; the timer starts (R8, T5)."""
    event = yield from need(table, "trick_opened")
    table.phase = "playing"
    now = round_of(table)
    now.tricks += 1
    demand(event["trick"] == now.tricks, "trick {} where {} is due", event["trick"], now.tricks)
    state = TrickState(None, now.is_turned, frozenset(now.in_round))
    now.trick = Trick(now.tricks, event.seq, {event.seq: state})
    if leader is None:
        demand(event["leader"] is None, "nobody leads in rapid mode")
        set_deadline(table, event)
        return
    demand(event["leader"] == leader, "seat {} leads, not {}", leader, event["leader"])
    demand(event["deadline"] is None, "a trick has no deadline in turn mode")
    yield from begin_turn(table, now.trick, leader)
