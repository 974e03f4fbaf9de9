"""What the server says (PROTOCOL 3.2), one frozen class a message; `parse_message` reads them."""

# ruff: noqa: RUF009 - `wire` makes a dataclass field, a new one at each call.
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import FieldError
from .events import Event, parse_event
from .fields import boolean, integer, many, mapping, optional, struct, text, wire
from .view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """Where this viewer stands: the next event has `seq` + 1. `view` is None when resuming from `since`."""

    v: int = wire(integer)
    table: str = wire(text)
    seat: int | None = wire(optional(integer))
    seq: int = wire(integer)
    now: int = wire(integer)
    view: View | None = wire(optional(struct(View)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _WireFieldError:
    field: str = wire(text)
    message: str = wire(text)


def _field_errors(value: object) -> tuple[FieldError, ...]:
    return tuple(FieldError(row.field, row.message) for row in many(struct(_WireFieldError))(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The one answer to a request.

    If `ok`, `seq` is the last event of its decision; else `why` says why not (PROTOCOL 3.4), `late_ms` by how much a
    race was lost, `errors` what is wrong with settings.
    """

    id: int = wire(integer)
    ok: bool = wire(boolean)
    seq: int | None = wire(optional(integer), absent=None)
    why: str | None = wire(optional(text), absent=None)
    late_ms: int | None = wire(optional(integer), absent=None)
    errors: tuple[FieldError, ...] = wire(_field_errors, absent=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """Somebody reacts; no effect on the game (G11)."""

    seat: int = wire(integer)
    emoji: str = wire(text)
    at: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """How many spectators there are."""

    spectators: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pong:
    """The answer to a ping; `now` in ms on the server's clock."""

    id: int = wire(integer)
    now: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bye:
    """The server is about to close the connection."""

    why: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownMessage:
    """A message this library does not know; harmless."""

    t: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """Said by this library, not by the server: the connection is gone; the next attempt follows in `retry_s`.

    A `Welcome` follows once it is back. Nothing asked for in between is sent later.
    """

    code: int | None
    retry_s: float


Message = Welcome | Event | Reply | Reaction | Presence | Pong | Bye | UnknownMessage

_READERS: dict[str, Callable[[Mapping[str, Any]], Message]] = {
    "welcome": struct(Welcome),
    "event": parse_event,
    "reply": struct(Reply),
    "reaction": struct(Reaction),
    "presence": struct(Presence),
    "pong": struct(Pong),
    "bye": struct(Bye),
}


def parse_message(frame: object) -> Message:
    """One message from its decoded frame. Raises `BadFrame`; what is unknown becomes `UnknownMessage`."""
    fields = mapping(frame)
    kind = text(fields.get("t"))
    reader = _READERS.get(kind)
    return reader(fields) if reader else UnknownMessage(t=kind, fields=dict(fields))
