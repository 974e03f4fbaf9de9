"""The state machine of a connection: every cell of its table, its limits and its times (PROTOCOL 3)."""

from __future__ import annotations

import itertools
import json

import pytest

from rapid.wire import close
from rapid.wire.codec import JSON
from rapid.wire.messages import Hello, Leave, Play, React, Reply
from rapid.wire.session import (
    ACTIONS,
    Answer,
    Ask,
    Depart,
    End,
    Greet,
    Kind,
    Limits,
    Phase,
    Refuse,
    Session,
    Show,
)

FRAMES = {
    Kind.HELLO: {"t": "hello", "v": 1},
    Kind.BAD_HELLO: {"t": "hello", "v": 2},
    Kind.INTENT: {"t": "play", "id": 1, "on": 2, "cards": ["QH"]},
    Kind.REACT: {"t": "react", "id": 1, "emoji": "🔥"},
    Kind.LEAVE: {"t": "leave", "id": 1},
    Kind.PING: {"t": "ping", "id": 1},
    Kind.MALFORMED: {"t": "play", "id": 1},
    Kind.BROKEN: {"t": "play"},
}
BAD_HELLO, MALFORMED = End(close.BAD_HELLO), End(close.MALFORMED)
BEFORE = dict.fromkeys(Kind, BAD_HELLO) | {Kind.BROKEN: MALFORMED}


def refused(why, limit=None):
    return Refuse(Reply(1, ok=False, why=why), limit)


EXPECTED = {
    Phase.AWAITING: {**BEFORE, Kind.HELLO: Greet(Hello())},
    Phase.GREETED: BEFORE,
    Phase.SEATED: {
        Kind.HELLO: BAD_HELLO,
        Kind.BAD_HELLO: BAD_HELLO,
        Kind.INTENT: Ask(Play(1, 2, ("QH",))),
        Kind.REACT: Show(React(1, "🔥")),
        Kind.LEAVE: Ask(Leave(1)),
        Kind.PING: Answer(1),
        Kind.MALFORMED: refused("malformed"),
        Kind.BROKEN: MALFORMED,
    },
    Phase.WATCHING: {
        Kind.HELLO: BAD_HELLO,
        Kind.BAD_HELLO: BAD_HELLO,
        Kind.INTENT: refused("spectator"),
        Kind.REACT: refused("spectator"),
        Kind.LEAVE: Depart(1),
        Kind.PING: Answer(1),
        Kind.MALFORMED: refused("malformed"),
        Kind.BROKEN: MALFORMED,
    },
    Phase.CLOSING: dict.fromkeys(Kind),
}
ENDS = (End, Depart)


def session_in(phase, limits=None):
    session = Session(JSON, limits or Limits(), 100.0)
    session.phase = phase
    return session


def test_the_table_has_a_cell_for_every_phase_and_kind():
    assert {phase: set(row) for phase, row in ACTIONS.items()} == {phase: set(Kind) for phase in Phase}


@pytest.mark.parametrize("phase, kind", list(itertools.product(Phase, Kind)))
def test_every_cell(phase, kind):
    session = session_in(phase)
    output = session.receive(json.dumps(FRAMES[kind]), 100.0)
    assert output == EXPECTED[phase][kind]
    assert (session.phase is Phase.CLOSING) == (isinstance(output, ENDS) or phase is Phase.CLOSING)


def test_a_whole_life():
    session = Session(JSON, Limits(), 0.0)
    assert isinstance(session.receive(json.dumps(FRAMES[Kind.HELLO]), 1.0), Greet)
    session.admit(seated=True)
    assert session.phase is Phase.SEATED
    assert session.receive(json.dumps(FRAMES[Kind.HELLO]), 2.0) == BAD_HELLO
    assert session.receive(json.dumps(FRAMES[Kind.PING]), 2.0) is None


def test_hello_within_five_seconds():
    session = Session(JSON, Limits(), 100.0)
    assert session.check_time(104.999) is None
    assert session.check_time(105.0) == BAD_HELLO
    assert session.check_time(106.0) is None
    for phase in (Phase.GREETED, Phase.SEATED, Phase.WATCHING):
        assert session_in(phase).check_time(1000.0) is None


def test_200_messages_at_once_then_50_a_second_then_4009():
    session = session_in(Phase.SEATED)
    ping = json.dumps(FRAMES[Kind.PING])
    assert all(session.receive(ping, 100.0) == Answer(1) for _ in range(200))
    assert all(session.receive(ping, 101.0) == Answer(1) for _ in range(50))
    assert session.receive(ping, 101.0) == End(close.TOO_MANY)
    assert session.receive(ping, 200.0) is None


def test_frames_that_are_no_message_count_too():
    session = session_in(Phase.SEATED, Limits(hello_s=5))
    malformed = json.dumps(FRAMES[Kind.MALFORMED])
    assert all(session.receive(malformed, 100.0) == refused("malformed") for _ in range(200))
    assert session.receive(malformed, 100.0) == End(close.TOO_MANY)


@pytest.mark.parametrize("kind", [Kind.INTENT, Kind.LEAVE])
def test_60_intents_at_once_then_30_a_second(kind):
    session = session_in(Phase.SEATED)
    frame = json.dumps(FRAMES[kind])
    assert all(isinstance(session.receive(frame, 100.0), Ask) for _ in range(60))
    assert session.receive(frame, 100.0) == refused("rate_limited", "intents_per_second")
    assert session.receive(json.dumps(FRAMES[Kind.PING]), 100.0) == Answer(1)
    assert all(isinstance(session.receive(frame, 101.0), Ask) for _ in range(30))
    assert session.receive(frame, 101.0) == refused("rate_limited", "intents_per_second")


def test_a_reaction_once_a_second():
    session = session_in(Phase.SEATED)
    frame = json.dumps(FRAMES[Kind.REACT])
    assert isinstance(session.receive(frame, 100.0), Show)
    assert session.receive(frame, 100.999) == refused("rate_limited", "reactions_per_second")
    assert isinstance(session.receive(frame, 101.0), Show)


def test_the_order_of_refusals():
    """Malformed, rate_limited, unavailable, spectator (PROTOCOL 3.4)."""
    session = session_in(Phase.WATCHING)
    intent, malformed = json.dumps(FRAMES[Kind.INTENT]), json.dumps(FRAMES[Kind.MALFORMED])
    assert session.receive(intent, 100.0, available=False) == refused("unavailable")
    for _ in range(59):
        session.receive(intent, 100.0)
    assert session.receive(intent, 100.0, available=False) == refused("rate_limited", "intents_per_second")
    assert session.receive(malformed, 100.0, available=False) == refused("malformed")


def test_a_spectator_may_leave_while_redis_is_away():
    assert session_in(Phase.WATCHING).receive(json.dumps(FRAMES[Kind.LEAVE]), 100.0, available=False) == Depart(1)


def test_a_clock_that_stands_still_or_goes_back_gives_nothing():
    session = session_in(Phase.SEATED)
    frame = json.dumps(FRAMES[Kind.REACT])
    session.receive(frame, 100.0)
    assert session.receive(frame, 50.0) == refused("rate_limited", "reactions_per_second")
