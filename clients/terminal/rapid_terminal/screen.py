"""Where text goes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import TextIO

from .console import Console
from .styles import Line, painted
from .wrap import columns_of, wrapped

_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class Screen:
    """Lines of text. Names come from other people: what could steer a terminal is not written.

    With a `console`, text goes above the row in which the player types, and leaves it as it is.
    """

    def __init__(self, sink: TextIO, *, has_colour: bool = False, console: Console | None = None) -> None:
        self._sink, self._has_colour, self._console = sink, has_colour, console

    @property
    def console(self) -> Console | None:
        """The row in which the player types; None where the terminal, or a pipe, has its own ways."""
        return self._console

    def show(self, lines: Iterable[str]) -> None:
        """Write lines, at once; to a terminal no longer ones than it has room for."""
        text = "".join(f"{self._look(row)}\n" for line in lines for row in self._rows(line))
        if not text:
            return
        encoding = getattr(self._sink, "encoding", None) or "utf-8"
        text = text.encode(encoding, "replace").decode(encoding)
        if self._console:
            self._console.show_above(text)
            return
        self._sink.write(text)
        self._sink.flush()

    def _rows(self, line: str) -> Iterator[Line]:
        columns = columns_of(self._sink)
        for single in [line] if isinstance(line, Line) else line.split("\n"):
            safe = _harmless(Line.from_text(single))
            yield from wrapped(safe, columns) if columns else [safe]

    def _look(self, line: Line) -> str:
        return "".join(painted(*part) for part in line.parts) if self._has_colour else line


def _harmless(line: Line) -> Line:
    parts = (("".join(filter(_is_safe, text)), style) for text, style in line.parts)
    return Line.of(*parts, stops=line.stops, is_list=line.is_list)


def _is_safe(sign: str) -> bool:
    return unicodedata.category(sign) not in _UNSAFE
