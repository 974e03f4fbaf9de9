"""One connection as a state machine without I/O: frames and times go in, what to do comes out.

    awaiting ──hello──► greeted ──admit──► seated │ watching ──any ending──► closing

A connection says `hello` first, within `hello_s` seconds. The shell looks the token up and
then admits the connection, as a seat or as a spectator, or ends it. Until then it feeds no
further frame: whoever sends more behind a hello is answered in order. The order of refusals is
PROTOCOL 3.4's: malformed, rate_limited, unavailable, spectator; the rest is the authority's.

What to do for each state and kind of message stands in `ACTIONS`, all of it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, cast

from msgspec import Struct

from rapid.engine import refusals
from rapid.wire import close
from rapid.wire.asking import Asked
from rapid.wire.bucket import Bucket, Rate
from rapid.wire.close import Ending
from rapid.wire.codec import Codec
from rapid.wire.messages import (
    BadHello,
    Broken,
    Give,
    Hello,
    Host,
    Leave,
    Malformed,
    Pass,
    Ping,
    Play,
    React,
    Received,
    Reply,
    Salt,
)


class Phase(StrEnum):
    """Where a connection stands."""

    AWAITING = "awaiting"
    GREETED = "greeted"
    SEATED = "seated"
    WATCHING = "watching"
    CLOSING = "closing"


class Kind(StrEnum):
    """What a frame is, as far as the state machine cares."""

    HELLO = "hello"
    BAD_HELLO = "bad_hello"
    INTENT = "intent"
    REACT = "react"
    LEAVE = "leave"
    PING = "ping"
    MALFORMED = "malformed"
    BROKEN = "broken"


class Action(StrEnum):
    """What is done about it."""

    GREET = "greet"
    ASK = "ask"
    SHOW = "show"
    DEPART = "depart"
    PONG = "pong"
    REFUSE_SPECTATOR = "refuse_spectator"
    REFUSE_MALFORMED = "refuse_malformed"
    END_BAD_HELLO = "end_bad_hello"
    END_MALFORMED = "end_malformed"
    DROP = "drop"


KINDS: Final[dict[type, Kind]] = {
    Hello: Kind.HELLO,
    BadHello: Kind.BAD_HELLO,
    Play: Kind.INTENT,
    Pass: Kind.INTENT,
    Give: Kind.INTENT,
    Salt: Kind.INTENT,
    Host: Kind.INTENT,
    Leave: Kind.LEAVE,
    React: Kind.REACT,
    Ping: Kind.PING,
    Malformed: Kind.MALFORMED,
    Broken: Kind.BROKEN,
}

_BEFORE_HELLO: Final = {
    Kind.HELLO: Action.GREET,
    Kind.BAD_HELLO: Action.END_BAD_HELLO,
    Kind.INTENT: Action.END_BAD_HELLO,
    Kind.REACT: Action.END_BAD_HELLO,
    Kind.LEAVE: Action.END_BAD_HELLO,
    Kind.PING: Action.END_BAD_HELLO,
    Kind.MALFORMED: Action.END_BAD_HELLO,
    Kind.BROKEN: Action.END_MALFORMED,
}

ACTIONS: Final[dict[Phase, dict[Kind, Action]]] = {
    Phase.AWAITING: _BEFORE_HELLO,
    # The shell feeds nothing while it looks a token up; if it did, a second hello is a bad one.
    Phase.GREETED: {**_BEFORE_HELLO, Kind.HELLO: Action.END_BAD_HELLO},
    Phase.SEATED: {
        Kind.HELLO: Action.END_BAD_HELLO,
        Kind.BAD_HELLO: Action.END_BAD_HELLO,
        Kind.INTENT: Action.ASK,
        Kind.REACT: Action.SHOW,
        Kind.LEAVE: Action.ASK,
        Kind.PING: Action.PONG,
        Kind.MALFORMED: Action.REFUSE_MALFORMED,
        Kind.BROKEN: Action.END_MALFORMED,
    },
    Phase.WATCHING: {
        Kind.HELLO: Action.END_BAD_HELLO,
        Kind.BAD_HELLO: Action.END_BAD_HELLO,
        Kind.INTENT: Action.REFUSE_SPECTATOR,
        Kind.REACT: Action.REFUSE_SPECTATOR,
        Kind.LEAVE: Action.DEPART,
        Kind.PING: Action.PONG,
        Kind.MALFORMED: Action.REFUSE_MALFORMED,
        Kind.BROKEN: Action.END_MALFORMED,
    },
    Phase.CLOSING: dict.fromkeys(Kind, Action.DROP),
}


class Limits(Struct, frozen=True):
    """What one connection may send (PROTOCOL 3)."""

    messages: Rate = Rate(50, 200)
    intents: Rate = Rate(30, 60)
    reactions: Rate = Rate(1, 1)
    hello_s: float = 5


class Greet(Struct, frozen=True):
    """Look the token up, then `admit` or `end`."""

    hello: Hello


class Ask(Struct, frozen=True):
    """Ask the table's authority."""

    message: Asked


