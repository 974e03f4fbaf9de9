"""Opening a trick, and in turn mode whose turn begins (T1-T5, V5)."""

from __future__ import annotations

from rapid.cards.cardset import of_rank
from rapid.engine.decide.draft import Draft
from rapid.engine.events import Skipped, TrickOpened, TurnBegan
from rapid.rules.ruleset import Skips
from rapid.rules.turns import next_in_trick, next_leader, round_leader


def open_first_trick(draft: Draft) -> None:
    """Open a round's first trick (T1, T2)."""
    state = draft.state
    rules, round_ = state.rules, state.round
    assert round_ is not None
    leader = None
    if rules.has_turns:
        leader = round_leader(rules.ruleset, round_.number, round_.order, round_.hands, state.standings)
    _open(draft, leader)


def open_next_trick(draft: Draft, last_player: int) -> None:
    """Open the trick behind one that closed; `last_player` made its last play (P7)."""
    round_ = draft.state.round
    assert round_ is not None
    has_turns = draft.state.rules.has_turns
    _open(draft, next_leader(round_.order, last_player, round_.holding) if has_turns else None)


def _open(draft: Draft, leader: int | None) -> None:
    """In rapid mode anyone in the round may lay the first play (R1, R8)."""
    round_ = draft.state.round
    assert round_ is not None
    deadline = draft.at + draft.state.rules.race_ms if leader is None else None
    draft.emit(TrickOpened(trick=round_.tricks + 1, leader=leader, deadline=deadline))
    if leader is not None:
        _begin_turn(draft, leader)


def _begin_turn(draft: Draft, seat: int, must_rank: int | None = None) -> None:
    rules = draft.state.rules
    rank = None if must_rank is None else rules.deck.ranks[must_rank]
    deadline = None if draft.state.is_awaited(seat) else draft.at + rules.action_ms
    draft.emit(TurnBegan(seat, rank, deadline))


def turn_goes_on(draft: Draft, after: int) -> bool:
    """Begin the turn behind that of `after`; False if there is none: the trick closes (T4)."""
    trick, round_ = draft.state.trick, draft.state.round
    assert trick is not None
    assert round_ is not None
    seat = next_in_trick(round_.order, after, trick.last_player, round_.holding & ~trick.passed)
    if seat is None:
        return False
    _begin_turn(draft, seat)
    return True


def turn_goes_on_or_skips(draft: Draft, after: int) -> bool:
    """As `turn_goes_on`, behind an equal rank: the next seat is bound to that rank, or skipped (V5)."""
    state = draft.state
    trick, round_ = state.trick, state.round
    assert trick is not None
    assert round_ is not None
    assert trick.top is not None
    seat = next_in_trick(round_.order, after, trick.last_player, round_.holding & ~trick.passed)
    if seat is None:
        return False
    rank, count = trick.top
    if state.rules.skips is Skips.UNABLE and of_rank(round_.hands[seat], rank).bit_count() >= count:
        _begin_turn(draft, seat, rank)
        return True
    draft.emit(Skipped(seat, trick.number))  # not passed: it may play when its turn comes again
    return turn_goes_on(draft, seat)
