"""Who sits where: joining, connections, leaving, the host (RULES 2.8)."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from rapid.engine import refusals as why
from rapid.engine.decide.draft import Draft, Outcome, refuse
from rapid.engine.decide.rounds import (
    cancel_game,
    commit_deal,
    interrupt_if_too_few,
)
from rapid.engine.events import (
    ConnectionBack,
    ConnectionLost,
    HostChanged,
    Leaving,
    SeatFreed,
    SeatTaken,
    StandinEnded,
    TableClosed,
    TableOpened,
)
from rapid.engine.intents import Connect, Disconnect, Leave, Newcomer, OpenTable, TakeSeat
from rapid.engine.state import IN_GAME, WAIT_MS, Seat, State

JOINABLE = ("lobby", "final")
IN_ROUND = ("exchange", "playing")


def decide_open(state: State, intent: OpenTable, at: int, secret: str) -> Outcome:
    """Open a table: settings, the first commitment, the host and the bots."""
    if state.seq:
        return refuse(state, why.UNAVAILABLE)
    draft = Draft(state, at, secret)
    draft.emit(TableOpened(intent.settings))
    commit_deal(draft, 1)
    if intent.person is not None:
        seat_person(draft, 0, intent.person)
    first = 0 if intent.person is None else 1
    for seat in range(first, first + intent.bots):
        seat_bot(draft, seat, None)
    return draft.outcome()


def seat_person(draft: Draft, seat: int, person: Newcomer) -> None:
    """A person sits down."""
    draft.emit(SeatTaken(seat, person.name, "person", token_hash=person.token_hash))


def seat_bot(draft: Draft, seat: int, level: str | None) -> None:
    """A bot sits down, at the level of the settings unless another is given."""
    level = level or draft.state.settings.bot_level
    draft.emit(SeatTaken(seat, f"Bot {seat + 1}", "bot", level=level))


def free_chair(state: State) -> int | None:
    """Return the lowest free chair, None if all are taken."""
    taken = {seat.seat for seat in state.seats}
    return next((n for n in range(state.settings.seats) if n not in taken), None)


def decide_take_seat(state: State, intent: TakeSeat, at: int) -> Outcome:
    """G10: seats are taken in the lobby and at the final standings only."""
    if state.phase not in JOINABLE:
        return refuse(state, why.WRONG_PHASE)
    if state.settings.door != "open":
        return refuse(state, why.DOOR_CLOSED)
    chair = free_chair(state)
    if chair is None:
        return refuse(state, why.FULL)
    draft = Draft(state, at)
    seat_person(draft, chair, intent.person)
    return draft.outcome()


def decide_connect(state: State, intent: Connect, at: int) -> Outcome:
    """The person is back: the seat is theirs at once, no timer is reset (G6)."""
    seat = state.seat_at(intent.seat)
    draft = Draft(state, at)
    if seat is not None and seat.is_person and not seat.connected:
        draft.emit(ConnectionBack(seat.seat, deadline=_restarted(state, seat.seat, at)))
        if seat.standin:
            draft.emit(StandinEnded(seat.seat))
    return draft.outcome()


def decide_disconnect(state: State, intent: Disconnect, at: int) -> Outcome:
    """The seat's present connection is gone; a stand-in comes after the grace (G6)."""
    seat = state.seat_at(intent.seat)
    draft = Draft(state, at)
    if seat is not None and seat.is_person and seat.connected:
        draft.emit(_lost(state, seat.seat, at))
    return draft.outcome()


def _lost(state: State, seat: int, at: int) -> ConnectionLost:
    """3.10: the chair waits, and its own timer stops."""
    if not state.rules.waits or not state.in_game:
        return ConnectionLost(seat)
    return ConnectionLost(seat, until=at + WAIT_MS, deadline=None if has_own_timer(state, seat) else UNSET)


def has_own_timer(state: State, seat: int) -> bool:
    """Return whether a timer runs, or would, for what this seat alone has to do: its turn, or cards it owes."""
    if state.exchange is not None:
        return any(giver == seat for giver, _ in state.exchange.ends)
    return state.trick is not None and state.trick.turn == seat


def _restarted(state: State, seat: int, at: int) -> int | UnsetType:
    """Return the deadline that the return of an awaited chair starts, in full (3.10), UNSET if none."""
    rules = state.rules
    if not state.is_awaited(seat):
        return UNSET
    if has_own_timer(state, seat):
        return at + rules.action_ms
    deadline = state.deadline
    if deadline is None or deadline > at or state.exchange is not None:
        return UNSET
    # RULES 9: every chair was awaited, so that nobody could be drawn to open; the race timer ran on, anew each time.
    return deadline + ((at - deadline) // rules.race_ms + 1) * rules.race_ms


def decide_leave(state: State, intent: Leave, at: int) -> Outcome:
    """Leaving is final for this game (G7)."""
    seat = state.seat_at(intent.seat)
    if seat is None or not seat.is_person:
        return refuse(state, why.SPECTATOR)
    draft = Draft(state, at)
    part(draft, seat, "left")
    return draft.outcome()


def part(draft: Draft, seat: Seat, reason: str) -> None:
    """A seat leaves or is removed: in a round a bot finishes it (4.7: the game), else it is freed at once (G7)."""
    keeps_group = draft.state.rules.ruleset.keeps_group
    if draft.state.phase in (IN_GAME if keeps_group else IN_ROUND):
        draft.emit(Leaving(seat.seat, reason))
    else:
        draft.emit(SeatFreed(seat.seat, reason))
    if seat.seat == draft.state.host:
        pass_host(draft, draft.state.persons)
    if draft.state.phase == "results":
        interrupt_if_too_few(draft)
    if seat.kind == "person" and not draft.state.persons:
        cancel_game(draft)
        draft.emit(TableClosed("empty"))


def pass_host(draft: Draft, among: tuple[Seat, ...]) -> None:
    """G9: the person seated longest becomes host."""
    longest = min(among, key=lambda seat: seat.since, default=None)
    if longest is not None:
        draft.emit(HostChanged(longest.seat))
