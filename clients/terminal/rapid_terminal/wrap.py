"""Lines for a terminal's width: broken between words, never in one, and what is carried over is indented."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

from .styles import Line, Part, Style

USUAL_COLUMNS = 80
"""Of a terminal that does not say how wide it is."""
HANG = 2
"""By how much more than its line what is carried over is indented, so that it is not taken for a line of its own."""
_WORD = re.compile("[^ ]+")
_GLUE = "\xa0"


def columns_of(sink: TextIO) -> int | None:
    """How wide the terminal is; None for a pipe or a file, whose lines stay as they are."""
    with suppress(OSError, ValueError):
        if sink.isatty():
            return os.get_terminal_size(sink.fileno()).columns or USUAL_COLUMNS
    return None


def width(text: str) -> int:
    """How many columns a text takes."""
    return sum(map(_width, text))


def padded(text: str, columns: int) -> str:
    """A text with spaces behind it, so many columns in all."""
    return text + " " * (columns - width(text))


def _width(sign: str) -> int:
    return 2 if unicodedata.east_asian_width(sign) in {"W", "F"} else 0 if unicodedata.combining(sign) else 1


def wrapped(line: Line, columns: int) -> list[Line]:
    """The rows of a line. A word that no row has room for is left to the terminal: an address must stay whole."""
    if width(line) <= columns:
        return [line]
    hang, cut = _hang(line, columns)
    # Nothing before the column there is no room for: the line begins where others are carried over to.
    begin = hang if _indent(line) == cut else _indent(line)
    spans = _spans(_glued(line, columns - hang), columns, (begin, hang), cut)
    return [
        Line.of((" " * (hang if number else begin), Style.PLAIN), *_between(line, *span))
        for number, span in enumerate(spans)
    ]


def _indent(line: Line) -> int:
    return len(line) - len(line.lstrip(" "))


def _hang(line: Line, columns: int) -> tuple[int, int | None]:
    """How far rows that are carried over are indented; and where the first column begins that there is no room for.

    That column goes to a row of its own, below the one before it.
    """
    stops = line.stops or (_indent(line) + HANG,)
    fitting = [stop for stop in stops if stop <= columns // 2]
    if not fitting:
        return columns // 4, None
    return fitting[-1], stops[len(fitting)] if len(fitting) < len(stops) else None


def _glued(line: Line, room: int) -> str:
    """The text, with signs of the same number that cannot be broken at where the parts of a list are to stay whole."""
    if not line.is_list:
        return line
    return "".join(_whole(text) if width(text) <= room else text for text, _ in line.parts)


def _whole(text: str) -> str:
    words = text.strip(" ")
    return text.replace(words, words.replace(" ", _GLUE)) if words else text


def _spans(text: str, columns: int, indents: tuple[int, int], cut: int | None) -> list[tuple[int, int]]:
    """Where each row begins and ends in the text; the indents are the first row's and that of the others."""
    spans: list[tuple[int, int]] = []
    start: int | None = None
    end = 0
    for word in _WORD.finditer(text):
        room = columns - indents[bool(spans)]
        if start is None:
            start = word.start()
        elif word.start() == cut or width(text[start : word.end()]) > room:
            spans.append((start, end))
            start = word.start()
        end = word.end()
    return [*spans, (start or 0, end)]


def _between(line: Line, start: int, end: int) -> Iterator[Part]:
    """The parts of a line from one place to another."""
    at = 0
    for text, style in line.parts:
        if piece := text[max(start - at, 0) : max(end - at, 0)]:
            yield piece, style
        at += len(text)
