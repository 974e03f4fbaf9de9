"""Client frames: what each message is read as, and that every fault ends in a reply or a close (PROTOCOL 3)."""

from __future__ import annotations

import json
import struct

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rapid.wire.codec import JSON, MSGPACK
from rapid.wire.fields import EMOJI
from rapid.wire.messages import (
    BAD_HELLO,
    BROKEN,
    Give,
    Hello,
    Host,
    Leave,
    Malformed,
    Pass,
    Ping,
    Play,
    React,
    Salt,
)

LARGEST = 2**53 - 1


def both(fields):
    """Read the fields in both encodings; they must be read alike."""
    by_msgpack = MSGPACK.receive(msgpack.packb(fields))
    assert JSON.receive(json.dumps(fields)) == by_msgpack
    return by_msgpack


GOOD = [
    ({"t": "hello", "v": 1}, Hello()),
    ({"t": "hello", "v": 1, "token": "abc", "since": 0, "id": True}, Hello("abc", 0)),
    ({"t": "hello", "v": 1, "token": "x" * 200}, Hello("x" * 200)),
    ({"t": "play", "id": 0, "on": 5, "cards": ["QH", "QS"]}, Play(0, 5, ("QH", "QS"))),
    ({"t": "play", "id": 1, "on": LARGEST, "cards": []}, Play(1, LARGEST, ())),
    ({"t": "play", "id": 1, "on": 5, "cards": ["QH", "QH"]}, Play(1, 5, ("QH", "QH"))),
    ({"t": "play", "id": 1, "on": 5, "cards": ["3S"] * 60}, Play(1, 5, ("3S",) * 60)),
    ({"t": "play", "id": 1, "on": 5, "cards": ["12B", "*1=KD", "2S=KD"]}, Play(1, 5, ("12B", "*1=KD", "2S=KD"))),
    ({"t": "pass", "id": -LARGEST, "on": 0}, Pass(-LARGEST, 0)),
    ({"t": "give", "id": LARGEST, "round": 2, "cards": ["3C"]}, Give(LARGEST, 2, ("3C",))),
    ({"t": "salt", "id": 1, "deal": 1, "salt": "0123456789abcdefABCDEF0123456789"},
     Salt(1, 1, "0123456789abcdefabcdef0123456789")),
    *(({"t": "react", "id": 1, "emoji": emoji}, React(1, emoji)) for emoji in EMOJI),
    *(({"t": "host", "id": 1, "do": do}, Host(1, do))
      for do in ("start", "next_round", "end_game", "play_again", "to_lobby", "add_bot")),
    ({"t": "host", "id": 1, "do": "add_bot", "level": "hard"}, Host(1, "add_bot", level="hard")),
    ({"t": "host", "id": 1, "do": "start", "level": 7, "seat": "x"}, Host(1, "start")),
    ({"t": "host", "id": 1, "do": "remove", "seat": 3}, Host(1, "remove", seat=3)),
    ({"t": "host", "id": 1, "do": "settings", "settings": {"rounds": "x", "variants": {"skip": 1.5}}},
     Host(1, "settings", settings={"rounds": "x", "variants": {"skip": 1.5}})),
    ({"t": "leave", "id": 1}, Leave(1)),
    ({"t": "ping", "id": 1, "what": [{}]}, Ping(1)),
]  # fmt: skip


@pytest.mark.parametrize("fields, message", GOOD)
def test_a_message_is_read_alike_in_both_encodings(fields, message):
    assert both(fields) == message


NO_NATURAL = [None, True, False, 3.0, "3", -1, 2**53, 2**64 - 1, [], [3], {}, {"a": 1}, "", 1.5]
NO_CARDS = [None, "QH", 3, {}, ["QX"], ["qh"], ["Q"], ["QH "], [" QH"], ["13B"], ["0O"], ["10S"], ["*"], ["*0"],
            ["*1="], ["*1=*2"], ["QH=QH=QH"], ["QH\n"], [""], [3], [None], [["QH"]], [True], [{"QH": 1}],
            ["QH", 3], ["٣S"]]  # fmt: skip
