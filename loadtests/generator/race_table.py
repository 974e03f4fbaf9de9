"""A table of this server: seats of our own, whole games, salts, deals and exchanges included.

One seat, the driver, is read in full; the others only while cards that they alone see are on their way. The generator
has all seats of the table, so it knows all hands.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from loadtests.generator.choice import choose
from loadtests.generator.fold import Fold
from loadtests.generator.loop import Loop, now_s
from loadtests.generator.recorder import Recorder
from loadtests.generator.table import Table
from loadtests.generator.viewer import Player, Viewer, Watcher
from loadtests.generator.wire import Message, Wire

EVENT_OF: Final = {
    "play": "played",
    "pass": "passed",
    "give": "given",
    "salt": "salted",
    "start": "game_started",
    "next_round": "dealt",
    "end_game": "game_ended",
}


class RaceTable(Table):
    """Sends what `choice` finds in the fold, and knows by whose event it is done."""

    def __init__(
        self, loop: Loop, recorder: Recorder, wire: Wire, table: str, rng: random.Random, contention: int
    ) -> None:
        super().__init__(loop, recorder)
        self.wire = wire
        self.table = table
        self.fold = Fold()
        self.players: list[Player] = []
        self._present: list[Player] = []
        self.watchers: list[Watcher] = []
        self.driver: Player
        self.is_finishing = False
        """Whether the game ends with the round, for good."""
        self.is_confirmed = False
        """Whether the driver has seen the event of the present intent."""
        self.open_losers = 0
        self._contention = contention
        self._rng = rng
        self._ids = 0
        self._askers: Sequence[Player] = ()
        self._asked_on = 0
        self._winner: int | None = None
        self._wanted = ""

    def seat(self, players: Sequence[Player]) -> None:
        """These sit here; the first is the driver."""
        self.players = list(players)
        self._present = self.players
        self.fold.holders = self.players
        self.driver = self.players[0]

    @property
    def seats(self) -> Sequence[Player]:
        """The players that have not left."""
        return self._present

    @property
    def viewers(self) -> Sequence[Viewer]:
        """All whose transcripts are judged."""
        return [*self.players, *self.watchers]

    @property
    def newest_seq(self) -> int:
        """What anybody here has been told of."""
        return max(one.seq for one in self.viewers)

    def bytes_since(self, at_s: float) -> int:
        """How much the driver was sent since then; a spectator is sent nearly the same."""
        connection = self.driver.connection
        times, chunks = connection.times, connection.chunks
        return sum(len(chunk) for chunk, came_s in zip(chunks, times, strict=True) if came_s >= at_s)

    @property
    def is_all_there(self) -> bool:
        """Whether the log says that every seat is connected."""
        return self.fold.connected == len(self.players)

    @property
    def is_away(self) -> bool:
        """Whether a seat of ours has no connection that was welcomed."""
        return not all(one.is_gone or (one.is_welcome and one.connection.closed_s is None) for one in self.players)

    @property
    def is_cut_off(self) -> bool:
        """Whether the server has closed a seat's connection for asking too often."""
        return any(player.is_cut_off for player in self.players)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended and every seat knows."""
        fold = self.fold
        if fold.phase not in {"final", "closed"} or self.is_busy:
            return False
        here = [one for one in self.viewers if one.connection.closed_s is None and one.connection.is_reading]
        return all(one.seq >= fold.seq for one in here)

    @property
    def progress(self) -> int:
        """Grows whenever anything is heard, by spectators too."""
        return sum(one.seq for one in self.viewers)

    @property
    def is_answered(self) -> bool:
        """Whether no reply is open."""
        return all(one.is_answered for one in self.players)

    def described(self) -> str:
        """Return where it stands, for whoever waits for it in vain."""
        fold = self.fold
        seats = ", ".join(f"{one.number} at {one.seq}" for one in self._present)
        doing = f"waits for {self._wanted} at {self.target}" if self.is_busy else "waits for nothing"
        return f"table {self.table}: {fold.phase}, seq {fold.seq}, {doing}; seats {seats}"

    def next_id(self) -> int:
        """Return an id that nobody at this table has used."""
        self._ids += 1
        return self._ids

    def act(self, scheduled_s: float) -> bool:
        """Send the next intent, or one of each seat that races."""
        fold = self.fold
        moves = choose(fold, self._rng, self._contention, is_finishing=self.is_finishing)
        if not moves:
            return False
        asked = moves[0][1]
        kind = asked["t"]
        self._wanted = EVENT_OF[asked["do"] if kind == "host" else kind]
        self._asked_on = asked.get("on", 0)
        if self._wanted in {"game_started", "dealt"}:
            fold.fold_all()
        players = self.players
        self._askers = [players[holder.number] for holder, _ in moves]
        self.is_confirmed = False
        self.open_losers = len(moves) - 1
        self.begin(kind, fold.seq + 1, scheduled_s)
        for player, (_, message) in zip(self._askers, moves, strict=True):
            player.is_asking = True
            player.ask(message)
        return True

    def go_on(self, at_s: float) -> None:
        """The present intent is done, or refused, and with it what others have asked for at the same time."""
        for player in self._askers:
            player.is_asking = False
        super().go_on(at_s)

    def cut(self, player: Player, at_s: float) -> None:
        """Hang up on a seat that comes back. A reply is lost with its connection: nobody waits for that one."""
        self.hold(at_s)
        player.connection.close()
        player.is_welcome = False
        if player.is_asking:
            player.is_asking = False
            self._count_losers()

    def read(self, player: Player, message: Message, payload: bytes, *, is_driver: bool) -> None:
        """Follow one message; only the driver moves the table on."""
        if message.t == "event":
            if player.folds:
                self.fold.take_own(player, message)
            if is_driver:
                self.fold.take(message)
                if self.is_busy and not self.is_confirmed:
                    self._confirm(message)
        elif message.t == "welcome":
            welcome = self.wire.read_all(payload)
            player.seq = max(player.seq, welcome["seq"])
            player.is_welcome = True
            self.recorder.welcomes_s.append(now_s() - player.connected_s)
            if welcome["view"] is not None:
                self.fold.take_view(player, welcome, is_driver=is_driver)
        elif message.t == "reply" and not message.ok:
            self._refused(player, message)

    def leave(self, player: Player) -> None:
        """One of ours leaves. Nothing that it is asked for behind that is answered."""
        player.ask({"t": "leave"})
        self.fold.leave(player)
        self._part_with(player)

    def _part_with(self, player: Player) -> None:
        """Nothing reaches it any more, and nobody waits for that."""
        self._present = [one for one in self._present if one is not player]
        self.waiting -= player.waits
        player.waits = False

    def _count_losers(self) -> None:
        """Count who else than the winner of a race still waits for a reply."""
        if self.is_confirmed and len(self._askers) > 1:
            self.open_losers = sum(player.is_asking and player.number != self._winner for player in self._askers)

    def _confirm(self, event: Message) -> None:
        """Is it the event that the present intent asked for?"""
        if event.type != self._wanted or not self._is_askers(event):
            return
        self.is_confirmed = True
        self._winner = event.seat
        self._count_losers()
        if event.seq == self.target:
            return
        # Something came in between. Whoever is behind the event goes on waiting.
        self.target = event.seq
        for seat in self._present:
            if seat.seq >= event.seq:
                seat.reached_s = now_s()
            elif not seat.waits:
                seat.waits = True
                self.waiting += 1

    def _is_askers(self, event: Message) -> bool:
        if self.kind == "host":
            return True
        if self.kind == "play" and event.on != self._asked_on:
            return False
        number = event.from_ if event.type == "given" else event.seat
        return any(player.number == number for player in self._askers)

    def _refused(self, player: Player, reply: Message) -> None:
        if not player.is_asking or reply.id != player.asked_last:
            return
        player.is_asking = False
        if reply.why == "not_your_cards":
            # What it knew of its hand was older than it thought; it must not try the same again.
            player.hand.remove(player.links[-1].sent[-1][1]["cards"])
        if self.kind == "play" and reply.why == "stale" and len(self._askers) > 1:
            # A race lost, on top of what is counted. The race is over when all its losers have been told.
            self.recorder.race_lost += 1
            self.open_losers -= 1
        else:
            self.give_up(reply.why or "", now_s())

    def close(self) -> None:
        """Hang up."""
        for viewer in self.viewers:
            viewer.connection.close()
