"""What the host may do (PROTOCOL 3.1 `host`, RULES 2.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rapid.engine import refusals as why
from rapid.engine.decide.draft import Draft, Outcome, refuse
from rapid.engine.decide.rounds import WINNING_ENDS, deal, end_game, free_leavers, start_game
from rapid.engine.decide.seats import JOINABLE, free_chair, part, seat_bot
from rapid.engine.events import LobbyOpened, SettingsChanged
from rapid.engine.intents import (
    AddBot,
    ChangeSettings,
    EndGame,
    NextRound,
    PlayAgain,
    Remove,
    Start,
    ToLobby,
)
from rapid.engine.refusals import Refusal
from rapid.engine.state import State
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over

HostIntent = Start | NextRound | EndGame | PlayAgain | ToLobby | AddBot | Remove | ChangeSettings


def decide_host(state: State, intent: HostIntent, at: int, secret: str) -> Outcome:
    """Judge a host's command: who, when, then what."""
    if intent.seat != state.host:
        seat = state.seat_at(intent.seat)
        return refuse(state, why.NOT_HOST if seat is not None and seat.is_person else why.SPECTATOR)
    phases = _PHASES[type(intent)]
    if phases and state.phase not in phases:
        return refuse(state, why.WRONG_PHASE)
    draft = Draft(state, at, secret)
    refusal = _DO[type(intent)](draft, intent)
    return draft.outcome() if refusal is None else Outcome(state, (), refusal)


def _has_too_few(state: State) -> bool:
    return len(state.seats) < state.rules.ruleset.seats_min


def _start(draft: Draft, _intent: Start | PlayAgain) -> Refusal | None:
    if _has_too_few(draft.state):
        return Refusal(why.TOO_FEW)
    start_game(draft)
    return None


def _play_again(draft: Draft, intent: PlayAgain) -> Refusal | None:
    results = draft.state.results
    if results is None or results.why not in WINNING_ENDS:  # G5
        return Refusal(why.WRONG_PHASE)
    return _start(draft, intent)


def _next_round(draft: Draft, _intent: NextRound) -> Refusal | None:
    deal(draft)
    return None


def _end_game(draft: Draft, _intent: EndGame) -> Refusal | None:
    """G4: with `unlimited` the leaders win; with a set number or a target the game is stopped, with no winner."""
    free_leavers(draft)
    end_game(draft, "ended" if draft.state.rules.is_endless else "stopped")
    return None


def _to_lobby(draft: Draft, _intent: ToLobby) -> Refusal | None:
    draft.emit(LobbyOpened())
    return None


def _add_bot(draft: Draft, intent: AddBot) -> Refusal | None:
    chair = free_chair(draft.state)
    if chair is None:
        return Refusal(why.FULL)
    seat_bot(draft, chair, intent.level)
    return None


def _remove(draft: Draft, intent: Remove) -> Refusal | None:
    seat = draft.state.seat_at(intent.target)
    if seat is None or seat.leaving is not None or intent.target == intent.seat:
        return Refusal(why.NO_SUCH_SEAT)
    part(draft, seat, "removed")
    return None


def _change_settings(draft: Draft, intent: ChangeSettings) -> Refusal | None:
    state = draft.state
    taken = max((seat.seat for seat in state.seats), default=-1) + 1
    laid = lay_over(state.settings, intent.fields, dev=intent.dev, seats_taken=taken)
    if not isinstance(laid, Settings):
        return Refusal(why.BAD_SETTINGS, errors=laid)
    draft.emit(SettingsChanged(laid))
    return None


_DO: dict[type, Callable[[Draft, Any], Refusal | None]] = {
    Start: _start,
    NextRound: _next_round,
    EndGame: _end_game,
    PlayAgain: _play_again,
    ToLobby: _to_lobby,
    AddBot: _add_bot,
    Remove: _remove,
    ChangeSettings: _change_settings,
}
_PHASES: dict[type, tuple[str, ...]] = {
    Start: ("lobby",),
    NextRound: ("results",),
    EndGame: ("results",),
    PlayAgain: ("final",),
    ToLobby: ("final",),
    AddBot: JOINABLE,
    Remove: (),  # any phase
    ChangeSettings: ("lobby",),
}
