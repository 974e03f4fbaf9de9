"""The two encodings of a frame (PROTOCOL 3): MessagePack in binary frames, JSON in text frames."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

import msgpack

from .errors import BadFrame


class Encoding(Enum):
    """The subprotocol to ask for."""

    MSGPACK = "rapid.v1.msgpack"
    JSON = "rapid.v1.json"


def encode(encoding: Encoding, message: dict[str, Any]) -> bytes | str:
    """The payload of one frame: bytes for MessagePack, text for JSON."""
    if encoding is Encoding.JSON:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    packed: bytes = msgpack.packb(message)
    return packed


def decode(payload: bytes | str) -> object:
    """What a frame holds; its kind says how it is encoded. Raises `BadFrame`."""
    try:
        return json.loads(payload) if isinstance(payload, str) else msgpack.unpackb(payload)
    except (ValueError, RecursionError, msgpack.UnpackException) as fault:
        raise BadFrame(f"a frame that cannot be decoded: {type(fault).__name__}") from None
