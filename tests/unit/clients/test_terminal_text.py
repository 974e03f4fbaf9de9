"""What players type and read: commands, hands, verdicts, sentences."""

import os
import stat

import pytest

from rapid_client import Address, Place, Reply, parse_view, reduce
from rapid_client.cards import SPANISH_RANKS
from rapid_client.errors import FieldError
from rapid_client.events import parse_event
from rapid_client.messages import Disconnected, parse_message
from rapid_terminal import default_state_dir, words
from rapid_terminal.auto import attempts
from rapid_terminal.commands import Explain, Give, Host, Mistake, Play, React, Simple, parse
from rapid_terminal.options import settings_from
from rapid_terminal.seats import Seats
from rapid_terminal.status import situation, status
from rapid_terminal.styles import Style
from rapid_terminal.teller import Teller
from tests.unit.clients.peer import SETTINGS, TABLE, TOKEN, event, lobby, played, racing, seat, welcome

SPANISH = SETTINGS | {"ruleset": "presi", "mode": "turns"}


def holding(*hand, **changes):
    you = {"seat": 0, "hand": list(hand), "owes": None, "salted": True}
    return parse_view(racing(you=you, **changes))


FRENCH_HAND = holding("3S", "7S", "7H", "7D", "TD", "QS", "QH", "AC", "AD", "2C")
SPANISH_HAND = holding("1O", "1B", "2O", "2E", "10C", "11C", "11E", "*1", settings=SPANISH)


@pytest.mark.parametrize(
    "line, cards",
    [
        ("7", ["7S"]),
        ("77", ["7S", "7H"]),
        ("q q", ["QS", "QH"]),
        ("QQ", ["QS", "QH"]),
        ("7 77", ["7S", "7H", "7D"]),
        ("t", ["TD"]),
        ("10", ["TD"]),
        ("a", ["AD"]),
        ("aa", ["AC", "AD"]),
        ("7h", ["7H"]),
        ("7h 7", ["7H", "7S"]),
        ("2c", ["2C"]),
        ("3 7", ["3S", "7S"]),  # whether it is a combination, the server says
    ],
)
def test_cards_are_typed_by_rank_or_by_name(line, cards):
    command = parse(line, FRENCH_HAND)
    assert isinstance(command, Play)
    assert sorted(command.cards) == sorted(cards)


@pytest.mark.parametrize(
    "line, cards",
    [
        ("1", ["1O"]),
        ("11", ["11C"]),  # the knight, not two aces
        ("1 1", ["1O", "1B"]),
        ("11 11", ["11C", "11E"]),
        ("10", ["10C"]),
        ("2", ["2E"]),  # the two of coins is kept for last (3.5)
        ("22", ["2E", "2O"]),
        ("2o", ["2O"]),
        ("*1=1c 1 1", ["*1=1C", "1O", "1B"]),
        ("2e=10b 10", ["2E=10B", "10C"]),
        ("*", ["*1"]),
    ],
)
def test_spanish_cards(line, cards):
    command = parse(line, SPANISH_HAND)
    assert isinstance(command, Play)
    assert sorted(command.cards) == sorted(cards)


@pytest.mark.parametrize(
    "line, said",
    [
        ("33", "you have only one card of rank 3"),
        ("k", "you have no K"),
        ("7777", "you have only 3 cards of rank 7"),
        ("7h 7h", "you have only one 7H"),
        ("7c", "you have no 7C"),
        ("7o", "there is no 7O in this deck: a card is a rank and one of S, H, D, C, as 5S"),
        ("7=8", "only a wild card stands for another one"),
        ("7 =8", "only a wild card stands for another one"),
        ("*", "you have no joker"),
        ("*1", "you have no *1"),
        ("*1=7h", "you have no *1"),
        ("hello", "'hello' is no card and no command (? for help)"),
        ("7 x", "'x' is no card and no command (? for help)"),
        ("give", "which cards?"),
        ("react 🐟", "a reaction is one of 👍 👏 😂 😮 😢 😡 🔥 🎉"),
    ],
)
def test_mistakes_are_told_and_not_sent(line, said):
    assert parse(line, FRENCH_HAND) == Mistake(said)


