"""What is lost is found and counted once: in a log, on a connection that was closed, and on one that stays open."""

import json
import random
from concurrent.futures import Future
from dataclasses import replace

import pytest

from loadtests.generator import churn as churn_module
from loadtests.generator.churn import Churn
from loadtests.generator.judging import hung_up, judge_table
from loadtests.generator.plan import Plan
from loadtests.generator.race import NotReady, Races
from loadtests.generator.race_table import RaceTable
from loadtests.generator.recorder import Recorder
from loadtests.generator.viewer import Link, Player, Watcher
from loadtests.generator.wire import MSGPACK
from loadtests.judges import Transcript
from loadtests.judges.redact import shown
from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions

LINES = list(simulate(SimulateOptions(seats=4, rounds=1, games=1, seed=7)))
LOG = [json.loads(line) for line in LINES[1:]]
WELCOME = {"t": "welcome", "v": 1, "table": "x", "seat": None, "seq": 0, "now": 0, "view": None}


def watching(until: int, **fields) -> Transcript:
    """A spectator from the beginning who was sent so much."""
    events = [{"t": "event", **shown(event, None)} for event in LOG[:until]]
    sent = [(0, {"t": "hello", "v": 1, "since": 0})]
    return Transcript("watcher 1", None, sent, [(1, message) for message in (WELCOME, *events)], **fields)


def judged(*transcripts: Transcript, lines=LINES):
    return judge_table("", transcripts, lines)


def test_who_has_it_all_has_lost_nothing():
    found = judged(watching(len(LOG)), watching(len(LOG), closed_ms=9, must_seq=len(LOG)), watching(5, closed_ms=9))
    assert (found.lost, found.unverified, found.verdicts) == (0, 0, [])


@pytest.mark.parametrize("fields", [{}, {"closed_ms": 9, "must_seq": len(LOG)}])
def test_a_missing_tail_is_lost_on_an_open_connection_and_on_one_that_was_closed_behind_it(fields):
    found = judged(watching(len(LOG) - 3, **fields))
    assert (found.lost, found.unverified) == (3, 1)
    assert "viewers" in found.verdicts[0]


@pytest.mark.parametrize("lines", [LINES, None], ids=["with its log", "without"])
@pytest.mark.parametrize("name", ["t", "seq"])
def test_a_message_without_what_every_message_has_is_a_verdict_and_ends_no_judging(name, lines):
    whole = watching(len(LOG))
    for index in range(len(whole.received)):
        received = [(at, dict(message)) for at, message in whole.received]
        del received[index][1][name]
        found = judged(replace(whole, received=received), lines=lines)
        assert found.unverified == 1
        assert "not as PROTOCOL says" in "".join(found.verdicts)


def test_one_accepted_intent_that_is_not_in_the_log_is_lost_once_however_many_follow():
    """Seat 0 has asked for what it did and was answered; then one of its plays is taken out of the log."""
    lines = [line.replace('"by":"bot"', '"by":"person"') for line in LINES]
    log = [json.loads(line) for line in lines[1:]]
    own = [event for event in log if event["type"] in {"played", "passed"} and event["seat"] == 0]
    sent = [(1, asked_for(event)) for event in own]
    received = [(1, {**WELCOME, "seat": 0})]
    for event in log:
        received.append((1, {"t": "event", **shown(event, 0)}))
        if event in own:
            received.append((1, {"t": "reply", "id": event["seq"], "ok": True, "seq": event["seq"]}))
    one = Transcript("seat 0", 0, sent, received)
    assert judged(one, lines=lines).lost == 0
    gone = next(event for event in own if event["type"] == "played")
    without = [line for line, event in zip(lines, [None, *log], strict=True) if event is not gone]
    found = judged(one, lines=without)
    assert (found.lost, found.unverified) == (1, 1)


def asked_for(event):
    if event["type"] == "passed":
        return {"t": "pass", "id": event["seq"], "on": 0}
    return {"t": "play", "id": event["seq"], "on": event["on"], "cards": event["cards"]}


