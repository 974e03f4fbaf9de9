"""What one viewer knows of its table, kept up from plain messages: the least that racing needs, and that costs little.

By itself it holds the server to what a client relies on: behind each `welcome` every event once, in order.
"""

from __future__ import annotations

from typing import Any

Message = dict[str, Any]


class Gap(Exception):
    """What came does not follow on what was there."""


class Follower:
    """The position and the parts of the view that a move depends on; they outlive connections."""

    def __init__(self, token: str | None) -> None:
        self.seat: int | None = None
        self.seq = 0
        self.phase = ""
        self.round = 0
        self.host: int | None = None
        self.connected: set[int] = set()
        self.hand: set[str] = set()
        self.trick: int | None = None
        """The trick state, None while no trick is open."""
        self.top: tuple[int, list[str]] | None = None
        self.passed: set[int] = set()
        self.is_turned = False
        self.owes = 0
        self.salt_due: int | None = None
        """The deal that waits for this seat's salt."""
        self._token = token

    def hello(self) -> Message:
        """Return the first message of a connection."""
        token = {} if self._token is None else {"token": self._token}
        since = {"since": self.seq} if self.seq else {}
        return {"t": "hello", "v": 1, **token, **since}

    def take(self, message: Message) -> None:
        """Follow a message. Raises `Gap`; then `hello` asks for everything."""
        if message["t"] == "welcome":
            self._welcome(message)
        elif message["t"] == "event":
            if message["seq"] != self.seq + 1:
                before, self.seq = self.seq, 0
                raise Gap(f"event {message['seq']} behind {before}")
            self.seq = message["seq"]
            follow = getattr(self, f"_{message['type']}", None)
            if follow is not None:
                follow(message)

    def _welcome(self, message: Message) -> None:
        self.seat = message["seat"]
        view = message["view"]
        if view is None:
            if message["seq"] != self.seq:
                before, self.seq = self.seq, 0
                raise Gap(f"welcomed at {message['seq']} without a view, asked was {before}")
            return
        self.seq, self.phase, self.host = message["seq"], view["phase"], view["host"]
        self.round, self.is_turned = view["round"] or 0, view["revolution"]
        self.connected = {seat["seat"] for seat in view["seats"] if seat["connected"]}
        self.passed = {seat["seat"] for seat in view["seats"] if seat["passed"]}
        trick, you = view["trick"], view["you"]
        self.trick = trick["state"] if trick else None
        self.top = (trick["top"]["seat"], trick["top"]["cards"]) if trick and trick["top"] else None
        self.hand = set(you["hand"]) if you else set()
        self.owes = you["owes"]["count"] if you and you["owes"] else 0
        self.salt_due = view["deal"] if you and view["deal"] and not you["salted"] else None

    def _connection_back(self, event: Message) -> None:
        self.connected.add(event["seat"])

    def _connection_lost(self, event: Message) -> None:
        self.connected.discard(event["seat"])

    def _host_changed(self, event: Message) -> None:
        self.host = event["seat"]

    def _committed(self, event: Message) -> None:
        self.salt_due = event["deal"]

    def _salted(self, event: Message) -> None:
        if event["seat"] == self.seat:
            self.salt_due = None

    def _dealt(self, event: Message) -> None:
        self.round, self.is_turned, self.owes = event["round"], False, 0
        self.hand = set(event["hands"].get(str(self.seat), ()))

    def _exchange_opened(self, event: Message) -> None:
        self.phase = "exchange"
        self._move(event["moves"])
        self.owes = sum(owed["count"] for owed in event["owes"] if owed["from"] == self.seat)

    def _given(self, event: Message) -> None:
        if event["from"] == self.seat:
            self.hand -= set(event["cards"])
            self.owes = 0

    def _exchange_closed(self, event: Message) -> None:
        self._move(event["moves"])

    def _move(self, moves: list[Message]) -> None:
        for move in moves:
            if move["from"] == self.seat:
                self.hand -= set(move["cards"])
            elif move["to"] == self.seat:
                self.hand |= set(move["cards"])

    def _trick_opened(self, event: Message) -> None:
        self.phase, self.trick, self.top = "playing", event["seq"], None
        self.passed.clear()

    def _played(self, event: Message) -> None:
        self.trick, self.top, self.is_turned = event["seq"], (event["seat"], event["cards"]), event["revolution"]
        if event["seat"] == self.seat:
            self.hand -= set(event["cards"])

    def _passed(self, event: Message) -> None:
        self.passed.add(event["seat"])

    def _trick_closed(self, _event: Message) -> None:
        self.trick, self.top = None, None
        self.passed.clear()

    def _round_ended(self, _event: Message) -> None:
        self.phase = "results"

    def _game_ended(self, _event: Message) -> None:
        self.phase = "final"

    def _lobby_opened(self, _event: Message) -> None:
        self.phase = "lobby"
