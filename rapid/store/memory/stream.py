"""A stream as Redis keeps it."""

from __future__ import annotations

from rapid.table.ports import FIRST_ID, id_order


class Stream:
    """Entries under ids that only grow."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, bytes]] = []
        self.last_id = FIRST_ID

    def add(self, data: bytes, now_ms: int) -> str:
        """Append under the next id that is free at this time."""
        last_ms, n = id_order(self.last_id)
        entry_id = f"{now_ms}-0" if now_ms > last_ms else f"{last_ms}-{n + 1}"
        self.add_as(entry_id, data)
        return entry_id

    def add_as(self, entry_id: str, data: bytes) -> None:
        """Append under this id, which must be behind the last."""
        assert id_order(entry_id) > id_order(self.last_id)
        self.last_id = entry_id
        self.entries.append((entry_id, data))

    def behind(self, entry_id: str, limit: int) -> list[tuple[str, bytes]]:
        """Return up to `limit` entries behind an id, oldest first."""
        start = len(self.entries)
        after = id_order(entry_id)
        while start > 0 and id_order(self.entries[start - 1][0]) > after:
            start -= 1
        return self.entries[start : start + limit]

    def trim(self, *, least: str, kept: int = 0) -> None:
        """Drop entries before an id, but none of the `kept` newest."""
        droppable = max(len(self.entries) - kept, 0)
        old = 0
        while old < droppable and id_order(self.entries[old][0]) < id_order(least):
            old += 1
        del self.entries[:old]
