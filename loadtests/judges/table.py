"""A log folded a second time, by the words of PROTOCOL 3.3 and 4 alone, into what each viewer must be shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from loadtests.judges.case import Event

ROLES = {
    3: ("president", "neutral", "asshole"),
    4: ("president", "vice_president", "vice_asshole", "asshole"),
    5: ("president", "vice_president", "neutral", "vice_asshole", "asshole"),
    6: ("president", "vice_president", "neutral", "neutral", "vice_asshole", "asshole"),
}


@dataclass
class Chair:
    """A taken seat."""

    seat: int
    name: str
    kind: str
    level: str | None
    is_connected: bool = False
    has_standin: bool = False
    is_leaving: bool = False
    is_salted: bool = False
    total: int = 0
    lost_ms: int = 0
    taken_seq: int = 0


@dataclass
class Table:
    """All that a log says up to some event."""

    name: str = ""
    seq: int = 0
    at: int = 0
    phase: str = "closed"
    settings: dict[str, Any] = field(default_factory=dict)
    host: int = 0
    chairs: dict[int, Chair] = field(default_factory=dict)
    game: int | None = None
    game_ms: int = 0
    resumed_ms: int = 0
    round: int | None = None
    order: list[int] = field(default_factory=list)
    hands: dict[int, set[str]] | None = None
    clean: list[int] = field(default_factory=list)
    penalised: list[int] = field(default_factory=list)
    standings: list[int] = field(default_factory=list)
    trick: dict[str, Any] | None = None
    passed: set[int] = field(default_factory=set)
    revolution: bool = False
    deadline: int | None = None
    owes: list[dict[str, Any]] | None = None
    results: dict[str, Any] | None = None
    commit: str = ""
    deal: int = 0

    @property
    def is_in_game(self) -> bool:
        """Between `game_started` and `game_ended`."""
        return self.phase in {"exchange", "playing", "results"}

    def take(self, event: Event) -> None:
        """Fold one event; kinds that are not known change nothing but `seq` and `at`."""
        self.seq, self.at = event["seq"], event["at"]
        fold = getattr(self, f"_{event['type']}", None)
        if fold is not None:
            fold(event)

    # People

    def _table_opened(self, event: Event) -> None:
        self.phase, self.settings = "lobby", event["settings"]

    def _settings_changed(self, event: Event) -> None:
        self.settings = event["settings"]

    def _seat_taken(self, event: Event) -> None:
        self.chairs[event["seat"]] = Chair(
            event["seat"], event["name"], event["kind"], event.get("level"), lost_ms=event["at"], taken_seq=self.seq
        )

    def _seat_freed(self, event: Event) -> None:
        self.chairs.pop(event["seat"], None)
        self.standings = [seat for seat in self.standings if seat != event["seat"]]

    def _leaving(self, event: Event) -> None:
        chair = self.chairs[event["seat"]]
        chair.is_leaving, chair.is_connected, chair.has_standin = True, False, False

    def _host_changed(self, event: Event) -> None:
        self.host = event["seat"]

    def _connection_lost(self, event: Event) -> None:
        chair = self.chairs[event["seat"]]
        chair.is_connected, chair.lost_ms = False, event["at"]

    def _connection_back(self, event: Event) -> None:
        self.chairs[event["seat"]].is_connected = True

    def _standin_started(self, event: Event) -> None:
        self.chairs[event["seat"]].has_standin = True

    def _standin_ended(self, event: Event) -> None:
        self.chairs[event["seat"]].has_standin = False

    # Games and deals

    def _committed(self, event: Event) -> None:
        self.commit, self.deal = event["commit"], event["deal"]

    def _salted(self, event: Event) -> None:
        self.chairs[event["seat"]].is_salted = True

    def _game_started(self, event: Event) -> None:
        self.game, self.game_ms = event["game"], event["at"]
        self.results, self.standings = None, []
        for chair in self.chairs.values():
            chair.total = 0

    def _dealt(self, event: Event) -> None:
        self.phase, self.round, self.order = "playing", event["round"], event["order"]
        self.hands = {int(seat): set(cards) for seat, cards in event["hands"].items()}
        self.clean, self.penalised, self.revolution = [], [], False
        for chair in self.chairs.values():
            chair.is_salted = False

    def _round_ended(self, event: Event) -> None:
        self.phase, self.standings = "results", list(event["standings"])
        self.hands, self.trick, self.deadline, self.revolution = None, None, None, False
        self.results = {name: event[name] for name in ("round", "standings", "roles", "points", "totals")}
        for seat, total in event["totals"].items():
            if int(seat) in self.chairs:
                self.chairs[int(seat)].total = total

    def _game_ended(self, event: Event) -> None:
        self.phase, self.hands, self.trick, self.owes, self.deadline = "final", None, None, None, None
        self.round = self.results["round"] if self.results is not None else None
        self.revolution, self.passed = False, set()
        if self.results is not None:
            self.results = self.results | {"why": event["why"], "winners": event["winners"]}
        for chair in self.chairs.values():
            chair.has_standin = False

    def _lobby_opened(self, _event: Event) -> None:
        self.phase, self.game, self.round, self.results, self.standings = "lobby", None, None, None, []
        for chair in self.chairs.values():
            chair.total = 0

    def _resumed(self, event: Event) -> None:
        self.deadline, self.resumed_ms = event["deadline"], event["at"]

    def _table_closed(self, _event: Event) -> None:
        self.phase, self.deadline = "closed", None

    # The exchange

    def _move(self, event: Event, *, takes: bool) -> None:
        assert self.hands is not None
        for move in event["moves"]:
            if takes:
                self.hands[move["from"]] -= set(move["cards"])
            self.hands[move["to"]] |= set(move["cards"])

    def _exchange_opened(self, event: Event) -> None:
        self.phase, self.deadline, self.owes = "exchange", event["deadline"], list(event["owes"])
        self._move(event, takes=True)

    def _given(self, event: Event) -> None:
        assert self.hands is not None
        self.hands[event["from"]] -= set(event["cards"])
        self.owes = [owed for owed in self.owes or () if owed["from"] != event["from"]]

    def _exchange_closed(self, event: Event) -> None:
        self.phase, self.deadline, self.owes = "playing", None, None
        self._move(event, takes=False)

    # Tricks

    def _trick_opened(self, event: Event) -> None:
        self.trick = {"number": event["trick"], "state": event["seq"], "top": None, "plays": []}
        self.deadline, self.passed = event["deadline"], set()

    def _played(self, event: Event) -> None:
        assert self.hands is not None
        play = {"seat": event["seat"], "cards": event["cards"]}
        self.hands[event["seat"]] -= set(event["cards"])
        if self.trick is not None:
            plays = [*self.trick["plays"], play]
            self.trick = {"number": self.trick["number"], "state": event["seq"], "top": play, "plays": plays}
        self.revolution, self.deadline = event["revolution"], event["deadline"]

    def _passed(self, event: Event) -> None:
        self.passed.add(event["seat"])

    def _finished(self, event: Event) -> None:
        (self.penalised if event["penalised"] else self.clean).append(event["seat"])

    def _trick_closed(self, _event: Event) -> None:
        self.trick, self.deadline, self.passed = None, None, set()
