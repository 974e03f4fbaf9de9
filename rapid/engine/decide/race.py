"""Plays and passes, in the race and in turns (RULES 2.2-2.5)."""

from __future__ import annotations

from msgspec import UNSET

from rapid.cards.shuffle import opening_seat
from rapid.engine import refusals as why
from rapid.engine.decide.draft import Draft, Outcome, refuse
from rapid.engine.decide.rounds import end_round
from rapid.engine.decide.tricks import open_next_trick, turn_goes_on, turn_goes_on_or_skips
from rapid.engine.events import Finished, Passed, Played, RaceLost, TrickClosed
from rapid.engine.intents import Pass, Play
from rapid.engine.refusals import Refusal
from rapid.engine.state import Past, Round, State, Trick
from rapid.rules.legal import answer_fault, closing_reason, turns_order
from rapid.rules.plays import Combination, named, read_play
from rapid.rules.ruleset import Passing, Rules, Skips
from rapid.rules.standin import standin_choice, standin_opening


def decide_play(state: State, intent: Play, at: int) -> Outcome:
    """Judge a play in the order of R4, and accept the first legal one of a trick state (R2)."""
    trick, round_ = state.trick, state.round
    is_present = trick is not None and intent.on == trick.state
    past = None if is_present else _past_of(state, intent.on)
    if trick is None and past is None:
        return refuse(state, why.WRONG_PHASE)
    hand = _hand(state, intent.seat)
    play = read_play(state.rules, intent.cards, hand)
    if isinstance(play, str):
        return refuse(state, play)
    if trick is None or round_ is None or not is_present:
        return _stale(state, intent, at, past, play)
    fault = _fault(state, trick, round_, intent.seat, play)
    if fault is not None:
        return refuse(state, fault)
    draft = Draft(state, at)
    accept_play(draft, intent.seat, intent.cards, play, intent.by)
    return draft.outcome()


def _hand(state: State, seat: int) -> int:
    """The seat's cards: behind a round's end those it held then, for plays that come late."""
    if state.round is not None:
        return state.round.hands[seat]
    closed = state.closed
    return closed.hands[seat] if closed is not None and closed.hands else 0


def _fault(state: State, trick: Trick, round_: Round, seat: int, combination: Combination) -> str | None:
    if trick.passed >> seat & 1:
        return why.ALREADY_PASSED
    rules = state.rules
    if rules.has_turns and seat != trick.turn:
        return why.NOT_YOUR_TURN
    rank, cards = combination
    if trick.top is None or cards == rules.killer:
        return None
    fault = answer_fault(rules, trick.top, rank, cards.bit_count(), reversed_=round_.revolution)
    if trick.must_rank is not None and rank != trick.must_rank and fault != why.WRONG_COUNT:
        return why.MUST_MATCH_RANK  # V5
    return fault


def _past_of(state: State, on: int) -> Past | None:
    """The ended trick state of that `seq`, of the present trick or the one just closed."""
    trick, closed = state.trick, state.closed
    for group in (trick.past if trick else (), closed.past if closed else ()):
        for past in reversed(group):
            if past.state == on:
                return past
    return None


def _stale(state: State, intent: Play, at: int, past: Past | None, combination: Combination) -> Outcome:
    """Cancel a play aimed at another state (R3); a lost race is logged once (R4), and only where there is a race."""
    if past is None or state.rules.has_turns or not _was_legal(state, past, intent.seat, combination):
        return refuse(state, why.STALE)
    late_ms = at - past.ended_at
    if past.lost >> intent.seat & 1:
        return refuse(state, why.STALE)
    draft = Draft(state, at)
    draft.emit(RaceLost(intent.seat, intent.on, late_ms))
    return draft.outcome(Refusal(why.STALE, late_ms))


def _was_legal(state: State, past: Past, seat: int, combination: Combination) -> bool:
    closed = state.closed
    if closed is not None and closed.is_over and past in closed.past:
        return False  # those were the cards of another deal
    if past.passed >> seat & 1:
        return False
    rank, cards = combination
    if past.top is None or cards == state.rules.killer:
        return True
    fault = answer_fault(state.rules, past.top, rank, cards.bit_count(), reversed_=past.revolution)
    return fault is None