@pytest.mark.parametrize("rank", SPANISH_RANKS)
def test_a_rank_that_is_a_number_is_not_taken_for_a_count(rank):
    view = holding(f"{rank}C", "*1", settings=SPANISH)
    assert parse(f"{rank} {rank}", view) == Mistake(f"you have only one card of rank {rank}")
    assert parse("**", view) == Mistake("you have only one joker")


@pytest.mark.parametrize(
    "line, command",
    [
        ("", None),
        ("   ", None),
        ("p", Simple("pass")),
        ("P", Simple("pass")),
        ("leave", Simple("leave")),
        ("quit", Simple("quit")),
        ("?", Simple("help")),
        ("v", Simple("look")),
        ("rules", Simple("rules")),
        ("s", Host("start")),
        ("n", Host("next_round")),
        ("e", Host("end_game")),
        ("r", Host("play_again")),
        ("l", Host("to_lobby")),
        ("react 🔥", React("🔥")),
        ("react 1", React("👍")),
        ("give 3 7", Give(("3S", "7S"))),
        ("kick 3", Host("remove", (("seat", 2),))),
        ("set", Explain()),
        ("set rounds", Explain("rounds")),
        ("set ROUNDS 5 6", Explain("rounds")),
        ("set race_seconds 2.5", Host("settings", (("settings", {"race_seconds": 2.5}),))),
        ("set rounds=3", Host("settings", (("settings", {"rounds": 3}),))),
        ("set Rounds = 3", Host("settings", (("settings", {"rounds": 3}),))),
        ("set revolution=off", Host("settings", (("settings", {"variants": {"revolution": False}}),))),
        ("set rounds=", Explain("rounds")),
        ("set rounds unlimited", Host("settings", (("settings", {"rounds": "unlimited"}),))),
        ("set revolution off", Host("settings", (("settings", {"variants": {"revolution": False}}),))),
    ],
)
def test_other_commands(line, command):
    assert parse(line, FRENCH_HAND) == command


@pytest.mark.parametrize(
    "value", ["nan", "NaN", "inf", "-inf", "1e5", "1e999", "1_0", "٣", "+3", "9" * 16, "9" * 5000, "0x5"]
)
def test_what_is_no_number_that_can_be_sent_goes_as_text_and_is_refused_by_name(value):
    sent = parse(f"set race_seconds {value}", FRENCH_HAND)
    assert sent == Host("settings", (("settings", {"race_seconds": value.lower()}),))


def test_a_is_an_ace_in_a_trick_and_a_bot_elsewhere():
    assert parse("a", FRENCH_HAND) == Play(("AD",))
    assert parse("a", parse_view(lobby())) == Host("add_bot")
    assert parse("a hard", parse_view(lobby())) == Host("add_bot", (("level", "hard"),))
    assert parse("a genius", parse_view(lobby())) == Mistake("a bot is one of easy, normal, hard")


def test_j_is_a_jack_in_a_trick_and_a_seat_elsewhere():
    assert parse("j", holding("JD", "QD")) == Play(("JD",))
    assert parse("jj", holding("JD", "JS")) == Play(("JS", "JD"))
    assert parse("j", parse_view(racing(you=None))) == Simple("join")
    assert parse("j", parse_view(lobby())) == Simple("join")


def test_one_letter_does_not_throw_a_game_away():
    assert parse("x", parse_view(lobby())) == Simple("leave")
    assert parse("x", parse_view(racing(you=None))) == Simple("leave")
    assert parse("x", FRENCH_HAND) == Mistake(
        "leaving a game is for good: type leave to do so, or quit to keep the seat"
    )


def test_cards_typed_in_an_exchange_are_given():
    assert parse("3 7", holding("3S", "7S", phase="exchange")) == Give(("3S", "7S"))


def test_hands_read_weakest_first_in_the_present_order():
    hand = FRENCH_HAND.you.hand
    assert words.hand(hand, SETTINGS, revolution=False) == "3  777  T  QQ  AA  2"
    assert words.hand(hand, SETTINGS, revolution=True) == "2  AA  QQ  T  777  3"
    assert words.hand(SPANISH_HAND.you.hand, SPANISH, revolution=False) == "10  11 11  1 1  2  2O  *1"


