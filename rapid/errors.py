"""What goes wrong for reasons of ours. A refusal of a player's attempt is never one of these: it is a value.

The tree::

    RapidError
    ├── ConfigError            options that cannot be served as asked; the text tells the person at the keyboard
    │   ├── DataFolderBusy     another process runs the server of this data folder
    │   ├── ServerMissing      no Redis server on this machine that could be started
    │   └── UnfitRedis         a Redis that would lose tables, or is too old
    ├── StoreUnavailable       Redis does not answer; what was asked may be tried again
    │   ├── StoreSilent        it does not even refuse: not in time, and perhaps only we are cut off
    │   ├── OtherRun           it has been started anew in the middle of what must not be told of two runs
    │   └── ServerDidNotStart  our own Redis server ended, or did not get ready
    ├── SeatHeld               a chair in which somebody else has a connection
    ├── BackupFailed           Redis could not write a snapshot of itself
    ├── Fenced                 a newer authority owns the table: this one stops and writes nothing more
    └── LogCorrupt             a log that no authority can have written
"""

from __future__ import annotations


class RapidError(Exception):
    """Base of all."""


class ConfigError(RapidError):
    """Options that cannot be served as asked. Its text is shown as it is, without a traceback."""


class DataFolderBusy(ConfigError):
    """Another process holds the data folder."""


class ServerMissing(ConfigError):
    """No `redis-server` or `valkey-server` that is new enough, and none that came along."""


class UnfitRedis(ConfigError):
    """A Redis that would lose tables (an evicting `maxmemory-policy`) or is older than 6.2."""


class StoreUnavailable(RapidError):
    """Redis does not answer, or not in time. Whether the command took effect is not known."""


class StoreSilent(StoreUnavailable):
    """Redis has said nothing in time. One that has ended refuses connections; this may be the way to it."""


class OtherRun(StoreUnavailable):
    """Redis answers, but is another run than when this began, and may have lost what was read before."""


class ServerDidNotStart(StoreUnavailable):
    """Our own Redis server ended or did not get ready; the text quotes the end of its log."""


class SeatHeld(RapidError):
    """The chair's present connection is that of another holder: which of the two holds it the log says.

    Attributes:
        before: gateway and number of that connection.
    """

    def __init__(self, before: tuple[str, int]) -> None:
        super().__init__("the chair's present connection is another holder's")
        self.before = before


class BackupFailed(RapidError):
    """No copy of the tables could be made; nothing is left of the attempt."""


class Fenced(RapidError):
    """Redis refused an append because a newer epoch has written to the table (DESIGN decision 5).

    Attributes:
        table: the table's id.
        epoch: the epoch that was refused, not the newer one.
    """

    def __init__(self, table: str, epoch: int) -> None:
        super().__init__(f"table {table}: epoch {epoch} has been superseded")
        self.table = table
        self.epoch = epoch


class LogCorrupt(RapidError):
    """A table's log has an entry that cannot follow on what stands before it.

    Attributes:
        table: the table's id.
        entry: the stream id (`<epoch>-<n>`) of the first wrong entry.
    """

    def __init__(self, table: str, entry: str, why: str) -> None:
        super().__init__(f"table {table}, entry {entry}: {why}")
        self.table = table
        self.entry = entry
        self.why = why