BAD_FIELDS = [
    *({"t": "play", "id": 1, "on": value, "cards": ["QH"]} for value in NO_NATURAL),
    *({"t": "play", "id": 1, "on": 1, "cards": value} for value in NO_CARDS),
    *({"t": "pass", "id": 1, "on": value} for value in NO_NATURAL),
    *({"t": "give", "id": 1, "round": value, "cards": ["QH"]} for value in NO_NATURAL),
    *({"t": "give", "id": 1, "round": 1, "cards": value} for value in NO_CARDS),
    *({"t": "salt", "id": 1, "deal": value, "salt": "0" * 32} for value in NO_NATURAL),
    *({"t": "salt", "id": 1, "deal": 1, "salt": value}
      for value in (None, 0, "", "0" * 31, "0" * 33, "g" * 32, "0" * 31 + "\n", "٣" * 32, ["0" * 32])),
    *({"t": "react", "id": 1, "emoji": value} for value in (None, "", "x", "👍👍", 1, ["👍"], {}, True)),
    *({"t": "host", "id": 1, "do": value} for value in (None, "", "close", 1, ["start"], {"start": 1}, True)),
    *({"t": "host", "id": 1, "do": "remove", "seat": value} for value in NO_NATURAL),
    *({"t": "host", "id": 1, "do": "add_bot", "level": value} for value in (None, "", "expert", 1, ["easy"], True)),
    *({"t": "host", "id": 1, "do": "settings", "settings": value}
      for value in (None, [], 1, "x", {"a": 2**53}, {"a": [{"b": [2**64 - 1]}]}, {"a": [[[[[[[[[1]]]]]]]]]})),
    {"t": "play", "id": 1},
    {"t": "pass", "id": 1},
    {"t": "host", "id": 1},
    {"t": "unknown", "id": 1},
    {"t": "", "id": 1},
    {"t": "welcome", "id": 1},
]  # fmt: skip


@pytest.mark.parametrize("fields", BAD_FIELDS)
def test_a_fault_in_a_message_with_an_id_is_malformed(fields):
    assert both(fields) == Malformed(1)


NO_HELLO = [
    {"t": "hello"},
    *({"t": "hello", "v": value} for value in (None, True, 1.0, "1", 0, 2, 2**64 - 1, [1])),
    *({"t": "hello", "v": 1, "token": value} for value in (None, 1, True, ["x"], {}, 1.5)),
    *({"t": "hello", "v": 1, "since": value} for value in NO_NATURAL),
]


@pytest.mark.parametrize("fields", NO_HELLO)
def test_a_fault_in_a_hello_is_a_bad_hello(fields):
    assert both(fields) == BAD_HELLO


NO_MESSAGE = [
    {},
    {"id": 1},
    {"t": 1, "id": 1},
    {"t": None, "id": 1},
    {"t": ["ping"], "id": 1},
    {"t": "ping"},
    *({"t": "ping", "id": value} for value in (None, True, 1.0, "1", 2**53, -(2**53), 2**64 - 1, [1], {})),
    [],
    ["t", "ping"],
    "ping",
    1,
    None,
    True,
]


@pytest.mark.parametrize("fields", NO_MESSAGE)
def test_without_a_text_t_and_an_integer_id_it_is_no_message(fields):
    assert both(fields) == BROKEN


