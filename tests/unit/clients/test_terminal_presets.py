"""What the terminal says at tables of other presets than `president`: help, passes, exchanges, titles, waits."""

import json
import time
from pathlib import Path

import msgspec
import pytest

from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Passing
from rapid.rules.settings import Settings, rules_of
from rapid.rules.settings_check import lay_over
from rapid_client import parse_view, reduce
from rapid_client.events import parse_event
from rapid_client.messages import parse_message
from rapid_terminal import words
from rapid_terminal.commands import Mistake, Simple, parse
from rapid_terminal.help import help_lines
from rapid_terminal.rules import passing
from rapid_terminal.status import status
from rapid_terminal.teller import Teller
from tests.unit.clients.peer import event, lobby, racing, seat, welcome

MODES = ("rapid", "turns")
WEB = json.loads((Path(__file__).parents[3] / "clients/web/src/i18n/locales/en.json").read_text(encoding="utf-8"))


def laid(ruleset="president", **fields):
    checked = lay_over(None, {"ruleset": ruleset, **fields})
    assert isinstance(checked, Settings), checked
    return checked


def settings(ruleset="president", **fields):
    return msgspec.to_builtins(laid(ruleset, **fields))


def helped(ruleset="president", **fields):
    return "\n".join(help_lines(parse_view(racing(settings=settings(ruleset, **fields)))))


PASSES = [
    (ruleset, mode, options)
    for ruleset, options in [
        ("president", {}), ("presi", {}), ("presi", {"passing": "free"}), ("house", {}), ("house", {"sit_out": True}),
        ("escoria", {}),
    ]
    for mode in MODES
]  # fmt: skip


class TestHelp:
    @pytest.mark.parametrize("ruleset, mode, options", PASSES)
    def test_P4_4_3_a_pass_is_explained_as_it_holds_at_this_table(self, ruleset, mode, options):
        given = laid(ruleset, mode=mode, options=options)
        said = passing(msgspec.to_builtins(given))
        binds = rules_of(given).passing is Passing.BINDS
        assert ("out of this trick" in said) is binds
        assert ("this turn only" in said) is (not binds and mode == "turns")
        assert ("with the next play you are back in" in said) is (not binds and mode == "rapid")
        assert f"pass: {said}" in helped(ruleset, mode=mode, options=options)

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("ruleset", list(PRESETS))
    def test_who_may_play_is_explained_by_the_mode(self, ruleset, mode):
        first = helped(ruleset, mode=mode).split("\n")[0]
        assert ("in a race" in first) is (mode == "rapid")
        assert ("your turn" in first) is (mode == "turns")

    @pytest.mark.parametrize(
        "options, has, has_not",
        [
            ({}, [], ["joker", "wild"]),
            ({"jokers": 1}, ["* · **            a joker"], ["wild"]),
            ({"joker": "wild"}, [], ["joker", "wild"]),  # there is none
            ({"jokers": 1, "joker": "wild"}, ["3 * · *=12        a joker is wild", "*1=12B"], ["higher than every"]),
            ({"wild_twos": True}, ["3 2 · 2=12        a two is wild", "2C=12B"], ["joker"]),
            ({"jokers": 2, "joker": "wild", "wild_twos": True}, ["3 * · *=12        jokers and twos are wild"], []),
            ({"jokers": 2, "wild_twos": True}, ["* · **            a joker", "3 2 · 2=12        a two is wild"], []),
        ],
    )
    def test_jokers_and_wild_cards_are_explained_where_there_are_any(self, options, has, has_not):
        said = helped("presi", options=options)
        assert all(part in said for part in has), said
        assert not any(part in said for part in has_not), said

    def test_what_help_says_of_wild_cards_can_be_typed(self):
        given = settings("presi", options={"jokers": 1, "joker": "wild", "wild_twos": True})
        you = {"seat": 0, "hand": ["3O", "2C", "*1"], "owes": None, "salted": True}
        view = parse_view(racing(settings=given, you=you))
        for line in ("3 *", "*=12", "* =12", "*1=12B", "3 2", "2=12", "2 =12", "2C=12B"):
            assert not isinstance(parse(line, view), Mistake), line

    def test_cards_are_named_as_the_deck_has_them(self):
        assert "12 king" in helped("presi")
        assert "t is a ten" not in helped("presi")
        for ruleset in ("president", "house", "escoria"):
            assert "t is a ten" in helped(ruleset)

    def test_the_killer_is_explained_where_it_is_on(self):
        assert "two of coins" in helped("presi")
        assert "two of coins" not in helped("presi", options={"killer": False}) + helped("house")

    @pytest.mark.parametrize(
        "ruleset, options, said",
        [
            ("president", {}, "the same rank or a higher one"),
            ("presi", {}, "the same rank or a higher one"),
            ("presi", {"must_beat": True}, "a higher rank"),
            ("house", {}, "a higher rank"),
            ("escoria", {}, "a higher rank"),
            ("escoria", {"equal": True}, "the same rank or a higher one"),
            ("escoria", {"larger_sets": "higher"}, "a higher rank, or more cards of a higher rank"),
            ("escoria", {"larger_sets": "any"}, "a higher rank, or more cards of any rank"),
        ],
    )
    def test_what_an_answer_is(self, ruleset, options, said):
        assert f"an answer is as many cards of {said}\n" in helped(ruleset, options=options)

    @pytest.mark.parametrize(
        "ruleset, options, said",
        [
            ("president", {}, "return cards of your choice"),
            ("presi", {}, "give your best or your worst"),
            ("presi", {"exchange": "one_free"}, "two steps"),
            ("house", {}, "two steps"),
            ("house", {"fresh_hands": True}, None),
            ("escoria", {}, "two steps"),
        ],
    )
    def test_how_cards_are_exchanged(self, ruleset, options, said):
        text = helped(ruleset, options=options)
        assert said in text if said else "\nexchange" not in text

    def test_every_row_stands_in_its_columns(self):
        for ruleset in PRESETS:
            for line in helped(ruleset).split("\n")[1:]:
                assert line == line.rstrip()
                assert line[13:14] in {" ", ""}


