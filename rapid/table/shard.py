"""A shard in our charge: its epoch, how far its inbox is decided, and its tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from rapid.table.authority import Authority
from rapid.table.ports import FIRST_ID


@dataclass(slots=True)
class Shard:
    """Dropped whole, and taken anew, when what the log holds is in doubt."""

    number: int
    epoch: int
    cursor: str = FIRST_ID
    """Everything in the inbox up to here is decided and durable."""
    noted_cursor: str = FIRST_ID
    """What Redis was told of it."""
    tables: dict[str, Authority] = field(default_factory=dict)
    aside: set[str] = field(default_factory=set)
    """Tables that cannot be served, because of a corrupt log or a fault of ours."""

    def knows(self, table: str) -> bool:
        """Whether the table is open here, or set aside."""
        return table in self.tables or table in self.aside

    def set_aside(self, table: str) -> None:
        """Serve this table no more until the shard is taken anew; the others go on."""
        self.tables.pop(table, None)
        self.aside.add(table)
