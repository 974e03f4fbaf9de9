"""Who is connected to a table of this server: players, and spectators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from loadtests.generator import frames
from loadtests.generator.choice import Asked
from loadtests.generator.connection import Connection
from loadtests.generator.fold import Holder
from loadtests.generator.loop import now_s

if TYPE_CHECKING:
    from loadtests.generator.race_table import RaceTable


TOO_MANY: Final = 4009
"""PROTOCOL 3.2: the code a connection is closed with."""


class Link:
    """One connection and what was sent on it, tokens left out."""

    __slots__ = ("connection", "must_seq", "sent")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.must_seq: int | None = None
        """What had to have reached it when we hung up."""
        self.sent: list[tuple[float, Asked]] = []


class Viewer(Holder):
    """A seat (number from 0) or a spectator (below), over any number of connections."""

    __slots__ = ("_token", "connected_s", "is_asking", "is_welcome", "links", "table", "where")

    def __init__(self, table: RaceTable, number: int, where: tuple[str, int], token: str | None) -> None:
        super().__init__(number)
        self.table = table
        self.where = where
        self.is_asking = False
        self.is_welcome = False
        self.connected_s = 0.0
        self.links: list[Link] = []
        self._token = token

    def connect(self, *, is_small: bool = False) -> None:
        """Open a connection and say hello, with the last event seen."""
        table = self.table
        wire, (host, port) = table.wire, self.where
        path = f"/ws/{table.table}" + ("" if self.number >= 0 else "?watch")
        self.connected_s = now_s()
        self.is_welcome = False
        self.connection = Connection(
            table.loop,
            host,
            port,
            path,
            self.heard,
            protocol=wire.protocol,
            can_wait=self.number < 0,
            is_small=is_small,
        )
        self.links.append(Link(self.connection))
        hello: Asked = {"t": "hello", "v": 1}
        if self.seq:
            hello["since"] = self.seq
        self.links[-1].sent.append((now_s(), hello))
        secret = {} if self._token is None else {"token": self._token}
        self.connection.send(wire.opcode, wire.pack({**hello, **secret}))

    def ask(self, asked: Asked) -> None:
        """Send a message with the next id."""
        table = self.table
        asked["id"] = table.next_id()
        self.links[-1].sent.append((now_s(), asked))
        self.connection.send(table.wire.opcode, table.wire.pack(asked))

    def must_have(self, seq: int) -> None:
        """We are about to hang up: what is missing up to here is lost."""
        if self.connection.closed_s is None:
            self.links[-1].must_seq = seq

    @property
    def has_all(self) -> bool:
        """Whether nothing that it must have is missing, or none of it can come any more."""
        return self.connection.closed_s is not None or self.seq >= (self.links[-1].must_seq or 0)

    @property
    def asked_last(self) -> int:
        """The id of the newest message."""
        id_: int = self.links[-1].sent[-1][1].get("id", 0)
        return id_

    @property
    def is_cut_off(self) -> bool:
        """Whether the server has closed a connection of its for asking too often: a new one changes nothing of that."""
        return any(link.connection.code == TOO_MANY for link in self.links)

    def heard(self, data: bytes, at_s: float) -> None:
        """Frames have come."""
        raise NotImplementedError

    @property
    def is_answered(self) -> bool:
        """Whether every message on the present connection has its reply, or can have none any more."""
        if self.connection.closed_s is not None:
            return True
        mark = self.table.wire.reply
        asked = sum("id" in message for _, message in self.links[-1].sent)
        return sum(chunk.count(mark) for chunk in self.connection.chunks) >= asked


class Player(Viewer):
    """A seat."""

    __slots__ = ()

    def heard(self, data: bytes, at_s: float) -> None:
        """Frames have come. Four times for each intent, so everything here is short and nothing is done twice."""
        table, connection = self.table, self.connection
        if data == table.newest:
            data = table.newest  # most frames are the same for all: they are kept once
        else:
            table.newest = data
        connection.chunks.append(data)
        connection.times.append(at_s)
        wire = table.wire
        place = data.rfind(wire.mark)
        if place >= 0:
            self.seq = wire.seq_at(data, place + wire.mark_bytes)
        is_driver = self is table.driver
        if not self.is_welcome:
            self.folds = True  # until the next trick, or there was none: a view may come, and cards of its own
        if is_driver or self.folds or (self.is_asking and wire.refused in data):
            for payload in frames.payloads(data):
                table.read(self, wire.read(payload), payload, is_driver=is_driver)
        if not table.is_busy:
            if is_driver and (table.backlog or table.is_hurried):
                table.go_on(at_s)
            return
        if self.waits and self.seq >= table.target:
            self.waits = False
            self.reached_s = at_s
            table.waiting -= 1
        if not table.waiting and table.is_confirmed and not table.open_losers:
            table.settle(at_s)


class Watcher(Viewer):
    """A spectator: its latencies are counted by themselves, and no intent waits for it."""

    __slots__ = ("seen",)

    def __init__(self, table: RaceTable, number: int, where: tuple[str, int]) -> None:
        super().__init__(table, number, where, None)
        self.seen = 0
        """The newest intent's `seq` that was counted."""

    def heard(self, data: bytes, at_s: float) -> None:
        """Frames have come."""
        table = self.table
        self.connection.keep(table.shared(data), at_s)
        wire = table.wire
        if not self.is_welcome:
            self._look_for_welcome(data)
        place = data.rfind(wire.mark)
        if place < 0:
            return
        self.seq = seq = wire.seq_at(data, place + wire.mark_bytes)
        target = table.target
        if seq >= target > self.seen:
            self.seen = target
            table.recorder.watched_s.append(at_s - table.scheduled_s)

    def _look_for_welcome(self, data: bytes) -> None:
        for payload in frames.payloads(data):
            message = self.table.wire.read(payload)
            if message.t == "welcome":
                self.is_welcome = True
                self.seq = message.seq
