"""The last row of a terminal, where the player types, kept whole while text appears above it.

The terminal's own line editing knows nothing of what others write: half a line typed in a race would be torn apart
by each play. So the row is drawn here, anew below each text.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TextIO

from .editor import Editor
from .wrap import USUAL_COLUMNS, columns_of, width

try:
    import termios
    import tty
except ImportError:  # pragma: no cover - where there are none, the terminal's own line editing must do
    HAS_TERMINALS = False
else:
    HAS_TERMINALS = True

CLEAR_ROW = "\r\x1b[K"
PROMPT = "> "


class Console:
    """A context manager: keys come one by one until it is left."""

    def __init__(self, source: TextIO, sink: TextIO) -> None:
        self._source, self._sink = source, sink
        self._editor = Editor()
        self._prompt = PROMPT
        self._before: list[Any] | None = None

    @staticmethod
    def fits(source: TextIO, sink: TextIO) -> bool:
        """Whether a person sits at both ends."""
        with suppress(ValueError, OSError):
            return HAS_TERMINALS and source.isatty() and sink.isatty()
        return False

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._source.fileno())
        self._take_over()
        # A shell that had us stopped gives the terminal back with its own line editing on.
        asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._take_over)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGCONT)
        with suppress(OSError, termios.error):
            self._write(CLEAR_ROW)
            termios.tcsetattr(self._source.fileno(), termios.TCSADRAIN, self._before or [])

    def _take_over(self) -> None:
        with suppress(OSError, termios.error):
            tty.setcbreak(self._source.fileno(), termios.TCSADRAIN)
            self._write(CLEAR_ROW + self._row())

    @property
    def is_ended(self) -> bool:
        """Whether the player has ended the input."""
        return self._editor.is_ended

    def take(self, data: bytes) -> list[str]:
        """Take in keys; the lines that Enter was hit on, which stay on the screen."""
        lines = self._editor.feed(data)
        self._write(CLEAR_ROW + "".join(f"{PROMPT}{line}\n" for line in lines) + self._row())
        return lines

    def show_above(self, text: str) -> None:
        """Write whole lines above the row."""
        self._write(CLEAR_ROW + text + self._row())

    def ask(self, prompt: str) -> None:
        """Change what stands before the typed line."""
        if prompt != self._prompt:
            self._prompt = prompt
            self._write(CLEAR_ROW + self._row())

    def _row(self) -> str:
        """The prompt and as much of the line's end as there is room for."""
        room = (columns_of(self._sink) or USUAL_COLUMNS) - len(self._prompt) - 1
        shown = self._editor.text
        while shown and width(shown) > room:
            shown = shown[1:]
        return self._prompt + shown

    def _write(self, text: str) -> None:
        encoding = getattr(self._sink, "encoding", None) or "utf-8"
        self._sink.write(text.encode(encoding, "replace").decode(encoding))
        self._sink.flush()
