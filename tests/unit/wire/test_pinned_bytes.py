"""The bytes of every message and event, in both encodings: a client of yesterday reads them tomorrow.

To pin them anew after a deliberate addition: `python -m tests.unit.wire.test_pinned_bytes` (a change of what
stands there already is a change of the protocol's version).
"""

from __future__ import annotations

import json
import typing
from pathlib import Path

import msgpack
import pytest

from rapid.engine.events import AnyEvent
from rapid.wire.codec import JSON, MSGPACK, Codec
from rapid.wire.messages import ServerMessage
from tests.unit.wire.specimens import AT, EVENTS, MESSAGES, SEQ

PINNED = Path(__file__).with_name("pinned.json")


def packed(codec: Codec, name: str) -> bytes:
    return codec.pack(MESSAGES[name]) if name in MESSAGES else codec.pack_event(SEQ, AT, EVENTS[name])


NAMES = [*MESSAGES, *EVENTS]


@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_are_those_that_were_pinned(name):
    pinned = json.loads(PINNED.read_text("utf-8"))[name]
    assert packed(JSON, name).decode("utf-8") == pinned["json"]
    assert packed(MSGPACK, name).hex() == pinned["msgpack"]


@pytest.mark.parametrize("name", NAMES)
def test_both_encodings_hold_the_same_map_in_the_same_order(name):
    by_json = json.loads(packed(JSON, name), object_pairs_hook=list)
    by_msgpack = msgpack.unpackb(packed(MSGPACK, name), object_pairs_hook=list)
    assert by_json == by_msgpack


@pytest.mark.parametrize("name", list(EVENTS))
def test_an_event_begins_with_t_seq_at_type(name):
    fields = msgpack.unpackb(packed(MSGPACK, name))
    assert list(fields)[:4] == ["t", "seq", "at", "type"]
    assert (fields["t"], fields["seq"], fields["at"]) == ("event", SEQ, AT)
    assert fields["type"] == name.split(",")[0].split()[0]


def test_every_message_and_every_event_is_pinned():
    pinned = json.loads(PINNED.read_text("utf-8"))
    assert list(pinned) == NAMES
    assert {type(event) for event in EVENTS.values()} == set(typing.get_args(AnyEvent))
    assert {type(message) for message in MESSAGES.values()} == set(ServerMessage.__subclasses__())


if __name__ == "__main__":
    rows = {
        name: {"json": packed(JSON, name).decode("utf-8"), "msgpack": packed(MSGPACK, name).hex()} for name in NAMES
    }
    PINNED.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", "utf-8")
