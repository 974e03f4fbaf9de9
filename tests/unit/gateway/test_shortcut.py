"""A frame comes to the same, whichever way it takes: nothing is lost, doubled, or read from its middle."""

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from rapid.gateway.shortcut import Shortcut

TEXT, BINARY, ON, PING = 1, 2, 0, 9
MASK = b"\x01\x80\x7f\xfe"
SIZES = (0, 1, 3, 4, 5, 60, 124, 125, 126, 127, 300, 65_535, 65_536)


def frame(opcode, payload, *, is_final=True):
    """A client's frame."""
    size = len(payload)
    if size < 126:
        head = bytes((opcode | 0x80 * is_final, 0x80 | size))
    elif size < 65_536:
        head = struct.pack("!BBH", opcode | 0x80 * is_final, 0xFE, size)
    else:
        head = struct.pack("!BBQ", opcode | 0x80 * is_final, 0xFF, size)
    return head + MASK + bytes(byte ^ MASK[place % 4] for place, byte in enumerate(payload))


def messages(data):
    """Read a stream of whole frames: the data messages in it, and what follows the last frame."""
    found, parts = [], []
    while data:
        size, place = data[1] & 0x7F, 2
        if size >= 126:
            place = 4 if size == 126 else 10
            size = int.from_bytes(data[2:place], "big")
        mask, payload = data[place : place + 4], data[place + 4 : place + 4 + size]
        assert len(payload) == size, "the reader was given the middle of a frame"
        if not data[0] & 0x8:
            parts.append(bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)))
            if data[0] & 0x80:
                found.append(b"".join(parts))
                parts = []
        data = data[place + 4 + size :]
    return found


class Reader:
    """Both ends: what was taken, and what aiohttp's reader was given, in their order."""

    def __init__(self, *, takes=True):
        self.ways = []
        self.given = b""
        self.takes = takes
        self.shortcut = Shortcut(self, self.take, lambda: 0.0)

    def take(self, payload):
        if self.takes:
            self.ways.append(payload)
        return self.takes

    def feed_data(self, data):
        self.given += data
        return (False, b"")

    def handle(self):
        """The task reads what has come whole."""
        done = messages(self.given) if self.shortcut.owed else []
        if done:
            self.ways += done
            self.given = b""
        assert len(done) == self.shortcut.owed
        self.shortcut.owed = 0


@st.composite
def streams(draw):
    """Frames as they may come: whole, in fragments with pings between, of all sizes."""
    frames, expected = [], []
    for _ in range(draw(st.integers(1, 6))):
        payload = bytes((draw(st.integers(0, 255)),)) * draw(st.sampled_from(SIZES))
        opcode = draw(st.sampled_from((BINARY, BINARY, BINARY, TEXT)))
        if draw(st.integers(0, 4)) == 0:
            cut = draw(st.integers(0, len(payload)))
            frames += [
                frame(opcode, payload[:cut], is_final=False),
                frame(PING, b"hi"),
                frame(ON, payload[cut:]),
            ]
        else:
            frames.append(frame(opcode, payload))
        expected.append(payload)
    return frames, expected


@settings(max_examples=60, derandomize=True, database=None, deadline=None)
@given(streams(), st.data())
def test_however_a_stream_is_cut_each_message_comes_once_and_in_order(stream, data):
    frames, expected = stream
    reader, rest = Reader(), b"".join(frames)
    cuts = data.draw(st.lists(st.integers(1, 200), max_size=40))
    while rest:
        size = cuts.pop() if cuts else len(rest)
        reader.shortcut.feed_data(rest[:size])
        rest = rest[size:]
        if not rest or not data.draw(st.booleans()):
            continue
        if reader.shortcut.owed and reader.given == frames_of(reader.given):
            reader.handle()
    reader.handle()
    assert reader.ways == expected


def frames_of(data):
    """The whole frames at the beginning of this."""
    place = 0
    while place + 2 <= len(data):
        size, head = data[place + 1] & 0x7F, 6
        if size >= 126:
            head = 8 if size == 126 else 14
            size = int.from_bytes(data[place + 2 : place + head - 4], "big")
        if place + head + size > len(data):
            break
        place += head + size
    return data[:place]


@settings(max_examples=60, derandomize=True, database=None, deadline=None)
@given(streams())
def test_frames_one_by_one_are_taken_at_once_where_they_are_small_and_whole(stream):
    frames, expected = stream
    reader = Reader()
    for one in frames:
        is_plain = one[0] == 0x82 and one[1] & 0x7F < 126
        before = len(reader.given)
        reader.shortcut.feed_data(one)
        assert (len(reader.given) == before) == is_plain
        reader.handle()
    assert reader.ways == expected


def test_nothing_overtakes_what_is_still_to_be_done():
    reader = Reader()
    reader.shortcut.feed_data(frame(TEXT, b"first"))
    reader.shortcut.feed_data(frame(BINARY, b"second"))
    assert reader.ways == []
    reader.handle()
    reader.shortcut.feed_data(frame(BINARY, b"third"))
    assert reader.ways == [b"first", b"second", b"third"]


def test_what_cannot_be_done_at_once_goes_to_the_reader():
    reader = Reader(takes=False)
    reader.shortcut.feed_data(frame(BINARY, b"hello"))
    assert reader.shortcut.owed == 1
    reader.handle()
    assert reader.ways == [b"hello"]


def test_a_frame_that_came_with_the_handshake_is_counted():
    reader = Reader()
    reader.given = frame(BINARY, b"hello")
    reader.shortcut.follow(reader.given)
    reader.shortcut.feed_data(frame(BINARY, b"more"))
    reader.handle()
    assert reader.ways == [b"hello", b"more"]
