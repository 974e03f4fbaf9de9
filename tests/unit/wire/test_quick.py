"""The quick reading says what the careful one says, or nothing at all."""

import msgpack
from hypothesis import given, settings
from hypothesis import strategies as st

from rapid.wire.fields import received
from rapid.wire.messages import Pass, Play
from rapid.wire.parse import parse_msgpack
from rapid.wire.quick import quick_msgpack

KEYS = ("t", "id", "on", "cards", "more")
VALUES = (
    "play",
    "pass",
    "give",
    0,
    7,
    -1,
    2**53 - 1,
    2**53,
    2**63,
    True,
    3.0,
    None,
    [],
    ["QH"],
    ["QH", "*1=KD"],
    ["?"],
    [1],
    b"x",
)
PAIRS = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=6)
USUAL = (("t", "play"), ("id", 3), ("on", 12), ("cards", ["QH", "12B"]))
PASSING = (("t", "pass"), ("id", 3), ("on", 12))


def frame(pairs, *, tail=b""):
    """A map with these entries, doubled keys too."""
    head = bytes((0x80 | len(pairs),))
    return head + b"".join(msgpack.packb(item) for pair in pairs for item in pair) + tail


@settings(max_examples=1500, derandomize=True, database=None, deadline=None)
@given(st.sampled_from((USUAL, PASSING, ())), PAIRS, st.integers(0, 7), st.sampled_from((b"", b"\xc0")))
def test_what_is_read_quickly_is_what_is_read_with_care(start, changes, kept, tail):
    data = frame([*start[:kept], *changes], tail=tail)
    quick = quick_msgpack(data)
    assert quick is None or quick == received(parse_msgpack(data))


def test_plays_and_passes_are_read_quickly_in_any_order_of_their_fields():
    assert quick_msgpack(frame(USUAL)) == quick_msgpack(frame(USUAL[::-1])) == Play(3, 12, ("QH", "12B"))
    assert quick_msgpack(frame(PASSING)) == quick_msgpack(frame(PASSING[::-1])) == Pass(3, 12)


def test_a_field_that_stands_twice_is_not_read_quickly():
    assert quick_msgpack(frame([*PASSING, ("on", 12)])) is None
    assert quick_msgpack(frame([*USUAL[:3], ("id", 3)])) is None
    assert quick_msgpack(frame([*USUAL, ("cards", ["QH"])])) is None
