"""The exchange before a round."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rapid.cards.cardset import parse_cards
from rapid.engine import events as ev
from rapid.engine.evolve.step import Evolvers, step
from rapid.engine.state import Exchange, Round, State
from rapid.rules.exchange import Duty


def _moved(state: State, moves: Iterable[ev.Move], *, takes: bool) -> Round:
    assert state.round is not None
    hands = list(state.round.hands)
    for move in moves:
        cards = parse_cards(state.rules.deck, move.cards or ()) or 0
        if takes:
            hands[move.from_] &= ~cards
        hands[move.to] |= cards
    return replace(state.round, hands=tuple(hands))


def _exchange_opened(state: State, event: ev.ExchangeOpened, at: int) -> State:
    owed = tuple(Duty(owed.from_, owed.to, owed.count, owed.pick) for owed in event.owes)
    ends = tuple((duty.giver, None if state.is_awaited(duty.giver) else event.deadline) for duty in owed)
    exchange = Exchange(owed, ends, step=event.step)
    return step(
        state,
        at,
        phase="exchange",
        round=_moved(state, event.moves, takes=True),
        exchange=exchange,
        deadline=exchange.deadline,
    )


def _given(state: State, event: ev.Given, at: int) -> State:
    assert state.round is not None
    assert state.exchange is not None
    cards = parse_cards(state.rules.deck, event.cards or ()) or 0
    hands = list(state.round.hands)
    hands[event.from_] &= ~cards
    duty = next(owed for owed in state.exchange.owed if owed.giver == event.from_)
    exchange = replace(
        state.exchange,
        owed=tuple(owed for owed in state.exchange.owed if owed is not duty),
        ends=tuple(end for end in state.exchange.ends if end[0] != event.from_),
        given=(*state.exchange.given, (duty, cards)),
    )
    round_ = replace(state.round, hands=tuple(hands))
    # Behind the last of them the deadline stands until the exchange closes, in the same decision.
    deadline = exchange.deadline if exchange.owed else state.deadline
    return step(state, at, round=round_, exchange=exchange, deadline=deadline)


def _exchange_closed(state: State, event: ev.ExchangeClosed, at: int) -> State:
    round_ = _moved(state, event.moves, takes=False)
    return step(state, at, phase="playing", round=round_, exchange=None, deadline=None)


EXCHANGE: Evolvers = {
    ev.ExchangeOpened: _exchange_opened,
    ev.Given: _given,
    ev.ExchangeClosed: _exchange_closed,
}
