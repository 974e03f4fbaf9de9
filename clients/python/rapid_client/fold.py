"""The view after an event: `reduce(view, event, seat) -> view`, pure, one function a kind of event.

It knows no rules of play: events say what happened, the fold only keeps count. An event that cannot follow on the
view raises `ImpossibleState`, upon which the session asks for a full view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from . import events as ev
from .cards import held, in_order
from .errors import ImpossibleState
from .fields import Absent
from .view import IN_GAME, Debt, Exchange, Layer, Results, Seat, Trick, View, You

Fold = Callable[[View, Any], View]
_WAIT_MS = 60_000
"""How long a chair waits for a lost person, from the loss, the start of the game or the server's return (3.10)."""
# By ruleset: the option, and its value, with which a pass does not bind. The client reads them, it decides nothing.
_FREE_PASSES = {"house": ("sit_out", False), "escoria": ("", None), "presi": ("passing", "free")}

# L2, by ruleset and number of seats: what titles become when a seat is freed between rounds. Elsewhere the log says.
_TITLES: dict[str, dict[int, tuple[str, ...]]] = {
    "president": {
        3: ("president", "neutral", "asshole"),
        4: ("president", "vice_president", "vice_asshole", "asshole"),
        5: ("president", "vice_president", "neutral", "vice_asshole", "asshole"),
        6: ("president", "vice_president", "neutral", "neutral", "vice_asshole", "asshole"),
    },
    "presi": {
        3: ("president", "vice_president", "culo"),
        4: ("president", "vice_president", "vice_culo", "culo"),
        5: ("president", "vice_president", "neutral", "vice_culo", "culo"),
        6: ("president", "vice_president", "neutral", "neutral", "vice_culo", "culo"),
    },
    "house": {
        count: ("president", "vice_president", *(f"place_{place}" for place in range(3, count + 1)))
        for count in range(4, 8)
    },
    "escoria": {
        4: ("president", "vice_president", "vice_scum", "scum"),
        5: ("president", "vice_president", "neutral", "vice_scum", "scum"),
        6: ("president", "vice_president", "upper_neutral", "lower_neutral", "vice_scum", "scum"),
        7: ("president", "vice_president", "upper_neutral", "neutral", "lower_neutral", "vice_scum", "super_scum"),
    },
}


def reduce(view: View, event: ev.Event, seat: int | None) -> View:
    """The view of `seat` (None: a spectator) after the event. Raises `ImpossibleState`."""
    fold = _FOLDS.get(type(event))
    view = view if fold is None else fold(view, event)
    if isinstance(event, ev.SeatTaken) and event.seat == seat and view.you is None:
        return replace(view, you=You(seat=seat, hand=(), owes=None, salted=False))
    return view


def _me(view: View) -> int | None:
    return view.you.seat if view.you else None


def passes_bind(settings: Mapping[str, Any]) -> bool:
    """Whether a pass lasts to the end of the trick (P4), or only until the next play (4.3, section 7)."""
    option, free = _FREE_PASSES.get(settings.get("ruleset", ""), ("", True))
    return bool(settings.get("options", {}).get(option) != free)


# -- seats -----------------------------------------------------------------------------------------------------------


def _change(view: View, number: int, **changes: Any) -> View:
    if view.seat(number) is None:
        raise ImpossibleState(f"seat {number} is not taken")
    return replace(view, seats=tuple(replace(s, **changes) if s.seat == number else s for s in view.seats))


def _change_all(view: View, **changes: Any) -> View:
    return replace(view, seats=tuple(replace(seat, **changes) for seat in view.seats))


def _count(view: View, number: int, difference: int) -> View:
    seat = view.seat(number)
    if seat is None or seat.cards + difference < 0:
        raise ImpossibleState(f"seat {number} cannot have {difference:+} cards")
    return _change(view, number, cards=seat.cards + difference)


def _hand(view: View, add: Iterable[str] = (), drop: Iterable[str] = ()) -> View:
    if view.you is None:
        return view
    hand = list(view.you.hand)
    for card in map(held, drop):
        if card not in hand:
            raise ImpossibleState(f"{card} is not in the hand")
        hand.remove(card)
    return replace(view, you=replace(view.you, hand=in_order((*hand, *add))))


def _table_opened(view: View, event: ev.TableOpened) -> View:
    return replace(view, settings=event.settings)


def _seat_taken(view: View, event: ev.SeatTaken) -> View:
    taken = Seat(
        seat=event.seat, name=event.name, kind=event.kind, level=event.level, connected=event.kind == "bot",
        standin=False, leaving=False, cards=0, passed=False, place=None, role=None, total=0,
    )  # fmt: skip
    seats = tuple(sorted((*view.seats, taken), key=lambda one: one.seat))
    return replace(view, seats=seats, order=tuple(one.seat for one in seats))


def _leaving(view: View, event: ev.Leaving) -> View:
    return _change(view, event.seat, leaving=True, standin=False, connected=False, until=None)


def _seat_freed(view: View, event: ev.SeatFreed) -> View:
    view = replace(
        view,
        seats=tuple(one for one in view.seats if one.seat != event.seat),
        order=tuple(one for one in view.order if one != event.seat),
        you=None if event.seat == _me(view) else view.you,
    )
    return _roles_anew(view)


