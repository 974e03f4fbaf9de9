"""What a process has written itself, kept for its own gateway until Redis pushes it back.

Reading a record and folding it are pure: the same bytes at the same table, on the same state, give what the worker
beside us has made already. So nothing is trusted that was not pushed, and what is not found here is read and folded as
ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Set as AbstractSet

from rapid.table.ports import Commit, Made
from rapid.wire.records import Record

MOST = 16
"""Kept of a table. What is refused, lost or dropped stays only until something behind it is pushed."""


class Memo:
    """Of the channels that feeds of this process want."""

    __slots__ = ("_made", "_wanted")

    def __init__(self) -> None:
        self._wanted: list[AbstractSet[str]] = []
        self._made: dict[str, deque[tuple[bytes, Made]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._made.values()))

    def listen(self, wanted: AbstractSet[str]) -> None:
        """Keep what is written for the channels in this set, which may change."""
        self._wanted.append(wanted)

    def leave(self, wanted: AbstractSet[str]) -> None:
        """End that."""
        self._wanted = [other for other in self._wanted if other is not wanted]
        self._made.clear()

    def note(self, channel: str, commit: Commit, record: Record, data: bytes) -> None:
        """Keep a commit that is about to be written, with its record as it will be read, and its bytes."""
        if commit.after is None or not any(channel in wanted for wanted in self._wanted):
            return
        made = self._made.get(channel)
        if made is None:
            made = self._made[channel] = deque(maxlen=MOST)
        made.append((data, Made(record, commit.before, commit.after)))

    def take(self, channel: str, data: bytes) -> Made | None:
        """Return what is known of these bytes, once; None if they are another process'. What was before them goes."""
        waiting = self._made.get(channel)
        if waiting is None:
            return None
        for place, (known, made) in enumerate(waiting):
            if known == data:
                for _ in range(place + 1):
                    waiting.popleft()
                return made
        return None

    def forget(self, channel: str) -> None:
        """Nobody wants it any more."""
        self._made.pop(channel, None)
