"""Bytes of the client's frames, and frames that cannot be read (PROTOCOL 3, 3.1)."""

import json

import msgpack
import pytest

from rapid_client.codec import Encoding, decode, encode
from rapid_client.errors import BadFrame
from rapid_client.session import Session

PINNED = {
    "hello": (Session("tok").hello(), "83a174a568656c6c6fa17601a5746f6b656ea3746f6b"),
    "spectator": (Session().hello(), "82a174a568656c6c6fa17601"),
    "play": (
        {"t": "play", "id": 1, "on": 20, "cards": ["7S"]},
        "84a174a4706c6179a2696401a26f6e14a5636172647391a23753",
    ),
    "pass": ({"t": "pass", "id": 2, "on": 20}, "83a174a470617373a2696402a26f6e14"),
}


@pytest.mark.parametrize("name", PINNED)
def test_msgpack_bytes_are_pinned(name):
    message, pinned = PINNED[name]
    assert encode(Encoding.MSGPACK, message).hex() == pinned


def test_json_text_is_pinned():
    message = {"t": "react", "id": 9, "emoji": "🔥"}
    assert encode(Encoding.JSON, message) == '{"t":"react","id":9,"emoji":"🔥"}'


@pytest.mark.parametrize(
    "payload", [b"", b"\xc1", b"\x81", b"\x01\x02", b"\x91" * 5000, "", "{", "NaN?", "[" * 100_000]
)
def test_what_cannot_be_decoded_is_a_bad_frame(payload):
    with pytest.raises(BadFrame):
        decode(payload)


def test_decode_is_the_inverse():
    message = {"t": "event", "seq": 2**53 - 1, "cards": ["*1=KD"], "x": None}
    assert decode(msgpack.packb(message)) == decode(json.dumps(message)) == message
