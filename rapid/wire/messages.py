"""The messages of the WebSocket (PROTOCOL 3.1, 3.2): one frozen struct each.

What a client sends is checked field by field in `fields` before one of these exists. What the
server sends is packed from these; events are packed by `codec`, from their own structs.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from rapid.rules.settings_check import FieldError

VERSION = 1


class Hello(Struct, frozen=True):
    """The first message: the seat's token (None: a spectator), the last `seq` seen (None: none).

    `since_at`, the `at` of that event, is ours besides PROTOCOL 3.1: it tells an event that was lost with
    Redis' tail from the one that has its number now.
    """

    token: str | None = None
    since: int | None = None
    since_at: int | None = None


class Play(Struct, frozen=True):
    """Lay cards on the trick state `on`."""

    id: int
    on: int
    cards: tuple[str, ...]


class Pass(Struct, frozen=True):
    """Pass on the trick state `on`."""

    id: int
    on: int


class Give(Struct, frozen=True):
    """Return cards in the exchange of a round."""

    id: int
    round: int
    cards: tuple[str, ...]


class Salt(Struct, frozen=True):
    """Add a salt, 32 hex digits, to the committed deal."""

    id: int
    deal: int
    salt: str


class React(Struct, frozen=True):
    """Show an emoji to the table."""

    id: int
    emoji: str


class Host(Struct, frozen=True):
    """A command of the host: `do` names it, the rest belongs to some of them."""

    id: int
    do: str
    level: str | None = None
    seat: int | None = None
    settings: dict[str, Any] | None = None


class Leave(Struct, frozen=True):
    """Leave the table."""

    id: int


class Ping(Struct, frozen=True):
    """Answered by `pong`."""

    id: int


Request = Play | Pass | Give | Salt | React | Host | Leave | Ping
"""Everything a client sends behind its hello."""


class Malformed(Struct, frozen=True):
    """A message with an id and a fault: it gets a reply."""

    id: int


class BadHello(Struct, frozen=True):
    """A hello with a fault."""


class Broken(Struct, frozen=True):
    """A frame that is no message at all."""


BAD_HELLO = BadHello()
BROKEN = Broken()

Received = Hello | Request | Malformed | BadHello | Broken
"""What a frame from a client turns out to be."""


class ServerMessage(Struct, frozen=True, tag_field="t"):
    """Base of what the server sends."""


class Welcome(ServerMessage, frozen=True, kw_only=True, tag="welcome"):
    """Where the viewer stands; `view` is null if events since the asked `seq` follow."""

    v: int = VERSION
    table: str
    seat: int | None
    seq: int
    now: int
    view: Any


class Reply(ServerMessage, frozen=True, tag="reply"):
    """The answer to one message: `seq` if ok, else why not."""

    id: int
    ok: bool
    seq: int | UnsetType = UNSET
    why: str | UnsetType = UNSET
    late_ms: int | UnsetType = UNSET
    errors: tuple[FieldError, ...] | UnsetType = UNSET


class Reaction(ServerMessage, frozen=True, tag="reaction"):
    """An emoji of a seat."""

    seat: int
    emoji: str
    at: int


class Presence(ServerMessage, frozen=True, tag="presence"):
    """How many watch."""

    spectators: int


class Pong(ServerMessage, frozen=True, tag="pong"):
    """The answer to `ping`."""

    id: int
    now: int


class Bye(ServerMessage, frozen=True, tag="bye"):
    """The last message, where there still can be one."""

    why: str