@pytest.mark.parametrize(
    "reply, said",
    [
        (Reply(id=1, ok=True, seq=21), []),  # its events have told
        (Reply(id=1, ok=False, why="stale", late_ms=12), ["-> beaten by Cy by 12 ms"]),
        (Reply(id=1, ok=False, why="too_weak"), ["-> refused: too weak"]),
        (Reply(id=1, ok=False, why="brand_new"), ["-> refused: brand_new"]),
        (
            Reply(id=1, ok=False, why="bad_settings", errors=(FieldError("rounds", "1 to 50"),)),
            ["-> refused: these settings do not work", "   rounds: 1 to 50"],
        ),
    ],
)
def test_every_refused_attempt_gets_its_verdict(reply, said):
    teller = Teller(seat=0)
    tell(teller, racing(), played(21, 2, ["9S", "9H"], 20))
    assert teller.verdict(reply, 20) == said


def test_a_race_lost_to_the_timer_names_nobody():
    teller = Teller(seat=0)
    tell(teller, racing(), event(21, "trick_closed", trick=2, why="timer"))
    assert teller.verdict(Reply(id=1, ok=False, why="stale", late_ms=3), 20) == ["-> too late by 3 ms"]


def test_every_refusal_of_the_protocol_has_words():
    protocol = """
        malformed rate_limited unavailable spectator not_host wrong_phase not_your_cards not_a_combination stale
        not_in_round already_passed not_your_turn wrong_count must_match_rank too_weak empty_trick last_player
        nothing_owed already_given wrong_cards too_few full no_such_seat bad_settings
    """
    assert set(protocol.split()) == set(words.REFUSALS)
    assert all(" " in sentence for sentence in words.REFUSALS.values())


def tell(teller, view, *frames, viewer=0):
    view, said = parse_view(view), []
    teller.tell(parse_message(welcome(racing())), view)
    for frame in frames:
        message = parse_message(frame)
        if frame["t"] == "event":
            view = reduce(view, parse_event(frame), viewer)
        said += teller.tell(message, view)
    return said


@pytest.mark.parametrize(
    "frame, said",
    [
        (event(21, "seat_taken", seat=3, name="Di", kind="person"), ["Di takes seat 4"]),
        (event(21, "seat_taken", seat=3, name="Di", kind="bot", level="easy"), ["Di (easy bot) takes seat 4"]),
        (event(21, "leaving", seat=1, why="left"), ["Bo left; a bot plays on for the seat"]),
        (event(21, "leaving", seat=1, why="removed"), ["Bo was removed; a bot plays on for the seat"]),
        (event(21, "seat_freed", seat=1, why="left"), ["Bo: the seat is free"]),
        (event(21, "seat_freed", seat=1, why="removed"), ["Bo was removed: the seat is free"]),
        (event(21, "host_changed", seat=0), ["you: host now"]),
        (event(21, "connection_lost", seat=1), ["Bo: connection lost"]),
        (event(21, "connection_back", seat=1), ["Bo: connected"]),
        (event(21, "connection_back", seat=0), []),
        (event(21, "standin_started", seat=1), ["Bo: a stand-in plays"]),
        (event(21, "standin_ended", seat=1), ["Bo: back in the seat"]),
        (event(21, "salted", seat=1, deal=1, salt="00"), []),
        (event(21, "comet_seen"), []),
        (event(21, "trick_opened", trick=3, leader=None, deadline=1), ["Trick 3: anyone may open"]),
        (event(21, "trick_opened", trick=3, leader=1, deadline=None), ["Trick 3: Bo to lead"]),
        (event(21, "turn_began", seat=0, rank="7", deadline=1), ["Your turn: a 7, or pass"]),
        (event(21, "turn_began", seat=1, rank=None, deadline=1), []),
        (played(21, 2, ["9S", "9H"], 20, by="bot"), ["  Cy: 9 9 · 2 left"]),
        (played(21, 1, ["9S", "9H"], 20, by="bot"), ["  Bo: 9 9 (bot) · 1 left"]),  # of a seat that was left
        (played(21, 0, ["8S", "8H"], 20, by="timer"), ["  you: 8 8 (time was up) · 3 left"]),
        (event(21, "passed", seat=2, trick=2, by="standin"), ["  Cy: pass (stand-in)"]),
        (event(21, "skipped", seat=2, trick=2), ["  Cy: skipped"]),
        (event(21, "race_lost", seat=1, on=20, late_ms=7), ["  Bo: too late by 7 ms"]),
        (event(21, "race_lost", seat=2, on=20, late_ms=0), ["  Cy: too late by less than 1 ms"]),
        (event(21, "race_lost", seat=0, on=20, late_ms=7), []),
        (event(21, "finished", seat=1, penalised=False), ["  Bo: out of cards"]),
        (event(21, "finished", seat=1, penalised=True), ["  Bo: out of cards with a 2: a place at the bottom"]),
        (event(21, "trick_closed", trick=2, why="timer"), ["Trick 2 closed: time is up"]),
        (event(21, "trick_closed", trick=2, why="moon"), ["Trick 2 closed: moon"]),
        (event(21, "resumed", epoch=2, lost_ms=1500, deadline=None), ["The table goes on after 1.5 s"]),
        (event(21, "table_closed", why="idle"), ["The table is closed: nobody was there"]),
        ({"t": "reaction", "seat": 1, "emoji": "🔥", "at": 1}, ["Bo: 🔥"]),
        ({"t": "presence", "spectators": 2}, ["Watching: 2"]),
        ({"t": "presence", "spectators": 0}, []),
        ({"t": "bye", "why": "leaving"}, ["The server is restarting."]),
        ({"t": "reply", "id": 1, "ok": True}, []),
    ],
)
def test_events_in_words(frame, said):
    assert tell(Teller(seat=0), racing(), frame) == said


