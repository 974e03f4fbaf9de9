"""What has happened at a table: one frozen class a fact, past tense (PROTOCOL section 4).

A decision's events stand together in one log entry, which holds their first `seq` and
their common `at`. Field names are the outside's. A field that is UNSET is absent; None is
null. Seats as keys are decimal text.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field

from rapid.rules.settings import Settings

Cards = tuple[str, ...]


class Event(Struct, frozen=True, gc=False, tag_field="type"):
    """Base of all events."""


class Move(Struct, frozen=True, gc=False):
    """Cards that go from seat to seat; `cards` absent for those who may not see them."""

    from_: int = field(name="from")
    to: int
    count: int
    cards: Cards | UnsetType = UNSET


class Owed(Struct, frozen=True, gc=False):
    """Cards still to be chosen and given."""

    from_: int = field(name="from")
    to: int
    count: int
    pick: str


class TableOpened(Event, frozen=True, tag="table_opened"):
    """The first event of a log; seat 0 is host."""

    settings: Settings


class SeatTaken(Event, frozen=True, tag="seat_taken"):
    """A person or bot sits down; `token_hash` never leaves the log."""

    seat: int
    name: str
    kind: str
    level: str | UnsetType = UNSET
    token_hash: str | UnsetType = UNSET


class Leaving(Event, frozen=True, tag="leaving"):
    """In a game: the seat's token is void, a bot plays until the seat is freed (G7)."""

    seat: int
    why: str


class SeatFreed(Event, frozen=True, tag="seat_freed"):
    """The chair is empty again."""

    seat: int
    why: str


class HostChanged(Event, frozen=True, tag="host_changed"):
    """Another person is host (G9)."""

    seat: int


class SettingsChanged(Event, frozen=True, tag="settings_changed"):
    """The complete new settings."""

    settings: Settings


class ConnectionLost(Event, frozen=True, tag="connection_lost"):
    """The seat's present connection is gone."""

    seat: int
    until: int | UnsetType = UNSET
    deadline: int | UnsetType | None = UNSET


class ConnectionBack(Event, frozen=True, tag="connection_back"):
    """The seat is connected, the first time too."""

    seat: int
    deadline: int | UnsetType | None = UNSET


class StandinStarted(Event, frozen=True, tag="standin_started"):
    """A stand-in moves for the seat (G6)."""

    seat: int


class StandinEnded(Event, frozen=True, tag="standin_ended"):
    """The person moves again."""

    seat: int


class Committed(Event, frozen=True, tag="committed"):
    """The secret of a deal is fixed (PROTOCOL 5); `secret` is hidden from all viewers."""

    deal: int
    commit: str
    secret: str | UnsetType = UNSET


class Salted(Event, frozen=True, tag="salted"):
    """A seat has added its salt to the committed deal."""

    seat: int
    deal: int
    salt: str


class GameStarted(Event, frozen=True, tag="game_started"):
    """A game begins with these seats, ascending."""

    game: int
    seats: tuple[int, ...]
    settings: Settings


class Dealt(Event, frozen=True, tag="dealt"):
    """A round begins; viewers see their own hand, and `counts`."""

    round: int
    deal: int
    order: tuple[int, ...]
    hands: dict[str, Cards]
    counts: dict[str, int] | UnsetType = UNSET


class ExchangeOpened(Event, frozen=True, tag="exchange_opened"):
    """Moves made at once, and what is owed (X2, X3)."""

    round: int
    moves: tuple[Move, ...]
    owes: tuple[Owed, ...]
    deadline: int
    step: int | UnsetType = UNSET


class Given(Event, frozen=True, tag="given"):
    """Cards were chosen: they leave the hand now and arrive when the exchange closes."""

    from_: int = field(name="from")
    to: int
    count: int
    by: str
    cards: Cards | UnsetType = UNSET


class ExchangeClosed(Event, frozen=True, tag="exchange_closed"):
    """All is given: what was promised has moved."""

    round: int
    moves: tuple[Move, ...]
    step: int | UnsetType = UNSET


class TrickOpened(Event, frozen=True, tag="trick_opened"):
    """A new, empty trick."""

    trick: int
    leader: int | None
    deadline: int | None


class TurnBegan(Event, frozen=True, tag="turn_began"):
    """It is a seat's turn (T3); `rank`: the only one allowed, null if free (V5)."""

    seat: int
    rank: str | None
    deadline: int | None
    """None: the chair is awaited, its timer does not run (3.10)."""


class Played(Event, frozen=True, tag="played"):
    """The one accepted play of the trick state `on` (R2)."""

    seat: int
    cards: Cards
    on: int
    trick: int
    by: str
    revolution: bool
    deadline: int | None
    order: tuple[int, ...] | UnsetType = UNSET


class Passed(Event, frozen=True, tag="passed"):
    """A seat is out of the trick (P4)."""

    seat: int
    trick: int
    by: str


class Skipped(Event, frozen=True, tag="skipped"):
    """A seat loses this one turn; it has not passed (V5)."""

    seat: int
    trick: int


class RaceLost(Event, frozen=True, tag="race_lost"):
    """A legal play came too late, by so many milliseconds (R4)."""

    seat: int
    on: int
    late_ms: int


class Finished(Event, frozen=True, tag="finished"):
    """A seat has emptied its hand; penalised by V4 or not."""

    seat: int
    penalised: bool


class TrickClosed(Event, frozen=True, tag="trick_closed"):
    """The trick is over, for the first reason of V6 that holds."""

    trick: int
    why: str


class RoundEnded(Event, frozen=True, tag="round_ended"):
    """Standings, roles, points and totals; the deal's secret is out."""

    round: int
    deal: int
    standings: tuple[int, ...]
    roles: dict[str, str]
    points: dict[str, int]
    totals: dict[str, int]
    secret: str


class GameEnded(Event, frozen=True, tag="game_ended"):
    """The game is over; `secret` exactly if a deal was cut short."""

    game: int
    why: str
    winners: tuple[int, ...]
    totals: dict[str, int]
    secret: str | UnsetType = UNSET


class LobbyOpened(Event, frozen=True, tag="lobby_opened"):
    """The table is back in the lobby."""


class Resumed(Event, frozen=True, tag="resumed"):
    """A new authority is in charge."""

    epoch: int
    lost_ms: int
    deadline: int | None


class TableClosed(Event, frozen=True, tag="table_closed"):
    """The table is gone for good."""

    why: str


AnyEvent = (
    TableOpened
    | SeatTaken
    | Leaving
    | SeatFreed
    | HostChanged
    | SettingsChanged
    | ConnectionLost
    | ConnectionBack
    | StandinStarted
    | StandinEnded
    | Committed
    | Salted
    | GameStarted
    | Dealt
    | ExchangeOpened
    | Given
    | ExchangeClosed
    | TrickOpened
    | TurnBegan
    | Played
    | Passed
    | Skipped
    | RaceLost
    | Finished
    | TrickClosed
    | RoundEnded
    | GameEnded
    | LobbyOpened
    | Resumed
    | TableClosed
)
