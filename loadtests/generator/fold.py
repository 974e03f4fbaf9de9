"""What a table's clients know between them: kept up from the driver's events and from each seat's own cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from loadtests.generator.cards import RANK_OF, Hand
from loadtests.generator.table import Seat
from loadtests.generator.wire import Message


class Holder(Seat):
    """A seat and what it holds."""

    __slots__ = ("folds", "hand", "has_passed", "is_gone", "number", "owes", "salt_due")

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.hand = Hand()
        self.has_passed = False
        self.is_gone = False
        """Whether it has left the table; a bot may play on in its place."""
        self.owes = 0
        self.salt_due: int | None = None
        self.folds = True
        """Whether its own frames are read in full now: cards come or go that it alone is shown."""


class Fold:
    """The state of one table, by the terms of PROTOCOL 3.3."""

    def __init__(self) -> None:
        self.holders: Sequence[Holder] = ()
        self.seq = 0
        self.phase = "lobby"
        self.round = 0
        self.state = 0
        """The trick state, 0 while no trick is open."""
        self.top: tuple[int, int] | None = None
        """Rank and number of the cards on top."""
        self.last = -1
        self.is_turned = False
        self.connected = 0
        self.salts_due = 0
        self.owing = 0

    def take(self, event: Message) -> None:
        """Follow an event as the driver sees it."""
        self.seq = event.seq
        follow = _FOR_TABLE.get(event.type)
        if follow is not None:
            follow(self, event)

    def take_own(self, holder: Holder, event: Message) -> None:
        """Follow an event as a seat sees it whose own cards come or go."""
        follow = _FOR_SEAT.get(event.type)
        if follow is not None:
            follow(self, holder, event)

    def take_view(self, holder: Holder, welcome: dict[str, Any], *, is_driver: bool) -> None:
        """Follow a `welcome` that has a view."""
        view = welcome["view"]
        you = view["you"]
        holder.hand = Hand(you["hand"])
        self.owe(holder, you["owes"]["count"] if you["owes"] else 0)
        if view["deal"] and not you["salted"]:
            self.salt(holder, view["deal"])
        if is_driver:
            self._take_public(welcome["seq"], view)

    def _take_public(self, seq: int, view: dict[str, Any]) -> None:
        self.seq, self.phase, self.round = seq, view["phase"], view["round"] or 0
        self.is_turned = view["revolution"]
        self.connected = sum(seat["connected"] for seat in view["seats"])
        trick = view["trick"]
        self.state = trick["state"] if trick else 0
        top = trick["top"] if trick else None
        self.top = (RANK_OF[top["cards"][0][0]], len(top["cards"])) if top else None
        self.last = top["seat"] if top else -1

    def owe(self, holder: Holder, count: int) -> None:
        """A seat owes so many cards."""
        self.owing += (count > 0) - (holder.owes > 0)
        holder.owes = count

    def salt(self, holder: Holder, deal: int | None) -> None:
        """A seat may salt this deal; None: it has."""
        self.salts_due += (deal is not None) - (holder.salt_due is not None)
        holder.salt_due = deal

    def leave(self, holder: Holder) -> None:
        """A seat is nobody's of ours any more."""
        holder.is_gone = True
        holder.hand = Hand()
        self.owe(holder, 0)
        self.salt(holder, None)

    def fold_all(self) -> None:
        """A deal comes: each seat is told of its own cards alone."""
        for holder in self.holders:
            holder.folds = True


# A seat's own cards


def _own_dealt(_fold: Fold, holder: Holder, event: Message) -> None:
    holder.hand = Hand(event.hands[str(holder.number)])


def _own_opened(fold: Fold, holder: Holder, event: Message) -> None:
    for move in event.moves:
        if move.from_ == holder.number:
            holder.hand.remove(move.cards)
    _own_arrived(fold, holder, event)
    fold.owe(holder, sum(owed.count for owed in event.owes if owed.from_ == holder.number))


def _own_given(fold: Fold, holder: Holder, event: Message) -> None:
    if event.from_ == holder.number:
        holder.hand.remove(event.cards)
        fold.owe(holder, 0)


def _own_arrived(_fold: Fold, holder: Holder, event: Message) -> None:
    for move in event.moves:
        if move.to == holder.number:
            holder.hand.add(move.cards)


def _own_trick(_fold: Fold, holder: Holder, _event: Message) -> None:
    """From here on everybody sees everything."""
    holder.folds = False


_FOR_SEAT: Final[dict[str, Callable[[Fold, Holder, Message], None]]] = {
    "dealt": _own_dealt,
    "exchange_opened": _own_opened,
    "given": _own_given,
    "exchange_closed": _own_arrived,
    "trick_opened": _own_trick,
}


# What everybody sees


def _connection_back(fold: Fold, _event: Message) -> None:
    fold.connected += 1


def _connection_lost(fold: Fold, _event: Message) -> None:
    fold.connected -= 1


def _committed(fold: Fold, event: Message) -> None:
    for holder in fold.holders:
        if not holder.is_gone:
            fold.salt(holder, event.deal)


def _salted(fold: Fold, event: Message) -> None:
    fold.salt(_holder(fold, event), None)


def _closed(fold: Fold, _event: Message) -> None:
    fold.phase = "closed"


def _dealt(fold: Fold, event: Message) -> None:
    fold.round, fold.is_turned, fold.state = event.round or 0, False, 0


def _exchange_opened(fold: Fold, _event: Message) -> None:
    fold.phase = "exchange"


def _trick_opened(fold: Fold, event: Message) -> None:
    fold.phase, fold.state, fold.top, fold.last = "playing", event.seq, None, -1
    for holder in fold.holders:
        holder.has_passed = False


def _played(fold: Fold, event: Message) -> None:
    holder = _holder(fold, event)
    holder.hand.remove(event.cards)
    fold.state, fold.last, fold.is_turned = event.seq, holder.number, event.revolution
    fold.top = (RANK_OF[event.cards[0][0]], len(event.cards))


def _passed(fold: Fold, event: Message) -> None:
    _holder(fold, event).has_passed = True


def _trick_closed(fold: Fold, _event: Message) -> None:
    fold.state = 0


def _round_ended(fold: Fold, _event: Message) -> None:
    fold.phase = "results"


def _game_ended(fold: Fold, _event: Message) -> None:
    fold.phase = "final"


def _lobby_opened(fold: Fold, _event: Message) -> None:
    fold.phase = "lobby"


def _holder(fold: Fold, event: Message) -> Holder:
    assert event.seat is not None
    return fold.holders[event.seat]


_FOR_TABLE: Final[dict[str, Callable[[Fold, Message], None]]] = {
    "connection_back": _connection_back,
    "connection_lost": _connection_lost,
    "table_closed": _closed,
    "committed": _committed,
    "salted": _salted,
    "dealt": _dealt,
    "exchange_opened": _exchange_opened,
    "trick_opened": _trick_opened,
    "played": _played,
    "passed": _passed,
    "trick_closed": _trick_closed,
    "round_ended": _round_ended,
    "game_ended": _game_ended,
    "lobby_opened": _lobby_opened,
}