@pytest.mark.parametrize(
    "key", sorted({key for row in PRESETS.values() for keys in row.roles.values() for key in keys})
)
def test_titles_are_those_of_the_web_client(key):
    """RULES 2.6, 3.8, 4.5, 5.3, as its locale calls them unless somebody asks for the documents' own."""
    place = key.partition("place_")[2]
    said = WEB["role.place"].replace("{n}", place) if place else WEB.get(f"polite.{key}", WEB.get(f"role.{key}"))
    assert words.role(key) == said


def told(view, *frames, viewer=0):
    view, said, teller = parse_view(view), [], Teller(viewer)
    teller.tell(parse_message(welcome(racing())), view)
    for frame in frames:
        view = reduce(view, parse_event(frame), viewer)
        said += teller.tell(parse_message(frame), view)
    return said


class TestExchange:
    def owing(self, pick, count, **changes):
        owes = {"to": 1, "count": count, "pick": pick}
        you = {"seat": 0, "hand": ["3O"], "owes": owes, "salted": True}
        return status(parse_view(racing(phase="exchange", you=you, **changes)), 28)[0]

    @pytest.mark.parametrize(
        "pick, count, said",
        [
            ("any", 1, "1 card of your choice: type it"),
            ("best", 1, "your best card: type it"),
            ("best", 2, "your 2 best cards: type them"),
            ("worst", 2, "your 2 worst cards: type them"),
        ],
    )
    def test_what_one_owes(self, pick, count, said):
        assert self.owing(pick, count) == f"[exchange] you owe Bo {said} | 28.0 s"

    def test_4_4_two_steps_are_told_as_two(self):
        step_1 = {"round": 2, "step": 1}
        step_2 = {"round": 2, "step": 2}
        owe = {"from": 2, "to": 1, "count": 1, "pick": "best"}
        back = {"from": 1, "to": 2, "count": 1, "pick": "any"}
        given = {"from": 2, "to": 1, "count": 1}
        returned = {"from": 1, "to": 2, "count": 1}
        said = told(
            racing(settings=settings("house"), trick=None),
            event(21, "exchange_opened", **step_1, moves=[], owes=[owe], deadline=1),
            event(22, "given", **given, by="bot"),
            event(23, "exchange_closed", **step_1, moves=[given]),
            event(24, "exchange_opened", **step_2, moves=[], owes=[back], deadline=1),
            event(25, "given", **returned, by="person"),
            event(26, "exchange_closed", **step_2, moves=[returned]),
        )
        assert said == [
            "Exchange, step 1 of 2: Cy owes Bo the best card",
            "Cy → Bo: 1 card",
            "Exchange, step 2 of 2: Bo owes Cy any card",
            "Bo → Cy: 1 card",
            "Exchange done.",
        ]

    def test_who_is_waited_for_is_named(self):
        owes = [{"from": 1, "to": 2, "count": 2, "pick": "best"}, {"from": 2, "to": 1, "count": 2, "pick": "worst"}]
        seats = [seat(0, "Ana", cards=5), seat(1, "Bo", cards=5, connected=False), seat(2, "Cy", cards=5, kind="bot")]
        view = racing(phase="exchange", exchange={"owes": owes}, seats=seats, settings=settings("presi"))
        assert status(parse_view(view), 28)[0] == "[exchange] waiting for Bo (awaited), Cy | 28.0 s"


