"""What a client makes of its messages: its own small reading of PROTOCOL, enough to race."""

from __future__ import annotations

from typing import Any

RANKS = "3456789TJQKA2"
Message = dict[str, Any]


class Sight:
    """A player's idea of the table."""

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        self.seq = self.at = 0
        """`seq` and `at` of the last event; a view says no `at`."""
        self.phase = "lobby"
        self.host = 0
        self.taken: set[int] = set()
        self.hand: set[str] = set()
        self.state = 0
        self.before = 0
        """The trick state before the present one: what a late play is aimed at."""
        self.top: list[str] | None = None
        self.last_player: int | None = None
        self.has_passed = False
        self.is_reversed = False
        self.round = 0
        self.owes = 0
        self.deal = 0
        self.is_salted = False
        self.ending: str | None = None

    def welcome(self, message: Message) -> None:
        """Take the view, if there is one; else what is known stands."""
        self.seq = message["seq"]
        view = message["view"]
        if view is None:
            return
        self.at = 0
        trick, you = view["trick"], view["you"]
        self.phase, self.host = view["phase"], view["host"]
        self.taken = {row["seat"] for row in view["seats"]}
        self.hand = set(you["hand"]) if you else set()
        self.state = self.before = trick["state"] if trick else 0
        self.top = trick["top"]["cards"] if trick and trick["top"] else None
        self.last_player = trick["top"]["seat"] if trick and trick["top"] else None
        self.has_passed = any(row["seat"] == self.seat and row["passed"] for row in view["seats"])
        self.is_reversed = view["revolution"]
        self.round = view["round"] or 0
        self.owes = you["owes"]["count"] if you and you["owes"] else 0
        self.deal, self.is_salted = view["deal"], bool(you and you["salted"])
        self.ending = (view["results"] or {}).get("why")

    def event(self, event: Message) -> None:
        """Take one event."""
        self.seq, self.at = event["seq"], event["at"]
        take = getattr(self, f"_{event['type']}", None)
        if take is not None:
            take(event)

    def plays(self) -> list[list[str]]:
        """Return what may be laid on the present state: one of each rank and count, weakest first."""
        by_rank: dict[str, list[str]] = {}
        for card in sorted(self.hand):
            by_rank.setdefault(card[0], []).append(card)
        order = sorted(by_rank, key=RANKS.index, reverse=self.is_reversed)
        if self.top is None:
            return [by_rank[rank] for rank in order]
        least, count = RANKS.index(self.top[0][0]), len(self.top)
        return [
            by_rank[rank][:count]
            for rank in order
            if len(by_rank[rank]) >= count
            and (RANKS.index(rank) <= least if self.is_reversed else RANKS.index(rank) >= least)
        ]

    # Events

    def _seat_taken(self, event: Message) -> None:
        self.taken.add(event["seat"])

    def _seat_freed(self, event: Message) -> None:
        self.taken.discard(event["seat"])

    def _host_changed(self, event: Message) -> None:
        self.host = event["seat"]

    def _committed(self, event: Message) -> None:
        self.deal, self.is_salted = event["deal"], False

    def _dealt(self, event: Message) -> None:
        self.phase, self.round, self.ending = "playing", event["round"], None
        self.hand = set(event["hands"].get(str(self.seat), ()))
        self.is_reversed = False

    def _move(self, event: Message, *, takes: bool) -> None:
        for move in event["moves"]:
            if takes and move["from"] == self.seat:
                self.hand -= set(move["cards"])
            if move["to"] == self.seat:
                self.hand |= set(move["cards"])

    def _exchange_opened(self, event: Message) -> None:
        self.phase = "exchange"
        self._move(event, takes=True)
        self.owes = sum(owed["count"] for owed in event["owes"] if owed["from"] == self.seat)

    def _given(self, event: Message) -> None:
        if event["from"] == self.seat:
            self.hand -= set(event["cards"])
            self.owes = 0

    def _exchange_closed(self, event: Message) -> None:
        self._move(event, takes=False)
        self.phase = "playing"

    def _trick_opened(self, event: Message) -> None:
        self.phase, self.before, self.state = "playing", self.state, event["seq"]
        self.top, self.last_player, self.has_passed = None, None, False

    def _played(self, event: Message) -> None:
        self.before, self.state, self.top = self.state, event["seq"], event["cards"]
        self.last_player, self.is_reversed = event["seat"], event["revolution"]
        if event["seat"] == self.seat:
            self.hand -= set(event["cards"])

    def _passed(self, event: Message) -> None:
        if event["seat"] == self.seat:
            self.has_passed = True

    def _round_ended(self, _event: Message) -> None:
        self.phase, self.hand, self.top = "results", set(), None

    def _game_ended(self, event: Message) -> None:
        self.phase, self.ending, self.hand = "final", event["why"], set()

    def _lobby_opened(self, _event: Message) -> None:
        self.phase = "lobby"
