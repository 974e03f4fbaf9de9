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
from rapid.rules.scoring import dealing_order, points_of, roles_of, standings_of, winners_of

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
    order = dealing_order(ruleset.dealing, number, seats, state.standings)
    key = committed_key(state, seats)
    hands = deal_hands(shuffled(state.rules.deck, key, state.table, state.deal), order)
    named = {str(seat): card_names(state.rules.deck, hands[seat]) for seat in seats}
    draft.emit(Dealt(round=number, deal=state.deal, order=seats, hands=named))
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
    for seat in state.seats:
        if seat.leaving is not None:  # G7: a bot has finished the round for it
            draft.emit(SeatFreed(seat.seat, seat.leaving))
    rounds, target = state.rules.rounds, state.rules.target
    if rounds is not None and round_.number >= rounds:
        end_game(draft, "rounds")  # G3, before G8
    elif target is not None and max(totals.values()) >= target:
        end_game(draft, "target")  # 3.8; a seat that has reached it counts even if it was freed just now (RULES 9)
    else:
        interrupt_if_too_few(draft)


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
