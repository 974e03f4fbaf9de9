"""Plays, passes and how a trick closes, in either mode (RULES 2.2 to 2.5)."""

from __future__ import annotations

from rapid.engine.replay.cards import bare, common_rank, rank_of
from rapid.engine.replay.clock import check_fired, set_deadline
from rapid.engine.replay.dealing import add_opening
from rapid.engine.replay.endings import end_round
from rapid.engine.replay.event import Event
from rapid.engine.replay.exchange import trick_opened
from rapid.engine.replay.faults import demand
from rapid.engine.replay.flow import Steps, game_of, need, round_of, trick_of
from rapid.engine.replay.standin import opening, response
from rapid.engine.replay.table import Opening, Round, Table
from rapid.engine.replay.trick import (
    Play,
    Trick,
    TrickState,
    all_passed,
    closing_reason,
    has_legal,
    is_legal,
    laid,
    turns_order,
)
from rapid.engine.replay.turns import begin_turn, behind, next_in_trick, next_leader, turn_after_play
from rapid.engine.replay.wild import is_combination


def played(table: Table, event: Event) -> Steps:
    """`played [finished] [skipped] [turn_began | CLOSE]`."""
    now, trick = round_of(table), trick_of(table)
    before = trick.states[trick.state]
    _check_play(table, event, now, trick)
    _check_actor(table, event, now, trick)
    seat, cards = event["seat"], tuple(event["cards"])
    laid_down = {bare(card) for card in cards}
    now.hands[seat] -= laid_down
    now.played |= laid_down
    if not table.book.is_binding:
        # 4.3, RULES 7: a pass holds for one trick state.
        trick.passed.clear()
    trick.plays.append(laid(table.book, seat, cards, trick.top))
    _turn(table, event, now, trick)
    if table.has_turns:
        demand(event["deadline"] is None, "a play has no deadline in turn mode")
    else:
        set_deadline(table, event)
    trick.ended_ms[trick.state] = event.at
    trick.state = event.seq
    trick.states[event.seq] = TrickState(trick.top, now.is_turned, frozenset(now.in_round - trick.passed))
    if not now.hands[seat]:
        yield from _finish(table, now, trick.plays[-1])
    why = closing_reason(table.book, table.settings["variants"], trick, now.in_round, before)
    if why:
        yield from close(table, why)
    elif not table.has_turns:
        yield from _close_if_passed(table, now, trick)
    else:
        next_seat, rank = yield from turn_after_play(table, now, trick, before)
        yield from _next_turn(table, trick, next_seat, rank)


def _turn(table: Table, event: Event, now: Round, trick: Trick) -> None:
    """V1, 5.5: whether the play turns the order, and in turn mode the direction."""
    has_revolution = table.settings["variants"]["revolution"]
    does_turn = turns_order(table.book, trick.plays, has_revolution=has_revolution)
    now.is_turned ^= does_turn
    demand(event["revolution"] == now.is_turned, "revolution is {} after this play", str(now.is_turned).lower())
    if not (does_turn and table.has_turns and table.book.turning in {"run", "order_and_direction"}):
        demand(not event.has("order"), "the direction does not turn here")
        return
    demand(event.has("order"), "the direction turns: order is missing")
    order = tuple(event["order"])
    circle = (order[0], *behind(now.order, order[0])[::-1]) if order and order[0] in now.order else ()
    demand(order == circle, "order is not the circle read the other way")
    now.order = order


def _close_if_passed(table: Table, now: Round, trick: Trick) -> Steps:
    """R6."""
    if all_passed(trick, now.in_round):
        yield from close(table, "passed")


def _next_turn(table: Table, trick: Trick, seat: int | None, rank: str | None = None) -> Steps:
    """T4: the next turn, or the trick closes."""
    if seat is None:
        yield from close(table, "passed")
    else:
        yield from begin_turn(table, trick, seat, rank)


def _check_play(table: Table, event: Event, now: Round, trick: Trick) -> None:
    seat, cards = event["seat"], event["cards"]
    hand = now.hands.get(seat, set())
    demand(event["trick"] == trick.number, "trick {} is open, not {}", trick.number, event["trick"])
    demand(event["on"] == trick.state, "the trick state is {}, not {}", trick.state, event["on"])
    demand(hand, "seat {} is not in the round", seat)
    lacking = {bare(card) for card in cards} - hand
    demand(not lacking, "seat {} does not hold {}", seat, " ".join(sorted(lacking)))
    demand(is_combination(table.book, cards), "the cards are no combination")
    demand(seat not in trick.passed, "seat {} has passed", seat)
    _check_turn(table, trick, seat)
    state, rank = trick.states[trick.state], str(common_rank(cards))
    demand(trick.must_rank in {None, rank}, "only rank {} may be played (V5)", trick.must_rank)
    demand(is_legal(table.book, state, cards), "{} cannot answer the top", " ".join(cards))


