"""Frames, endings, exports, and the intents that messages become."""

from __future__ import annotations

import struct

import pytest

from rapid.engine import intents
from rapid.wire import close
from rapid.wire.asking import intent_of
from rapid.wire.bucket import Bucket, Rate
from rapid.wire.cardtext import is_card
from rapid.wire.codec import CODECS, JSON, MSGPACK
from rapid.wire.frames import BINARY, TEXT, close_frame, frame
from rapid.wire.messages import Give, Host, Leave, Pass, Play, Presence, Salt


@pytest.mark.parametrize(
    "length, head",
    [
        (0, b"\x82\x00"),
        (125, b"\x82\x7d"),
        (126, b"\x82\x7e\x00\x7e"),
        (65_535, b"\x82\x7e\xff\xff"),
        (65_536, b"\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_a_frame_is_headed_by_its_length(length, head):
    payload = b"x" * length
    assert frame(BINARY, payload) == head + payload


def test_the_bytes_of_a_close():
    assert close_frame(4010) == b"\x88\x02" + struct.pack(">H", 4010)
    assert JSON.end_frames(close.MALFORMED) == b'\x81\x1d{"t":"bye","why":"malformed"}\x88\x02\x0f\xaa'
    assert MSGPACK.end_frames(close.LEFT) == b"\x82\x10\x82\xa1t\xa3bye\xa3why\xa4left\x88\x02\x03\xe8"


def test_codecs_by_name_and_kind_of_frame():
    assert CODECS == {"rapid.v1.msgpack": MSGPACK, "rapid.v1.json": JSON}
    assert (MSGPACK.opcode, JSON.opcode) == (BINARY, TEXT)
    assert JSON.frame(Presence(2))[2:] == b'{"t":"presence","spectators":2}'


def test_each_ending_has_its_code():
    assert {ending.why: ending.code for ending in close.ENDINGS} == {
        "leaving": 1001, "left": 1000, "closed": 1000, "taken_over": 4000, "bad_hello": 4001, "removed": 4003,
        "no_table": 4004, "bad_token": 4005, "too_slow": 4008, "too_many": 4009, "malformed": 4010,
    }  # fmt: skip


def test_every_card_of_both_decks_is_a_card():
    french = [rank + suit for rank in "3456789TJQKA2" for suit in "SHDC"]
    spanish = [f"{rank}{suit}" for rank in range(1, 13) for suit in "OCEB"]
    jokers = [f"*{number}" for number in range(1, 5)]
    assert all(is_card(card) for card in [*french, *spanish, *jokers])
    assert all(is_card(f"*1={card}") for card in [*french, *spanish])


@pytest.mark.parametrize("text", ["", "1S", "13O", "0O", "01O", "10H", "*", "*0", "*12", "*1=*1", "=QH", "QH=", "QHQH"])
def test_no_card(text):
    assert not is_card(text)


@pytest.mark.parametrize(
    "message, intent",
    [
        (Play(1, 2, ("QH",)), intents.Play(4, 2, ("QH",))),
        (Pass(1, 2), intents.Pass(4, 2)),
        (Give(1, 2, ("QH",)), intents.Give(4, 2, ("QH",))),
        (Salt(1, 2, "0" * 32), intents.AddSalt(4, 2, "0" * 32)),
        (Leave(1), intents.Leave(4)),
        (Host(1, "start"), intents.Start(4)),
        (Host(1, "next_round"), intents.NextRound(4)),
        (Host(1, "end_game"), intents.EndGame(4)),
        (Host(1, "play_again"), intents.PlayAgain(4)),
        (Host(1, "to_lobby"), intents.ToLobby(4)),
        (Host(1, "add_bot"), intents.AddBot(4)),
        (Host(1, "add_bot", level="easy"), intents.AddBot(4, "easy")),
        (Host(1, "remove", seat=0), intents.Remove(4, 0)),
        (Host(1, "settings", settings={"rounds": 3}), intents.ChangeSettings(4, {"rounds": 3}, dev=True)),
        (Host(1, "settings", settings={}), intents.ChangeSettings(4, {}, dev=True)),
    ],
)
def test_a_message_of_a_seat_becomes_its_intent(message, intent):
    assert intent_of(message, 4, dev=True) == intent


def test_a_bucket_says_how_long_to_wait():
    bucket = Bucket(Rate(0.5, 2), 0)
    assert bucket.take(0)
    assert bucket.wait_s() == 0
    assert bucket.take(0)
    assert not bucket.take(0)
    assert bucket.wait_s() == 2
    assert not bucket.take(1.9)
    assert bucket.take(2.0)
