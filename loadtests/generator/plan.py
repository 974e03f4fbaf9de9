"""What the parent tells a generator, and what it answers; everything crosses a pipe."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field


class Plan(Struct, frozen=True, kw_only=True):
    """The share of one generator process."""

    host: str
    port: int
    kind: str = "race"
    """`race`, or `floor`."""
    tables: int = 100
    first: int = 0
    """Number of the first table: floors have no other names."""
    seats: int = 4
    contention: int = 1
    codec: str = "msgpack"
    seed: int = 1
    is_human: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    idle: int = 0
    """Further tables, seated and not started."""
    watchers: int = 0
    """Spectators of each table."""
    watch_port: int = 0
    """Where spectators connect; 0: where the seats do."""
    slow: int = 0
    """Spectators, over all tables, that stop reading when told to."""
    pids: dict[str, int] = field(default_factory=dict)
    """The server's processes by their part, as far as they are known: without them nothing is waited for."""


class Window(Struct, frozen=True, kw_only=True):
    """Measure from a moment on (`time.perf_counter`, which all processes of a machine share)."""

    begin_s: float
    seconds: float
    rate: float
    offset: float = 0.0
    """Of this generator's first intent, in parts of the time between two."""
    drain_s: float = 2.0
    churns: bool = False
    """Whether people come, go and lose their connections meanwhile."""


class Stopped(Struct, kw_only=True):
    """What became of the readers that had stopped."""

    readers: int = 0
    ended: int = 0
    """Whose connection the server had ended when they read on."""
    due_bytes: int = 0
    """What the one who was sent least was sent meanwhile, had it been read."""

    def add(self, other: Stopped) -> None:
        """Count another generator's in."""
        if other.readers:
            self.due_bytes = min(self.due_bytes, other.due_bytes) if self.readers else other.due_bytes
        self.readers += other.readers
        self.ended += other.ended


class Progress(Struct, frozen=True, kw_only=True):
    """How a window goes, now and then."""

    at_s: float
    due: int
    counted: int
    refused: int
    p50_ms: float | None
    p99_ms: float | None


class Judged(Struct, kw_only=True):
    """What the judges say."""

    opened: int = 0
    """Tables that the run has had."""
    tables: int = 0
    """Those of them whose log could be judged."""
    events: int = 0
    connections: int = 0
    messages: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    unverified: int = 0
    cut_off: int = 0
    """Connections of seats that the server has closed for asking too often; their tables are not judged."""
    verdicts: list[str] = field(default_factory=list)

    def add(self, other: Judged) -> None:
        """Count another table's in."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def cut_off_for_asking(connections: int) -> str:
    """Return what is to be said of so many connections that were."""
    return (
        f"the server closed {connections} connections of seats for asking too often (4009): "
        "the load is more than its limits for one client allow"
    )
