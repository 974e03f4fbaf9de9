"""Ends: of a round, of a game, of a table (RULES 2.6, 2.8)."""

from __future__ import annotations

from collections.abc import Collection

from rapid.engine.replay import scoring
from rapid.engine.replay.clock import IDLE_MS, is_idling, is_overdue, stop_timer
from rapid.engine.replay.dealing import reveal
from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import demand
from rapid.engine.replay.flow import Steps, game_of, need, round_of
from rapid.engine.replay.members import check_host_lost, drop_seat
from rapid.engine.replay.settings import MAX_ROUNDS
from rapid.engine.replay.table import Game, Round, Table
from rapid.engine.replay.waiting import waited_until_ms


def _seat_map(values: dict[int, int] | dict[int, str]) -> dict[str, int | str]:
    return {str(seat): value for seat, value in values.items()}


def end_round(table: Table) -> Steps:
    """`round_ended seat_freed* [host_changed] [game_ended [lobby_opened]]`."""
    game, now = game_of(table), round_of(table)
    event = yield from need(table, "round_ended")
    _check_result(table, game, now, event)
    why_over = _why_over(table, game, now.number)
    game.rounds = now.number
    table.rounds += 1
    reveal(table, game, event["secret"])
    table.phase = "results"
    stop_timer(table)
    if why_over or not table.book.keeps_leavers:
        yield from _free_leavers(table)
    is_last = why_over is not None
    is_short = len(table.chairs) < table.book.seats_least
    if not is_last and not is_short:
        return
    ended = yield from need(table, "game_ended", "host_changed")
    if ended.kind == "host_changed":
        check_host_lost(table, ended)
        ended = yield from need(table, "game_ended")
    # G8: if the round just ended was the last, G3 applies instead.
    end_game(table, ended, {why_over or "interrupted"})
    if not is_last:
        yield from open_lobby(table)


def _why_over(table: Table, game: Game, number: int) -> str | None:
    """Whether the round just ended was the game's last, and why (G3, 3.8, 4.5, 4.6, 5.3)."""
    target = table.settings["target"]
    if isinstance(target, int):
        # Whoever reaches it may be freed behind the round: the game still ends (RULES 9).
        return "target" if max(game.totals.values()) >= target else None
    limit = MAX_ROUNDS if target == "none" else table.book.rounds_set or table.settings["rounds"]
    return "rounds" if number == limit else None


def _check_result(table: Table, game: Game, now: Round, event: Event) -> None:
    placed = scoring.standings(now.clean, now.in_round, now.penalised)
    titles = scoring.roles(table.book, placed)
    earned = scoring.points(table.book, titles)
    for seat, number in earned.items():
        game.totals[seat] += number
    demand(event["round"] == now.number, "round {} where {} is due", event["round"], now.number)
    demand(event["deal"] == now.dealt.commit.deal, "deal {} was dealt, not {}", now.dealt.commit.deal, event["deal"])
    demand(event["standings"] == placed, "the standings are {}", placed)
    demand(event["roles"] == _seat_map(titles), "the roles are {}", titles)
    demand(event["points"] == _seat_map(earned), "the points are {}", earned)
    demand(event["totals"] == _seat_map(game.totals), "the totals are {}", game.totals)
    game.standings = placed


def _free_leavers(table: Table) -> Steps:
    """G7: seats that left are freed behind `round_ended`, ascending."""
    for seat in sorted(seat for seat, chair in table.chairs.items() if chair.leaving):
        event = yield from need(table, "seat_freed")
        demand(event["seat"] == seat, "seat {} is to be freed, not {}", seat, event["seat"])
        demand(event["why"] == table.chairs[seat].leaving, "seat {} was {}", seat, table.chairs[seat].leaving)
        drop_seat(table, seat)


