"""What the judges judge: a log, what every connection sent and was sent, and what faults were made on purpose.

Everything is plain JSON as PROTOCOL says: an event is one object of the log (section 4), a message one of section 3.
Times of transcripts are milliseconds of any one clock and only order things.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Event = Mapping[str, Any]
Message = Mapping[str, Any]
Log = Sequence[Event]

LATE_DEFAULT_SLACK_MS = 8_000


@dataclass(frozen=True)
class Transcript:
    """One connection from its opening to its end.

    `seat` is the one it was welcomed to; None for a spectator. `closed_ms` is None if it was
    open at the end of the run.
    """

    viewer: str
    seat: int | None
    sent: Sequence[tuple[int, Message]]
    received: Sequence[tuple[int, Message]]
    opened_ms: int = 0
    closed_ms: int | None = None
    must_seq: int | None = None
    """What had to have reached it when it was closed, if that is known: others at the table had seen it long before."""
    token_hash: str | None = None
    """What the log keeps of the token it said hello with, if that is known, and the log is not one that hides it."""

    @property
    def since(self) -> int | None:
        """The `since` of its hello."""
        for _, message in self.sent:
            if message["t"] == "hello":
                since: int | None = message.get("since")
                return since
        return None

    def named(self) -> str:
        """How verdicts call it."""
        who = "a spectator" if self.seat is None else f"seat {self.seat}"
        return f"{self.viewer} ({who}, opened at {self.opened_ms})"


@dataclass(frozen=True)
class Loss:
    """Redis came back without an unsynced tail: the log as it stood before, and how much of it was kept."""

    before: Log
    kept_seq: int
    at_ms: int = 0


@dataclass(frozen=True)
class Case:
    """One table.

    `log` is all of it, as `rapid export` gives it, without the header line; `table` its id ("": not
    known). `losses`, oldest first. `end_ms`: what the stream's clock said when the log was read;
    None: not known. `is_settled`: before the end all was well for long enough that nothing may be
    missing any more: every viewer has everything, every lost seat its stand-in. `slack_ms`: how
    late a timer may fire, or be missing at the end of a settled run. `stamps`, where they are known: `seq`
    of a decision's first event → the stamp of the inbox entry it decides. `calm_from_ms`: on the stream's clock,
    from when on nothing was amiss, so that no timer may be late by more than a moment.
    """

    log: Log
    transcripts: Sequence[Transcript] = ()
    losses: Sequence[Loss] = ()
    table: str = ""
    end_ms: int | None = None
    is_settled: bool = False
    calm_from_ms: int | None = None
    stamps: Mapping[int, int] = field(default_factory=dict)
    slack_ms: int = LATE_DEFAULT_SLACK_MS
    stories: Sequence[Log] = field(init=False)
    """The log as it stood before each loss, and last as it is."""

    def __post_init__(self) -> None:
        """Put the stories together."""
        object.__setattr__(self, "stories", (*(loss.before for loss in self.losses), self.log))


def count_until(log: Log, seq: int) -> int:
    """Return how many events of a log stand up to this `seq`: as many, unless some are missing from the log itself."""
    if 0 <= seq <= len(log) and (not seq or log[seq - 1]["seq"] == seq):
        return seq
    return bisect_right(log, seq, key=lambda event: event["seq"])


def event_of(log: Log, seq: int) -> Event | None:
    """Return the event of this `seq`, if the log has it."""
    place = count_until(log, seq)
    return log[place - 1] if place > 0 and log[place - 1]["seq"] == seq else None


def last_seq(log: Log) -> int:
    """Return the `seq` of the last event."""
    return log[-1]["seq"] if log else 0


def settings_at(log: Log, seq: int) -> Mapping[str, Any]:
    """Return the settings that hold behind an event."""
    settings: Mapping[str, Any] = {}
    for event in log[:seq]:
        if event["type"] in {"table_opened", "settings_changed"}:
            settings = event["settings"]
    return settings


def events_of(transcript: Transcript) -> Iterator[tuple[int, Message]]:
    """Yield its events with the time of their coming."""
    return ((at, message) for at, message in transcript.received if message["t"] == "event")
