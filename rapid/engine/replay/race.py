"""Plays, passes, lost races and how a trick closes, in rapid mode (RULES 2.3, 2.5)."""

from __future__ import annotations

from rapid.engine.replay.cards import common_rank
from rapid.engine.replay.clock import check_fired, set_deadline
from rapid.engine.replay.dealing import add_opening
from rapid.engine.replay.endings import end_round
from rapid.engine.replay.event import Event
from rapid.engine.replay.exchange import open_trick
from rapid.engine.replay.faults import demand
from rapid.engine.replay.flow import Steps, game_of, need, round_of, trick_of
from rapid.engine.replay.standin import opening, response
from rapid.engine.replay.table import Opening, Round, Table
from rapid.engine.replay.trick import (
    FOUR,
    Play,
    Trick,
    TrickState,
    all_passed,
    closing_reason,
    has_legal,
    is_combination,
    is_legal,
)


def played(table: Table, event: Event) -> Steps:
    """`played [finished] [CLOSE]`."""
    now, trick = round_of(table), trick_of(table)
    before = trick.states[trick.state]
    _check_play(table, event, now, trick)
    _check_actor(table, event, now, trick)
    seat, cards = event["seat"], tuple(event["cards"])
    now.hands[seat] -= set(cards)
    now.played |= set(cards)
    trick.plays.append(Play(seat, cards))
    if len(cards) == FOUR and table.settings["variants"]["revolution"]:
        now.is_turned = not now.is_turned
    demand(event["revolution"] == now.is_turned, "revolution is {} after this play", str(now.is_turned).lower())
    demand(not event.has("order"), "the direction never turns in rapid mode")
    set_deadline(table, event)
    trick.ended_ms[trick.state] = event.at
    trick.state = event.seq
    trick.states[event.seq] = TrickState(trick.top, now.is_turned, frozenset(now.in_round - trick.passed))
    if not now.hands[seat]:
        yield from _finish(table, now, trick.plays[-1])
    why = closing_reason(table.book.deck, table.settings["variants"], trick, now.in_round, before)
    if why:
        closed = yield from need(table, "trick_closed")
        yield from close(table, closed, why)


def _check_play(table: Table, event: Event, now: Round, trick: Trick) -> None:
    seat, cards, deck = event["seat"], event["cards"], table.book.deck
    hand = now.hands.get(seat, set())
    demand(event["trick"] == trick.number, "trick {} is open, not {}", trick.number, event["trick"])
    demand(event["on"] == trick.state, "the trick state is {}, not {}", trick.state, event["on"])
    demand(hand, "seat {} is not in the round", seat)
    demand(set(cards) <= hand, "seat {} does not hold {}", seat, " ".join(sorted(set(cards) - hand)))
    demand(is_combination(deck, cards), "the cards are no combination")
    demand(seat not in trick.passed, "seat {} has passed", seat)
    state, rank = trick.states[trick.state], str(common_rank(cards))
    demand(is_legal(deck, state, rank, len(cards)), "{} cannot answer the top", " ".join(cards))


def _check_actor(table: Table, event: Event, now: Round, trick: Trick) -> None:
    seat, by, deck = event["seat"], event["by"], table.book.deck
    state, hand = trick.states[trick.state], now.hands[seat]
    if by == "timer":
        check_fired(table, event)
        demand(not trick.plays, "at zero a non-empty trick closes")
        due = opening(deck, hand, is_turned=now.is_turned)
        made = Opening(event.seq, trick.number, seat, tuple(sorted(now.in_round)))
        add_opening(table, now.dealt, made)
    else:
        actor = table.chairs[seat].actor
        demand(by == actor, "by is {}, but {} acts for seat {}", by, actor, seat)
        due = response(deck, hand, state) if by == "standin" else set(event["cards"])
    demand(set(event["cards"]) == due, "by {} these would be {}", by, " ".join(sorted(due)))


