"""A race whose racers lose their connections: a reply is lost with its connection, the events tell (PROTOCOL 3.1)."""

import random

import pytest

from loadtests.generator.cards import Hand
from loadtests.generator.race_table import RaceTable
from loadtests.generator.recorder import Recorder
from loadtests.generator.viewer import Link, Player
from loadtests.generator.wire import MSGPACK, Message
from tests.unit.loadtests.paper import PaperLoop

SEATS = 4
EVENT_SEQ = 11


class Wire:
    """A connection on which nothing is sent."""

    def __init__(self) -> None:
        self.chunks, self.times, self.closed_s = [], [], None
        self.is_reading = True

    def send(self, *_) -> None:
        pass

    def close(self) -> None:
        self.closed_s = 1.0


class Racing(RaceTable):
    """All four seats have asked for a play on the same state."""

    def __init__(self) -> None:
        super().__init__(PaperLoop(), Recorder(), MSGPACK, "t", random.Random(1), SEATS)
        self.seat([Player(self, number, ("", 0), None) for number in range(SEATS)])
        for number, player in enumerate(self.players):
            player.hand = Hand([f"{number + 3}S", "KD"])
            self.back(player)
        self.fold.phase, self.fold.state, self.fold.seq = "playing", 10, 10
        self.due(0.0)
        assert all(player.is_asking for player in self.players)

    def back(self, player: Player) -> None:
        player.connection = Wire()
        player.links.append(Link(player.connection))
        player.is_welcome, player.folds = True, False

    def message(self, player: Player, **fields) -> None:
        message = {"cards": [], **fields}
        payload = MSGPACK.pack(message)
        size = bytes((len(payload),)) if len(payload) < 126 else b"\x7e" + len(payload).to_bytes(2, "big")
        player.heard(b"\x82" + size + payload, 1.0)

    def event(self, player: Player, winner: int) -> None:
        self.message(player, t="event", seq=EVENT_SEQ, at=0, type="played", seat=winner, on=10, cards=["3S"])

    def refusal(self, player: Player) -> None:
        self.message(player, t="reply", id=player.asked_last, ok=False, why="stale")


def test_the_message_is_read_as_a_server_sends_it():
    assert MSGPACK.read(MSGPACK.pack({"t": "reply", "id": 3, "ok": False, "why": "stale"})) == Message(
        "reply", id=3, ok=False, why="stale"
    )


WINNERS = pytest.mark.parametrize("winner", range(SEATS))
GONE = pytest.mark.parametrize("cut", [(1,), (0,), (2, 3), (0, 1, 2, 3)])


def told(table: Racing, players: list[Player], winner: int) -> int:
    """Let them hear how the race ended; return how many of them lost it."""
    losers = [player for player in players if player.number != winner]
    for player in players:
        table.event(player, winner)
    for player in losers:
        table.refusal(player)
    return len(losers)


def assert_done(table: Racing, losers: int) -> None:
    assert not table.is_busy
    assert (table.recorder.counted, table.recorder.refused, table.recorder.open) == (1, {}, 0)
    assert table.recorder.race_lost == losers


@WINNERS
@GONE
def test_a_race_is_done_when_all_are_back_and_are_told_of_it(winner, cut):
    table = Racing()
    gone = [table.players[number] for number in cut]
    for player in gone:
        table.cut(player, 0.5)
    losers = told(table, [player for player in table.players if player not in gone], winner)
    for player in gone:
        assert table.is_busy
        table.back(player)
        table.event(player, winner)
    assert_done(table, losers)


@WINNERS
@GONE
def test_a_race_of_which_all_know_is_done_though_a_reply_is_missing(winner, cut):
    table = Racing()
    gone = [table.players[number] for number in cut]
    losers = told(table, [player for player in table.players if player not in gone], winner)
    for player in gone:
        table.event(player, winner)
    assert table.is_busy == any(player.number != winner for player in gone)
    for player in gone:
        table.cut(player, 0.5)
    for player in gone:
        table.back(player)
        table.message(player, t="presence", spectators=0)
    assert_done(table, losers)
