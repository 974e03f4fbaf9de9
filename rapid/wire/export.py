"""The log as text: one JSON object a line (PROTOCOL 2 and 4)."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, structs

from rapid.engine.events import AnyEvent, Committed, SeatTaken

_json = msgspec.json.Encoder()


def log_header(table: str) -> bytes:
    """Return the first line of a log."""
    return _json.encode({"log": "rapid", "v": 1, "table": table}) + b"\n"


def log_line(seq: int, at: int, event: AnyEvent) -> bytes:
    """Return an event's line, nothing hidden but the hash of a seat's token."""
    if isinstance(event, SeatTaken):
        event = structs.replace(event, token_hash=UNSET)
    return b'{"seq":%d,"at":%d,' % (seq, at) + _json.encode(event)[1:] + b"\n"


def without_secret(event: AnyEvent) -> AnyEvent:
    """Return a commitment without its secret, any other event as it is."""
    return structs.replace(event, secret=UNSET) if isinstance(event, Committed) else event