class Wire:
    """A connection that takes everything."""

    def __init__(self) -> None:
        self.closed_s = self.code = None
        self.is_cut = self.has_stopped = False

    def close(self) -> None:
        self.closed_s = 1.0

    def send(self, *_: object) -> None:
        pass


class Turns:
    """The loop, which turns until it holds or has turned in vain so often."""

    def __init__(self, turned=lambda: None) -> None:
        self._turned = turned

    def until(self, holds, _seconds: float) -> bool:
        for _ in range(10):
            if holds():
                return True
            self._turned()
        return False


def seated(turned=lambda: None) -> tuple[Races, RaceTable]:
    races = Races(Turns(turned), Recorder(), Plan(host="", port=0, watchers=2))
    table = RaceTable(None, Recorder(), MSGPACK, "x", random.Random(1), 1)
    table.seat([Player(table, number, ("", 0), "") for number in range(4)])
    table.watchers = [Watcher(table, -number, ("", 0)) for number in (1, 2)]
    for viewer in table.viewers:
        viewer.connection, viewer.is_welcome, viewer.seq = Wire(), True, 20
        viewer.links = [Link(viewer.connection)]
    races.racing = [table]
    return races, table


def test_spectators_are_hung_up_on_when_they_have_what_the_players_have():
    def turned() -> None:
        table.watchers[0].seq = 23

    races, table = seated(turned)
    table.players[0].seq = 23
    races.unwatch()
    # The second never gets it: it is hung up on all the same, and what it must have is known.
    assert [one.links[-1].must_seq for one in table.watchers] == [23, 23]
    assert [one.seq for one in table.watchers] == [23, 20]
    assert all(one.connection.closed_s for one in table.watchers)


def test_whom_the_server_hangs_up_on_without_a_reason_is_named():
    _, table = seated()
    assert hung_up(table) == []
    for viewer in table.viewers:
        viewer.connection.is_cut = True
    table.players[1].is_gone = True
    table.watchers[0].connection.has_stopped = True
    table.watchers[1].connection.code = 4008
    told = hung_up(table)
    assert [text.split(": ")[1] for text in told] == ["seat 0", "seat 2", "seat 3", "watcher 2"]
    assert "4008" in told[-1]
    table.fold.phase = "closed"
    assert hung_up(table) == []


@pytest.fixture
def churned(monkeypatch):
    monkeypatch.setattr(churn_module, "now_s", lambda: 100.0)
    races, table = seated()
    return Churn(races, Plan(host="", port=0), random.Random(1)), table


def test_who_is_behind_the_others_is_not_cut_before_that_can_have_come(churned):
    churn, table = churned
    table.players[0].seq = 21
    churn._storm(100.0)
    assert [one.connection.closed_s is None for one in table.players] == [False, True, True, True]
    table.players[1].seq = 21
    churn._part(100.1)
    assert [one.connection.closed_s is None for one in table.players] == [False, False, True, True]
    churn._part(100.1 + churn_module.PART_SECONDS)
    assert all(one.connection.closed_s for one in table.players)
    assert [one.links[-1].must_seq for one in table.players] == [21] * 4
    assert churn.done.drops == 4


def test_who_was_cut_off_for_asking_too_often_stays_so_and_is_not_brought_back(churned):
    churn, table = churned
    table.players[1].connection.code = 4009
    table.players[1].connection.close()
    churn._storm(100.0)
    assert (churn.done.drops, churn._away, churn._parting) == (0, [], [])
    player = table.players[1]
    player.connection = Wire()
    player.links.append(Link(player.connection))
    assert (player.is_cut_off, table.is_cut_off) == (True, True)
    assert churn._races.cut_off == 1


def test_a_new_table_at_which_nobody_can_sit_down_is_a_fault_and_no_end(churned, monkeypatch):
    churn, table = churned

    def seat(_opened):
        raise NotReady("a connection is not answered")

    monkeypatch.setattr(churn._races, "seat", seat)
    opening = Future()
    opening.set_result(None)
    churn._opening.append((table, opening))
    churn._replace(100.0)
    assert churn._failed == ["nobody can sit down at a new table: a connection is not answered"]
    assert churn._opening == []
