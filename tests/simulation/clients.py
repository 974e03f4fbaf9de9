"""Who sits at the tables and who watches: they race, give cards, go away and come back, and leave."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

from loadtests.judges import Transcript
from rapid.ids import token_hash
from rapid.wire.codec import CODECS
from tests.simulation.loop import VirtualLoop
from tests.simulation.sight import Sight
from tests.simulation.sockets import RESET, Peer, Socket

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

FOR_GOOD = {1000, 4000, 4001, 4003, 4004, 4005}
"""Close codes behind which a client does not come back by itself."""
SILENCE_S = 4.0
"""A client that hears nothing for so long, though it asks, takes its line for dead."""
AWAY, AWAY_S = 0.06, 25.0
"""Who loses the line without a word stays away for so long now and then: nobody else says that they are gone."""
PONDERS, PONDERS_S = 0.04, (0.5, 2.6)
"""How often, and for how long, a person thinks before they act: timers run out meanwhile."""
EMOJI = ("👍", "😂", "🔥")


class Line:
    """One connection as its client sees it, and the transcript of it."""

    def __init__(self, client: Client, seat: int | None) -> None:
        self.client = client
        self.seat = seat
        loop = client.scene.loop
        self.opened_ms = int(loop.time() * 1000)
        self.closed_ms: int | None = None
        self.sent: list[tuple[int, dict[str, Any]]] = []
        self.received: list[tuple[int, dict[str, Any]]] = []
        self.heard_s = loop.time()
        self.socket: Socket | None = None
        self.is_welcomed = False

    def open(self, hello: dict[str, Any]) -> bool:
        """Connect to some gateway that takes connections."""
        scene = self.client.scene
        gateway = scene.some_gateway(self.client.dice)
        if gateway is None:
            return False
        peer = Peer(self._heard, self._over)
        self.socket = Socket(gateway, self.client.table, self.client.codec, peer, scene.net)
        self.send(hello)
        return True

    def send(self, message: dict[str, Any]) -> None:
        """Send, and write down."""
        if self.socket is not None:
            self.sent.append((self._now_ms(), message))
            self.socket.send(message)

    def end(self, *, silently: bool = False) -> None:
        """The client is gone from this line."""
        socket, self.socket = self.socket, None
        if socket is not None:
            self.closed_ms = self._now_ms()
            (socket.vanish if silently else socket.close)()

    def transcript(self) -> Transcript:
        """Return what was said on it."""
        return Transcript(
            self.client.name,
            self.seat,
            self.sent,
            self.received,
            opened_ms=self.opened_ms,
            closed_ms=self.closed_ms,
            token_hash=None if self.client.token is None else token_hash(self.client.token),
        )

    def _heard(self, message: dict[str, Any]) -> None:
        if self.closed_ms is not None:
            return
        scene = self.client.scene
        self.heard_s = scene.loop.time()
        self.received.append((self._now_ms(), message))
        scene.trace(self.client.name, message)
        self.client.hear(self, message)

    def _over(self, code: int) -> None:
        self.socket = None
        self.closed_ms = self._now_ms()
        self.client.over(self, code)

    def _now_ms(self) -> int:
        return int(self.client.scene.loop.time() * 1000)


class Client:
    """A spectator; a person is one with a token."""

    def __init__(self, scene: Scene, name: str, table: str, dice: random.Random, token: str | None = None) -> None:
        self.scene = scene
        self.name = name
        self.table = table
        self.dice = dice
        self.token = token
        self.seat: int | None = None
        self.codec = dice.choice(list(CODECS.values()))
        self.line: Line | None = None
        self.lines: list[Line] = []
        self.sight = Sight(None)
        self.is_gone = False
        """It does not come back any more."""
        self.away_s = 0.0
        """Until when it stays away."""
        self._tries = 0
        self._ids = 0

    @property
    def is_there(self) -> bool:
        """Whether it has a line that was welcomed."""
        return self.line is not None and self.line.is_welcomed

    def connect(self) -> None:
        """Open a line, now or when somebody takes it."""
        if self.is_gone or self.line is not None or self.scene.is_over:
            return
        hello: dict[str, Any] = {"t": "hello", "v": 1}
        if self.token is not None:
            hello["token"] = self.token
        if self.sight.seq and self.dice.random() < 0.75:
            hello["since"] = self.sight.seq
            if self.sight.at and self.dice.random() < 0.7:
                hello["since_at"] = self.sight.at
        line = Line(self, self.seat)
        self.lines.append(line)
        if line.open(hello):
            self.line = line
            self.scene.loop.call_later(SILENCE_S, self._check, line)
        else:
            self.lines.pop()
            self.come_back(0.2)

    def come_back(self, delay_s: float) -> None:
        """Connect after a while."""
        self.scene.loop.call_later(max(delay_s, self.away_s - self.scene.loop.time()), self.connect)

    def go(self, away_s: float, *, silently: bool = False) -> None:
        """Drop the line and stay away for a while."""
        line, self.line = self.line, None
        self.away_s = self.scene.loop.time() + away_s
        if line is not None:
            line.end(silently=silently)
        self.come_back(away_s)

    def ask(self, message: dict[str, Any]) -> None:
        """Send an intent on the present line."""
        if self.line is not None and self.line.is_welcomed:
            self._ids += 1
            self.line.send({"id": self._ids, **message})

    def hear(self, line: Line, message: dict[str, Any]) -> None:
        """Take a message."""
        if message["t"] == "welcome":
            line.is_welcomed = True
            self._tries = 0
            if line is self.line:
                self.sight.welcome(message)
                self.stirred()
        elif message["t"] == "event" and line is self.line:
            self.sight.event(message)
            self.stirred()

    def over(self, line: Line, code: int) -> None:
        """The line has ended."""
        if line is not self.line:
            return
        self.line = None
        if code in FOR_GOOD:
            self.is_gone = True
            return
        self._tries += 1
        if code == RESET and self.dice.random() < AWAY:
            self.away_s = self.scene.loop.time() + AWAY_S
        self.come_back(min(2.0, 0.03 * 2 ** min(self._tries, 6)) * (0.5 + self.dice.random()))

    def stirred(self) -> None:
        """Something has changed."""

    def _check(self, line: Line) -> None:
        """Whoever hears nothing asks, and then tries another gateway."""
        if line is not self.line or self.scene.is_over:
            return
        silent_s = self.scene.loop.time() - line.heard_s
        if silent_s >= 2 * SILENCE_S:
            self.go(0.05)
            return
        if silent_s >= SILENCE_S and line.is_welcomed:
            self._ids += 1
            line.send({"t": "ping", "id": self._ids})
        self.scene.loop.call_later(SILENCE_S, self._check, line)


class Person(Client):
    """Has a seat, and acts."""

    def __init__(
        self, scene: Scene, name: str, table: str, dice: random.Random, token: str, seat: int, wanted: int
    ) -> None:
        super().__init__(scene, name, table, dice, token)
        self.seat = seat
        self.sight = Sight(seat)
        self.wanted = wanted
        """How many are to sit here before the host starts."""
        self.pace_s = 0.02 + 0.1 * dice.random()
        self._planned: asyncio.TimerHandle | None = None
        self._tried: set[tuple[int, str]] = set()

    def tab(self) -> None:
        """Open the table in a second tab: the newest connection has the seat."""
        self.line = None
        self.connect()

    def leave(self) -> None:
        """Leave for good."""
        self.ask({"t": "leave"})

    def remove(self, seat: int | None) -> None:
        """Send somebody away, as the host."""
        self.ask({"t": "host", "do": "remove", "seat": seat})

    def stirred(self) -> None:
        """Think for a while, then act on what is seen then."""
        if self._planned is not None:
            self._planned.cancel()
        delay_s = self.pace_s * (0.3 + 1.7 * self.dice.random())
        if self.dice.random() < PONDERS:
            delay_s += self.dice.uniform(*PONDERS_S)
        self._planned = self.scene.loop.call_later(delay_s, self._act)

    def _act(self) -> None:
        self._planned = None
        if not self.is_there or not self.scene.is_playing:
            return
        sight = self.sight
        if sight.phase == "playing":
            self._race()
        elif sight.phase == "exchange" and sight.owes:
            self._give()
        elif sight.host == self.seat:
            self._direct()
        if sight.deal and not sight.is_salted and self.dice.random() < 0.2:
            sight.is_salted = True
            self.ask({"t": "salt", "deal": sight.deal, "salt": f"{self.dice.getrandbits(128):032x}"})
        if self.dice.random() < 0.02:
            self.ask({"t": "react", "emoji": self.dice.choice(EMOJI)})

    def _race(self) -> None:
        sight, dice = self.sight, self.dice
        if not sight.hand or sight.has_passed:
            return
        plays, luck = sight.plays(), dice.random()
        if luck < 0.03 and sight.before:
            self._play(sight.before, sorted(sight.hand)[:1])
        elif plays and sight.last_player != self.seat and luck < 0.85:
            cards = plays[0] if luck < 0.6 else dice.choice(plays)
            self._play(sight.state, cards)
            if luck < 0.08:
                self._play(sight.state, cards)  # a double click
            elif luck < 0.11:
                self._play(sight.state, dice.choice(plays))
        elif sight.top is not None and sight.last_player != self.seat:
            if self._is_new(sight.state, "pass"):
                self.ask({"t": "pass", "on": sight.state})
        elif luck < 0.93 and plays:
            self._play(sight.state, dice.choice(plays))

    def _play(self, on: int, cards: list[str]) -> None:
        """One gesture, one attempt (R3); a double click is two."""
        self.ask({"t": "play", "on": on, "cards": cards})

    def _is_new(self, on: int, what: str) -> bool:
        if (on, what) in self._tried:
            return False
        self._tried.add((on, what))
        return True

    def _give(self) -> None:
        sight = self.sight
        if self._is_new(-sight.round, f"give {sight.deal}"):
            cards = self.dice.sample(sorted(sight.hand), sight.owes)
            self.ask({"t": "give", "round": sight.round, "cards": cards})
        else:
            self.stirred()

    def _direct(self) -> None:
        """The host's commands; asked again while nothing comes of them."""
        sight = self.sight
        if sight.phase == "lobby":
            if len(sight.taken) < self.wanted and self.dice.random() < 0.8:
                self.scene.loop.call_later(0.2, self.stirred)
                return
            if len(sight.taken) < 3:
                self.ask({"t": "host", "do": "add_bot"})
            else:
                self.ask({"t": "host", "do": "start"})
        elif sight.phase == "results":
            do = "next_round" if self.dice.random() < 0.9 else "end_game"
            self.ask({"t": "host", "do": do})
        elif sight.phase == "final":
            again = sight.ending in {"rounds", "ended"} and self.dice.random() < 0.7
            self.ask({"t": "host", "do": "play_again" if again else "to_lobby"})
        self.scene.loop.call_later(0.4, self.stirred)


def loop_of() -> VirtualLoop:
    """Return the running loop."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop
