"""What happens by itself, and when (R7-R9, G6, G9).

Nothing here reads a clock: an inbox entry stamped at or after a due time makes what is due
fire first, and the worker only sees to it that an entry comes.
"""

from __future__ import annotations

from collections.abc import Iterator

from rapid.engine.decide.draft import Draft, Outcome
from rapid.engine.decide.exchange import exchange_ran_out
from rapid.engine.decide.race import openers, race_ran_out, turn_ran_out
from rapid.engine.decide.rounds import cancel_game, free_leavers
from rapid.engine.decide.seats import part, pass_host
from rapid.engine.events import StandinStarted, TableClosed
from rapid.engine.state import State

HOST_LOST_MS = 60_000
HOST_LOST_AT_RESULTS_MS = 30_000
IDLE_MS = 600_000

RUNNING, STANDIN, WAIT, HOST, IDLE = range(5)
"""Kinds in the order in which they fire when due at the same millisecond."""


def next_due(state: State) -> int | None:
    """Return the earliest time in ms at which something fires by itself, None if nothing does."""
    first = min(_due(state), default=None)
    return None if first is None else first[0]


def fire_due(state: State, at: int) -> Outcome | None:
    """Fire the earliest timer if it is due at or before `at`; its events carry `at` (R9)."""
    first = min(_due(state), default=None)
    if first is None or first[0] > at:
        return None
    _due_ms, kind, seat = first
    draft = Draft(state, at)
    if kind == RUNNING:
        _ran_out(draft)
    elif kind == STANDIN:
        draft.emit(StandinStarted(seat))
    elif kind == WAIT:
        _give_up_waiting(draft, seat)
    elif kind == HOST:
        pass_host(draft, tuple(s for s in state.persons if s.connected))
    else:
        cancel_game(draft)
        draft.emit(TableClosed("idle"))
    return draft.outcome()


def _give_up_waiting(draft: Draft, seat: int) -> None:
    """3.10: the game is cancelled, everyone returns to the lobby, the lost seat is freed."""
    cancel_game(draft)
    lost = draft.state.seat_at(seat)
    assert lost is not None
    part(draft, lost, "left")
    if draft.state.phase == "lobby":
        free_leavers(draft)  # G7: the bots that played for them have nothing left to play


def _may_run_out(state: State) -> bool:
    """If every chair in the round is awaited nobody can be drawn to open, and the timer starts anew (RULES 9)."""
    trick = state.trick
    is_race = state.exchange is None and trick is not None and trick.top is None and not state.rules.has_turns
    return not is_race or bool(openers(state))


def _ran_out(draft: Draft) -> None:
    """The deadline that runs is that of the exchange, of a turn (T5) or of the race (R7)."""
    if draft.state.exchange is not None:
        exchange_ran_out(draft)
    elif draft.state.rules.has_turns:
        turn_ran_out(draft)
    else:
        race_ran_out(draft)


def _due(state: State) -> Iterator[tuple[int, int, int]]:
    """Yield (when, kind, seat) for all that runs."""
    if state.phase == "closed":
        return
    if state.deadline is not None and (not state.rules.waits or _may_run_out(state)):
        yield state.deadline, RUNNING, -1
    # Asked once a decision; bots are told apart first, since `is_person` costs a call.
    lost = [seat for seat in state.seats if seat.kind == "person" and not seat.connected and seat.is_person]
    if not lost:
        return
    in_game = state.in_game
    has_connected = len(lost) < len(state.persons)
    for seat in lost:
        if in_game and state.rules.waits:
            yield state.awaited_until(seat), WAIT, seat.seat
        elif in_game and not seat.standin:
            # G6: the grace counts from the later of loss and game start
            yield max(seat.lost_at, state.game_at) + state.rules.grace_ms, STANDIN, seat.seat
        if seat.seat == state.host and has_connected:
            wait = HOST_LOST_AT_RESULTS_MS if state.phase == "results" else HOST_LOST_MS
            yield seat.lost_at + wait, HOST, seat.seat
    if not has_connected:
        yield max(state.parted_at, *(seat.lost_at for seat in lost)) + IDLE_MS, IDLE, -1