def accept_play(draft: Draft, seat: int, texts: tuple[str, ...], combination: Combination, by: str) -> None:
    """Lay a legal play on the present state, with all that follows from it (R8, V1-V6, P5)."""
    state = draft.state
    rules, round_, trick = state.rules, state.round, state.trick
    assert round_ is not None
    assert trick is not None
    rank, cards = combination
    before, top, count = round_.revolution, trick.top, len(texts)
    is_equal = top == (rank, count) and rank != rules.transparent_rank
    turns = turns_order(rules, count, trick.singles + 1 if is_equal and count == 1 else 0)
    draft.emit(
        Played(
            seat=seat,
            cards=texts,
            on=trick.state,
            trick=trick.number,
            by=by,
            revolution=before ^ turns,
            deadline=None if rules.has_turns else draft.at + rules.race_ms,
            order=round_.order[::-1] if turns and rules.turns_direction and rules.has_turns else UNSET,
        )
    )
    round_, trick = draft.state.round, draft.state.trick
    assert round_ is not None
    assert trick is not None
    finishes = not round_.hands[seat]
    if finishes:
        # V4: any count of 2s that empties the hand, in either order
        penalised = rules.finish_with_two and rank == rules.penalty_rank
        draft.emit(Finished(seat, penalised))
    assert trick.top is not None
    reason = closing_reason(
        rules,
        trick.top[0],
        trick.run,
        reversed_before=before,
        all_passed=_all_passed(round_, trick),
        round_over=_is_over(round_),
        kills=cards == rules.killer,
        finishes=finishes,
    )
    if reason is not None:
        close_trick(draft, reason)
    elif rules.has_turns:
        # V5: nobody is skipped behind a play that has closed the trick already
        go_on = turn_goes_on_or_skips if is_equal and rules.skips is not Skips.NEVER else turn_goes_on
        if not go_on(draft, seat):
            close_trick(draft, "passed")


def _is_over(round_: Round) -> bool:
    """P5: one seat holds cards."""
    return round_.holding & (round_.holding - 1) == 0


def _all_passed(round_: Round, trick: Trick) -> bool:
    """R6: every seat in the round other than the last player has passed."""
    return not round_.holding & ~(1 << trick.last_player) & ~trick.passed


def close_trick(draft: Draft, reason: str) -> None:
    """Close the trick; the next one opens, or the round ends (P5)."""
    trick, round_ = draft.state.trick, draft.state.round
    assert trick is not None
    assert round_ is not None
    draft.emit(TrickClosed(trick.number, reason))
    if _is_over(round_):
        end_round(draft)
    else:
        open_next_trick(draft, trick.last_player)


def decide_pass(state: State, intent: Pass, at: int) -> Outcome:
    """Judge a pass (P3, R5): it binds, and makes no new trick state."""
    trick, round_ = state.trick, state.round
    if trick is None or round_ is None:
        return refuse(state, why.WRONG_PHASE)
    fault = _pass_fault(state.rules, trick, round_, intent)
    if fault is not None:
        return refuse(state, fault)
    draft = Draft(state, at)
    accept_pass(draft, intent.seat, intent.by)
    return draft.outcome()


def accept_pass(draft: Draft, seat: int, by: str) -> None:
    """A seat passes; the trick closes when no other is left to answer (R6, T4)."""
    trick, round_ = draft.state.trick, draft.state.round
    assert trick is not None
    assert round_ is not None
    draft.emit(Passed(seat, trick.number, by))
    assert draft.state.trick is not None
    goes_on = turn_goes_on(draft, seat) if draft.state.rules.has_turns else not _all_passed(round_, draft.state.trick)
    if not goes_on:
        close_trick(draft, "passed")


def _pass_fault(rules: Rules, trick: Trick, round_: Round, intent: Pass) -> str | None:
    if not round_.holding >> intent.seat & 1:
        return why.NOT_IN_ROUND
    # A pass that binds holds at any state of its trick (R5); one that does not belongs to one state (RULES 7).
    binds = rules.passing is Passing.BINDS
    if intent.on != trick.state and (not binds or all(past.state != intent.on for past in trick.past)):
        return why.STALE
    opened = trick.past[0].state if trick.past else trick.state
    if intent.on == opened:
        return why.EMPTY_TRICK
    if intent.seat == trick.last_player:
        return why.LAST_PLAYER
    if trick.passed >> intent.seat & 1:
        return why.ALREADY_PASSED
    return why.NOT_YOUR_TURN if rules.has_turns and intent.seat != trick.turn else None


def race_ran_out(draft: Draft) -> None:
    """R7: at zero a non-empty trick closes; on an empty one the server opens for a drawn seat."""
    state = draft.state
    trick, round_ = state.trick, state.round
    assert trick is not None
    assert round_ is not None
    if trick.top is not None:
        close_trick(draft, "timer")
        return
    seats = openers(state)
    seat = opening_seat(round_.key, state.table, round_.deal, trick.number, seats)
    _lay(draft, seat, standin_opening(state.rules, round_.hands[seat], reversed_=round_.revolution))


def openers(state: State) -> list[int]:
    """Return the seats of which one is drawn for an automatic opening: in the round, and not awaited (R7, 3.10)."""
    round_ = state.round
    assert round_ is not None
    return [seat for seat in sorted(round_.order) if round_.hands[seat] and not state.is_awaited(seat)]


def turn_ran_out(draft: Draft) -> None:
    """T5: at zero the server plays or passes for the seat, as the stand-in would."""
    state = draft.state
    trick, round_ = state.trick, state.round
    assert trick is not None
    assert round_ is not None
    seat = trick.turn
    assert seat is not None
    hand = round_.hands[seat]
    choice = standin_choice(state.rules, hand, trick.top, trick.must_rank, reversed_=round_.revolution)
    if choice is None:
        accept_pass(draft, seat, "timer")
    else:
        _lay(draft, seat, choice)


def _lay(draft: Draft, seat: int, combination: Combination) -> None:
    accept_play(draft, seat, named(draft.state.rules, *combination), combination, "timer")