def _finish(table: Table, now: Round, play: Play) -> Steps:
    event = yield from need(table, "finished")
    demand(event["seat"] == play.seat, "seat {} has finished, not {}", play.seat, event["seat"])
    # V4: an accepted play of 2s that empties the hand.
    is_penalised = table.settings["variants"]["finish_with_two"] and play.rank == table.book.penalised_rank
    demand(event["penalised"] == is_penalised, "penalised is {} here", str(is_penalised).lower())
    (now.penalised if is_penalised else now.clean).append(play.seat)


def passed(table: Table, event: Event) -> Steps:
    """`passed [CLOSE]` (R5, R6)."""
    now, trick, seat = round_of(table), trick_of(table), event["seat"]
    demand(event["trick"] == trick.number, "trick {} is open, not {}", trick.number, event["trick"])
    demand(now.hands.get(seat), "seat {} is not in the round", seat)
    demand(trick.plays, "an empty trick cannot be passed")
    demand(trick.plays[-1].seat != seat, "the last player cannot pass")
    demand(seat not in trick.passed, "seat {} has passed already", seat)
    by, actor = event["by"], table.chairs[seat].actor
    demand(by == actor, "by is {}, but {} acts for seat {}", by, actor, seat)
    if by == "standin":
        # It may have looked at an earlier state of this trick (R5).
        states = [state for state in trick.states.values() if state.top is not None]
        had_none = any(not has_legal(table.book.deck, state, now.hands[seat]) for state in states)
        demand(had_none, "the stand-in had a legal play")
    trick.passed.add(seat)
    if all_passed(trick, now.in_round):
        closed = yield from need(table, "trick_closed")
        yield from close(table, closed, "passed")


def timer_closed(table: Table, event: Event) -> Steps:
    """A timer's `CLOSE` (R7)."""
    trick = trick_of(table)
    demand(event["why"] == "timer", "nothing closes the trick as {}", event["why"])
    check_fired(table, event)
    demand(trick.plays, "at zero an empty trick is opened")
    yield from close(table, event, "timer")


def close(table: Table, event: Event, why: str) -> Steps:
    """`CLOSE`, the event being its `trick_closed`."""
    now, trick = round_of(table), trick_of(table)
    demand(event["trick"] == trick.number, "trick {} is open, not {}", trick.number, event["trick"])
    demand(event["why"] == why, "the trick closes as {}, not {}", why, event["why"])
    trick.ended_ms[trick.state] = event.at
    now.last_trick, now.trick = trick, None
    if why == "round_over":
        yield from end_round(table)
    else:
        yield from open_trick(table)


def race_lost(table: Table, event: Event) -> Steps:
    """R4: a play at a state left behind, of the present trick or the one just closed, once a seat and state."""
    yield from ()
    seat, on = event["seat"], event["on"]
    demand(table.game is not None and table.phase in {"playing", "results", "final"}, "no trick to lose a race in")
    now = table.game.round if table.game else None
    tricks = [trick for trick in (now.trick, now.last_trick) if trick and on in trick.ended_ms] if now else []
    demand(now is not None and tricks, "{} is no past state of the present trick or the one just closed", on)
    trick, hand = tricks[0], now.hands.get(seat, set()) if now else set()
    demand(seat in trick.states[on].in_trick, "seat {} was not in the trick at {}", seat, on)
    demand(has_legal(table.book.deck, trick.states[on], hand), "seat {} holds nothing legal at {}", seat, on)
    demand((seat, on) not in trick.lost, "seat {} has lost the race for {} already", seat, on)
    late_ms = event.at - trick.ended_ms[on]
    demand(event["late_ms"] == late_ms, "late_ms is {}, not {}", late_ms, event["late_ms"])
    trick.lost.add((seat, on))


def check_conserved(table: Table) -> None:
    """All cards of the deck, in hands, on the way or played, at every moment of a round."""
    if table.is_in_round:
        count, due = round_of(table).cards(), len(table.book.deck.cards())
        demand(count == due, "{} cards of {} in round {}", count, due, game_of(table).rounds + 1)