def test_a_revolution_is_unmistakable():
    four = played(21, 1, ["9S", "9H", "9D", "9C"], 20, revolution=True)
    seats = [seat(0, "Ana", cards=5), seat(1, "Bo", cards=9), seat(2, "Cy", cards=4)]
    assert tell(Teller(seat=0), racing(seats=seats), four) == ["  Bo: 9 9 9 9 · 5 left · REVOLUTION"]
    back = played(21, 1, ["9S", "9H", "9D", "9C"], 20, revolution=False)
    turned = racing(seats=seats, revolution=True)
    assert tell(Teller(seat=0), turned, back) == ["  Bo: 9 9 9 9 · 5 left · back to the normal order"]
    assert "REVOLUTION" in status(parse_view(racing(revolution=True)), 9.8)[0]


def test_the_exchange_shows_ones_own_cards_and_hides_others():
    open_ = event(
        21, "exchange_opened", round=2, deadline=1,
        moves=[{"from": 1, "to": 0, "count": 2, "cards": ["2S", "AS"]}, {"from": 2, "to": 1, "count": 1}],
        owes=[{"from": 0, "to": 1, "count": 2, "pick": "any"}],
    )  # fmt: skip
    given = event(22, "given", **{"from": 0, "to": 1, "count": 2, "by": "person", "cards": ["3S", "8S"]})
    moves = [{"from": 0, "to": 1, "count": 2}]
    closed = event(23, "exchange_closed", round=2, moves=moves)
    assert tell(Teller(seat=0), racing(), open_, given, closed) == [
        "Exchange: Bo → you: 2 A; Cy → Bo: 1 card; you owe Bo any 2 cards",
        "you → Bo: 3 8",
        "Exchange done.",
    ]


def test_results_name_freed_seats_and_winners():
    ended = {
        "round": 1, "deal": 1, "standings": [1, 0, 2], "secret": "00", "points": {"1": 3, "0": 1, "2": 0},
        "roles": {"1": "president", "0": "neutral", "2": "asshole"}, "totals": {"1": 3, "0": 3, "2": 0},
    }  # fmt: skip
    said = tell(
        Teller(seat=0),
        racing(),
        event(21, "round_ended", **ended),
        event(22, "seat_freed", seat=1, why="left"),
        event(23, "game_ended", game=1, why="rounds", winners=[0, 1], totals={"0": 3, "1": 3, "2": 0}),
    )
    assert said[:3] == ["Round 1 is over", "  1. Bo   President  +3  total 3", "  2. you  Neutral    +1  total 3"]
    assert said[-1] == "Game over: all rounds are played. Winners: you and Bo. Totals: you 3, Bo 3, Cy 0"


