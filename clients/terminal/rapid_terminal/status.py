"""The few lines that say where things stand, drawn whenever something that matters has changed."""

from __future__ import annotations

from rapid_client import View
from rapid_client.cards import rank_of, ranks, strength
from rapid_client.view import Seat

from . import words
from .settings import is_endless
from .styles import Line, Part, Style, listed

AGAIN_AFTER = frozenset({None, "rounds", "target", "ended"})
"""Ends of a game after which it can be played again (G5)."""


def situation(view: View) -> tuple[object, ...]:
    """What, when changed, is worth drawing again; counts and passes of others come with the next state."""
    you = view.you
    mine = view.seat(you.seat) if you else None
    # Who has no cards to aim with reads the plays themselves; where all stand is drawn once a trick.
    is_aiming = you is not None and bool(you.hand)
    return (
        view.phase,
        view.round,
        (view.trick.state if is_aiming else view.trick.number) if view.trick else None,
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
    return [
        listed("Lobby: ", [_who(view, seat) for seat in view.seats]),
        _host_hint(
            view, "s starts the game, a adds a bot, rules tells the rules, set the settings, ? all you can type"
        ),
    ]


def _results(view: View, _left_s: float | None) -> list[str]:
    # G4
    end = "e ends the game" if is_endless(view.settings) else "e stops the game, with no winner"
    away = [seat.name for seat in view.seats if words.is_awaited(view, seat)]
    told = [f"  awaited, or the game is cancelled: {', '.join(away)}"] if away else []
    return [*told, _host_hint(view, f"n starts the next round, {end}")]


def _final(view: View, _left_s: float | None) -> list[str]:
    why = view.results.why if view.results else None
    again = "r plays again, " if why in AGAIN_AFTER else ""
    return [_host_hint(view, f"{again}l goes back to the lobby, quit ends")]


def _host_hint(view: View, commands: str) -> str:
    if view.is_host:
        return Line.of((f"  you are the host: {commands}", Style.BOLD))
    host = words.name(view, view.host) if view.host is not None else "nobody"
    return f"  {host} is the host" + ("" if view.you else " (in a lobby and after a game: j take a free seat)")


def _exchange(view: View, left_s: float | None) -> list[str]:
    owes = view.you.owes if view.you else None
    if owes is None:
        return [_head(f"[exchange] waiting for {_givers(view)} | {words.seconds(left_s)}"), *_hand(view)]
    due = f"{words.name(view, owes.to)} {words.due(owes.count, owes.pick, is_own=True)}"
    what = "it" if owes.count == 1 else "them"
    return [_head(f"[exchange] you owe {due}: type {what} | {words.seconds(left_s)}"), *_hand(view)]


def _givers(view: View) -> str:
    """Who still has cards to give, awaited seats (3.10) marked."""
    owing = [view.seat(owe.giver) for owe in view.exchange.owes] if view.exchange else []
    names = [seat.name + (" (awaited)" if words.is_awaited(view, seat) else "") for seat in owing if seat]
    return ", ".join(names) or "cards"


def _playing(view: View, left_s: float | None) -> list[str]:
    trick = view.trick
    if trick is None:
        return []
    top = f"{words.cards(trick.top.cards)} by {_name(view, trick.top.seat)}" if trick.top else "empty"
    turn = f" | turn: {_name(view, view.turn)}" if view.turn is not None else ""
    order = f" | REVOLUTION: {ranks(view.settings, revolution=True)[-1]} is high" if view.revolution else ""
    seats = [seat for number in view.order if (seat := view.seat(number))]
    head = Line.of((f"[trick {trick.number}] {top}{turn} | {words.seconds(left_s)}", Style.HEAD), (order, Style.ALARM))
    return [head, listed("  ", [_count(view, seat) for seat in seats], Style.DIM), *_hand(view)]


def _head(text: str) -> Line:
    return Line.of((text, Style.HEAD))


def _hand(view: View) -> list[str]:
    """The hand; what cannot answer the top is dimmed, and if nothing can, that is said."""
    if view.you is None or not view.you.hand:
        return []
    groups = words.hand_groups(view.you.hand, view.settings, revolution=view.revolution)
    fitting = [may_fit(view, cards) for _, cards in groups]
    parts: list[Part] = [("  your hand: ", Style.PLAIN)]
    for (text, _), fits in zip(groups, fitting, strict=True):
        parts += [(text, Style.BOLD if fits and view.may_act else Style.DIM), ("  ", Style.PLAIN)]
    parts.append((f" ({len(view.you.hand)})", Style.PLAIN))
    if view.may_act and not any(fitting) and view.trick and view.trick.top and view.trick.top.seat != view.you.seat:
        parts.append((" nothing fits: p passes", Style.PLAIN))
    return [Line.of(*parts, is_list=True)]


def may_fit(view: View, cards: tuple[str, ...]) -> bool:
    """Whether equal cards of the hand are many and strong enough for the top.

    The server's word alone counts. Where options of the ruleset may change what is legal, all may fit.
    """
    top = view.trick.top if view.trick else None
    if top is None or view.settings.get("options"):
        return True
    least = max(strength(rank_of(card), view.settings, revolution=view.revolution) for card in top.cards)
    return (
        len(cards) >= len(top.cards) and strength(rank_of(cards[0]), view.settings, revolution=view.revolution) >= least
    )


def _count(view: View, seat: Seat) -> str:
    marks = [
        *(["passed"] if seat.passed else []),
        *(["leaving"] if seat.leaving else []),
        *(["stand-in"] if seat.standin else []),
        *([] if seat.connected else ["awaited" if words.is_awaited(view, seat) else "offline"]),
    ]
    count = f"place {seat.place}" if not seat.cards and seat.place else str(seat.cards)
    return f"{_name(view, seat.seat)} {count}" + (f" ({', '.join(marks)})" if marks else "")


def _who(view: View, seat: Seat) -> str:
    marks = [
        mark
        for mark, holds in (("host", seat.seat == view.host), (f"{seat.level or ''} bot", seat.kind == "bot"))
        if holds
    ]
    return f"{seat.seat + 1}. {_name(view, seat.seat)}" + (f" ({', '.join(marks)})" if marks else "")


def _name(view: View, seat: int) -> str:
    return "you" if view.you and view.you.seat == seat else words.name(view, seat)
