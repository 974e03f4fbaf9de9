"""`verify_lines`: is every event of these logs what the rules and the protocol make it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rapid.engine.replay.decisions import decide_all, open_table
from rapid.engine.replay.event import parse_event
from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.flow import Steps
from rapid.engine.replay.reader import Line, read
from rapid.engine.replay.table import Table

_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_ID_LEAST = 10


@dataclass(frozen=True, slots=True)
class LogReport:
    """What was found in one log.

    `events` counts those read and found right, `rounds` those ended, `games` those started. Unless `ok`, `seq` is
    the position of the first wrong event (None: the header is wrong), `reason` a sentence, `line` counts from 1.
    """

    table: str | None
    events: int
    rounds: int
    games: int
    ok: bool
    seq: int | None = None
    reason: str | None = None
    line: int | None = None


def verify_lines(lines: Iterable[str | bytes]) -> Iterator[LogReport]:
    """One report a log, in order; any input gives reports, never an exception, and never none at all."""
    log: _Log | None = None
    for line in read(lines):
        if line.is_header or log is None:
            if log is not None:
                yield log.report()
            log = _Log(line)
        else:
            log.feed(line)
    yield log.report() if log else LogReport(None, 0, 0, 0, ok=False, reason="no log in it", line=1)


class _Log:
    """One log while it is read; after the first fault the rest of it is passed over."""

    def __init__(self, header: Line) -> None:
        self._name: str | None = None
        self._table: Table | None = None
        self._seq = 0
        self._at = 0
        self._line = header.number
        self._fault: LogReport | None = None
        try:
            self._name = _table_name(header)
        except WrongError as error:
            self._fail(error.reason, None)
        self._steps = self._run(str(self._name))
        self._awaited = next(self._steps)

    def _run(self, name: str) -> Steps:
        self._table = yield from open_table(name)
        yield from decide_all(self._table)

    def feed(self, line: Line) -> None:
        """Take the next line of the log."""
        if self._fault is not None:
            return
        self._line = line.number
        try:
            self._take(_object_on(line))
        except WrongError as error:
            self._fail(error.reason, error.seq or self._seq + 1)
        else:
            self._seq += 1

    def _take(self, value: dict[str, Any]) -> None:
        event = parse_event(value, self._seq + 1, self._at)
        if event is not None:
            if self._table is not None:
                self._table.at_before = self._at
            self._awaited = self._steps.send(event)
        self._at = value["at"]

    def _fail(self, reason: str, seq: int | None) -> None:
        self._fault = self._found(ok=False, seq=seq, reason=reason)

    def _found(self, *, ok: bool, seq: int | None = None, reason: str | None = None) -> LogReport:
        rounds, games = (self._table.rounds, self._table.games) if self._table else (0, 0)
        return LogReport(self._name, self._seq, rounds, games, ok, seq, reason, None if ok else self._line)

    def report(self) -> LogReport:
        """What was found, the log being at its end. A decision is written whole or not at all."""
        if self._fault is None and self._awaited:
            self._fail(f"the log ends where {' or '.join(self._awaited)} must follow", self._seq + 1)
        return self._fault or self._found(ok=True)


def _object_on(line: Line) -> dict[str, Any]:
    if line.value is None:
        raise WrongError(str(line.fault))
    return line.value


def _table_name(header: Line) -> str:
    value = _object_on(header)
    demand(header.is_header, "no header before the first event")
    demand(value["log"] == "rapid", "not a log of rapid")
    demand(type(value.get("v")) is int, "v of the header is malformed")
    demand(value["v"] == 1, "version {} of the log is not supported", value["v"])
    name = value.get("table")
    is_name = isinstance(name, str) and len(name) >= _ID_LEAST and set(name) <= _ID_LETTERS
    demand(is_name, "table of the header is malformed")
    return str(name)