def end_game(table: Table, event: Event, whys: Collection[str]) -> None:
    """`game_ended` for one of these reasons (G3, G4, G8), with its winners and totals."""
    game, why = game_of(table), event["why"]
    demand(event["game"] == game.number, "game {} is played, not {}", game.number, event["game"])
    demand(why in whys, "why is {}, not {}", " or ".join(sorted(whys)), why)
    demand(event["totals"] == _seat_map(game.totals), "the totals are {}", game.totals)
    winners = scoring.leaders(game.totals) if why in {"rounds", "target", "ended"} else set()
    if not table.book.is_sharing and winners:
        # 3.8: no shared win, the better place of the last round decides.
        winners = {min(winners, key=game.standings.index)}
    demand(set(event["winners"]) == winners, "the winners are {}", sorted(winners))
    is_cut = table.is_in_round
    demand(event.has("secret") == is_cut, "the secret is shown exactly if a deal is cut short")
    if is_cut:
        reveal(table, game, event["secret"])
    table.phase, table.final_why = "final", why
    stop_timer(table)
    for chair in table.chairs.values():
        chair.has_standin = False


def open_lobby(table: Table) -> Steps:
    """`lobby_opened` that must follow."""
    yield from need(table, "lobby_opened")
    table.phase = "lobby"


def lobby_opened(table: Table, _event: Event) -> Steps:
    """The host returns the table to the lobby after the end of a game."""
    yield from ()
    demand(table.phase == "final", "no game has ended")
    table.phase = "lobby"


def game_ended(table: Table, event: Event) -> Steps:
    """`game_ended` by the host between rounds (G4), or `game_ended lobby_opened table_closed`."""
    if event["why"] != "cancelled":
        demand(table.phase == "results", "the host ends a game between rounds only")
        is_endless = table.settings["rounds"] == "unlimited" or table.settings["target"] == "none"
        end_game(table, event, {"ended" if is_endless else "stopped"})
        return
    was_late = is_overdue(table, event.at) and not is_idling(table)
    given_up = {
        chair.seat
        for chair in table.chairs.values()
        if (due := waited_until_ms(table, chair)) is not None and due <= event.at
    }
    end_game(table, event, {"cancelled"})
    yield from open_lobby(table)
    closed = yield from need(table, "table_closed", "seat_freed")
    if closed.kind == "seat_freed":
        # 3.10
        demand(closed["seat"] in given_up, "seat {} is not one that was waited for in vain", closed["seat"])
        drop_seat(table, closed["seat"])
        yield from after_departure(table, closed["seat"])
        return
    demand(not was_late or closed["why"] == "idle", "a deadline passed before the table was closed")
    close_table(table, closed)


def table_closed(table: Table, event: Event) -> Steps:
    """`table_closed` outside a game."""
    yield from ()
    demand(not table.is_in_game, "a running game ends before its table closes")
    close_table(table, event)


def close_table(table: Table, event: Event) -> None:
    """G9: nobody seated, nobody connected for ten minutes, or the operator's wish."""
    if event["why"] != "operator":
        demand(table.had_person, "a table that never had a person is not closed by itself")
    if event["why"] == "empty":
        demand(not table.persons(), "a person is seated")
    if event["why"] == "idle":
        is_silent = not any(chair.is_connected for chair in table.persons())
        waited = event.at - table.silent_since_ms
        demand(is_silent and waited >= IDLE_MS, "somebody was connected {} ms before", waited if is_silent else 0)
    table.phase = "closed"


def after_departure(table: Table, seat: int) -> Steps:
    """`[host_changed] [game_ended lobby_opened] [table_closed]` behind a leave (G8, G9)."""
    heirs = table.persons()
    if seat == table.host and heirs:
        changed = yield from need(table, "host_changed")
        demand(changed["seat"] == heirs[0].seat, "seat {} is the person seated longest", heirs[0].seat)
        table.host = heirs[0].seat
    is_empty = table.had_person and not heirs
    is_short = not table.is_in_round and len(table.chairs) < table.book.seats_least
    if table.is_in_game and (is_empty or is_short):
        ended = yield from need(table, "game_ended")
        end_game(table, ended, {"interrupted"} if is_short and not is_empty
                 else {"cancelled", "interrupted"} if is_short else {"cancelled"})  # fmt: skip
        yield from open_lobby(table)
    if is_empty:
        closed = yield from need(table, "table_closed")
        demand(closed["why"] == "empty", "why is empty, not {}", closed["why"])
        close_table(table, closed)
