"""The few lines that say where things stand, drawn whenever something that matters has changed."""

from __future__ import annotations

from rapid_client import View
from rapid_client.view import Seat

from . import words


def situation(view: View) -> tuple[object, ...]:
    """What, when changed, is worth drawing again; counts and passes of others come with the next state."""
    you = view.you
    mine = view.seat(you.seat) if you else None
    return (
        view.phase,
        view.round,
        view.trick.state if view.trick else None,
        view.turn,
        you and (you.hand, you.owes),
        mine and mine.passed,
        view.host,
        len(view.seats) if view.phase in {"lobby", "final"} else None,
    )


def status(view: View, left_s: float | None) -> list[str]:
    """The lines for a view; `left_s` is what is left of the running timer."""
    draw = {"lobby": _lobby, "exchange": _exchange, "playing": _playing, "results": _results, "final": _final}
    return draw[view.phase](view, left_s) if view.phase in draw else []


def _lobby(view: View, _left_s: float | None) -> list[str]:
    seats = " · ".join(_who(view, seat) for seat in view.seats)
    return [f"Lobby: {seats}", _host_hint(view, "s start, a add a bot, set NAME VALUE, kick SEAT")]


def _results(view: View, _left_s: float | None) -> list[str]:
    return [_host_hint(view, "n next round, e end the game")]


def _final(view: View, _left_s: float | None) -> list[str]:
    return [_host_hint(view, "r play again, l back to the lobby")]


def _host_hint(view: View, commands: str) -> str:
    if view.is_host:
        return f"  you are the host: {commands}"
    host = view.name(view.host) if view.host is not None else "nobody"
    return f"  {host} is the host" + ("" if view.you else " (in a lobby and after a game: j take a free seat)")


def _exchange(view: View, left_s: float | None) -> list[str]:
    owes = view.you.owes if view.you else None
    if owes is None:
        return [f"[exchange] waiting for returns | {words.seconds(left_s)}", *_hand(view)]
    due = f"you owe {view.name(owes.to)} {owes.count} ({owes.pick}): give CARDS"
    return [f"[exchange] {due} | {words.seconds(left_s)}", *_hand(view)]


def _playing(view: View, left_s: float | None) -> list[str]:
    trick = view.trick
    if trick is None:
        return []
    top = f"{words.cards(trick.top.cards)} by {_name(view, trick.top.seat)}" if trick.top else "empty"
    turn = f" | turn: {_name(view, view.turn)}" if view.turn is not None else ""
    order = " | REVOLUTION: 3 is high" if view.revolution else ""
    seats = [seat for number in view.order if (seat := view.seat(number))]
    counts = " · ".join(_count(view, seat) for seat in seats)
    return [f"[trick {trick.number}] {top}{turn} | {words.seconds(left_s)}{order}", f"  {counts}", *_hand(view)]


def _hand(view: View) -> list[str]:
    if view.you is None or not view.you.hand:
        return []
    hand = words.hand(view.you.hand, view.settings, revolution=view.revolution)
    return [f"  your hand: {hand}   ({len(view.you.hand)})"]


def _count(view: View, seat: Seat) -> str:
    marks = [
        *(["passed"] if seat.passed else []),
        *(["leaving"] if seat.leaving else []),
        *(["stand-in"] if seat.standin else []),
        *([] if seat.connected else ["offline"]),
    ]
    count = f"place {seat.place}" if not seat.cards and seat.place else str(seat.cards)
    return f"{_name(view, seat.seat)} {count}" + (f" ({', '.join(marks)})" if marks else "")


def _who(view: View, seat: Seat) -> str:
    marks = [
        mark
        for mark, holds in (("host", seat.seat == view.host), (f"{seat.level or ''} bot", seat.kind == "bot"))
        if holds
    ]
    return f"{seat.seat} {_name(view, seat.seat)}" + (f" ({', '.join(marks)})" if marks else "")


def _name(view: View, seat: int) -> str:
    return "you" if view.you and view.you.seat == seat else view.name(seat)
