"""The state of a table: small frozen structs, folded from its log by `evolve`."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from rapid.rules.exchange import Duty
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Rules
from rapid.rules.settings import Settings, default_settings, rules_of


class Seat(Struct, frozen=True, gc=False):
    """One taken chair."""

    seat: int
    name: str
    kind: str
    """`person` or `bot`."""
    since: int
    """`seq` of its `seat_taken`: who has been seated longest (G9)."""
    level: str | None = None
    token_hash: str | None = None
    connected: bool = False
    lost_at: int = 0
    """When the connection was lost; for a person never connected, when seated."""
    standin: bool = False
    leaving: str | None = None
    salt: str | None = None
    """Added to the deal that is committed and not yet dealt."""
    total: int = 0

    @property
    def is_person(self) -> bool:
        """Whether a person holds the seat's token."""
        return self.kind == "person" and self.leaving is None

    @property
    def controller(self) -> str:
        """Who moves for the seat now: `person`, `bot` or `standin`."""
        if self.kind == "bot" or self.leaving is not None:
            return "bot"
        return "standin" if self.standin else "person"


class Past(Struct, frozen=True, gc=False):
    """A trick state that a play or the closing has ended; what R4 needs to judge a late play."""

    state: int
    ended_at: int
    top: tuple[int, int] | None
    revolution: bool
    passed: int
    """Seats (bits) that had passed when the state ended."""
    lost: int = 0
    """Seats (bits) that have a lost race logged for this state (R4)."""


class Laid(Struct, frozen=True, gc=False):
    """One accepted play of a trick, as viewers see it too."""

    seat: int
    cards: tuple[str, ...]


class Trick(Struct, frozen=True, gc=False):
    """The present trick. Sets of seats are bit masks."""

    number: int
    state: int
    """The trick state: `seq` of the latest `trick_opened` or `played`."""
    top: tuple[int, int] | None = None
    """Rank index and count of the last accepted play."""
    last_player: int = -1
    run: int = 0
    """Consecutive cards of the top rank at the top (V2)."""
    singles: int = 0
    """Consecutive accepted singles of the top rank at the top (5.5)."""
    passed: int = 0
    plays: tuple[Laid, ...] = ()
    past: tuple[Past, ...] = ()
    turn: int | None = None
    """Whose turn it is; None in rapid mode (T3)."""
    must_rank: int | None = None
    """The only rank index that this turn allows (V5)."""


class Closed(Struct, frozen=True, gc=False):
    """The trick just closed, for plays that were aimed at it."""

    past: tuple[Past, ...]
    hands: tuple[int, ...] = ()
    """Behind `round_ended` the hands at its last moment; before, unused."""
    is_over: bool = False
    """A new deal has been made since, or other rules: a late play is stale, and no race is lost any more."""


class Round(Struct, frozen=True, gc=False):
    """A round in progress. `hands` by seat number; empty chairs hold nothing."""

    number: int
    deal: int
    order: tuple[int, ...]
    hands: tuple[int, ...]
    holding: int
    """Seats (bits) that hold cards: in the round."""
    secret: str
    key: bytes
    revolution: bool = False
    clean: tuple[int, ...] = ()
    penalised: tuple[int, ...] = ()
    tricks: int = 0


class Exchange(Struct, frozen=True, gc=False):
    """An open exchange: duties still owed, and cards given that have not arrived."""

    owed: tuple[Duty, ...]
    ends: tuple[tuple[int, int | None], ...] = ()
    """By giver that still owes: when the server gives for it; None while its chair is awaited (3.10)."""
    given: tuple[tuple[Duty, int], ...] = ()
    step: int | UnsetType = UNSET
    """1 or 2 where it goes in two steps (4.4)."""

    @property
    def deadline(self) -> int | None:
        """When the next of these ends comes."""
        return min((end for _, end in self.ends if end is not None), default=None)


class Results(Struct, frozen=True, gc=False):
    """The last `round_ended`, and behind a game's end why and who won."""

    round: int
    standings: tuple[int, ...]
    roles: dict[str, str]
    points: dict[str, int]
    totals: dict[str, int]
    why: str | None = None
    winners: tuple[int, ...] | None = None


class State(Struct, frozen=True, gc=False):
    """All of a table. `seq` and `at` are those of its last event."""

    table: str
    seq: int
    at: int
    phase: str
    settings: Settings
    rules: Rules
    host: int = 0
    seats: tuple[Seat, ...] = ()
    game: int | None = None
    games: int = 0
    game_at: int = 0
    """When the running game started: graces count from there at the earliest."""
    round: Round | None = None
    trick: Trick | None = None
    closed: Closed | None = None
    exchange: Exchange | None = None
    deadline: int | None = None
    parted_at: int = 0
    """When a person who has left since was connected last: the idle time counts from there at the earliest (G9)."""
    rounds_played: int = 0
    standings: tuple[int, ...] = ()
    """Of the round before in this game, seats freed since left out; empty before round 1 has ended."""
    results: Results | None = None
    deal: int = 0
    commit: str = ""
    secret: str = ""

    def seat_at(self, seat: int) -> Seat | None:
        """Return the taken chair of that number, or None."""
        for taken in self.seats:
            if taken.seat == seat:
                return taken
        return None

    def is_awaited(self, seat: int) -> bool:
        """Whether that chair waits for a lost person: nobody acts for it, its own timer stands (3.10)."""
        if not self.rules.waits or not self.in_game:
            return False
        taken = self.seat_at(seat)
        return taken is not None and taken.is_person and not taken.connected

    def awaited_until(self, seat: Seat) -> int:
        """When the game is cancelled unless this seat, which is awaited, is back (3.10): ms."""
        return max(seat.lost_at, self.game_at) + WAIT_MS

    @property
    def persons(self) -> tuple[Seat, ...]:
        """Seats held by persons, leavers left out."""
        return tuple(seat for seat in self.seats if seat.is_person)

    @property
    def in_game(self) -> bool:
        """Between `game_started` and `game_ended`."""
        return self.phase in IN_GAME


IN_GAME = ("exchange", "playing", "results")
WAIT_MS = 60_000
"""How long a chair waits for a lost person (3.10)."""
CHAIRS_MOST = 8
"""Length of `hands`: no ruleset seats more."""


def blank(table: str) -> State:
    """Return the state of a table of which nothing is known yet: it has no log."""
    settings = default_settings(PRESETS["president"])
    return State(table=table, seq=0, at=0, phase="closed", settings=settings, rules=rules_of(settings))
