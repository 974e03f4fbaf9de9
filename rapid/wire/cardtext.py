"""Which text is a card at all, of any deck (PROTOCOL 1). Whether it is in the deck is the engine's matter."""

from __future__ import annotations

import re

_FRENCH = "[3-9TJQKA2][SHDC]"
_SPANISH = "(?:1[0-2]|[1-9])[OCEB]"
_JOKER = r"\*[1-9]"
_CARD = re.compile(f"(?:{_FRENCH}|{_SPANISH}|{_JOKER})(?:=(?:{_FRENCH}|{_SPANISH}))?", re.ASCII)


def is_card(text: str) -> bool:
    """Whether this is the text of a card: French, Spanish, a joker, or a wild card with what it stands for."""
    return _CARD.fullmatch(text) is not None