class Show(Struct, frozen=True):
    """Show a reaction to the table, and reply."""

    message: React


class Depart(Struct, frozen=True):
    """A spectator leaves: reply, `bye`, close."""

    id: int


class Answer(Struct, frozen=True):
    """Answer a ping."""

    id: int


class Refuse(Struct, frozen=True):
    """Send this reply; `limit` is the rate that was passed, if that is why."""

    reply: Reply
    limit: str | None = None


class End(Struct, frozen=True):
    """Say `bye` and close."""

    ending: Ending


Output = Greet | Ask | Show | Depart | Answer | Refuse | End
_MOVES: Final = frozenset((Play, Pass))
_ENDS: Final = {Action.END_BAD_HELLO: close.BAD_HELLO, Action.END_MALFORMED: close.MALFORMED}


INTENTS, REACTIONS = "intents_per_second", "reactions_per_second"


def refusal(id_: int, why: str) -> Refuse:
    """Return the reply that refuses a message."""
    return Refuse(Reply(id_, ok=False, why=why))


class Session:
    """The state of one connection. Times are seconds of any clock that only goes forward."""

    __slots__ = ("_codec", "_intents", "_messages", "_reactions", "_since_s", "limits", "phase")

    def __init__(self, codec: Codec, limits: Limits, now_s: float) -> None:
        self.phase = Phase.AWAITING
        self.limits = limits
        self._codec = codec
        self._since_s = now_s
        self._messages = Bucket(limits.messages, now_s)
        self._intents = Bucket(limits.intents, now_s)
        self._reactions = Bucket(limits.reactions, now_s)

    def receive(self, data: bytes | str, now_s: float, *, available: bool = True) -> Output | None:
        """Return what to do about a frame, None for nothing; `available`: Redis can be reached."""
        if self.phase is Phase.CLOSING:
            return None
        if not self._messages.take(now_s):
            return self.end(close.TOO_MANY)
        message = self._codec.receive(data)
        if self.phase is Phase.SEATED and type(message) in _MOVES:
            # What the table says too, sooner.
            return self._limited(Action.ASK, cast("Play | Pass", message), now_s, available=available)
        action = ACTIONS[self.phase][KINDS[type(message)]]
        return self._do(action, message, now_s, available=available)

    def check_time(self, now_s: float) -> End | None:
        """Return the end of a connection that has not said hello in time."""
        if self.phase is Phase.AWAITING and now_s >= self._since_s + self.limits.hello_s:
            return self.end(close.BAD_HELLO)
        return None

    def admit(self, *, seated: bool) -> None:
        """The hello is answered by `welcome`: from here this is a seat, or a spectator."""
        self.phase = Phase.SEATED if seated else Phase.WATCHING

    def end(self, ending: Ending) -> End:
        """Return the end of the connection; whatever still comes is dropped."""
        self.phase = Phase.CLOSING
        return End(ending)

    def _do(self, action: Action, message: Received, now_s: float, *, available: bool) -> Output | None:
        if action is Action.GREET and isinstance(message, Hello):
            self.phase = Phase.GREETED
            return Greet(message)
        if isinstance(message, Hello | BadHello | Broken):
            return self.end(_ENDS[action]) if action in _ENDS else None
        if action in _ENDS:
            return self.end(_ENDS[action])
        if isinstance(message, Malformed):
            return refusal(message.id, refusals.MALFORMED)
        if isinstance(message, Ping):
            return Answer(message.id)
        return self._limited(action, message, now_s, available=available)

    def _limited(self, action: Action, message: Asked | React, now_s: float, *, available: bool) -> Output:
        bucket, limit = (self._reactions, REACTIONS) if isinstance(message, React) else (self._intents, INTENTS)
        if not bucket.take(now_s):
            return Refuse(Reply(message.id, ok=False, why=refusals.RATE_LIMITED), limit)
        if action is Action.ASK and available and not isinstance(message, React):
            return Ask(message)
        if action is Action.DEPART:
            self.phase = Phase.CLOSING
            return Depart(message.id)
        if not available:
            return refusal(message.id, refusals.UNAVAILABLE)
        if action is Action.REFUSE_SPECTATOR:
            return refusal(message.id, refusals.SPECTATOR)
        return Show(message) if isinstance(message, React) else Ask(message)
