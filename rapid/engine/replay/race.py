"""What only a race has: a trick closed by the timer, and lost races (R4, R7)."""

from __future__ import annotations

from rapid.engine.replay.clock import check_fired
from rapid.engine.replay.event import Event
from rapid.engine.replay.faults import demand
from rapid.engine.replay.flow import Steps, trick_of
from rapid.engine.replay.plays import closed
from rapid.engine.replay.table import Table
from rapid.engine.replay.trick import has_legal


def timer_closed(table: Table, event: Event) -> Steps:
    """A timer's `CLOSE` (R7)."""
    trick = trick_of(table)
    demand(not table.has_turns, "no timer closes a trick in turn mode")
    demand(event["why"] == "timer", "nothing closes the trick as {}", event["why"])
    check_fired(table, event)
    demand(trick.plays, "at zero an empty trick is opened")
    yield from closed(table, event, "timer")


def race_lost(table: Table, event: Event) -> Steps:
    """R4: a play at a state left behind, of the present trick or the one just closed, once a seat and state.

    Behind a round's last trick too, whatever came behind that round's end (PROTOCOL 3.4).
    """
    yield from ()
    seat, on = event["seat"], event["on"]
    demand(table.game is not None and table.phase != "exchange", "no trick to lose a race in")
    now = table.game.round if table.game else None
    tricks = [trick for trick in (now.trick, now.last_trick) if trick and on in trick.ended_ms] if now else []
    demand(now is not None and tricks, "{} is no past state of the present trick or the one just closed", on)
    trick, hand = tricks[0], now.hands.get(seat, set()) if now else set()
    demand(seat in trick.states[on].in_trick, "seat {} was not in the trick at {}", seat, on)
    demand(has_legal(table.book, trick.states[on], hand), "seat {} holds nothing legal at {}", seat, on)
    has_turn = not table.has_turns or seat in trick.turns.get(on, {})
    demand(has_turn, "seat {} had no turn at {}", seat, on)
    demand((seat, on) not in trick.lost, "seat {} has lost the race for {} already", seat, on)
    late_ms = event.at - trick.ended_ms[on]
    demand(event["late_ms"] == late_ms, "late_ms is {}, not {}", late_ms, event["late_ms"])
    trick.lost.add((seat, on))