def test_a_lost_connection_is_said_with_what_follows():
    lines = Teller().tell(Disconnected(code=None, retry_s=0.25), parse_view(lobby()))
    assert lines == ["Connection lost; trying again in 0.2 s. Nothing you type now is sent."]


def test_status_of_a_race():
    assert status(parse_view(racing()), 9.84) == [
        "[trick 2] 7 7 by Bo | 9.8 s",
        "  you 5 · Bo 3 · Cy 4",
        "  your hand: 3  88  Q  2   (5)",
    ]


def test_what_cannot_answer_is_dimmed_and_nothing_at_all_is_said():
    assert looks(status(parse_view(racing()), 9.8)[2]) == {
        "3": Style.DIM,
        "88": Style.BOLD,
        "Q": Style.DIM,
        "2": Style.DIM,
    }
    turned = status(parse_view(racing(revolution=True)), 9.8)[2]
    assert looks(turned)["88"] is Style.DIM
    assert turned.endswith(" (5) nothing fits: p passes")
    seats = [seat(0, "Ana", cards=5, passed=True), seat(1, "Bo", cards=3)]
    assert set(looks(status(parse_view(racing(seats=seats)), 9.8)[2]).values()) == {Style.DIM}
    # Options may let a three beat a pair of sevens (5.5): then all of it may.
    assert (
        looks(status(parse_view(racing(settings=SETTINGS | {"options": {"jokers": True}})), 9.8)[2])["3"] is Style.BOLD
    )


def looks(line):
    return {text: style for text, style in line.parts if style is not Style.PLAIN}


def test_status_marks_passes_stand_ins_and_places():
    seats = [seat(0, "Ana", cards=5, passed=True), seat(1, "Bo", place=1),
             seat(2, "Cy", cards=1, connected=False, standin=True)]  # fmt: skip
    trick = {"number": 3, "state": 9, "top": None, "plays": []}
    lines = status(parse_view(racing(seats=seats, trick=trick, turn=2)), None)
    assert lines[:2] == [
        "[trick 3] empty | turn: Cy | no timer",
        "  you 5 (passed) · Bo place 1 · Cy 1 (stand-in, offline)",
    ]


def test_status_of_the_other_phases():
    owes = {"to": 1, "count": 2, "pick": "any"}
    you = {"seat": 0, "hand": ["3S"], "owes": owes, "salted": True}
    assert status(parse_view(lobby()), None)[0] == "Lobby: 1. you (host) · 2. Bo · 3. Cy (normal bot)"
    assert status(parse_view(lobby(host=1)), None)[1] == "  Bo is the host"
    assert status(parse_view(racing(phase="exchange", you=you)), 28)[0] == (
        "[exchange] you owe Bo 2 cards of your choice: type them | 28.0 s"
    )
    assert status(parse_view(racing(phase="exchange")), 28)[0] == "[exchange] waiting for cards | 28.0 s"
    assert "n starts the next round" in status(parse_view(lobby(phase="results")), None)[0]
    assert "r plays again" in status(parse_view(lobby(phase="final")), None)[0]
    assert status(parse_view(lobby(phase="closed")), None) == []


def test_a_situation_changes_with_the_trick_not_with_others_connections():
    view = parse_view(racing())
    lost = reduce(view, parse_event(event(21, "connection_lost", seat=1)), 0)
    next_state = reduce(view, parse_event(played(21, 2, ["9S", "9H"], 20)), 0)
    assert situation(lost) == situation(view) != situation(next_state)


def test_without_cards_a_situation_changes_with_the_trick_only():
    view = parse_view(racing(you=None))
    assert situation(reduce(view, parse_event(played(21, 2, ["9S", "9H"], 20)), None)) == situation(view)
    opened = parse_event(event(21, "trick_opened", trick=3, leader=None, deadline=1))
    assert situation(reduce(view, opened, None)) != situation(view)


