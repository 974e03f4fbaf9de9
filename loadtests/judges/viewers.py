"""What each viewer was sent (PROTOCOL 3.2).

Behind every `welcome` a run without gaps, equal to the log as this viewer may see it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loadtests.judges.case import Case, Log, Message, Transcript, count_until, event_of, last_seq, settings_at
from loadtests.judges.redact import is_same_for_all, shown
from loadtests.judges.table import Table
from loadtests.judges.view import difference, view_of

NEVER = -1
ON_ITS_WAY_MS = 3_000
"""What is younger than this at the end may still be on its way: a lost push is found by the next look at the logs."""


class Stories:
    """The log as it stood before each loss of a tail, and as it is; what a viewer may see of each, looked up once."""

    def __init__(self, case: Case) -> None:
        """Read the case's logs."""
        self.table = case.table
        self.logs: list[Log] = list(case.stories)
        self._shown: dict[tuple[int, int, int | None], dict[str, Any]] = {}
        self._tables: dict[int, tuple[int, Table]] = {}

    def event(self, story: int, seq: int, seat: int | None) -> dict[str, Any] | None:
        """Return an event of a story as a viewer must see it; None: it has none of that number."""
        event = event_of(self.logs[story], seq)
        if event is None:
            return None
        key = (story, seq, None if is_same_for_all(event) else seat)
        known = self._shown.get(key)
        if known is None:
            known = self._shown[key] = {"t": "event", **shown(event, seat)}
        return known

    def view(self, story: int, seq: int, seat: int | None) -> dict[str, Any] | None:
        """Return the view behind an event of a story."""
        log = self.logs[story]
        if seq > last_seq(log):
            return None
        at, table = self._tables.get(story, (0, Table(name=self.table)))
        if at > seq:
            at, table = 0, Table(name=self.table)
        for event in log[count_until(log, at) : count_until(log, seq)]:
            table.take(event)
        self._tables[story] = (seq, table)
        return view_of(table, seat)


def judge_viewers(case: Case) -> Iterator[str]:
    """Every transcript, one by one."""
    stories = Stories(case)
    # In the order of their first welcome, so that the fold of each story runs forward for most of them.
    for transcript in case.transcripts:
        yield from _Reader(case, stories, transcript).read()


class _Reader:
    """One connection's messages, in order."""

    def __init__(self, case: Case, stories: Stories, transcript: Transcript) -> None:
        self._case = case
        self._stories = stories
        self._one = transcript
        self._seq = NEVER
        self._could_be = list(range(len(stories.logs)))
        """Stories that this run may be of; a later run is never of an earlier story."""
        self._is_broken = False

    def read(self) -> Iterator[str]:
        for _, message in self._one.received:
            kind = message["t"]
            if kind == "welcome":
                yield from self._welcome(message)
            elif kind == "event" and not self._is_broken:
                yield from self._event(message)
        yield from self._end()

    def _welcome(self, message: Message) -> Iterator[str]:
        self._is_broken = False
        earliest = self._could_be[0] if self._could_be else 0
        could_be = list(range(earliest, len(self._stories.logs)))
        seat = message["seat"]
        if seat != self._one.seat:
            yield f"{self._one.named()}: welcomed as {seat}"
        if message["view"] is None:
            if message["seq"] != self._one.since:
                yield f"{self._one.named()}: welcomed at {message['seq']} without a view, asked was {self._one.since}"
            # What it had seen before must be of the same story; `judge_resumed` looks at that.
            self._could_be = [story for story in could_be if message["seq"] <= last_seq(self._stories.logs[story])]
        else:
            faults = {story: self._view_fault(story, message, seat) for story in could_be}
            self._could_be = [story for story, fault in faults.items() if fault is None]
            if not self._could_be:
                field = next(iter(reversed(faults.values())), None)
                yield f"{self._one.named()}: the view at {message['seq']} is not the log's: {field}"
                self._is_broken = True
        self._seq = message["seq"]

    def _view_fault(self, story: int, message: Message, seat: int | None) -> str | None:
        wanted = self._stories.view(story, message["seq"], seat)
        if wanted is None:
            return "the log is not so long"
        if not self._stories.table:
            wanted.pop("table")
        return difference(message["view"], wanted)

    def _event(self, message: Message) -> Iterator[str]:
        if self._seq == NEVER:
            yield f"{self._one.named()}: an event before any welcome"
            self._is_broken = True
            return
        seq = message["seq"]
        if seq != self._seq + 1:
            yield f"{self._one.named()}: event {seq} behind {self._seq}"
            self._is_broken = True
            return
        self._seq = seq
        could_be = [s for s in self._could_be if self._stories.event(s, seq, self._one.seat) == message]
        if not could_be:
            yield f"{self._one.named()}: event {seq} ({message['type']}) is not the log's as this viewer may see it"
            self._is_broken = True
            return
        self._could_be = could_be

    def _end(self) -> Iterator[str]:
        """Who is there at the end of a settled run has everything, and stands in the story that counts."""
        if self._seq == NEVER or self._is_broken:
            return
        if self._one.closed_ms is not None:
            if self._seq < (self._one.must_seq or 0):
                yield f"{self._one.named()}: had {self._seq} of {self._one.must_seq} events when it was closed"
            return
        if not self._case.is_settled:
            return
        if len(self._stories.logs) - 1 not in self._could_be:
            yield f"{self._one.named()}: was never told that a tail was lost"
        elif self._seq < self._wanted_seq():
            yield f"{self._one.named()}: has {self._seq} of {self._wanted_seq()} events"

    def _wanted_seq(self) -> int:
        log = self._case.log
        until_ms = self._case.end_ms
        if until_ms is None or not log:
            return last_seq(log)
        if self._one.seat is None:
            until_ms -= settings_at(log, len(log)).get("spectator_delay_seconds", 0) * 1000
        return sum(event["at"] <= until_ms - ON_ITS_WAY_MS for event in log)


def judge_resumed(case: Case) -> Iterator[str]:
    """Who comes back with `since` and gets no view goes on in the story that they had seen (no fork)."""
    if not case.losses:
        return
    stories = Stories(case)
    seen: dict[tuple[str, int | None], dict[int, Message]] = {}
    for one in sorted(case.transcripts, key=lambda transcript: transcript.opened_ms):
        events = seen.setdefault((one.viewer, one.seat), {})
        for _, message in one.received:
            if message["t"] == "welcome" and message["view"] is not None:
                events.clear()
            elif message["t"] == "event":
                events[message["seq"]] = message
                yield from _fork(stories, one, events, message)


def _fork(stories: Stories, one: Transcript, events: dict[int, Message], newest: Message) -> Iterator[str]:
    """The event before, as this client knows it, must be of a story that has the newest too."""
    before = events.get(newest["seq"] - 1)
    if before is None:
        return
    for story in range(len(stories.logs)):
        is_newest = stories.event(story, newest["seq"], one.seat) == newest
        if is_newest and stories.event(story, before["seq"], one.seat) == before:
            return
    yield f"{one.named()}: a fork: event {newest['seq']} does not stand behind the {before['seq']} it had seen"
