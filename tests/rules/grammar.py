"""Which events may stand together in one decision (PROTOCOL section 4), as one regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapid.engine.events import AnyEvent

ALONE = (
    "seat_taken leaving seat_freed host_changed settings_changed connection_lost connection_back standin_started "
    "salted race_lost lobby_opened resumed passed played game_ended table_closed"
)
"""Any event not named in the grammar stands alone; those named there may where their rest is optional."""

OPENING = "trick_opened (turn_began )?"
DEAL = f"dealt committed (exchange_opened |{OPENING})"
CLOSE = f"trick_closed ({OPENING}|round_ended (seat_freed )*(host_changed )?(game_ended (lobby_opened )?)?)"
DECISIONS = (
    "table_opened committed (seat_taken )+",
    f"game_started {DEAL}",
    DEAL,
    f"(given )+(exchange_closed (exchange_opened |{OPENING}))?",
    f"played (finished )?(skipped )?(turn_began |{CLOSE})?",
    f"passed (turn_began |{CLOSE})?",
    CLOSE,
    "(leaving |seat_freed )(host_changed )?(game_ended lobby_opened )?(table_closed )?",
    "connection_back (standin_ended )?",
    "game_ended lobby_opened seat_freed (host_changed )?(table_closed |(seat_freed )*)",
    "(game_ended lobby_opened )?table_closed ",
    "(seat_freed )+game_ended ",  # 4.7: who ends a game frees the leavers first
    *(f"{name} " for name in ALONE.split()),
)
_GRAMMAR = re.compile("|".join(f"(?:{rule})" for rule in DECISIONS))
"""Each name has a space behind it."""


def words(events: Iterable[AnyEvent]) -> str:
    return "".join(f"{type(event).__struct_config__.tag} " for event in events)


def is_decision(text: str) -> bool:
    """Whether these names, a space behind each, may be one decision."""
    return _GRAMMAR.fullmatch(text) is not None


def assert_decision(events: Iterable[AnyEvent]) -> None:
    text = words(events)
    assert is_decision(text), f"no decision of PROTOCOL section 4: {text}"
