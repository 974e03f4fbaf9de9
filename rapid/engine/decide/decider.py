"""The decider: an intent goes to the function that judges it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rapid.engine import refusals as why
from rapid.engine.decide.draft import Draft, Outcome, refuse
from rapid.engine.decide.exchange import decide_give
from rapid.engine.decide.host import HostIntent, decide_host
from rapid.engine.decide.race import decide_pass, decide_play
from rapid.engine.decide.rounds import cancel_game
from rapid.engine.decide.seats import (
    decide_connect,
    decide_disconnect,
    decide_leave,
    decide_open,
    decide_take_seat,
)
from rapid.engine.events import Resumed, Salted, TableClosed
from rapid.engine.intents import (
    AddSalt,
    AnyIntent,
    CloseTable,
    Connect,
    Disconnect,
    Give,
    Leave,
    OpenTable,
    Pass,
    Play,
    Resume,
    TakeSeat,
)
from rapid.engine.state import Seat, State


def decide(state: State, intent: AnyIntent, at: int, secret: str = "") -> Outcome:
    """Judge an intent processed at `at` (ms, not before `state.at`).

    `secret` is fresh (64 hex digits) for the intents in `DEALS`. What is due at or before
    `at` has fired already (`timers.fire_due`).
    """
    judge = _MOVES.get(type(intent))
    if judge is not None:
        return _move(state, intent, at, judge)
    if isinstance(intent, OpenTable):
        return decide_open(state, intent, at, secret)
    if state.phase == "closed":
        return refuse(state, why.NO_TABLE)
    if isinstance(intent, HostIntent):
        return decide_host(state, intent, at, secret)
    return _table(state, intent, at)


Judge = Callable[[State, Any, int], Outcome]
# Looked up by type: a play is the hot path, and `isinstance` with a union costs a microsecond.
_MOVES: dict[type, Judge] = {Play: decide_play, Pass: decide_pass, Give: decide_give}


def _move(state: State, intent: Any, at: int, judge: Judge) -> Outcome:
    if state.phase == "closed":
        return refuse(state, why.NO_TABLE)
    seat = state.seat_at(intent.seat)
    if seat is None:
        return refuse(state, why.SPECTATOR)
    if intent.by != seat.controller:
        return refuse(state, _not_in_charge(seat, intent.by))
    return judge(state, intent, at)


def _not_in_charge(seat: Seat, by: str) -> str:
    """One controller a seat at any moment: a planned move dies when the seat changes hands."""
    if by != "person":
        return why.NOT_IN_CHARGE
    return why.UNAVAILABLE if seat.is_person else why.SPECTATOR


def _table(state: State, intent: AnyIntent, at: int) -> Outcome:
    match intent:
        case Connect():
            return decide_connect(state, intent, at)
        case Disconnect():
            return decide_disconnect(state, intent, at)
        case TakeSeat():
            return decide_take_seat(state, intent, at)
        case Leave():
            return decide_leave(state, intent, at)
        case AddSalt():
            return _add_salt(state, intent, at)
        case Resume():
            return _resume(state, intent, at)
        case CloseTable():
            return _close(state, at)
        case _:  # Tick: what is due has fired already
            return Outcome(state)


def _add_salt(state: State, intent: AddSalt, at: int) -> Outcome:
    seat = state.seat_at(intent.seat)
    if seat is None or not seat.is_person:
        return refuse(state, why.SPECTATOR)
    if intent.deal != state.deal:
        return refuse(state, why.STALE)
    if seat.salt is not None:
        return refuse(state, why.ALREADY_GIVEN)
    draft = Draft(state, at)
    draft.emit(Salted(intent.seat, intent.deal, intent.salt))
    return draft.outcome()


def _resume(state: State, intent: Resume, at: int) -> Outcome:
    """R9: the running timer starts anew in full; a planned hand-over keeps it."""
    deadline = state.deadline
    if deadline is not None and not intent.keeps_deadline:
        rules = state.rules
        is_race = state.exchange is None and not rules.has_turns
        deadline = at + (rules.race_ms if is_race else rules.action_ms)
    draft = Draft(state, at)
    draft.emit(Resumed(intent.epoch, at - state.at, deadline))
    return draft.outcome()


def _close(state: State, at: int) -> Outcome:
    draft = Draft(state, at)
    cancel_game(draft)
    draft.emit(TableClosed("operator"))
    return draft.outcome()
