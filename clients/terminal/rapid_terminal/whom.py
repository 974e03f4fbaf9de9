"""Seats as people call them: by name, the beginning of a name, or the number that stands beside it."""

from __future__ import annotations

from collections.abc import Sequence

from rapid_client import View
from rapid_client.view import Seat

from . import words

SEAT_SIGN = "#"
"""Before a number that is a seat's and no part of a name."""


def seat_called(said: str, view: View) -> int | str:
    """The seat that is meant; if it is none, or might be another, a sentence that says so."""
    called = said.strip().casefold()
    if not called:
        return f"whom? A name, or the number before it: {_all(view.seats)}"
    found = _numbered(called, view) if called.lstrip(SEAT_SIGN).isdecimal() else _named(called, view)
    if len(found) == 1:
        return found[0].seat
    if not found:
        return f"nobody here is called {said!r}: {_all(view.seats)}"
    *others, last = (f"{SEAT_SIGN}{taken.seat + 1} for {taken.name}" for taken in found)
    return f"{said!r} might mean more than one: type {', '.join(others)} or {last}"


def _numbered(called: str, view: View) -> list[Seat]:
    """The seat of that number, and whoever else has the number in the name: `2` might be meant for `Bot 2`."""
    number = int(called.lstrip(SEAT_SIGN))
    is_sure = called.startswith(SEAT_SIGN)
    return [
        taken
        for taken in view.seats
        if taken.seat + 1 == number or (not is_sure and called in taken.name.casefold().split())
    ]


def _named(called: str, view: View) -> list[Seat]:
    names = [(taken.name.casefold(), taken) for taken in view.seats]
    whole = [taken for name, taken in names if name == called]
    return whole or [taken for name, taken in names if name.startswith(called)]


def _all(seats: Sequence[Seat]) -> str:
    return ", ".join(map(words.numbered, seats))
