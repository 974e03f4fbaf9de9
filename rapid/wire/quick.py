"""The two messages that a race consists of, read in one step where nothing is odd about them.

`fields` is what decides: whatever is not exactly a play or a pass with the fields of PROTOCOL 3.1, each once and no
other, goes there. `msgspec` checks types as strictly, but would pass over a key that stands twice; here the number of
entries that the map announces and the fields that were found leave no room for one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from rapid.rules.settings_check import LARGEST_INTEGER
from rapid.wire.cardtext import is_card
from rapid.wire.messages import Pass, Play
from rapid.wire.parse import FRAME_MAX_BYTES

_MAP_OF_3, _MAP_OF_4 = 0x83, 0x84
CARDS_KEPT: Final = 4096
"""French cards, Spanish ones and what wild cards stand for are fewer."""


class _Move(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    t: str
    id: int
    on: int
    cards: tuple[str, ...] | UnsetType = UNSET


_decode = msgspec.msgpack.Decoder(_Move).decode
_is_card = lru_cache(CARDS_KEPT)(is_card)


def quick_msgpack(frame: bytes | str) -> Play | Pass | None:
    """Return the play or pass that a frame surely is; None: read it with care."""
    if not isinstance(frame, bytes) or not 0 < len(frame) <= FRAME_MAX_BYTES:
        return None
    entries = frame[0]
    if entries not in (_MAP_OF_4, _MAP_OF_3):
        return None
    try:
        move = _decode(frame)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
    id_, on, cards = move.id, move.on, move.cards
    if not -LARGEST_INTEGER <= id_ <= LARGEST_INTEGER or not 0 <= on <= LARGEST_INTEGER:
        return None
    if cards is UNSET:
        return Pass(id_, on) if move.t == "pass" and entries == _MAP_OF_3 else None
    if move.t == "play" and entries == _MAP_OF_4 and all(map(_is_card, cards)):
        return Play(id_, on, cards)
    return None


def quick_nothing(_frame: bytes | str) -> None:
    """JSON is read with care: nothing in it says how many fields there are."""
