"""How a connection ends: close codes and the `bye` before them (PROTOCOL 3.2)."""

from __future__ import annotations

from msgspec import Struct


class Ending(Struct, frozen=True):
    """The close code, and what `bye` says where it still can."""

    why: str
    code: int


LEAVING = Ending("leaving", 1001)  # the server goes: come back at once
LEFT = Ending("left", 1000)  # the client asked to leave
CLOSED = Ending("closed", 1000)  # the table is closed
TAKEN_OVER = Ending("taken_over", 4000)  # the seat was opened elsewhere
BAD_HELLO = Ending("bad_hello", 4001)  # no hello, a wrong one, or a second one
REMOVED = Ending("removed", 4003)  # the host removed the seat
NO_TABLE = Ending("no_table", 4004)  # unknown or closed
BAD_TOKEN = Ending("bad_token", 4005)  # of no seat here, or void
TOO_SLOW = Ending("too_slow", 4008)  # does not read what it is sent
TOO_MANY = Ending("too_many", 4009)  # more messages than the limit
MALFORMED = Ending("malformed", 4010)  # a frame that is no message

ENDINGS = (
    LEAVING,
    LEFT,
    CLOSED,
    TAKEN_OVER,
    BAD_HELLO,
    REMOVED,
    NO_TABLE,
    BAD_TOKEN,
    TOO_SLOW,
    TOO_MANY,
    MALFORMED,
)