def _roles_anew(view: View) -> View:
    """G7: those who stay keep their order, and take the titles of the smaller number of seats."""
    titles = _TITLES.get(view.settings.get("ruleset", ""))
    if titles is None or view.results is None:
        return view
    left = [number for number in view.results.standings if (seat := view.seat(number)) and seat.role is not None]
    roles = dict(zip(left, titles.get(len(left), ()), strict=False))
    return replace(view, seats=tuple(replace(seat, role=roles.get(seat.seat)) for seat in view.seats))


def _host_changed(view: View, event: ev.HostChanged) -> View:
    return replace(view, host=event.seat)


def _settings_changed(view: View, event: ev.SettingsChanged) -> View:
    return replace(view, settings=event.settings)


def _connection(view: View, event: ev.ConnectionLostEvent | ev.ConnectionBack) -> View:
    until = None if isinstance(event, ev.ConnectionBack) else event.until
    view = _change(view, event.seat, connected=isinstance(event, ev.ConnectionBack), until=until)
    if isinstance(event.deadline, Absent):
        return view
    if view.exchange is None:
        return replace(view, deadline=event.deadline)
    # Each has a time of its own there (3.10), and the view shows the one that ends first.
    ends = [end for end in (view.deadline, event.deadline) if end is not None]
    return _if_all_are_awaited(replace(view, deadline=min(ends, default=None)))


def _if_all_are_awaited(view: View) -> View:
    """3.10: no timer runs while all who still owe cards are awaited."""
    owing = [view.seat(owe.giver) for owe in view.exchange.owes] if view.exchange else []
    return replace(view, deadline=None) if owing and all(one and _is_awaited(view, one) for one in owing) else view


def _is_awaited(view: View, seat: Seat) -> bool:
    is_lost = seat.kind == "person" and not seat.connected and not seat.leaving
    return is_lost and view.settings.get("disconnect") == "wait"


def _waiting_from(view: View, at: int) -> View:
    """3.10: the time that lost persons have starts anew."""
    seats = tuple(replace(one, until=at + _WAIT_MS) if _is_awaited(view, one) else one for one in view.seats)
    return replace(view, seats=seats)


def _standin(view: View, event: ev.StandinStarted | ev.StandinEnded) -> View:
    return _change(view, event.seat, standin=isinstance(event, ev.StandinStarted))


def _committed(view: View, event: ev.Committed) -> View:
    you = view.you and replace(view.you, salted=False)
    return replace(view, commit=event.commit, deal=event.deal, you=you)


def _salted(view: View, event: ev.Salted) -> View:
    if view.you is None or event.seat != _me(view) or event.deal != view.deal:
        return view
    return replace(view, you=replace(view.you, salted=True))


# -- deal and exchange -----------------------------------------------------------------------------------------------


def _game_started(view: View, event: ev.GameStarted) -> View:
    view = _change_all(view, place=None, role=None, total=0, standin=False)
    view = replace(view, game=event.game, settings=event.settings, results=None, round=None)
    return _waiting_from(view, event.at)


def _dealt(view: View, event: ev.Dealt) -> View:
    hands = event.hands or {}
    counts = event.counts or {number: len(hand) for number, hand in hands.items()}
    seats = tuple(replace(s, cards=counts.get(s.seat, 0), passed=False, place=None) for s in view.seats)
    you = view.you and replace(view.you, hand=hands.get(view.you.seat, ()), owes=None, salted=False)
    return replace(
        view, phase="playing", round=event.round, order=event.order, seats=seats, you=you, trick=None,
        revolution=False, commit=None, deal=None,
    )  # fmt: skip


def _exchange_opened(view: View, event: ev.ExchangeOpened) -> View:
    for move in event.moves:
        view = _count(_arrive(view, move), move.giver, -move.count)
        if move.giver == _me(view):
            view = _hand(view, drop=move.cards or ())
    mine = next((owe for owe in event.owes if owe.giver == _me(view)), None)
    debt = Debt(to=mine.to, count=mine.count, pick=mine.pick) if mine else None
    view = replace(
        view, phase="exchange", exchange=Exchange(owes=event.owes), deadline=event.deadline,
        you=view.you and replace(view.you, owes=debt),
    )  # fmt: skip
    return _if_all_are_awaited(view)


def _given(view: View, event: ev.Given) -> View:
    view = _count(view, event.giver, -event.count)
    if event.giver == _me(view):
        view = _hand(view, drop=event.cards or ())
        view = replace(view, you=view.you and replace(view.you, owes=None))
    open_owes = view.exchange.owes if view.exchange else ()
    left = tuple(owe for owe in open_owes if owe.giver != event.giver)
    return _if_all_are_awaited(replace(view, exchange=Exchange(owes=left)))


def _exchange_closed(view: View, event: ev.ExchangeClosed) -> View:
    for move in event.moves:
        view = _arrive(view, move)
    return replace(view, phase="playing", exchange=None, deadline=None, you=view.you and replace(view.you, owes=None))


