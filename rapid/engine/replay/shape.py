"""Which fields each event has and of what type: the table of PROTOCOL section 4, read literally."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from rapid.engine.replay.faults import demand
from rapid.engine.replay.reader import MAX_INTEGER

Check = Callable[[object], bool]
MAX_NAME = 24

SHAPES: dict[str, str] = {
    "table_opened": "settings:map",
    "seat_taken": "seat:seat name:name kind:'person'|'bot' level?:'easy'|'normal'|'hard'",
    "leaving": "seat:seat why:'left'|'removed'",
    "seat_freed": "seat:seat why:'left'|'removed'",
    "host_changed": "seat:seat",
    "settings_changed": "settings:map",
    "connection_lost": "seat:seat until?:time deadline?:time|null",
    "connection_back": "seat:seat deadline?:time|null",
    "standin_started": "seat:seat",
    "standin_ended": "seat:seat",
    "committed": "deal:number commit:hash secret?:hash",
    "salted": "seat:seat deal:number salt:salt",
    "game_started": "game:number seats:seats settings:map",
    "dealt": "round:number deal:number order:seats hands:hands",
    "exchange_opened": "round:number step?:number moves:moves owes:owes deadline:time",
    "given": "from:seat to:seat count:number cards:cards by:by",
    "exchange_closed": "round:number step?:number moves:moves",
    "trick_opened": "trick:number leader:seat|null deadline:time|null",
    "turn_began": "seat:seat rank:text|null deadline:time|null",
    "played": "seat:seat cards:cards on:number trick:number by:by revolution:bool order?:seats deadline:time|null",
    "passed": "seat:seat trick:number by:by",
    "skipped": "seat:seat trick:number",
    "race_lost": "seat:seat on:number late_ms:time",
    "finished": "seat:seat penalised:bool",
    "trick_closed": "trick:number why:'round_over'|'killer'|'four'|'strongest'|'finish'|'passed'|'timer'",
    "round_ended": "round:number deal:number standings:seats roles:roles points:points totals:points secret:hash",
    "game_ended": "game:number why:'rounds'|'target'|'ended'|'stopped'|'interrupted'|'cancelled'"
    " winners:seats totals:points secret?:hash",
    "lobby_opened": "",
    "resumed": "epoch:number lost_ms:time deadline:time|null",
    "table_closed": "why:'empty'|'idle'|'operator'",
}


def is_integer(value: object, least: int = 0) -> bool:
    """An integer of PROTOCOL section 1; `true`, `3.0` and `"3"` are none."""
    return type(value) is int and least <= value <= MAX_INTEGER


def _is_name(value: object) -> bool:
    # Categories C* are control, format, surrogate, private and unassigned; bidirectional marks are format.
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_NAME or value != value.strip():
        return False
    has_bad = any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} for letter in value)
    return not has_bad and unicodedata.is_normalized("NFC", value)


def _is_hex(value: object, digits: int, alphabet: str) -> bool:
    return isinstance(value, str) and len(value) == digits and set(value) <= set(alphabet)


def _is_list(value: object, check: Check) -> bool:
    return isinstance(value, list) and all(check(item) for item in value)


def _is_set(value: object, check: Check) -> bool:
    return isinstance(value, list) and _is_list(value, check) and len(set(value)) == len(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_key(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= len(str(MAX_INTEGER)) and str(int(value)) == value


def _is_seat_map(value: object, check: Check) -> bool:
    return isinstance(value, dict) and all(_is_key(key) and check(item) for key, item in value.items())


def _is_cards(value: object) -> bool:
    return _is_set(value, _is_text)


def _is_move(value: object) -> bool:
    return (
        isinstance(value, dict)
        and all(is_integer(value.get(end)) for end in ("from", "to"))
        and is_integer(value.get("count"), 1)
        and _is_cards(value.get("cards"))
    )


def _is_owed(value: object) -> bool:
    return (
        isinstance(value, dict)
        and all(is_integer(value.get(end)) for end in ("from", "to"))
        and is_integer(value.get("count"), 1)
        and value.get("pick") in ("any", "best", "worst")
    )


KINDS: dict[str, Check] = {
    "seat": is_integer,
    "time": is_integer,
    "number": lambda value: is_integer(value, 1),
    "bool": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "text": _is_text,
    "map": lambda value: isinstance(value, dict),
    "name": _is_name,
    "by": lambda value: value in ("person", "bot", "standin", "timer"),
    "hash": lambda value: _is_hex(value, 64, "0123456789abcdef"),
    # Clients choose a salt and its spelling.
    "salt": lambda value: _is_hex(value, 32, "0123456789abcdefABCDEF"),
    "seats": lambda value: _is_set(value, is_integer),
    "cards": _is_cards,
    "hands": lambda value: _is_seat_map(value, _is_cards),
    "roles": lambda value: _is_seat_map(value, _is_text),
    "points": lambda value: _is_seat_map(value, lambda number: type(number) is int and abs(number) <= MAX_INTEGER),
    "moves": lambda value: _is_list(value, _is_move),
    "owes": lambda value: _is_list(value, _is_owed),
}


def _literal(word: str) -> Check:
    return lambda value: isinstance(value, str) and value == word


def _check_of(kinds: str) -> Check:
    checks = [_literal(kind[1:-1]) if kind[0] == "'" else KINDS[kind] for kind in kinds.split("|")]
    return lambda value: any(check(value) for check in checks)


def _compiled(row: str) -> tuple[tuple[str, bool, Check], ...]:
    fields = (field.split(":") for field in row.split())
    return tuple((name.rstrip("?"), name.endswith("?"), _check_of(kinds)) for name, kinds in fields)


_FIELDS = {kind: _compiled(row) for kind, row in SHAPES.items()}


def is_known(kind: str) -> bool:
    """Whether this version of the protocol has such an event; others are passed over."""
    return kind in _FIELDS


def check_fields(kind: str, fields: dict[str, Any]) -> None:
    """Raise `WrongError` unless each field of a known event is there and of its type."""
    for name, is_optional, check in _FIELDS[kind]:
        if name not in fields:
            demand(is_optional, "{} lacks {}", kind, name)
        else:
            demand(check(fields[name]), "{} of {} is malformed", name, kind)
