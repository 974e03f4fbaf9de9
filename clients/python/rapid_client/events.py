"""The events of a table's log, one frozen class a fact (PROTOCOL 4), as this viewer may see them.

A field that is hidden from the viewer is None. Kinds this library does not know become `Unknown`: they count in the
order and change nothing.
"""

# ruff: noqa: RUF009 - `wire` makes a dataclass field, a new one at each call.
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .errors import BadFrame
from .fields import ABSENT, Absent, boolean, by_seat, cards, integer, many, mapping, optional, read, struct, text, wire

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events carry: `seq`, the place in the log, and `at`, the time in ms on the server's clock."""

    type: ClassVar[str] = ""

    seq: int = wire(integer)
    at: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Event):
    """An event of a kind this library does not know."""

    kind: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Cards on their way in an exchange; `cards` is None for those who may not see them."""

    giver: int = wire(integer, key="from")
    to: int = wire(integer)
    count: int = wire(integer)
    cards: Cards | None = wire(optional(cards), absent=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owe:
    """A return still open: `giver` chooses `count` cards for `to`; `pick` is `any`, `best` or `worst`."""

    giver: int = wire(integer, key="from")
    to: int = wire(integer)
    count: int = wire(integer)
    pick: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened(Event):
    """A table begins, with these settings."""

    type = "table_opened"
    settings: Mapping[str, Any] = wire(mapping)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTaken(Event):
    """Somebody sits down; `kind` is `person` or `bot`, `level` a bot's."""

    type = "seat_taken"
    seat: int = wire(integer)
    name: str = wire(text)
    kind: str = wire(text)
    level: str | None = wire(optional(text), absent=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving(Event):
    """A seat left, or was removed, in a game: a bot plays it to the end (G7)."""

    type = "leaving"
    seat: int = wire(integer)
    why: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFreed(Event):
    """A seat is empty again."""

    type = "seat_freed"
    seat: int = wire(integer)
    why: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostChanged(Event):
    """Another seat is host (G9)."""

    type = "host_changed"
    seat: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged(Event):
    """The table's complete settings, changed."""

    type = "settings_changed"
    settings: Mapping[str, Any] = wire(mapping)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLostEvent(Event):
    """A seat's connection is gone; `deadline`, where given, replaces the running one."""

    type = "connection_lost"
    seat: int = wire(integer)
    until: int | None = wire(optional(integer), absent=None)
    deadline: int | Absent | None = wire(optional(integer), absent=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionBack(Event):
    """A seat is connected; `deadline`, where given, replaces the running one."""

    type = "connection_back"
    seat: int = wire(integer)
    deadline: int | Absent | None = wire(optional(integer), absent=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandinStarted(Event):
    """A stand-in acts for a lost seat (G6)."""

    type = "standin_started"
    seat: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandinEnded(Event):
    """The seat is its person's again."""

    type = "standin_ended"
    seat: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed(Event):
    """The secret of the next deal is fixed; `commit` is its SHA-256 in hex (PROTOCOL 5)."""

    type = "committed"
    deal: int = wire(integer)
    commit: str = wire(text)
    secret: str | None = wire(optional(text), absent=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Salted(Event):
    """A seat added its salt to a committed deal."""

    type = "salted"
    seat: int = wire(integer)
    deal: int = wire(integer)
    salt: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted(Event):
    """A game begins; `game` counts from 1."""

    type = "game_started"
    game: int = wire(integer)
    settings: Mapping[str, Any] = wire(mapping)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt(Event):
    """`hands` holds what this viewer may see, `counts` the size of every hand (absent in an export)."""

    type = "dealt"
    round: int = wire(integer)
    deal: int = wire(integer)
    order: tuple[int, ...] = wire(many(integer))
    hands: Mapping[int, Cards] | None = wire(optional(by_seat(cards)), absent=None)
    counts: Mapping[int, int] | None = wire(optional(by_seat(integer)), absent=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeOpened(Event):
    """`moves` are made at once; `owes` are choices to be made until `deadline`."""

    type = "exchange_opened"
    round: int = wire(integer)
    step: int | None = wire(optional(integer), absent=None)
    moves: tuple[Move, ...] = wire(many(struct(Move)))
    owes: tuple[Owe, ...] = wire(many(struct(Owe)))
    deadline: int | None = wire(optional(integer), absent=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given(Event):
    """Cards leave the giver's hand; they arrive when the exchange closes."""

    type = "given"
    giver: int = wire(integer, key="from")
    to: int = wire(integer)
    count: int = wire(integer)
    cards: Cards | None = wire(optional(cards), absent=None)
    by: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeClosed(Event):
    """What was promised arrives."""

    type = "exchange_closed"
    round: int = wire(integer)
    step: int | None = wire(optional(integer), absent=None)
    moves: tuple[Move, ...] = wire(many(struct(Move)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TrickOpened(Event):
    """An empty trick; its `seq` is the first trick state. `leader` is None in a race."""

    type = "trick_opened"
    trick: int = wire(integer)
    leader: int | None = wire(optional(integer))
    deadline: int | None = wire(optional(integer))


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegan(Event):
    """It is a seat's turn; `rank`, if any, is the only one allowed (V5)."""

    type = "turn_began"
    seat: int = wire(integer)
    rank: str | None = wire(optional(text))
    deadline: int | None = wire(optional(integer))


@dataclass(frozen=True, slots=True, kw_only=True)
class Played(Event):
    """An accepted play; its `seq` is the new trick state, `revolution` the order after it."""

    type = "played"
    seat: int = wire(integer)
    cards: Cards = wire(cards)
    on: int = wire(integer)
    trick: int = wire(integer)
    by: str = wire(text)
    revolution: bool = wire(boolean)
    order: tuple[int, ...] | None = wire(optional(many(integer)), absent=None)
    deadline: int | None = wire(optional(integer))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed(Event):
    """A seat passed; `by` says who decided it."""

    type = "passed"
    seat: int = wire(integer)
    trick: int = wire(integer)
    by: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped(Event):
    """A seat is skipped for this turn (V5)."""

    type = "skipped"
    seat: int = wire(integer)
    trick: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceLost(Event):
    """A play that would have been legal came `late_ms` after the one that won the state `on` (R4)."""

    type = "race_lost"
    seat: int = wire(integer)
    on: int = wire(integer)
    late_ms: int = wire(integer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(Event):
    """A seat has no cards left; `penalised` if by V4."""

    type = "finished"
    seat: int = wire(integer)
    penalised: bool = wire(boolean)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrickClosed(Event):
    """A trick ends; `why` by V6."""

    type = "trick_closed"
    trick: int = wire(integer)
    why: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded(Event):
    """The standings of a round, best first, and the deal's secret."""

    type = "round_ended"
    round: int = wire(integer)
    deal: int = wire(integer)
    standings: tuple[int, ...] = wire(many(integer))
    roles: Mapping[int, str] = wire(by_seat(text))
    points: Mapping[int, int] = wire(by_seat(integer))
    totals: Mapping[int, int] = wire(by_seat(integer))
    secret: str = wire(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded(Event):
    """A game ends; `winners` may be several or none."""

    type = "game_ended"
    game: int = wire(integer)
    why: str = wire(text)
    winners: tuple[int, ...] = wire(many(integer))
    totals: Mapping[int, int] = wire(by_seat(integer))
    secret: str | None = wire(optional(text), absent=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyOpened(Event):
    """The table is back in the lobby."""

    type = "lobby_opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Event):
    """The table has a new authority after `lost_ms`; `deadline` is the running timer's new end."""

    type = "resumed"
    epoch: int = wire(integer)
    lost_ms: int = wire(integer)
    deadline: int | None = wire(optional(integer))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClosed(Event):
    """The end of the table."""

    type = "table_closed"
    why: str = wire(text)


_KINDS: tuple[type[Event], ...] = (
    TableOpened,
    SeatTaken,
    Leaving,
    SeatFreed,
    HostChanged,
    SettingsChanged,
    ConnectionLostEvent,
    ConnectionBack,
    StandinStarted,
    StandinEnded,
    Committed,
    Salted,
    GameStarted,
    Dealt,
    ExchangeOpened,
    Given,
    ExchangeClosed,
    TrickOpened,
    TurnBegan,
    Played,
    Passed,
    Skipped,
    RaceLost,
    Finished,
    TrickClosed,
    RoundEnded,
    GameEnded,
    LobbyOpened,
    Resumed,
    TableClosed,
)
EVENTS: dict[str, type[Event]] = {kind.type: kind for kind in _KINDS}


def parse_event(fields: Mapping[str, Any]) -> Event:
    """One event from its map; kinds not known become `Unknown`. Raises `BadFrame`."""
    name = text(fields.get("type"))
    kind = EVENTS.get(name)
    if kind is not None:
        return read(kind, fields)
    try:
        seq, at = integer(fields["seq"]), integer(fields["at"])
    except KeyError as missing:
        raise BadFrame(f"event without {missing}") from None
    return Unknown(seq=seq, at=at, kind=name, fields=dict(fields))