def _check_turn(table: Table, trick: Trick, seat: int) -> None:
    """P6: nobody acts out of turn."""
    demand(not table.has_turns or seat == trick.turn, "the turn is seat {}'s, not {}'s", trick.turn, seat)


def _check_actor(table: Table, event: Event, now: Round, trick: Trick) -> None:
    seat, by = event["seat"], event["by"]
    state, hand = trick.states[trick.state], now.hands[seat]
    if by == "timer":
        check_fired(table, event)
    else:
        actor = table.chairs[seat].actor
        demand(by == actor, "by is {}, but {} acts for seat {}", by, actor, seat)
    if by == "timer" and not table.has_turns:
        demand(not trick.plays, "at zero a non-empty trick closes")
        due = opening(table.book, hand, is_turned=now.is_turned)
        # 3.10: never an awaited chair.
        there = tuple(other for other in sorted(now.in_round) if not table.awaits(other))
        made = Opening(event.seq, trick.number, seat, there)
        add_opening(table, now.dealt, made)
    elif by in {"timer", "standin"}:
        due = response(table.book, hand, state, trick.must_rank)
    else:
        return
    demand(_is_same(event["cards"], due), "by {} these would be {}", by, " ".join(sorted(due)))


def _is_same(cards: list[str], due: set[str]) -> bool:
    """The same cards as the same rank: which card of it a wild one names is all one."""
    are_same = {bare(card) for card in cards} == {bare(card) for card in due}
    return are_same and common_rank(cards) == common_rank(due)


def _finish(table: Table, now: Round, play: Play) -> Steps:
    event = yield from need(table, "finished")
    demand(event["seat"] == play.seat, "seat {} has finished, not {}", play.seat, event["seat"])
    # V4: an accepted play of 2s that empties the hand.
    is_penalised = table.settings["variants"]["finish_with_two"] and rank_of(play.cards[0]) == table.book.penalised_rank
    demand(event["penalised"] == is_penalised, "penalised is {} here", str(is_penalised).lower())
    (now.penalised if is_penalised else now.clean).append(play.seat)


def passed(table: Table, event: Event) -> Steps:
    """`passed [turn_began | CLOSE]` (R5, R6, T4)."""
    now, trick, seat = round_of(table), trick_of(table), event["seat"]
    demand(event["trick"] == trick.number, "trick {} is open, not {}", trick.number, event["trick"])
    demand(now.hands.get(seat), "seat {} is not in the round", seat)
    demand(trick.plays, "an empty trick cannot be passed")
    demand(trick.plays[-1].seat != seat, "the last player cannot pass")
    demand(seat not in trick.passed, "seat {} has passed already", seat)
    _check_turn(table, trick, seat)
    _check_passer(table, event, now, trick)
    trick.passed.add(seat)
    if table.has_turns:
        yield from _next_turn(table, trick, next_in_trick(now, trick, seat))
    else:
        yield from _close_if_passed(table, now, trick)


def _check_passer(table: Table, event: Event, now: Round, trick: Trick) -> None:
    """Who passes for the seat; the server and its stand-ins pass only without a legal play (RULES 8)."""
    seat, by, actor = event["seat"], event["by"], table.chairs[event["seat"]].actor
    hand = now.hands[seat]
    if by == "timer" and table.has_turns:
        check_fired(table, event)
    else:
        demand(by == actor, "by is {}, but {} acts for seat {}", by, actor, seat)
    if by in {"timer", "standin"} and table.has_turns:
        had_none = not response(table.book, hand, trick.states[trick.state], trick.must_rank)
        demand(had_none, "by {} there was a legal play", by)
    elif by == "standin":
        # It may have looked at an earlier state of this trick (R5).
        states = [state for state in trick.states.values() if state.top is not None]
        states = states if table.book.is_binding else states[-1:]
        had_none = any(not has_legal(table.book, state, hand) for state in states)
        demand(had_none, "the stand-in had a legal play")


def close(table: Table, why: str) -> Steps:
    """`CLOSE` that must follow."""
    event = yield from need(table, "trick_closed")
    yield from closed(table, event, why)


def closed(table: Table, event: Event, why: str) -> Steps:
    """`CLOSE`, the event being its `trick_closed`."""
    now, trick = round_of(table), trick_of(table)
    demand(event["trick"] == trick.number, "trick {} is open, not {}", trick.number, event["trick"])
    demand(event["why"] == why, "the trick closes as {}, not {}", why, event["why"])
    trick.ended_ms[trick.state] = event.at
    now.last_trick, now.trick = trick, None
    if why == "round_over":
        yield from end_round(table)
    else:
        yield from trick_opened(table, next_leader(now, trick) if table.has_turns else None)


def check_conserved(table: Table) -> None:
    """All cards of the deck, in hands, on the way or played, at every moment of a round."""
    if table.is_in_round:
        count, due = round_of(table).cards(), len(table.book.deck.cards())
        demand(count == due, "{} cards of {} in round {}", count, due, game_of(table).rounds + 1)
