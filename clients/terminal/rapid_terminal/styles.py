"""Text with a look: a line is its plain text, and knows how its parts may be shown where there is colour."""

from __future__ import annotations

from enum import Enum
from typing import Self


class Style(Enum):
    """A look, by the parameters of its SGR sequence."""

    PLAIN = ""
    BOLD = "1"
    DIM = "2"
    GOOD = "1;32"
    BAD = "1;31"
    HEAD = "1;36"
    ALARM = "1;35"


Part = tuple[str, Style]


class Line(str):
    """A line of text, equal to its plain text; `parts` say how to show it."""

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, *parts: Part) -> Self:
        """A line of parts with a look each."""
        line = cls("".join(text for text, _ in parts))
        line.parts = parts
        return line


def parts_of(line: str) -> tuple[Part, ...]:
    """The parts of any text; a plain one is a single plain part."""
    return line.parts if isinstance(line, Line) else ((line, Style.PLAIN),)


def painted(text: str, style: Style) -> str:
    """Text with its SGR sequence around it."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if style.value and text else text
