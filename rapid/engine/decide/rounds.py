"""Deals, tricks opening, the end of a round and of a game (RULES 2.1, 2.6, 2.8)."""

from __future__ import annotations

from typing import TypeVar

from msgspec import UNSET

from rapid.cards.cardset import card_names
from rapid.cards.shuffle import commitment, deal_hands, shuffled
from rapid.engine.decide.draft import Draft
from rapid.engine.decide.exchange import open_exchange
from rapid.engine.decide.tricks import open_first_trick
from rapid.engine.events import (
    Committed,
    Dealt,
    GameEnded,
    GameStarted,
    LobbyOpened,
    RoundEnded,
    SeatFreed,
)
from rapid.engine.evolve import committed_key
from rapid.engine.state import State
from rapid.rules.exchange import trades_of
from rapid.rules.ruleset import Rules
from rapid.rules.scoring import dealing_order, play_order, points_of, roles_of, standings_of, winners_of

T = TypeVar("T")


def commit_deal(draft: Draft, deal: int) -> None:
    """Fix the secret of a deal before it is dealt (PROTOCOL 5)."""
    commit = commitment(bytes.fromhex(draft.secret))
    draft.emit(Committed(deal, commit, draft.secret))


def start_game(draft: Draft) -> None:
    """Begin a game and deal its first round."""
    state = draft.state
    seats = tuple(seat.seat for seat in state.seats)
    draft.emit(GameStarted(state.games + 1, seats, state.settings))
    deal(draft)


def deal(draft: Draft) -> None:
    """Deal the committed deal, commit to the next, and open the exchange or the first trick."""
    state = draft.state
    seats = tuple(seat.seat for seat in state.seats)
    ruleset, number = state.rules.ruleset, state.rounds_played + 1
    order = play_order(ruleset, seats, state.standings)
    dealt_to = dealing_order(ruleset, number, order, state.standings)
    key = committed_key(state, seats)
    hands = deal_hands(shuffled(state.rules.deck, key, state.table, state.deal), dealt_to)
    named = {str(seat): card_names(state.rules.deck, hands[seat]) for seat in seats}
    draft.emit(Dealt(round=number, deal=state.deal, order=order, hands=named))
    commit_deal(draft, state.deal + 1)
    if trades_of(ruleset, state.standings):
        open_exchange(draft)
    else:
        open_first_trick(draft)


def end_round(draft: Draft) -> None:
    """One seat holds cards: standings, roles, points; then seats are freed and the game may end."""
    state = draft.state
    round_ = state.round
    assert round_ is not None
    left = next(seat for seat in round_.order if round_.hands[seat])
    standings = standings_of(round_.clean, left, round_.penalised)
    roles = roles_of(state.rules.ruleset, standings)
    points = points_of(state.rules.ruleset, roles)
    totals = {seat.seat: seat.total + points[seat.seat] for seat in state.seats}
    draft.emit(
        RoundEnded(
            round=round_.number,
            deal=round_.deal,
            standings=standings,
            roles=_keyed(roles, round_.order),
            points=_keyed(points, round_.order),
            totals=_keyed(totals, round_.order),
            secret=round_.secret,
        )
    )
    reason = _end_of_game(state.rules, round_.number, max(totals.values()))
    if reason is not None or not state.rules.ruleset.keeps_group:
        free_leavers(draft)  # G7: a bot has finished the round for them; 4.7: the game
    if reason is not None:
        end_game(draft, reason)  # G3, before G8
    else:
        interrupt_if_too_few(draft)


def _end_of_game(rules: Rules, number: int, best: int) -> str | None:
    """Why the game ends behind round `number`; `best` total counts even if its seat is freed just now (RULES 9)."""
    if rules.rounds is not None and number >= rules.rounds:
        return "rounds"
    return "target" if rules.target is not None and best >= rules.target else None


def free_leavers(draft: Draft) -> None:
    """Free the seats that a bot has played for a leaver, ascending: they neither rank nor win (G3)."""
    for seat in draft.state.seats:
        if seat.leaving is not None:
            draft.emit(SeatFreed(seat.seat, seat.leaving))


def _keyed(by_seat: dict[int, T], seats: tuple[int, ...]) -> dict[str, T]:
    return {str(seat): by_seat[seat] for seat in sorted(seats)}


def totals_of(state: State) -> dict[int, int]:
    """Return seat → total of the seats that count."""
    return {seat.seat: seat.total for seat in state.seats}


def end_game(draft: Draft, reason: str) -> None:
    """End the game; the leaders win unless it was stopped, interrupted or cancelled (G3-G5)."""
    state = draft.state
    assert state.game is not None
    totals = totals_of(state)
    has_winners = reason in WINNING_ENDS
    draft.emit(
        GameEnded(
            game=state.game,
            why=reason,
            winners=_winners(state, totals) if has_winners else (),
            totals={str(seat): total for seat, total in totals.items()},
            secret=state.round.secret if state.round else UNSET,
        )
    )


def _winners(state: State, totals: dict[int, int]) -> tuple[int, ...]:
    rules = state.rules
    return winners_of(totals, state.standings, shares=rules.ruleset.shares_win, target=rules.target)


def interrupt_if_too_few(draft: Draft) -> None:
    """G8: with fewer seats than the least the game is interrupted, back to the lobby."""
    if len(draft.state.seats) < draft.state.rules.ruleset.seats_min:
        end_game(draft, "interrupted")
        draft.emit(LobbyOpened())


def cancel_game(draft: Draft) -> None:
    """End a running game without a winner because the table closes."""
    if draft.state.in_game:
        end_game(draft, "cancelled")
        draft.emit(LobbyOpened())


WINNING_ENDS = ("rounds", "target", "ended")
