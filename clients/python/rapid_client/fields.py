"""Reading maps from the wire into frozen dataclasses: one reader a field, named beside it.

Fields that a class does not name are ignored (PROTOCOL, first paragraph); a field that is missing or of the wrong
shape raises `BadFrame`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Final, TypeVar, cast

from .cards import in_order
from .errors import BadFrame

T = TypeVar("T")
R = TypeVar("R")
Reader = Callable[[object], T]


class Absent(Enum):
    """A field that is not there, where null would say something else (PROTOCOL 1)."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
_REQUIRED: Final = object()


def wire(reader: Reader[T], *, key: str | None = None, absent: object = _REQUIRED) -> Any:
    """Declare a field: how it is read, its key on the wire, and what it is when it is not there."""
    spec = {"reader": reader, "key": key, "absent": absent}
    if absent is _REQUIRED:
        return dataclasses.field(metadata=spec)
    return dataclasses.field(metadata=spec, default=absent)


def read(kind: type[R], fields: object) -> R:
    """Build `kind` from a map of the wire; `BadFrame` if it does not fit."""
    source = mapping(fields)
    values = {}
    for name, key, reader, absent in _specs(cast("Any", kind)):
        if key in source:
            values[name] = _read_one(kind, key, reader, source[key])
        elif absent is _REQUIRED:
            raise BadFrame(f"{kind.__name__} without {key!r}")
    return kind(**values)


def _read_one(kind: type, key: str, reader: Reader[object], value: object) -> object:
    try:
        return reader(value)
    except BadFrame as fault:
        raise BadFrame(f"{kind.__name__}.{key}: {fault}") from None


@cache
def _specs(kind: Hashable) -> tuple[tuple[str, str, Reader[object], object], ...]:
    return tuple(
        (field.name, field.metadata["key"] or field.name, field.metadata["reader"], field.metadata["absent"])
        for field in dataclasses.fields(cast("type[Any]", kind))
        if "reader" in field.metadata
    )


def mapping(value: object) -> Mapping[str, Any]:
    """A map with text keys."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BadFrame("not a map with text keys")
    return value


def integer(value: object) -> int:
    """A whole number; `true` and `3.0` are none (PROTOCOL 1)."""
    if type(value) is not int:
        raise BadFrame("not an integer")
    return value


def boolean(value: object) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise BadFrame("not a boolean")
    return value


def text(value: object) -> str:
    """A text."""
    if type(value) is not str:
        raise BadFrame("not a text")
    return value


def optional(reader: Reader[T]) -> Reader[T | None]:
    """The same, or null."""

    def read_optional(value: object) -> T | None:
        return None if value is None else reader(value)

    return read_optional


def many(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """A list of the same."""

    def read_many(value: object) -> tuple[T, ...]:
        if not isinstance(value, list | tuple):
            raise BadFrame("not a list")
        return tuple(reader(item) for item in value)

    return read_many


def by_seat(reader: Reader[T]) -> Reader[dict[int, T]]:
    """A map whose keys are seats, written as decimal digits (PROTOCOL 1)."""

    def read_by_seat(value: object) -> dict[int, T]:
        source = mapping(value)
        if not all(key.isdecimal() for key in source):
            raise BadFrame("a key is no seat")
        return {int(key): reader(item) for key, item in source.items()}

    return read_by_seat


def struct(kind: type[R]) -> Reader[R]:
    """A map that is itself a dataclass of wired fields."""
    return lambda value: read(kind, value)


def cards(value: object) -> tuple[str, ...]:
    """A list of cards, brought into one order, since theirs has no meaning (PROTOCOL 1)."""
    return in_order(many(text)(value))
