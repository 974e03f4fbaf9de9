"""A typed line, key by key, without I/O. Keys it does not know (arrows and their like) do nothing."""

from __future__ import annotations

import codecs
import re
import unicodedata

ENTER = ("\r", "\n")
RUB_OUT = ("\x7f", "\b")
RUB_LINE, RUB_WORD, END, ESCAPE = "\x15", "\x17", "\x04", "\x1b"
# What a key may send behind ESC: CSI with parameters and a final sign, SS3 and one sign, or one sign (Alt).
_KEY = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|[^\[O])")
_KEY_BEGINS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*|O)?\Z")


class Editor:
    """`text` is what stands in the row; `is_ended` once Ctrl-D was hit on an empty one."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._key = ""
        self.text = ""
        self.is_ended = False

    def feed(self, data: bytes) -> list[str]:
        """Take in what was typed; the lines that Enter was hit on."""
        signs = _KEY.sub("", self._key + self._decoder.decode(data))
        begun = _KEY_BEGINS.search(signs)
        self._key = begun[0] if begun else ""
        whole = []
        for sign in signs[: begun.start()] if begun else signs:
            if sign in ENTER:
                whole.append(self.text)
                self.text = ""
            else:
                self._press(sign)
        return whole

    def _press(self, sign: str) -> None:
        if sign in RUB_OUT:
            self.text = self.text[:-1]
        elif sign == RUB_LINE:
            self.text = ""
        elif sign == RUB_WORD:
            self.text = self.text.rstrip()
            self.text = self.text[: self.text.rfind(" ") + 1]
        elif sign == END:
            self.is_ended = self.is_ended or not self.text
        elif not unicodedata.category(sign).startswith("C"):
            self.text += sign
