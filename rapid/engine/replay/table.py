"""Everything the replay remembers of one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rapid.engine.replay.rulebook import Rulebook
from rapid.engine.replay.trick import Trick


@dataclass(slots=True)
class Chair:
    """A taken seat; `since_ms` is when its connection last changed, or when it was taken."""

    seat: int
    kind: str
    since_ms: int
    is_connected: bool = False
    was_lost: bool = False
    has_standin: bool = False
    leaving: str | None = None

    @property
    def is_person(self) -> bool:
        """A person who is still seated: not one who has left for good (G9)."""
        return self.kind == "person" and self.leaving is None

    @property
    def actor(self) -> str:
        """Who acts for the seat now; timers aside."""
        if not self.is_person:
            return "bot"
        return "standin" if self.has_standin else "person"


@dataclass(slots=True)
class Commit:
    """A deal that is committed and not yet dealt, and the salts it has so far."""

    deal: int
    commit: str
    secret: str | None
    salts: dict[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opening:
    """An automatic opening, to be checked as soon as the secret is known (R7)."""

    seq: int
    trick: int
    seat: int
    seats: tuple[int, ...]


@dataclass(slots=True)
class Dealt:
    """A deal as it was dealt, with all that proves it."""

    commit: Commit
    seq: int
    seats: tuple[int, ...]
    hands: dict[int, frozenset[str]]
    openings: list[Opening] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Owe:
    """Cards owed to a seat, and which: `any`, `best` or `worst`."""

    to: int
    count: int
    pick: str


@dataclass(slots=True)
class Exchange:
    """What is owed, by giver, and what was given so far.

    `ends`: by giver that still owes, when the server gives for it; None while its chair is awaited (3.10).
    """

    owes: dict[int, Owe]
    ends: dict[int, int | None]
    step: int | None = None
    given: dict[int, tuple[int, frozenset[str]]] = field(default_factory=dict)

    @property
    def deadline(self) -> int | None:
        """When the next of the ends comes."""
        return min((end for end in self.ends.values() if end is not None), default=None)


@dataclass(slots=True)
class Round:
    """One round from its deal on."""

    number: int
    dealt: Dealt
    order: tuple[int, ...]
    hands: dict[int, set[str]]
    played: set[str] = field(default_factory=set)
    exchange: Exchange | None = None
    trick: Trick | None = None
    last_trick: Trick | None = None
    tricks: int = 0
    is_turned: bool = False
    clean: list[int] = field(default_factory=list)
    penalised: list[int] = field(default_factory=list)

    @property
    def in_round(self) -> set[int]:
        """Seats that hold cards."""
        return {seat for seat, hand in self.hands.items() if hand}

    def cards(self) -> int:
        """How many cards there are in all zones; given ones are on their way."""
        on_the_way = sum(len(cards) for _, cards in self.exchange.given.values()) if self.exchange else 0
        return sum(map(len, self.hands.values())) + len(self.played) + on_the_way


@dataclass(slots=True)
class Game:
    """One game; `standings` are those of the last round without the seats freed since (G7)."""

    number: int
    started_ms: int
    totals: dict[int, int]
    standings: list[int] = field(default_factory=list)
    round: Round | None = None
    rounds: int = 0


@dataclass(slots=True)
class Table:
    """The table; `at` is that of the present decision, `at_before` that of the event before it."""

    name: str
    book: Rulebook
    settings: dict[str, Any]
    commit: Commit
    at: int
    at_before: int = 0
    phase: str = "lobby"
    chairs: dict[int, Chair] = field(default_factory=dict)
    host: int = 0
    had_person: bool = False
    silent_since_ms: int = 0
    deadline: int | None = None
    late_since_ms: int | None = None
    resumed_ms: int = -1
    epoch: int = 0
    game: Game | None = None
    games: int = 0
    rounds: int = 0
    final_why: str = ""

    @property
    def is_in_game(self) -> bool:
        """Between `game_started` and `game_ended`."""
        return self.phase in {"exchange", "playing", "results"}

    @property
    def is_in_round(self) -> bool:
        """Between `dealt` and `round_ended`."""
        return self.phase in {"exchange", "playing"}

    @property
    def has_turns(self) -> bool:
        """Turn mode; else it is a race."""
        return bool(self.settings["mode"] == "turns")

    @property
    def running_seconds(self) -> float:
        """How long the timer of this phase takes (R7, T5, X3)."""
        is_race = self.phase == "playing" and not self.has_turns
        seconds: float = self.settings["race_seconds" if is_race else "action_seconds"]
        return seconds

    def awaits(self, seat: int) -> bool:
        """Whether the seat's chair waits for a person that was lost (3.10)."""
        chair = self.chairs[seat]
        return self.settings["disconnect"] == "wait" and chair.is_person and not chair.is_connected

    def persons(self) -> list[Chair]:
        """Persons seated, longest first: chairs are kept in the order they were taken."""
        return [chair for chair in self.chairs.values() if chair.is_person]