MSGPACK_FRAMES = [
    (b"", BROKEN),
    (b"\x82\xa1t\xa4ping\xa2id", BROKEN),  # truncated
    (b"\x82\xa1t\xa4ping\xa2id\x01\x00", BROKEN),  # trailing
    (b"\x82\xa1t\xa4ping\xa2id\x01" * 2, BROKEN),  # two
    (b"\x83\xa1t\xa4ping\xa2id\x01\xa2id\x01", BROKEN),  # a key twice
    (b"\x83\xa1t\xa4ping\xa2id\x01\x07\x01", BROKEN),  # a key that is a number
    (b"\x83\xa1t\xa4ping\xa2id\x01\xc4\x01x\x01", BROKEN),  # a key of bytes
    (b"\x83\xa1t\xa4ping\xa2id\x01\x90\x01", BROKEN),  # a key that is a list
    (b"\x83\xa1t\xa4ping\xa2id\x01\xa1\xff\x01", BROKEN),  # a key that is no UTF-8
    (b"\x82\xa1t\xc4\x04ping\xa2id\x01", BROKEN),  # `t` as bytes
    (b"\xc1", BROKEN),  # a byte that MessagePack never uses
    (b"\xdf\xff\xff\xff\xff", BROKEN),  # a map of four milliards
    (b"\x91" * 4000, BROKEN),
    (b"\x83\xa1t\xa4pass\xa2id\x01\xa2on\xcf" + b"\xff" * 8, Malformed(1)),
    (b"\x83\xa1t\xa4pass\xa2id\x01\xa2on\xd3" + b"\xff" * 8, Malformed(1)),
    (b"\x83\xa1t\xa4pass\xa2id\x01\xa2on\xcb" + struct.pack(">d", float("nan")), Malformed(1)),
    (b"\x83\xa1t\xa4pass\xa2id\x01\xa2on\xc4\x011", Malformed(1)),  # bytes
    (b"\x83\xa1t\xa4pass\xa2id\x01\xa2on\xd4\x01\x01", Malformed(1)),  # an extension
    (b"\x83\xa1t\xa4pass\xa2id\x01\xa2on\xd6\xff\x00\x00\x00\x01", Malformed(1)),  # a time
    (b"\x83\xa1t\xa4pass\xa2id\x01\xa2on\x81\x01\x01", Malformed(1)),  # a map with a key that is no text
    (b"\x84\xa1t\xa4play\xa2id\x01\xa2on\x01\xa5cards\x91\xc4\x02QH", Malformed(1)),
    (b"\x84\xa1t\xa4play\xa2id\x01\xa2on\x01\xa5cards\x91\xa2\xffH", Malformed(1)),
    (b"\x84\xa1t\xa4play\xa2id\x01\xa2on\x01\xa5cards\x91\xd5\x05QH", Malformed(1)),
    (b"\x84\xa1t\xa4host\xa2id\x01\xa2do\xa8settings\xa8settings\x82\xa1a\x01\xa1a\x01", Malformed(1)),
    (b"\x84\xa1t\xa4host\xa2id\x01\xa2do\xa8settings\xa8settings\x81\xa1a\xa1\xff", Malformed(1)),
    (b"\x84\xa1t\xa4host\xa2id\x01\xa2do\xa8settings\xa8settings\x81\xa1a\xc4\x01x", Malformed(1)),
    (b"\x83\xa1t\xa5hello\xa1v\x01\xa5token\xa1\xff", Hello("\udcff")),
    (b"\x82\xa1t\xa4\xff\xff\xff\xff\xa2id\x01", Malformed(1)),
]


@pytest.mark.parametrize("frame, message", MSGPACK_FRAMES)
def test_frames_of_messagepack(frame, message):
    assert MSGPACK.receive(frame) == message


JSON_FRAMES = [
    ("", BROKEN),
    ("{", BROKEN),
    ('{"t":"ping","id":1', BROKEN),
    ('{"t":"ping","id":1}{}', BROKEN),
    ('{"t":"ping","id":1} x', BROKEN),
    ('\ufeff{"t":"ping","id":1}', BROKEN),
    ('{"t":"ping","id":1,"id":1}', BROKEN),
    ('{"t":"ping","id":1,"\\u0069d":1}', BROKEN),
    ('{"t":"ping","id":1,"\\ud800":1}', BROKEN),
    ("[" * 4000, BROKEN),
    ('{"t":"ping","id":' + "9" * 4000 + "}", BROKEN),
    ('{"t":"ping","id":NaN}', BROKEN),
    ('{"t":"ping","id":1e0}', BROKEN),
    ('  {"t":"ping","id":1}\n', Ping(1)),
    ('{"t":"pass","id":1,"on":' + "9" * 4000 + "}", Malformed(1)),
    ('{"t":"pass","id":1,"on":-' + "9" * 4000 + "}", Malformed(1)),
    ('{"t":"pass","id":1,"on":1' + "0" * 3000 + ".5}", Malformed(1)),
    ('{"t":"pass","id":1,"on":NaN}', Malformed(1)),
    ('{"t":"pass","id":1,"on":-Infinity}', Malformed(1)),
    ('{"t":"pass","id":1,"on":1e999}', Malformed(1)),
    ('{"t":"pass","id":1,"on":"\\ud800"}', Malformed(1)),
    ('{"t":"play","id":1,"on":1,"cards":["\\ud800H"]}', Malformed(1)),
    ('{"t":"host","id":1,"do":"settings","settings":{"a":"\\udfff"}}', Malformed(1)),
    ('{"t":"host","id":1,"do":"settings","settings":{"a":NaN}}', Malformed(1)),
    ('{"t":"host","id":1,"do":"settings","settings":{"a":1,"a":2}}', Malformed(1)),
    ('{"t":"host","id":1,"do":"settings","settings":{"a":' + "7" * 3000 + "}}", Malformed(1)),
    ('{"t":"react","id":1,"emoji":"\\ud83d\\udc4d"}', React(1, "👍")),
]


