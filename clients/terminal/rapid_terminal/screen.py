"""Where text goes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TextIO

from .console import Console
from .styles import painted, parts_of

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
        """Write lines, at once."""
        text = "".join(f"{self._look(line)}\n" for line in lines)
        if not text:
            return
        encoding = getattr(self._sink, "encoding", None) or "utf-8"
        text = text.encode(encoding, "replace").decode(encoding)
        if self._console:
            self._console.show_above(text)
            return
        self._sink.write(text)
        self._sink.flush()

    def _look(self, line: str) -> str:
        if not self._has_colour:
            return _harmless(line)
        return "".join(painted(_harmless(text), style) for text, style in parts_of(line))


def _harmless(line: str) -> str:
    return "".join(sign for sign in line if sign == "\n" or unicodedata.category(sign) not in _UNSAFE)
