"""What the simulated clients know: frames, hands, and the fold of a table against whole simulated games."""

import json
import random
from itertools import pairwise

import msgspec
import pytest

from loadtests.generator import frames
from loadtests.generator.cards import Hand
from loadtests.generator.choice import choose
from loadtests.generator.fold import Fold, Holder
from loadtests.generator.wire import JSON, MSGPACK, Message, msgpack_int
from loadtests.judges.redact import shown
from loadtests.judges.table import Table
from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.events import Passed
from rapid.wire import codec
from rapid.wire.messages import Reply


def server_frame(payload: bytes, opcode: int = 2) -> bytes:
    size = len(payload)
    head = bytes((0x80 | opcode, size)) if size < 126 else bytes((0x80 | opcode, 126)) + size.to_bytes(2, "big")
    return head + payload


@pytest.mark.parametrize("size", [0, 1, 125, 126, 4096])
def test_frames_are_taken_whole_however_they_are_cut(size):
    data = server_frame(b"a" * size) + server_frame(b"ping", 9) + server_frame(b"b" * 200)
    control = []
    for cut in range(0, len(data), max(1, len(data) // 50)):
        control.clear()
        end = frames.whole(data[:cut], lambda *told: control.append(told))
        assert end <= cut
        assert frames.whole(data[:end], lambda *_: None) == end
    assert frames.whole(data, lambda *told: control.append(told)) == len(data)
    assert control[-1] == (9, b"ping")
    assert [*frames.payloads(data)] == [b"a" * size, b"b" * 200]
    assert frames.whole_one(data) == len(server_frame(b"a" * size))


def test_a_masked_frame_is_what_the_server_reads():
    assert frames.masked(2, b"abc") == b"\x82\x83\0\0\0\0abc"
    assert frames.masked(1, b"x" * 300)[:8] == b"\x81\xfe\x01\x2c\0\0\0\0"


@pytest.mark.parametrize("number", [0, 127, 128, 255, 256, 65_535, 65_536, 2**32, 2**53 - 1])
def test_whole_numbers_are_read_where_they_stand(number):
    packed = b"xx" + msgspec.msgpack.encode(number) + b"yy"
    assert msgpack_int(packed, 2) == number
    assert JSON.seq_at(b"x%d,y" % number, 1) == number


@pytest.mark.parametrize("wire,theirs", [(MSGPACK, codec.MSGPACK), (JSON, codec.JSON)])
@pytest.mark.parametrize("seq", [1, 200, 70_000])
def test_the_mark_stands_in_front_of_the_seq_of_every_event_of_this_server(wire, theirs, seq):
    packed = theirs.pack_event(seq, 1_700_000_000_000, Passed(seat=1, trick=2, by="person"))
    place = packed.rfind(wire.mark)
    assert wire.seq_at(packed, place + wire.mark_bytes) == seq
    assert len(wire.mark) == wire.mark_bytes
    assert wire.read(packed).type == "passed"


@pytest.mark.parametrize("wire,theirs", [(MSGPACK, codec.MSGPACK), (JSON, codec.JSON)])
def test_replies_and_refusals_are_told_by_their_bytes(wire, theirs):
    accepted, refused = theirs.pack(Reply(3, ok=True, seq=9)), theirs.pack(Reply(3, ok=False, why="stale"))
    assert (accepted.count(wire.reply), refused.count(wire.reply)) == (1, 1)
    assert (wire.refused in accepted, wire.refused in refused) == (False, True)


def test_a_hand_answers_with_its_weakest():
    hand = Hand(["3S", "3H", "TD", "KD", "KC", "KS", "2H"])
    assert hand.answer(None, is_turned=False) == ["3S", "3H"]
    assert hand.answer(None, is_turned=True) == ["2H"]
    assert hand.answer((0, 2), is_turned=False) == ["3S", "3H"]
    assert hand.answer((1, 2), is_turned=False) == ["KD", "KC"]
    assert hand.answer((1, 2), is_turned=True) == ["3S", "3H"]
    assert hand.answer((12, 2), is_turned=False) == []
    hand.remove(["KD", "9S"])
    assert (hand.size, hand.answer((8, 3), is_turned=False)) == (6, [])
    assert hand.weakest(3) == ["3S", "3H", "TD"]


def folded(lines):
    """Fold a log as a generator does, each seat's own frames and the driver's, and yield the fold behind each event."""
    fold = Fold()
    fold.holders = [Holder(number) for number in range(4)]
    for line in lines:
        event = json.loads(line)
        if event["type"] in {"dealt", "game_started"}:
            fold.fold_all()
        for holder in fold.holders:
            if holder.folds:
                fold.take_own(holder, msgspec.convert({"t": "event", **shown(event, holder.number)}, Message))
        fold.take(msgspec.convert({"t": "event", **shown(event, 0)}, Message))
        yield event, fold


def test_the_fold_of_a_tables_clients_is_the_logs():
    """Bots play the games; every choice the clients would have made in their place is one they have the cards for."""
    lines = list(simulate(SimulateOptions(seats=4, rounds=4, games=2, seed=7)))
    begins = [place for place, line in enumerate(lines) if line.startswith('{"log"')] + [len(lines)]
    rounds = 0
    for begin, end in pairwise(begins):
        told = Table()
        for event, fold in folded(lines[begin + 1 : end]):
            told.take(event)
            rounds += event["type"] == "round_ended"
            if event["type"] in {"played", "passed", "trick_opened"}:
                assert {holder.number: held(holder) for holder in fold.holders} == told.hands
                for holder, asked in choose(fold, random.Random(event["seq"]), 2, is_finishing=False):
                    assert asked["t"] in {"play", "pass", "salt"}
                    assert set(asked.get("cards", ())) <= told.hands[holder.number]
    assert rounds == 8


def held(holder: Holder) -> set[str]:
    return {card for cards in holder.hand.by_rank for card in cards}