@pytest.mark.parametrize("frame, message", JSON_FRAMES)
def test_frames_of_json(frame, message):
    assert JSON.receive(frame) == message


def test_a_frame_of_the_other_kind_is_no_message():
    assert MSGPACK.receive('{"t":"ping","id":1}') == BROKEN
    assert JSON.receive(b'{"t":"ping","id":1}') == BROKEN


@pytest.mark.parametrize("filler", ["x", "é", "🔥"])
def test_a_frame_of_4096_bytes_is_read_and_one_more_is_not(filler):
    head, tail = '{"t":"ping","id":1,"x":"', '"}'
    room = 4096 - len(head) - len(tail)
    text = filler * (room // len(filler.encode())) + "x" * (room % len(filler.encode()))
    assert JSON.receive(head + text + tail) == Ping(1)
    assert JSON.receive(head + text + "x" + tail) == BROKEN
    base = msgpack.packb({"t": "ping", "id": 1, "x": "y" * 4000})
    room = 4096 - len(base)
    assert MSGPACK.receive(msgpack.packb({"t": "ping", "id": 1, "x": "y" * (4000 + room)})) == Ping(1)
    assert MSGPACK.receive(msgpack.packb({"t": "ping", "id": 1, "x": "y" * (4001 + room)})) == BROKEN


# How fast examples are drawn depends on the machine, so it is no fault here.
FUZZ = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
RECEIVED = (Hello, Play, Pass, Give, Salt, React, Host, Leave, Ping, Malformed, type(BAD_HELLO), type(BROKEN))


@FUZZ
@given(st.binary(max_size=200))
def test_any_bytes_are_read_as_something(frame):
    assert isinstance(MSGPACK.receive(frame), RECEIVED)


@FUZZ
@given(st.text(st.characters(codec=None), max_size=200))
def test_any_text_is_read_as_something(frame):
    assert isinstance(JSON.receive(frame), RECEIVED)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats()
    | st.text(max_size=4) | st.binary(max_size=4) | st.sampled_from(["QH", "start", "👍", "settings"]),
    lambda children: st.lists(children) | st.dictionaries(st.text(max_size=2) | st.integers(-9, 9), children),
    max_leaves=8,
)  # fmt: skip
KINDS = st.sampled_from(["hello", "play", "pass", "give", "salt", "react", "host", "leave", "ping", "x"])
NAMES = st.sampled_from(["v", "token", "since", "on", "cards", "round", "deal", "salt", "emoji", "do", "seat", "level",
                         "settings"])  # fmt: skip


@FUZZ
@given(KINDS, st.integers(0, 9), st.dictionaries(NAMES, VALUES))
def test_a_message_with_any_fields_is_that_message_or_malformed(kind, id_, fields):
    message = MSGPACK.receive(msgpack.packb({"t": kind, "id": id_, **fields}))
    assert isinstance(message, Hello | type(BAD_HELLO)) if kind == "hello" else message.id == id_


def test_text_in_msgpack_may_be_any_text():
    assert MSGPACK.receive(msgpack.packb({"t": "hello", "v": 1, "token": "ñ"})) == Hello("ñ")
