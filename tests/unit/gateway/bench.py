"""A table's log made by the engine itself, and a gateway over the twin in memory, with virtual time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgpack

from rapid.engine.decide import decide
from rapid.engine.intents import AddBot, AnyIntent, Connect, Newcomer, OpenTable, Start, TakeSeat
from rapid.engine.state import State, blank
from rapid.ids import token_hash
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over
from rapid.table.ports import Commit, LogEntry
from rapid.wire.codec import JSON, Codec
from rapid.wire.frames import CLOSE
from rapid.wire.records import Answer, Record

TABLE = "abcdefghij23"
NOW = 1_000_000
TOKENS = ("ada", "bob", "cy", "dee")


def settings(**fields: Any) -> Settings:
    laid = lay_over(None, fields, dev=True)
    assert isinstance(laid, Settings)
    return laid


class Story:
    """Decides intents and keeps the records as a worker would commit them."""

    def __init__(self, table: str = TABLE, epoch: int = 1) -> None:
        self.state: State = blank(table)
        self.epoch = epoch
        self.entries: list[LogEntry] = []
        self._n = 0

    def tell(self, intent: AnyIntent, at: int = NOW, answer: Answer | None = None) -> LogEntry:
        before = self.state
        outcome = decide(before, intent, at, "5" * 64)
        assert outcome.events, outcome.refusal
        self.state = outcome.state
        record = Record(before.seq + 1, max(at, before.at), f"{at}-0", outcome.events, answer)
        self._n += 1
        entry = LogEntry(f"{self.epoch}-{self._n}", record)
        self.entries.append(entry)
        return entry

    def begin(self, epoch: int) -> None:
        """Another authority goes on from here."""
        self.epoch, self._n = epoch, 0

    def opened(self, at: int = NOW, **fields: Any) -> Story:
        self.tell(OpenTable(self.state.table, settings(**fields), Newcomer("Ada", token_hash("ada")), 0), at)
        return self

    def seated(self, names: Iterable[str] = ("bob", "cy"), at: int = NOW) -> Story:
        for name in names:
            self.tell(TakeSeat(Newcomer(name.title(), token_hash(name))), at)
        return self

    def started(self, at: int = NOW) -> Story:
        for seat in self.state.persons:
            self.tell(Connect(seat.seat), at)
        self.tell(Start(0), at)
        return self

    def bots(self, count: int, at: int = NOW) -> Story:
        for _ in range(count):
            self.tell(AddBot(0), at)
        return self

    def commits(self, entries: Iterable[LogEntry] | None = None) -> list[Commit]:
        made = []
        for entry in self.entries if entries is None else entries:
            epoch, _, n = entry.id.partition("-")
            assert entry.record is not None
            made.append(Commit(self.state.table, int(epoch), int(n), entry.record, opens=entry.record.seq == 1))
        return made


class FakePipe:
    """A transport that keeps what is written; `waiting` is what it says is not sent yet."""

    def __init__(self) -> None:
        self.data = b""
        self.waiting = 0
        self.is_closed = False
        self.writes = 0

    def write(self, data: bytes) -> None:
        self.data += data
        self.writes += 1

    def is_closing(self) -> bool:
        return self.is_closed

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def frames(self) -> list[tuple[int, bytes]]:
        """Take what was written apart: opcode and payload of each frame."""
        data, found = self.data, []
        while data:
            opcode, length, head = data[0] & 0xF, data[1], 2
            if length == 126:
                length, head = int.from_bytes(data[2:4], "big"), 4
            elif length == 127:
                length, head = int.from_bytes(data[2:10], "big"), 10
            found.append((opcode, data[head : head + length]))
            data = data[head + length :]
        return found

    def messages(self, codec: Codec = JSON) -> list[dict[str, Any]]:
        read = json.loads if codec is JSON else msgpack.unpackb
        return [read(payload) for opcode, payload in self.frames() if opcode != CLOSE]

    @property
    def close_code(self) -> int | None:
        codes = [int.from_bytes(payload, "big") for opcode, payload in self.frames() if opcode == CLOSE]
        return codes[0] if codes else None
