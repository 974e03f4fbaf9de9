"""Text with a look: a line is its plain text, and knows how its parts may be shown where there is colour."""

from __future__ import annotations

import re
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
BETWEEN = " · "
"""Between things that are counted up in a line."""
_BETWEEN = re.compile(f"({BETWEEN}|  +)")


class Line(str):
    """A line of text, equal to its plain text; `parts` say how to show it.

    Where it is too long for a terminal: `stops` are the columns at which its own columns begin, which what is carried
    over keeps to; parts of a list (`is_list`) are broken only where one of them is too long by itself.
    """

    __slots__ = ("is_list", "parts", "stops")
    is_list: bool
    parts: tuple[Part, ...]
    stops: tuple[int, ...]

    @classmethod
    def of(cls, *parts: Part, stops: tuple[int, ...] = (), is_list: bool = False) -> Self:
        """A line of parts with a look each."""
        line = cls("".join(text for text, _ in parts))
        line.parts, line.stops, line.is_list = parts, stops, is_list
        return line

    @classmethod
    def from_text(cls, text: str) -> Line:
        """Any text as a line; a plain one is a single plain part."""
        return text if isinstance(text, Line) else cls.of((text, Style.PLAIN))


def listed(head: str, items: list[str], style: Style = Style.PLAIN) -> Line:
    """`head` and what it counts up, each kept whole: `Lobby: 1. you · 2. Bo`."""
    parts = [part for item in items for part in ((BETWEEN, style), (item, style))]
    return Line.of((head, style), *parts[1:], is_list=True)


def row(cells: tuple[str, ...], widths: tuple[int, ...]) -> Line:
    """A line of a table; what is in the last of its columns that holds anything may be long."""
    while cells and not cells[-1]:
        cells = cells[:-1]
    text, stops = "", []
    for cell, width in zip(cells, (*widths, 0), strict=False):
        if text:
            stops.append(len(text))
        text += f"{cell:<{width}}"
    parts = [(part, Style.PLAIN) for part in _BETWEEN.split(text.rstrip())]
    return Line.of(*parts, stops=tuple(stops), is_list=len(parts) > 1)


def painted(text: str, style: Style) -> str:
    """Text with its SGR sequence around it."""
    return f"\x1b[{style.value}m{text}\x1b[0m" if style.value and text else text
