"""One event of a log, its common fields checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.shape import check_fields, is_integer, is_known


@dataclass(frozen=True, slots=True)
class Event:
    """An event: `kind` is its `type`, `at` in milliseconds; `event["seat"]` reads a field."""

    seq: int
    at: int
    kind: str
    fields: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        """The field, already known to be of the type the protocol gives it."""
        return self.fields[name]

    def has(self, name: str) -> bool:
        """Whether an optional field is there."""
        return name in self.fields


def parse_event(value: dict[str, Any], seq: int, at_before: int) -> Event | None:
    """The event that stands at position `seq`; None for a kind not known here (PROTOCOL section 4)."""
    demand(is_integer(value.get("seq"), 1), "seq is malformed")
    demand(value["seq"] == seq, "seq {} where {} is due", value["seq"], seq)
    demand(is_integer(value.get("at")), "at is malformed")
    demand(value["at"] >= at_before, "at {} is before {}, the at of the event before", value["at"], at_before)
    kind = value.get("type")
    if not isinstance(kind, str) or not kind:
        raise WrongError("type is malformed")
    if not is_known(kind):
        return None
    check_fields(kind, value)
    return Event(seq, value["at"], kind, value)
