"""The session without I/O: positions, gaps, resync (PROTOCOL 3.1, 3.2)."""

import pytest

from rapid_client.errors import BadFrame, Desync, Gap, ImpossibleState
from rapid_client.events import Played, Unknown
from rapid_client.messages import Presence, Reply, UnknownMessage, Welcome
from rapid_client.session import Session
from tests.unit.clients.peer import TOKEN, event, lobby, played, racing, welcome


def following(view=None, seq=20, seat=0):
    session = Session(TOKEN)
    session.hello()
    session.receive(welcome(view or racing(), seq, seat))
    return session


def test_hello_of_a_seat_has_its_token_and_no_since():
    assert Session(TOKEN).hello() == {"t": "hello", "v": 1, "token": TOKEN}


def test_hello_of_a_spectator_has_neither():
    assert Session().hello() == {"t": "hello", "v": 1}


def test_welcome_sets_seat_seq_and_view():
    session = following()
    assert (session.seat, session.seq, session.view.phase) == (0, 20, "playing")


def test_an_event_moves_seq_and_view():
    session = following()
    message = session.receive(played(21, 2, ["9S", "9H"], 20))
    assert isinstance(message, Played)
    assert (session.seq, session.view.trick.state, session.view.trick.top.seat) == (21, 21, 2)


def test_an_event_seen_before_is_dropped():
    session = following()
    session.receive(played(21, 2, ["9S", "9H"], 20))
    view = session.view
    assert session.receive(played(21, 2, ["9S", "9H"], 20)) is None
    assert session.receive(played(20, 1, ["7S", "7H"], 19)) is None
    assert (session.seq, session.view) == (21, view)


def test_an_event_of_an_unknown_kind_counts_and_changes_nothing():
    session = following()
    view = session.view
    message = session.receive(event(21, "comet_seen", tail=[1, {"x": None}]))
    assert isinstance(message, Unknown)
    assert (message.kind, message.fields["tail"]) == ("comet_seen", [1, {"x": None}])
    assert (session.seq, session.view) == (21, view)


def test_unknown_fields_are_ignored():
    session = following(racing(weather="rain"))
    assert session.receive(played(21, 2, ["9S", "9H"], 20, glitter=True)).seat == 2


def test_an_unknown_message_is_harmless():
    session = following()
    assert session.receive({"t": "weather", "rain": True}) == UnknownMessage(
        t="weather", fields={"t": "weather", "rain": True}
    )


def test_a_gap_asks_for_what_is_missing():
    session = following()
    with pytest.raises(Gap):
        session.receive(played(22, 2, ["9S", "9H"], 20))
    assert session.hello()["since"] == 20
    session.receive(welcome(None, 20))
    session.receive(played(21, 2, ["9S", "9H"], 20))
    assert session.seq == 21


def test_the_same_gap_twice_asks_for_a_full_view():
    session = following()
    for _ in range(2):
        with pytest.raises(Gap):
            session.receive(played(22, 2, ["9S", "9H"], 20))
        hello = session.hello()
        if "since" in hello:
            session.receive(welcome(None, 20))
    assert "since" not in hello


@pytest.mark.parametrize(
    "frame",
    [
        played(21, 0, ["KS"], 20),  # not in the hand
        played(21, 2, ["9S"] * 4 + ["9H"], 20),  # more than it has
        played(21, 2, ["9S", "9H"], 20, trick=9),  # another trick
        event(21, "connection_lost", seat=5),  # nobody there
    ],
)
def test_an_impossible_event_asks_for_a_full_view(frame):
    session = following()
    with pytest.raises(ImpossibleState):
        session.receive(frame)
    assert "since" not in session.hello()
    assert session.receive(welcome(lobby(), 30)).seq == session.seq == 30


@pytest.mark.parametrize(
    "frame",
    [
        None, 3, [], "event", {}, {"t": 3}, {1: 2}, {"t": "event"}, {"t": "event", "seq": 21, "at": 1},
        {"t": "event", "seq": True, "at": 1, "type": "comet"}, {"t": "event", "seq": 21.0, "at": 1, "type": "comet"},
        {"t": "event", "seq": 21, "at": None, "type": "comet"}, event(21, "passed", seat=1, by="person"),
        event(21, "passed", seat="1", trick=2, by="person"), event(21, "host_changed", seat=None),
        played(21, 2, "9S9H", 20), played(21, 2, [9, 9], 20), welcome(None, 19), welcome({}, 30),
        welcome(racing(seats=[[]]), 30), {"t": "reply", "id": 1},
    ],
)  # fmt: skip
def test_a_malformed_frame_asks_for_a_full_view(frame):
    session = following()
    with pytest.raises(BadFrame):
        session.receive(frame)
    assert "since" not in session.hello()


def test_a_welcome_with_a_view_may_come_again_at_any_time():
    session = following()
    message = session.receive(welcome(lobby(), 90))
    assert isinstance(message, Welcome)
    assert (session.seq, session.view.phase) == (90, "lobby")
    assert session.receive(played(21, 2, ["9S", "9H"], 20)) is None


def test_a_resume_keeps_the_view():
    session = following()
    view = session.view
    assert session.hello() == {"t": "hello", "v": 1, "token": TOKEN, "since": 20}
    session.receive(welcome(None, 20))
    assert session.view is view


def test_a_resume_may_be_answered_with_a_view():
    session = following()
    session.hello()
    session.receive(welcome(lobby(), 77))
    assert (session.seq, session.view.phase) == (77, "lobby")


def test_an_event_before_the_welcome_is_no_part_of_the_protocol():
    session = following()
    session.hello()
    with pytest.raises(Desync):
        session.receive(played(21, 2, ["9S", "9H"], 20))


def test_replies_and_presence_pass_through():
    session = following()
    reply = {"t": "reply", "id": 3, "ok": False, "why": "stale", "late_ms": 12}
    assert session.receive(reply) == Reply(id=3, ok=False, why="stale", late_ms=12)
    errors = [{"field": "rounds", "message": "1 to 50"}]
    refused = session.receive({"t": "reply", "id": 4, "ok": False, "why": "bad_settings", "errors": errors})
    assert (refused.errors[0].field, refused.errors[0].message) == ("rounds", "1 to 50")
    assert session.receive({"t": "presence", "spectators": 4}) == Presence(spectators=4)


class TestSalt:
    """PROTOCOL 5: one salt a seat for the deal that is committed and not yet dealt, in any phase."""

    def unsalted(self, **changes):
        you = {"seat": 0, "hand": [], "owes": None, "salted": False}
        return lobby(you=you, commit="c" * 64, deal=1) | changes

    def test_is_due_once_a_connection(self):
        session = following(self.unsalted())
        assert [session.take_salt_due(), session.take_salt_due()] == [1, None]
        session.hello()
        session.receive(welcome(None, 20))
        assert session.take_salt_due() == 1

    def test_is_not_due_when_given(self):
        session = following(self.unsalted())
        session.receive(event(21, "salted", seat=0, deal=1, salt="00" * 16))
        assert session.take_salt_due() is None

    def test_of_another_seat_is_not_ours(self):
        session = following(self.unsalted())
        session.receive(event(21, "salted", seat=1, deal=1, salt="00" * 16))
        assert session.take_salt_due() == 1

    def test_is_due_for_each_new_commitment(self):
        session = following(self.unsalted())
        assert session.take_salt_due() == 1
        session.receive(event(21, "committed", deal=2, commit="d" * 64))
        assert session.take_salt_due() == 2

    def test_is_not_a_spectators(self):
        session = following(self.unsalted(you=None), seat=None)
        assert session.take_salt_due() is None
