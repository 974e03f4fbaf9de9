"""Every field of every client message, checked for its exact type and range (PROTOCOL 1, 3.1).

`True`, `3.0` and `"3"` are no integers; bytes are no text. Fields that a message does not
have are ignored, whatever they hold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from rapid.rules.settings_check import LARGEST_INTEGER, LEVELS
from rapid.wire.cardtext import is_card
from rapid.wire.messages import (
    BAD_HELLO,
    BROKEN,
    VERSION,
    BadHello,
    Give,
    Hello,
    Host,
    Leave,
    Malformed,
    Pass,
    Ping,
    Play,
    React,
    Received,
    Request,
    Salt,
)
from rapid.wire.parse import is_text

EMOJI: Final = ("👍", "👏", "😂", "😮", "😢", "😡", "🔥", "🎉")
HOST_COMMANDS: Final = ("start", "next_round", "end_game", "play_again", "to_lobby", "add_bot", "remove", "settings")
SETTINGS_MAX_DEPTH: Final = 8
_SALT = re.compile("[0-9a-fA-F]{32}", re.ASCII)

Fields = Mapping[str, Any]
_ABSENT: Final = object()


class BadField(ValueError):
    """A field is missing, or of the wrong type or range; caught in `received`."""


def _natural(fields: Fields, name: str) -> int:
    value = fields.get(name)
    if type(value) is not int or not 0 <= value <= LARGEST_INTEGER:
        raise BadField(name)
    return value


def _one_of(fields: Fields, name: str, choices: tuple[str, ...]) -> str:
    value = fields.get(name)
    if type(value) is not str or value not in choices:
        raise BadField(name)
    return value


def _cards(fields: Fields) -> tuple[str, ...]:
    """How many, and whose, is the engine's matter; here each must be the text of a card."""
    value = fields.get("cards")
    if type(value) is not list:
        raise BadField("cards")
    for card in value:
        if type(card) is not str or not is_card(card):
            raise BadField("cards")
    return tuple(value)


def _salt(fields: Fields) -> str:
    value = fields.get("salt")
    if type(value) is not str or _SALT.fullmatch(value) is None:
        raise BadField("salt")
    return value.lower()


def _is_plain(value: object, depth: int) -> bool:
    """Whether a value inside settings is one that both encodings carry; what it means is checked later."""
    if value is None or type(value) is bool:
        return True
    if type(value) is str:
        return is_text(value)
    if type(value) is int:
        return abs(value) <= LARGEST_INTEGER
    if type(value) is float:
        return math.isfinite(value)
    if depth == 0:
        return False
    if type(value) is list:
        return all(_is_plain(item, depth - 1) for item in value)
    # A key that is no text, or stands twice, has made a marker of the map.
    return type(value) is dict and all(_is_plain(item, depth - 1) for item in value.values())


def _settings(fields: Fields) -> dict[str, Any]:
    value = fields.get("settings")
    if type(value) is not dict or not _is_plain(value, SETTINGS_MAX_DEPTH):
        raise BadField("settings")
    return value


def _host(id_: int, fields: Fields) -> Host:
    do = _one_of(fields, "do", HOST_COMMANDS)
    if do == "add_bot" and "level" in fields:
        return Host(id_, do, level=_one_of(fields, "level", LEVELS))
    if do == "remove":
        return Host(id_, do, seat=_natural(fields, "seat"))
    if do == "settings":
        return Host(id_, do, settings=_settings(fields))
    return Host(id_, do)


_REQUESTS: Final[dict[str, Callable[[int, Fields], Request]]] = {
    "play": lambda id_, fields: Play(id_, _natural(fields, "on"), _cards(fields)),
    "pass": lambda id_, fields: Pass(id_, _natural(fields, "on")),
    "give": lambda id_, fields: Give(id_, _natural(fields, "round"), _cards(fields)),
    "salt": lambda id_, fields: Salt(id_, _natural(fields, "deal"), _salt(fields)),
    "react": lambda id_, fields: React(id_, _one_of(fields, "emoji", EMOJI)),
    "host": _host,
    "leave": lambda id_, _: Leave(id_),
    "ping": lambda id_, _: Ping(id_),
}


def _hello(fields: Fields) -> Hello | BadHello:
    """A token that is text is looked up, however it looks; anything else about it is a bad hello."""
    version, token, since = fields.get("v"), fields.get("token", _ABSENT), fields.get("since", _ABSENT)
    if type(version) is not int or version != VERSION:
        return BAD_HELLO
    if token is _ABSENT:
        token = None
    elif type(token) is not str:
        return BAD_HELLO
    if since is _ABSENT:
        since = None
    elif type(since) is not int or not 0 <= since <= LARGEST_INTEGER:
        return BAD_HELLO
    since_at = fields.get("since_at")
    # Whatever is wrong with it is as if it were not there: a field of ours that nobody need know.
    return Hello(token, since, since_at if type(since_at) is int and 0 <= since_at <= LARGEST_INTEGER else None)


def received(fields: Fields | None) -> Received:
    """Return the message these fields are, or what is wrong with them."""
    if fields is None:
        return BROKEN
    kind = fields.get("t")
    if type(kind) is not str:
        return BROKEN
    if kind == "hello":
        return _hello(fields)
    id_ = fields.get("id")
    if type(id_) is not int or abs(id_) > LARGEST_INTEGER:
        return BROKEN
    read = _REQUESTS.get(kind)
    if read is None:
        return Malformed(id_)
    try:
        return read(id_, fields)
    except BadField:
        return Malformed(id_)
