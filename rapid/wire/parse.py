"""From the bytes of a frame to one map with text keys, none twice, or to nothing (PROTOCOL 3).

Values may be anything here, also what no field allows: a nested map with a key that is no
text or stands twice, an extension type and an integer of thousands of digits become markers,
so that the field they stand in is found malformed and the message still gets its reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import msgpack

FRAME_MAX_BYTES: Final = 4096
INTEGER_MAX_DIGITS: Final = 17
"""2⁵³-1 has 16 digits, and a sign may stand before them."""


class _Marker:
    """A value that no field allows."""


BAD_MAP: Final = _Marker()
BAD_VALUE: Final = _Marker()


def _map_of(pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any] | _Marker:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if type(key) is not str or key in fields or not is_text(key):
            return BAD_MAP
        fields[key] = value
    return fields


def is_text(value: object) -> bool:
    """Whether it is text that both encodings carry: no lone surrogates."""
    if type(value) is not str:
        return False
    if value.isascii():
        return True
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _integer(digits: str) -> int | _Marker:
    return int(digits) if len(digits) <= INTEGER_MAX_DIGITS else BAD_VALUE


def _extension(_code: int, _data: bytes) -> _Marker:
    return BAD_VALUE


_json = json.JSONDecoder(object_pairs_hook=_map_of, parse_int=_integer)


def parse_msgpack(frame: bytes | str) -> dict[str, Any] | None:
    """Return the map of a binary frame, None if it is not exactly one."""
    if not isinstance(frame, bytes) or len(frame) > FRAME_MAX_BYTES:
        return None
    try:
        fields = msgpack.unpackb(
            frame,
            raw=False,
            strict_map_key=False,
            unicode_errors="surrogateescape",
            object_pairs_hook=_map_of,
            ext_hook=_extension,
        )
    except (ValueError, msgpack.UnpackException, RecursionError, OverflowError):
        return None
    return fields if type(fields) is dict else None


def parse_json(frame: bytes | str) -> dict[str, Any] | None:
    """Return the map of a text frame, None if it is not exactly one."""
    if not isinstance(frame, str) or len(frame) > FRAME_MAX_BYTES:
        return None
    if not frame.isascii() and len(frame.encode("utf-8", "surrogatepass")) > FRAME_MAX_BYTES:
        return None
    return parse_json_text(frame)


def parse_json_text(text: str) -> dict[str, Any] | None:
    """Return the map of a JSON text of any length, None if it is not exactly one."""
    try:
        fields = _json.decode(text)
    except (ValueError, RecursionError):
        return None
    return fields if type(fields) is dict else None
