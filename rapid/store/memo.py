"""What a process has written itself, kept for its own gateway until Redis pushes it back.

Reading a record and folding it are pure: the same bytes at the same table, on the same state, give what the worker
beside us has made already. So nothing is trusted that was not pushed, and what is not found here is read and folded as
ever.
"""

from __future__ import annotations

from collections import Counter

from rapid.table.ports import Commit, Made
from rapid.wire.records import Record

MOST = 1_024
"""More are under way only where pushes are lost."""


class Memo:
    """Of the tables that feeds of this process follow."""

    __slots__ = ("_followed", "_made")

    def __init__(self) -> None:
        self._followed: Counter[str] = Counter()
        self._made: dict[tuple[str, bytes], Made] = {}

    def __len__(self) -> int:
        return len(self._made)

    def follow(self, table: str) -> None:
        """Keep what is written at a table from now on."""
        self._followed[table] += 1

    def unfollow(self, table: str) -> None:
        """End that, if nobody else wants it."""
        self._followed[table] -= 1
        if self._followed[table] <= 0:
            del self._followed[table]

    def note(self, commit: Commit, record: Record, data: bytes) -> None:
        """Keep a commit that is about to be written, with its record as it will be read, and its bytes."""
        if commit.table not in self._followed or commit.after is None:
            return
        if len(self._made) >= MOST:
            self._made.clear()
        self._made[commit.table, data] = Made(record, commit.before, commit.after)

    def take(self, table: str, data: bytes) -> Made | None:
        """Return what is known of these bytes, once; None if they are another process'."""
        return self._made.pop((table, data), None)
