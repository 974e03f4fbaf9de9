"""Tricks: plays, passes, lost races, finishing."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from rapid.engine import events as ev
from rapid.engine.evolve.step import Evolvers, step
from rapid.engine.state import Closed, Laid, Past, State, Trick
from rapid.rules.ruleset import Passing


def _trick_opened(state: State, event: ev.TrickOpened, at: int) -> State:
    assert state.round is not None
    return step(
        state,
        at,
        phase="playing",
        round=replace(state.round, tricks=event.trick),
        trick=Trick(number=event.trick, state=state.seq + 1),
        deadline=event.deadline,
    )


def _turn_began(state: State, event: ev.TurnBegan, at: int) -> State:
    must_rank = None if event.rank is None else state.rules.deck.ranks.index(event.rank)
    trick = state.trick and replace(state.trick, turn=event.seat, must_rank=must_rank)
    return step(state, at, trick=trick, deadline=event.deadline)


def _past(state: State, trick: Trick, at: int) -> tuple[Past, ...]:
    assert state.round is not None
    now = Past(
        state=trick.state,
        ended_at=at,
        top=trick.top,
        revolution=state.round.revolution,
        passed=trick.passed,
    )
    return (*trick.past, now)


def _played(state: State, event: ev.Played, at: int) -> State:
    round_, trick = state.round, state.trick
    assert round_ is not None
    assert trick is not None
    wild = state.rules.wild
    index = state.rules.deck.index if wild is None else wild.index
    cards = 0
    for text in event.cards:
        card = index[text]
        cards |= 1 << card
    rank, count, seat = card >> 2, len(event.cards), event.seat
    if wild is not None:
        rank = wild.ranks[text]  # what they say they stand for (PROTOCOL 1)
    hands = list(round_.hands)
    left = hands[seat] & ~cards
    hands[seat] = left
    run = singles = 0
    if trick.top is not None and rank == state.rules.transparent_rank:
        rank = trick.top[0]  # it takes the rank that it answers, and breaks every run (RULES 9)
    else:
        same_rank = trick.top is not None and trick.top[0] == rank
        run = trick.run + count if same_rank else count
        if count == 1:
            singles = trick.singles + 1 if same_rank else 1
    seq = state.seq + 1
    return replace(
        state,
        seq=seq,
        at=at,
        round=replace(
            round_,
            hands=tuple(hands),
            holding=round_.holding if left else round_.holding & ~(1 << seat),
            revolution=event.revolution,
            order=round_.order if event.order is UNSET else event.order,
        ),
        trick=Trick(
            number=trick.number,
            state=seq,
            top=(rank, count),
            last_player=seat,
            run=run,
            singles=singles,
            passed=trick.passed if state.rules.passing is Passing.BINDS else 0,
            plays=(*trick.plays, Laid(seat, event.cards)),
            past=_past(state, trick, at),
        ),
        deadline=event.deadline,
    )


def _passed(state: State, event: ev.Passed, at: int) -> State:
    assert state.trick is not None
    trick = replace(state.trick, passed=state.trick.passed | 1 << event.seat, turn=None, must_rank=None)
    return step(state, at, trick=trick)


def _skipped(state: State, _event: ev.Skipped, at: int) -> State:
    return step(state, at)  # V5: it only misses this turn


def _lost_in(past: tuple[Past, ...], event: ev.RaceLost) -> tuple[Past, ...]:
    return tuple(replace(one, lost=one.lost | 1 << event.seat) if one.state == event.on else one for one in past)


def _race_lost(state: State, event: ev.RaceLost, at: int) -> State:
    trick = state.trick and replace(state.trick, past=_lost_in(state.trick.past, event))
    closed = state.closed and replace(state.closed, past=_lost_in(state.closed.past, event))
    return step(state, at, trick=trick, closed=closed)


def _finished(state: State, event: ev.Finished, at: int) -> State:
    assert state.round is not None
    if event.penalised:
        round_ = replace(state.round, penalised=(*state.round.penalised, event.seat))
    else:
        round_ = replace(state.round, clean=(*state.round.clean, event.seat))
    return step(state, at, round=round_)


def _trick_closed(state: State, _event: ev.TrickClosed, at: int) -> State:
    assert state.trick is not None
    closed = Closed(past=_past(state, state.trick, at))
    return step(state, at, trick=None, closed=closed, deadline=None)


TRICKS: Evolvers = {
    ev.TrickOpened: _trick_opened,
    ev.TurnBegan: _turn_began,
    ev.Played: _played,
    ev.Passed: _passed,
    ev.Skipped: _skipped,
    ev.RaceLost: _race_lost,
    ev.Finished: _finished,
    ev.TrickClosed: _trick_closed,
}
