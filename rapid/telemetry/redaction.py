"""The last line of defence: nothing that must stay hidden leaves through a log line.

Code does not log hands, cards, secrets or tokens in the first place. Should it once do so by mistake, here it is
taken out: by the name it has, by what it looks like, and by not printing objects whose insides nobody has looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final

from structlog.typing import EventDict, WrappedLogger

HIDDEN: Final = "[hidden]"

# Words that make a name one of a hidden thing, alone or as part: `seat_token`, `deal_secret`, `hands`.
HIDDEN_WORDS: Final = frozenset(
    {
        *("card", "cards", "hand", "hands"),
        *("token", "tokens", "secret", "secrets", "salt", "salts"),
        *("authorization", "cookie", "password"),
    }
)
# A seat token (43 characters of urlsafe base64, so surely of all three kinds), and a deal's secret (64 hex digits).
_SECRET_TEXT: Final = re.compile(
    r"(?<![\w-])(?:[0-9a-fA-F]{64}|(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43})(?![\w-])"
)
_ADDRESS_PASSWORD: Final = re.compile(r"(?<=://)([^\s/@:]*):[^\s/@]+@")


def redact(_logger: WrappedLogger | None, _method: str, event: EventDict) -> EventDict:
    """Processor for structlog: the same line without what must stay hidden."""
    # The underscore names are structlog's own and do not reach the line.
    return {name: value if name.startswith("_") else _redacted(name, value) for name, value in event.items()}


def _redacted(name: object, value: Any) -> Any:
    if isinstance(name, str) and not HIDDEN_WORDS.isdisjoint(name.lower().split("_")):
        # How many cards a seat holds is for all to see.
        return value if isinstance(value, int) or value is None else HIDDEN
    return _plain(value)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str | PurePath | BaseException):
        return _ADDRESS_PASSWORD.sub(rf"\1:{HIDDEN}@", _SECRET_TEXT.sub(HIDDEN, str(value)))
    if isinstance(value, Mapping):
        return {key: _redacted(key, inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    # A state or an event holds hands. Its type is enough for a log.
    return f"<{type(value).__name__}>"
