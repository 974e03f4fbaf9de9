"""The exchange before a round (RULES 2.7)."""

from __future__ import annotations

from msgspec import UNSET

from rapid.cards.cardset import card_names, parse_cards
from rapid.engine import refusals as why
from rapid.engine.decide.draft import Draft, Outcome, refuse
from rapid.engine.decide.tricks import open_first_trick
from rapid.engine.events import ExchangeClosed, ExchangeOpened, Given, Move
from rapid.engine.intents import Give
from rapid.engine.state import State
from rapid.engine.view import owed_of
from rapid.rules.exchange import Duty, duties_of, extreme_cards, forced_cards, is_choice, trades_of
from rapid.rules.ruleset import ExchangeStyle


def open_exchange(draft: Draft, step: int = 1) -> None:
    """Ask for what is owed; where the lower seats have no choice their best moves at once (X2, X3)."""
    state = draft.state
    rules, round_ = state.rules, state.round
    assert round_ is not None
    trades = trades_of(rules.ruleset, state.standings)
    moves = []
    for trade in trades if rules.ruleset.exchange is ExchangeStyle.TAKEN else ():
        cards = extreme_cards(rules, round_.hands[trade.lower], trade.count, best=True)
        moves.append(Move(trade.lower, trade.upper, trade.count, card_names(rules.deck, cards)))
    draft.emit(
        ExchangeOpened(
            round=round_.number,
            moves=tuple(moves),
            owes=tuple(owed_of(duty) for duty in duties_of(rules.ruleset, trades, step)),
            deadline=draft.at + rules.action_ms,
            step=step if rules.ruleset.exchange is ExchangeStyle.STEPS else UNSET,
        )
    )


def decide_give(state: State, intent: Give, at: int) -> Outcome:
    """Judge cards that a seat returns."""
    exchange, round_ = state.exchange, state.round
    if exchange is None or round_ is None:
        return refuse(state, why.WRONG_PHASE)
    if intent.round != round_.number:
        return refuse(state, why.STALE)
    duty = next((owed for owed in exchange.owed if owed.giver == intent.seat), None)
    if duty is None:
        has_given = any(given.giver == intent.seat for given, _ in exchange.given)
        return refuse(state, why.ALREADY_GIVEN if has_given else why.NOTHING_OWED)
    cards = parse_cards(state.rules.deck, intent.cards)
    if cards is None or cards & ~round_.hands[intent.seat]:
        return refuse(state, why.NOT_YOUR_CARDS)
    if not is_choice(state.rules, round_.hands[intent.seat], duty, cards):
        return refuse(state, why.WRONG_CARDS)
    draft = Draft(state, at)
    give(draft, duty, cards, intent.by)
    close_exchange_if_done(draft)
    return draft.outcome()


def give(draft: Draft, duty: Duty, cards: int, by: str) -> None:
    """Take the chosen cards out of the hand: they arrive when the exchange closes."""
    names = card_names(draft.state.rules.deck, cards)
    draft.emit(Given(duty.giver, duty.taker, duty.count, by, names))


def close_exchange_if_done(draft: Draft) -> None:
    """When all returns are in, cards arrive and the first trick opens (X3)."""
    state = draft.state
    exchange, round_ = state.exchange, state.round
    assert exchange is not None
    assert round_ is not None
    if exchange.owed:
        return
    deck = state.rules.deck
    moves = tuple(Move(duty.giver, duty.taker, duty.count, card_names(deck, cards)) for duty, cards in exchange.given)
    draft.emit(ExchangeClosed(round_.number, moves, step=exchange.step))
    if exchange.step == 1:
        open_exchange(draft, 2)  # 4.4: the upper seat returns any, the received one too
    else:
        open_first_trick(draft)


def exchange_ran_out(draft: Draft) -> None:
    """X3, 3.9: the server gives for those whose time is up, as the stand-in would (RULES 8)."""
    state = draft.state
    exchange, round_ = state.exchange, state.round
    assert exchange is not None
    assert round_ is not None
    late = {seat for seat, end in exchange.ends if end == exchange.deadline}
    for duty in exchange.owed:
        if duty.giver not in late:
            continue  # its chair is awaited, or it was and has its time in full (3.10)
        cards = forced_cards(state.rules, round_.hands[duty.giver], duty)
        give(draft, duty, cards, "timer")
    close_exchange_if_done(draft)