class TestAuto:
    """`--auto` offers the weakest plays first; the server judges."""

    def test_opens_with_the_weakest_rank_all_its_cards(self):
        empty = {"number": 3, "state": 9, "top": None, "plays": []}
        assert attempts(holding("7S", "7H", "KD", trick=empty)) == [Play(("7S", "7H")), Play(("KD",))]
        turned = attempts(holding("7S", "7H", "KD", trick=empty, revolution=True))
        assert turned == [Play(("KD",)), Play(("7S", "7H"))]

    def test_answers_with_the_weakest_that_may_be_legal_else_passes(self):
        view = holding("3S", "8S", "8H", "8D", "QD", "2C", "2S")
        assert attempts(view) == [Play(("8S", "8H")), Play(("2S", "2C")), Simple("pass")]
        assert attempts(holding("3S", "4S")) == [Simple("pass")]

    def test_waits_on_its_own_play_after_a_pass_and_out_of_turn(self):
        own = {"seat": 0, "cards": ["7S"]}
        assert attempts(holding("8S", trick={"number": 3, "state": 9, "top": own, "plays": [own]})) == []
        passed = [seat(0, "Ana", cards=1, passed=True)]
        assert attempts(holding("8S", seats=passed)) == []
        assert attempts(holding("8S", settings=SETTINGS | {"mode": "turns"}, turn=1)) == []

    def test_V5_the_same_card_or_nothing(self):
        view = holding("7S", "7H", "9S", "9H", must_rank="7", turn=0, settings=SETTINGS | {"mode": "turns"})
        assert attempts(view) == [Play(("7S", "7H")), Simple("pass")]

    @pytest.mark.parametrize("pick, cards", [("any", ("3S", "4S")), ("worst", ("3S", "4S")), ("best", ("KD", "2C"))])
    def test_gives_what_is_owed(self, pick, cards):
        you = {"seat": 0, "hand": ["2C", "4S", "KD", "3S"], "owes": {"to": 1, "count": 2, "pick": pick}, "salted": True}
        assert attempts(parse_view(racing(phase="exchange", you=you))) == [Give(cards)]
        assert attempts(parse_view(racing(phase="exchange"))) == []

    def test_starts_what_a_host_may_start(self):
        assert attempts(parse_view(lobby())) == [Host("start")]
        assert attempts(parse_view(lobby(phase="results"))) == [Host("next_round")]
        assert attempts(parse_view(lobby(host=1))) == attempts(parse_view(lobby(phase="final"))) == []


class TestSeats:
    """Seat tokens on disk: the owner's alone, found again by table and name."""

    def test_are_kept_for_the_owner_alone_and_found_again(self, tmp_path):
        seats = Seats(tmp_path / "state" / "seats", Address("http://h:1"))
        seats.keep(Place(table=TABLE, seat=1, token=TOKEN), "Ana")
        [file] = (tmp_path / "state" / "seats").iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        kept = seats.find(TABLE, None)
        assert (kept.seat, kept.name, kept.token) == (1, "Ana", TOKEN)
        assert TOKEN not in repr(kept)
        assert seats.find(TABLE, "Ana") == kept
        assert seats.find(TABLE, "Bo") is seats.find("otherother", None) is None
        assert Seats(tmp_path / "state" / "seats", Address("http://h:2")).find(TABLE, None) is None

    def test_the_newest_is_found_and_void_ones_are_dropped(self, tmp_path):
        seats = Seats(tmp_path, Address("http://h:1"))
        seats.keep(Place(table=TABLE, seat=1, token="one"), "Ana")
        seats.keep(Place(table=TABLE, seat=2, token="two"), "Bo")
        for number, file in enumerate(sorted(tmp_path.iterdir())):
            os.utime(file, ns=(number, number))
        assert seats.find(TABLE, None).seat == 2
        seats.forget(TABLE, 2)
        assert seats.find(TABLE, None).seat == 1
        for file in tmp_path.iterdir():
            file.write_text("{")
        assert seats.find(TABLE, None) is None

    def test_without_a_directory_nothing_is_kept(self):
        seats = Seats(None, Address("http://h:1"))
        seats.keep(Place(table=TABLE, seat=1, token=TOKEN), "Ana")
        seats.forget(TABLE, 1)
        assert seats.find(TABLE, None) is None

    def test_the_state_directory(self, tmp_path):
        assert default_state_dir({}, tmp_path) == tmp_path / ".local" / "state" / "rapid" / "seats"
        assert default_state_dir({"XDG_STATE_HOME": "/s"}, tmp_path).parts[-3:] == ("s", "rapid", "seats")


def test_settings_left_out_stay_the_servers():
    assert settings_from(rounds=2, race_seconds=None, mode="rapid") == {"rounds": 2, "mode": "rapid"}
