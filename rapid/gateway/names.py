"""Names people give themselves (PROTOCOL 2): what shows as itself, nothing that plays with the line around it."""

from __future__ import annotations

import unicodedata
from typing import Final

from rapid.rules.settings_check import FieldError

NAME_MAX_CHARACTERS: Final = 24
# Control, format (bidirectional and zero-width signs are among these), surrogates, private use, and separators of
# lines and paragraphs.
_FORBIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_UNASSIGNED: Final = "Cn"
# Letters and marks that show as nothing at all.
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0")
_VISIBLE: Final = frozenset("LNPS")
# What Unicode keeps for signs that show as nothing, and what it will never assign: the only unassigned characters
# refused. The rest are letters and emoji younger than this Python's tables, which a person's keyboard already has.
_RESERVED_INVISIBLE: Final = (
    range(0x2065, 0x2066),
    range(0xFDD0, 0xFDF0),
    range(0xFFF0, 0xFFF9),
    range(0xE0000, 0xE1000),
)
_NEVER_ASSIGNED: Final = frozenset({0xFFFE, 0xFFFF})


def _kind(character: str) -> str:
    """Return the general category; of unassigned ones `So`, as if it were an emoji, or `Cf` if it never shows."""
    category = unicodedata.category(character)
    if category != _UNASSIGNED:
        return category
    code = ord(character)
    is_hidden = code & 0xFFFF in _NEVER_ASSIGNED or any(code in reserved for reserved in _RESERVED_INVISIBLE)
    return "Cf" if is_hidden else "So"


def read_name(value: object) -> str | FieldError:
    """Return the name, trimmed and in NFC, or what is wrong with it."""
    if type(value) is not str:
        return FieldError("name", "must be text")
    name = unicodedata.normalize("NFC", value.strip()).strip()
    categories = [_kind(character) for character in name]
    if not _FORBIDDEN.isdisjoint(categories) or not _INVISIBLE.isdisjoint(name):
        return FieldError("name", "must have no control, format, bidirectional or invisible characters")
    if not 1 <= len(name) <= NAME_MAX_CHARACTERS:
        return FieldError("name", f"must have 1 to {NAME_MAX_CHARACTERS} characters")
    if _VISIBLE.isdisjoint(category[0] for category in categories):
        return FieldError("name", "must have a character that can be seen")
    return name