class TestAwaited:
    """RULES 3.10: who is awaited until when, and that the game is cancelled then."""

    VIEW = racing(settings=settings("presi"))
    LOST = event(21, "connection_lost", seat=1, until=110_021)
    ENDED = event(30, "game_ended", game=1, why="cancelled", winners=[], totals={"0": 3, "1": 2, "2": 0})

    def test_a_lost_connection(self):
        until = time.strftime("%H:%M:%S", time.localtime(110.021))
        said = f"Bo: connection lost; awaited for 60 s, until {until}, then the game is cancelled"
        assert told(self.VIEW, self.LOST) == [said]

    def test_the_cancelled_game_says_who_did_not_come_back(self):
        ended = self.ENDED | {"at": 110_021}
        said = told(self.VIEW, self.LOST, ended, event(31, "lobby_opened"), event(32, "seat_freed", seat=1, why="left"))
        assert said[1:] == [
            "",
            "Game over: cancelled, no winner: Bo did not come back. Totals: you 3, Bo 2, Cy 0",
            "Bo: the seat is free",
        ]

    def test_who_came_back_in_time_is_not_blamed(self):
        back = event(22, "connection_back", seat=1)
        assert told(self.VIEW, self.LOST, back, self.ENDED | {"at": 200_000})[-1] == (
            "Game over: cancelled, no winner. Totals: you 3, Bo 2, Cy 0"
        )
        # Cancelled by something else before the time is over.
        assert "did not" not in told(self.VIEW, self.LOST, self.ENDED)[-1]

    @pytest.mark.parametrize("policy, mark", [("wait", "awaited"), ("standin", "offline")])
    def test_the_seat_is_marked(self, policy, mark):
        seats = [seat(0, "Ana", cards=5), seat(1, "Bo", cards=3, connected=False)]
        view = racing(settings=settings("presi", disconnect=policy), seats=seats)
        assert status(parse_view(view), 9)[1] == f"  you 5 · Bo 3 ({mark})"
        results = status(parse_view(view | {"phase": "results"}), None)
        assert any("awaited" in line and "Bo" in line for line in results) is (policy == "wait")

    def test_in_no_game_nobody_is_awaited(self):
        seats = [seat(0, "Ana"), seat(1, "Bo", connected=False)]
        for phase in ("lobby", "final"):
            view = parse_view(lobby(phase=phase, settings=settings("presi"), seats=seats))
            assert not words.is_awaited(view, view.seats[1])

    def test_help_and_leaving_say_what_becomes_of_the_seat(self):
        assert "quit (the seat is awaited for 60 s, then the game is cancelled)" in helped("presi")
        assert "lost          in a game" in helped("presi")
        assert "quit (the seat stays yours, a stand-in plays)" in helped()
        assert "lost  " not in helped()
        assert parse("x", parse_view(racing(settings=settings("presi")))) == Mistake(
            "leaving a game is for good: type leave to do so, or quit to keep the seat: "
            "it is awaited for 60 s, then the game is cancelled"
        )


class TestHostsChoice:
    @pytest.mark.parametrize(
        "given, said",
        [
            (settings(), "e stops the game, with no winner"),
            (settings("presi"), "e stops the game, with no winner"),
            (settings(rounds="unlimited"), "e ends the game"),
            (settings("escoria", target="none"), "e ends the game"),
        ],
    )
    def test_G4_what_ending_it_means(self, given, said):
        line = status(parse_view(lobby(phase="results", settings=given)), None)[-1]
        assert line.endswith(f"n starts the next round, {said}")

    @pytest.mark.parametrize(
        "why, again",
        [("rounds", True), ("target", True), ("ended", True), ("stopped", False), ("interrupted", False)],
    )
    def test_G5_play_again_is_offered_where_it_is_to_be_had(self, why, again):
        results = {
            "round": 1, "standings": [0, 1, 2], "roles": {}, "points": {}, "totals": {}, "why": why, "winners": [],
        }  # fmt: skip
        line = status(parse_view(lobby(phase="final", results=results)), None)[0]
        assert ("r plays again" in line) is again


def test_a_wrong_count_is_told_by_what_may_answer():
    assert words.refusal("wrong_count", settings()) == "play as many cards as lie there"
    larger = settings("escoria", options={"larger_sets": "any"})
    assert words.refusal("wrong_count", larger) == "play at least as many cards as lie there"


def test_a_typed_word_is_a_command_before_it_is_cards():
    assert parse("rules", parse_view(racing())) == parse("RULES", parse_view(lobby(you=None))) == Simple("rules")
