"""Where text goes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TextIO

_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class Screen:
    """Lines of plain text. Names come from other people: what could steer a terminal is not written."""

    def __init__(self, sink: TextIO) -> None:
        self._sink = sink

    def show(self, lines: Iterable[str]) -> None:
        """Write lines, at once."""
        text = "".join(f"{_harmless(line)}\n" for line in lines)
        if not text:
            return
        encoding = getattr(self._sink, "encoding", None) or "utf-8"
        self._sink.write(text.encode(encoding, "replace").decode(encoding))
        self._sink.flush()


def _harmless(line: str) -> str:
    return "".join(sign for sign in line if sign == "\n" or unicodedata.category(sign) not in _UNSAFE)
