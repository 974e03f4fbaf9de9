"""The exchange (RULES 2.7, 3.9, 4.4), and the opening of a trick behind it."""

from __future__ import annotations

from typing import Any

from rapid.engine.replay.clock import check_fired, set_deadline, stop_timer
from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.flow import Steps, game_of, need, round_of
from rapid.engine.replay.rulebook import Trade
from rapid.engine.replay.standin import extreme, forced, is_choice
from rapid.engine.replay.table import Exchange, Owe, Table
from rapid.engine.replay.trick import Trick, TrickState
from rapid.engine.replay.turns import begin_turn, first_leader

Moves = dict[int, tuple[int, frozenset[str]]]


def open_round(table: Table) -> Steps:
    """Behind a deal: the exchange, if the last standings ask for one, else the first trick."""
    trades = _trades(table)
    style = table.book.exchange
    if not trades or style == "none":
        yield from open_trick(table)
    elif style == "steps":
        yield from _open_step(table, 1)
    else:
        is_taken = style == "taken"
        moves = _best_of(table, trades) if is_taken else {}
        owes = {receiver: Owe(giver, trade.count, trade.back) for giver, receiver, trade in trades}
        if not is_taken:
            owes |= {giver: Owe(receiver, trade.count, "best") for giver, receiver, trade in trades}
        yield from _open(table, moves, owes, None)


def _open_step(table: Table, step: int) -> Steps:
    """4.4: the last seat gives its best card, the President then returns any."""
    ((giver, receiver, trade),) = _trades(table)
    back = {receiver: Owe(giver, trade.count, "any")}
    owes = {giver: Owe(receiver, trade.count, "best")} if step == 1 else back
    yield from _open(table, {}, owes, step)


def _open(table: Table, moves: Moves, owes: dict[int, Owe], step: int | None) -> Steps:
    event = yield from need(table, "exchange_opened")
    now = round_of(table)
    demand(event["round"] == now.number, "round {} where {} is due", event["round"], now.number)
    _check_step(event, step)
    _check_moves(event["moves"], moves)
    _check_owes(event["owes"], owes)
    _move(now.hands, moves)
    set_deadline(table, event)
    ends = {seat: None if table.awaits(seat) else event["deadline"] for seat in owes}
    now.exchange = Exchange(owes, ends, step)
    if None in ends.values():
        table.deadline = now.exchange.deadline


def _check_step(event: Event, step: int | None) -> None:
    found = event["step"] if event.has("step") else None
    demand(found == step, "step is {}, not {}", step or "absent", found or "absent")


def _trades(table: Table) -> list[tuple[int, int, Trade]]:
    """X1, X2: (giver, receiver, trade) by the last standings, without the seats freed since (G7)."""
    placed = game_of(table).standings
    return [
        (placed[trade.giver], placed[trade.receiver], trade)
        for trade in table.book.trades
        if len(placed) >= trade.seats_at_least
    ]


def _best_of(table: Table, trades: list[tuple[int, int, Trade]]) -> Moves:
    hands = round_of(table).hands
    return {
        giver: (receiver, frozenset(extreme(table.book, hands[giver], trade.count, is_best=True)))
        for giver, receiver, trade in trades
    }


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


def _check_owes(listed: list[dict[str, Any]], due: dict[int, Owe]) -> None:
    found = {(owed["from"], owed["to"], owed["count"], owed["pick"]) for owed in listed}
    wanted = {(seat, owe.to, owe.count, owe.pick) for seat, owe in due.items()}
    demand(len(listed) == len(due) and found == wanted, "owes is not {}", sorted(wanted))


def _move(hands: dict[int, set[str]], moves: Moves) -> None:
    for giver, (_, cards) in moves.items():
        hands[giver] -= cards
    for receiver, cards in moves.values():
        hands[receiver] |= cards


def given(table: Table, event: Event) -> Steps:
    """`given+ [exchange_closed …]`: one seat's choice, or the timer's for all whose time is over."""
    now = round_of(table)
    exchange = now.exchange
    if exchange is None:
        raise WrongError("no exchange is open")
    is_timer = event["by"] == "timer"
    end = exchange.deadline
    if is_timer:
        check_fired(table, event)
    _take(table, exchange, event)
    while is_timer and end in exchange.ends.values():
        more = yield from need(table, "given")
        demand(more["by"] == "timer", "the timer returns for all who have not")
        _take(table, exchange, more)
    if len(exchange.given) == len(exchange.owes):
        yield from _close(table, exchange)
    else:
        table.deadline = exchange.deadline
        table.late_since_ms = None if is_timer else table.late_since_ms


def _close(table: Table, exchange: Exchange) -> Steps:
    """`exchange_closed (exchange_opened | trick_opened [turn_began])`."""
    closed = yield from need(table, "exchange_closed")
    now = round_of(table)
    demand(closed["round"] == now.number, "round {} where {} is due", closed["round"], now.number)
    _check_step(closed, exchange.step)
    _check_moves(closed["moves"], exchange.given)
    for receiver, cards in exchange.given.values():
        now.hands[receiver] |= cards
    now.exchange = None
    if exchange.step == 1:
        yield from _open_step(table, 2)
    else:
        yield from open_trick(table)


def _take(table: Table, exchange: Exchange, event: Event) -> None:
    seat, cards, hand = event["from"], frozenset(event["cards"]), round_of(table).hands.get(event["from"], set())
    demand(seat in exchange.owes, "seat {} owes nothing", seat)
    demand(seat not in exchange.given, "seat {} has given already", seat)
    owe = exchange.owes[seat]
    demand(event["to"] == owe.to, "seat {} gives to {}, not {}", seat, owe.to, event["to"])
    demand(event["count"] == owe.count == len(cards), "seat {} gives {} cards", seat, owe.count)
    demand(cards <= hand, "seat {} does not hold {}", seat, " ".join(sorted(cards - hand)))
    demand(is_choice(table.book, hand, cards, owe.pick), "these are not the {} cards of seat {}", owe.pick, seat)
    by, actor = event["by"], table.chairs[seat].actor
    demand(by in {"timer", actor}, "by is {}, but {} acts for seat {}", by, actor, seat)
    if by == "timer":
        demand(exchange.ends[seat] == table.deadline, "the time of seat {} is not over", seat)
    if by in {"timer", "standin"}:
        due = forced(table.book, hand, owe.count, owe.pick)
        demand(cards == due, "by {} these would be {}", by, " ".join(sorted(due)))
    hand -= cards
    del exchange.ends[seat]
    exchange.given[seat] = (owe.to, cards)


def open_trick(table: Table) -> Steps:
    """The first trick of a round, nobody leading in rapid mode (R1), else by T1 and T2."""
    leader = first_leader(table, game_of(table), round_of(table)) if table.has_turns else None
    yield from trick_opened(table, leader)


def trick_opened(table: Table, leader: int | None) -> Steps:
    """`trick_opened [turn_began]`: everyone in the round is in the trick; the timer starts (R8, T5)."""
    event = yield from need(table, "trick_opened")
    table.phase = "playing"
    stop_timer(table)
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
