"""What can go wrong, as a tree.

RapidError
├── BadAddress        the text is no address of a server or of a table
├── Problem           an HTTP request was refused (problem+json, PROTOCOL 2)
├── Unreachable       no connection to the server could be made at all
├── ConnectionLost    the connection died; a request in flight has an unknown outcome
├── NoTrick           a play or pass names no state, and no trick is open
├── Desync            frames that do not fit together: answered by a resync, never shown to callers
│   ├── BadFrame         a frame or a field that PROTOCOL does not allow
│   ├── Gap              an event is missing
│   └── ImpossibleState  an event that cannot follow on the view
└── Final             the server ended the session for good (close codes, PROTOCOL 3.2)
    ├── TakenOver 4000 · BadHello 4001 · Removed 4003 · NoTable 4004 · BadToken 4005
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from typing import ClassVar


class RapidError(Exception):
    """Every error of this library."""


class BadAddress(RapidError):
    """The text is no address of a server or of a table."""


class Unreachable(RapidError):
    """No connection to the server could be made at all."""


class ConnectionLost(RapidError):
    """The connection died. What was in flight may or may not have been decided; nothing is sent again (R3)."""


class NoTrick(RapidError):
    """A play or a pass was asked for without a trick state, and no trick is open."""


def in_words(fault: BaseException) -> str:
    """Why no connection came about, without the insides of the libraries below."""
    cause = getattr(fault, "os_error", None) or fault
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    if isinstance(cause, ssl.SSLError):
        return "it does not speak TLS as expected (http:// or https://?)"
    status = getattr(fault, "status", None)
    if isinstance(status, int) and status:
        return f"it answers with HTTP {status}"
    said = getattr(cause, "strerror", None) or str(cause)
    # asyncio words what it tried ("Connect call failed ('127.0.0.1', 1)"); the number says why.
    number = getattr(cause, "errno", None)
    return os.strerror(number).lower() if isinstance(number, int) and number > 0 else said or type(cause).__name__


@dataclass(frozen=True)
class FieldError:
    """One row of a refusal's `errors`: which field, and what is wrong with it."""

    field: str
    message: str


class Problem(RapidError):
    """An HTTP request was refused (RFC 9457, PROTOCOL 2)."""

    def __init__(
        self,
        status: int,
        title: str,
        detail: str | None = None,
        errors: tuple[FieldError, ...] = (),
        retry_after_s: float | None = None,
    ) -> None:
        self.status, self.title, self.detail = status, title, detail
        self.errors, self.retry_after_s = errors, retry_after_s
        super().__init__(self._text())

    def _text(self) -> str:
        rows = "; ".join(f"{row.field}: {row.message}" for row in self.errors)
        said = ": ".join(part for part in (self.title, self.detail) if part)
        return f"{said} ({rows})" if rows else said


class Desync(RapidError):
    """The frames do not fit together; the session starts anew from a full view."""


class BadFrame(Desync):
    """A frame, or a field of one, that PROTOCOL does not allow."""


class Gap(Desync):
    """An event is missing between two that arrived."""


class ImpossibleState(Desync):
    """An event that cannot follow on the view it came to."""


class Final(RapidError):
    """The server ended the session for good; connecting again would end the same way."""

    code: ClassVar[int] = 0
    text: ClassVar[str] = "the server ended the session"

    def __init__(self) -> None:
        super().__init__(self.text)


class TakenOver(Final):
    """4000: the newest connection with the seat's token has the seat."""

    code = 4000
    text = "this seat was opened elsewhere"


class BadHello(Final):
    """4001: the server did not understand the greeting; client and server do not match."""

    code = 4001
    text = "the server did not accept the greeting (is it another version?)"


class Removed(Final):
    """4003: the host removed this seat."""

    code = 4003
    text = "the host removed you from the table"


class NoTable(Final):
    """4004: there is no such table, or it is closed."""

    code = 4004
    text = "there is no such table (any more)"


class BadToken(Final):
    """4005: the seat token is void, or belongs to another table."""

    code = 4005
    text = "the seat token is not valid here (any more)"


FINAL_BY_CODE: dict[int, type[Final]] = {kind.code: kind for kind in (TakenOver, BadHello, Removed, NoTable, BadToken)}