def _arrive(view: View, move: ev.Move) -> View:
    view = _count(view, move.to, move.count)
    return _hand(view, add=move.cards or ()) if move.to == _me(view) else view


# -- tricks ----------------------------------------------------------------------------------------------------------


def _trick_opened(view: View, event: ev.TrickOpened) -> View:
    trick = Trick(number=event.trick, state=event.seq, top=None, plays=())
    view = _change_all(view, passed=False)
    return replace(
        view, phase="playing", trick=trick, exchange=None, turn=None, must_rank=None, deadline=event.deadline
    )


def _turn_began(view: View, event: ev.TurnBegan) -> View:
    return replace(view, turn=event.seat, must_rank=event.rank, deadline=event.deadline)


def _played(view: View, event: ev.Played) -> View:
    if view.trick is None or view.trick.number != event.trick:
        raise ImpossibleState(f"a play on trick {event.trick}, which is not open")
    layer = Layer(seat=event.seat, cards=event.cards)
    trick = replace(view.trick, state=event.seq, top=layer, plays=(*view.trick.plays, layer))
    view = _count(view, event.seat, -len(event.cards))
    if event.seat == _me(view):
        view = _hand(view, drop=event.cards)
    if not passes_bind(view.settings):
        view = _change_all(view, passed=False)
    return replace(
        view, trick=trick, revolution=event.revolution, order=event.order or view.order, turn=None, must_rank=None,
        deadline=event.deadline,
    )  # fmt: skip


def _passed(view: View, event: ev.Passed) -> View:
    return _change(view, event.seat, passed=True)


def _finished(view: View, event: ev.Finished) -> View:
    # L1, V4: clean finishers take the first free place from the front, penalised ones from the back.
    known = {one.place for one in view.seats if one.place is not None}
    places = range(len(view.order), 0, -1) if event.penalised else range(1, len(view.order) + 1)
    return _change(view, event.seat, place=next((place for place in places if place not in known), None))


def _trick_closed(view: View, _event: ev.TrickClosed) -> View:
    view = _change_all(view, passed=False)
    return replace(view, trick=None, turn=None, must_rank=None, deadline=None)


# -- round and game --------------------------------------------------------------------------------------------------


def _round_ended(view: View, event: ev.RoundEnded) -> View:
    place = {number: index for index, number in enumerate(event.standings, 1)}
    seats = tuple(
        replace(
            one, place=place.get(one.seat), role=event.roles.get(one.seat), total=event.totals.get(one.seat, one.total)
        )
        for one in view.seats
    )
    results = Results(
        round=event.round, standings=event.standings, roles=event.roles, points=event.points, totals=event.totals
    )
    return replace(_empty_handed(replace(view, seats=seats)), phase="results", results=results)


def _game_ended(view: View, event: ev.GameEnded) -> View:
    results = view.results and replace(view.results, why=event.why, winners=event.winners)
    return replace(_change_all(_empty_handed(view), standin=False, until=None), phase="final", results=results)


def _empty_handed(view: View) -> View:
    view = _change_all(view, cards=0, passed=False)
    return replace(
        view, order=tuple(one.seat for one in view.seats), trick=None, revolution=False, turn=None,
        must_rank=None, deadline=None, exchange=None, you=view.you and replace(view.you, hand=(), owes=None),
    )  # fmt: skip


def _lobby_opened(view: View, _event: ev.LobbyOpened) -> View:
    view = _change_all(view, place=None, role=None, total=0)
    return replace(view, phase="lobby", game=None, round=None, results=None, order=tuple(s.seat for s in view.seats))


def _resumed(view: View, event: ev.Resumed) -> View:
    view = replace(view, deadline=event.deadline)
    return _waiting_from(view, event.at) if view.phase in IN_GAME else view


def _table_closed(view: View, _event: ev.TableClosed) -> View:
    return replace(view, phase="closed", deadline=None)


_FOLDS: dict[type[ev.Event], Fold] = {
    ev.TableOpened: _table_opened,
    ev.SeatTaken: _seat_taken,
    ev.Leaving: _leaving,
    ev.SeatFreed: _seat_freed,
    ev.HostChanged: _host_changed,
    ev.SettingsChanged: _settings_changed,
    ev.ConnectionLostEvent: _connection,
    ev.ConnectionBack: _connection,
    ev.StandinStarted: _standin,
    ev.StandinEnded: _standin,
    ev.Committed: _committed,
    ev.Salted: _salted,
    ev.GameStarted: _game_started,
    ev.Dealt: _dealt,
    ev.ExchangeOpened: _exchange_opened,
    ev.Given: _given,
    ev.ExchangeClosed: _exchange_closed,
    ev.TrickOpened: _trick_opened,
    ev.TurnBegan: _turn_began,
    ev.Played: _played,
    ev.Passed: _passed,
    ev.Finished: _finished,
    ev.TrickClosed: _trick_closed,
    ev.RoundEnded: _round_ended,
    ev.GameEnded: _game_ended,
    ev.LobbyOpened: _lobby_opened,
    ev.Resumed: _resumed,
    ev.TableClosed: _table_closed,
}
