"""Names people give themselves (PROTOCOL 2): what shows as itself, nothing that plays with the line around it."""

from __future__ import annotations

import unicodedata
from typing import Final

from rapid.rules.settings_check import FieldError

NAME_MAX_CHARACTERS: Final = 24
# Control, format (bidirectional and zero-width signs are among these), surrogates, private use, unassigned, and
# separators of lines and paragraphs.
_FORBIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks that show as nothing at all.
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0")
_VISIBLE: Final = frozenset("LNPS")


def read_name(value: object) -> str | FieldError:
    """Return the name, trimmed and in NFC, or what is wrong with it."""
    if type(value) is not str:
        return FieldError("name", "must be text")
    name = unicodedata.normalize("NFC", value.strip()).strip()
    categories = [unicodedata.category(character) for character in name]
    if not _FORBIDDEN.isdisjoint(categories) or not _INVISIBLE.isdisjoint(name):
        return FieldError("name", "must have no control, format, bidirectional or invisible characters")
    if not 1 <= len(name) <= NAME_MAX_CHARACTERS:
        return FieldError("name", f"must have 1 to {NAME_MAX_CHARACTERS} characters")
    if _VISIBLE.isdisjoint(category[0] for category in categories):
        return FieldError("name", "must have a character that can be seen")
    return name
