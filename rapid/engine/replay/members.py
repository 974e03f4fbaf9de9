"""Who sits at the table, who is connected, who acts for whom (G6, G7, G9, G10)."""

from __future__ import annotations

from rapid.engine.replay.clock import HALF_MS, HOST_LOST_MS, HOST_LOST_RESULTS_MS, standin_due_ms
from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import demand
from rapid.engine.replay.flow import Steps, need
from rapid.engine.replay.settings import check_settings
from rapid.engine.replay.table import Chair, Table
from rapid.engine.replay.waiting import start_for, start_for_leaver, stop_for


def chair_of(table: Table, event: Event) -> Chair:
    """The taken chair the event speaks of."""
    seat = event["seat"]
    demand(seat in table.chairs, "seat {} is not taken", seat)
    return table.chairs[seat]


def seat_taken(table: Table, event: Event) -> Steps:
    """G10: in the lobby and at the final standings only."""
    yield from ()
    seat, kind = event["seat"], event["kind"]
    demand(table.phase in {"lobby", "final"}, "no seat is taken in a game")
    demand(seat not in table.chairs, "seat {} is taken", seat)
    demand(seat < table.settings["seats"], "there is no seat {}", seat)
    demand(event.has("level") == (kind == "bot"), "level is for bots, and every bot has one")
    if kind == "person":
        lowest = min(free for free in range(seat + 1) if free not in table.chairs)
        demand(seat == lowest, "seat {} is the lowest free one", lowest)
        # The first to sit opened the table.
        demand(table.settings["door"] == "open" or not table.chairs, "the door is closed")
        table.had_person = True
    table.chairs[seat] = Chair(seat, kind, event.at)


def drop_seat(table: Table, seat: int) -> None:
    """The seat is nobody's: no total, no place, no salt, no cards any more."""
    chair = table.chairs.pop(seat)
    table.commit.salts.pop(seat, None)
    _note_silence(table, was_connected=chair.is_connected)
    if table.game is None:
        return
    if table.game.round:
        table.game.round.hands.pop(seat, None)
    if table.is_in_game:
        table.game.totals.pop(seat, None)
        table.game.standings = [placed for placed in table.game.standings if placed != seat]


def _note_silence(table: Table, *, was_connected: bool) -> None:
    if was_connected and not any(chair.is_connected for chair in table.persons()):
        table.silent_since_ms = table.at


def check_leave(table: Table, event: Event) -> Chair:
    """Persons leave, persons and bots are removed."""
    chair = chair_of(table, event)
    demand(chair.kind == "person" or event["why"] == "removed", "a bot does not leave by itself")
    return chair


def mark_leaving(table: Table, event: Event) -> None:
    """A leave in a round is final; a bot plays on for the seat, a stand-in ends silently."""
    chair = check_leave(table, event)
    # 4.7: there a bot plays on to the end of the game.
    stays = table.is_in_round or (table.book.keeps_leavers and table.is_in_game)
    demand(stays, "outside a round a seat is freed at once")
    demand(chair.leaving is None, "seat {} has left already", chair.seat)
    start_for_leaver(table, chair.seat)
    chair.leaving = event["why"]
    chair.has_standin = False
    _note_silence(table, was_connected=chair.is_connected)


def host_changed(table: Table, event: Event) -> Steps:
    """`host_changed` alone: the host has been lost for too long."""
    yield from ()
    check_host_lost(table, event)


def check_host_lost(table: Table, event: Event) -> None:
    """G9: lost for 60 s, 30 s while results are shown; the longest seated, or of those who are there."""
    host = table.chairs.get(table.host)
    limit = HOST_LOST_RESULTS_MS if table.phase in {"results", "final"} else HOST_LOST_MS
    if host is not None:
        demand(not host.is_connected, "the host is connected")
        lost_ms = event.at - host.since_ms
        demand(lost_ms >= limit, "the host has been lost for {} ms only", lost_ms)
    others = [chair for chair in table.persons() if chair.seat != table.host]
    present = [chair for chair in others if chair.is_connected]
    heirs = {chair.seat for chair in (*others[:1], *present[:1])}
    demand(event["seat"] in heirs, "the person seated longest is {}", " or ".join(map(str, sorted(heirs))) or "nobody")
    table.host = event["seat"]


def connection_lost(table: Table, event: Event) -> Steps:
    """The loss of a seat's present connection."""
    yield from ()
    chair = chair_of(table, event)
    demand(chair.is_connected, "seat {} was not connected", chair.seat)
    stop_for(table, event)
    chair.is_connected, chair.was_lost, chair.since_ms = False, True, event.at
    _note_silence(table, was_connected=True)


def connection_back(table: Table, event: Event) -> Steps:
    """`connection_back [standin_ended]`: the seat is the person's at once."""
    chair = chair_of(table, event)
    demand(chair.is_person, "seat {} has no person", chair.seat)
    demand(not chair.is_connected, "seat {} is connected already", chair.seat)
    start_for(table, event)
    chair.is_connected, chair.since_ms = True, event.at
    if chair.has_standin:
        ended = yield from need(table, "standin_ended")
        demand(ended["seat"] == chair.seat, "the stand-in of seat {} ends, not {}", chair.seat, ended["seat"])
        chair.has_standin = False


def standin_started(table: Table, event: Event) -> Steps:
    """G6: the grace has passed since the later of loss and `game_started`."""
    yield from ()
    chair = chair_of(table, event)
    due = standin_due_ms(table, chair)
    demand(due is not None, "seat {} needs no stand-in", chair.seat)
    demand(due is None or event.at >= due - HALF_MS, "the stand-in of seat {} is not due before {}", chair.seat, due)
    chair.has_standin = True


def settings_changed(table: Table, event: Event) -> Steps:
    """G1: in the lobby; never fewer seats than are taken."""
    yield from ()
    demand(table.phase == "lobby", "settings change in the lobby only")
    table.book = check_settings(event["settings"])
    table.settings = event["settings"]
    if table.game is not None and table.game.round is not None:
        table.game.round.last_trick = None  # other rules: no race is lost by them at a trick of before
    demand(table.settings["seats"] >= len(table.chairs), "{} seats are taken", len(table.chairs))


def salted(table: Table, event: Event) -> Steps:
    """One salt a seat for the deal that is committed and not yet dealt."""
    yield from ()
    chair = chair_of(table, event)
    demand(chair.is_person, "seat {} has no person to choose a salt", chair.seat)
    demand(event["deal"] == table.commit.deal, "deal {} is committed, not {}", table.commit.deal, event["deal"])
    demand(chair.seat not in table.commit.salts, "seat {} has salted deal {} already", chair.seat, event["deal"])
    table.commit.salts[chair.seat] = bytes.fromhex(event["salt"])
