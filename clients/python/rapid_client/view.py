"""What a viewer knows of a table at one moment (PROTOCOL 3.3), as frozen values."""

# ruff: noqa: RUF009 - `wire` makes a dataclass field, a new one at each call.
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .events import Cards, Owe
from .fields import boolean, by_seat, cards, integer, many, mapping, optional, read, struct, text, wire

IN_GAME = frozenset({"exchange", "playing", "results"})
"""Phases between `game_started` and `game_ended`."""

_maybe_int = optional(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A taken seat. `cards` is a count; `place` is 1 for the best, None while unknown."""

    seat: int = wire(integer)
    name: str = wire(text)
    kind: str = wire(text)
    level: str | None = wire(optional(text), absent=None)
    connected: bool = wire(boolean)
    standin: bool = wire(boolean)
    leaving: bool = wire(boolean)
    cards: int = wire(integer)
    passed: bool = wire(boolean)
    place: int | None = wire(_maybe_int)
    role: str | None = wire(optional(text))
    total: int = wire(integer)
    until: int | None = wire(optional(integer), absent=None)
    """When the game is cancelled unless this seat is back, in ms of the server's clock; None: it is not awaited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One accepted play of a trick."""

    seat: int = wire(integer)
    cards: Cards = wire(cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """The open trick. `state` is what a play aims at; `top` is None while it is empty."""

    number: int = wire(integer)
    state: int = wire(integer)
    top: Layer | None = wire(optional(struct(Layer)))
    plays: tuple[Layer, ...] = wire(many(struct(Layer)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The returns still open."""

    owes: tuple[Owe, ...] = wire(many(struct(Owe)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Debt:
    """What this viewer still has to return; `pick` is `any`, `best` or `worst`."""

    to: int = wire(integer)
    count: int = wire(integer)
    pick: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class You:
    """What only the seat's own viewer sees; the hand is without cards already given."""

    seat: int = wire(integer)
    hand: Cards = wire(cards)
    owes: Debt | None = wire(optional(struct(Debt)))
    salted: bool = wire(boolean)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The last round's end; `why` and `winners` once the game has ended."""

    round: int = wire(integer)
    standings: tuple[int, ...] = wire(many(integer))
    roles: Mapping[int, str] = wire(by_seat(text))
    points: Mapping[int, int] = wire(by_seat(integer))
    totals: Mapping[int, int] = wire(by_seat(integer))
    why: str | None = wire(optional(text), absent=None)
    winners: tuple[int, ...] | None = wire(optional(many(integer)), absent=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A table as one viewer sees it; times in ms on the server's clock."""

    table: str = wire(text)
    phase: str = wire(text)
    settings: Mapping[str, Any] = wire(mapping)
    host: int | None = wire(_maybe_int)
    order: tuple[int, ...] = wire(many(integer))
    seats: tuple[Seat, ...] = wire(many(struct(Seat)))
    game: int | None = wire(_maybe_int)
    round: int | None = wire(_maybe_int)
    trick: Trick | None = wire(optional(struct(Trick)))
    revolution: bool = wire(boolean)
    turn: int | None = wire(_maybe_int)
    must_rank: str | None = wire(optional(text))
    deadline: int | None = wire(_maybe_int)
    exchange: Exchange | None = wire(optional(struct(Exchange)))
    you: You | None = wire(optional(struct(You)))
    results: Results | None = wire(optional(struct(Results)))
    commit: str | None = wire(optional(text))
    deal: int | None = wire(_maybe_int)

    def seat(self, number: int) -> Seat | None:
        """The taken seat of this number, or None."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    def name(self, number: int) -> str:
        """The name at a seat; `seat N` once it is free."""
        seat = self.seat(number)
        return seat.name if seat else f"seat {number}"

    @property
    def is_host(self) -> bool:
        """Whether this viewer is the table's host."""
        return self.you is not None and self.you.seat == self.host

    @property
    def may_act(self) -> bool:
        """Whether this viewer has cards and has not passed; in turn mode also whether it is its turn."""
        seat = self.seat(self.you.seat) if self.you else None
        if self.phase != "playing" or self.trick is None or seat is None or not seat.cards or seat.passed:
            return False
        return self.settings.get("mode") != "turns" or self.turn == seat.seat


def parse_view(fields: object) -> View:
    """A view from its map. Raises `BadFrame`."""
    return read(View, fields)


def empty_view(table: str) -> View:
    """The view before the first event of a log: what folding an exported log starts from."""
    return View(
        table=table, phase="lobby", settings={}, host=0, order=(), seats=(), game=None, round=None, trick=None,
        revolution=False, turn=None, must_rank=None, deadline=None, exchange=None, you=None, results=None,
        commit=None, deal=None,
    )  # fmt: skip
