"""Wild cards, jokers, turned orders and other decks at the terminal and in the client library (RULES 5.5, 6)."""

import pytest

from rapid_client import parse_view
from rapid_client.cards import declared, held, is_wild, rank_of, ranks
from rapid_client.events import parse_event
from rapid_terminal import words
from rapid_terminal.auto import attempts
from rapid_terminal.commands import Give, Mistake, Play, Simple, parse
from rapid_terminal.status import status
from rapid_terminal.teller import Teller
from tests.unit.clients.peer import SETTINGS, played, racing

NO_TRICK = {"number": 3, "state": 9, "top": None, "plays": []}


def presi(**options):
    return SETTINGS | {"ruleset": "presi", "options": {"killer": True, **options}}


WILD = presi(jokers=2, joker="wild", wild_twos=True)


def holding(settings, *hand, top=None, **changes):
    you = {"seat": 0, "hand": list(hand), "owes": None, "salted": True}
    play = {"seat": 1, "cards": top}
    trick = NO_TRICK if top is None else {"number": 3, "state": 9, "top": play, "plays": [play]}
    return parse_view(racing(you=you, trick=trick, settings=settings, **changes))


@pytest.mark.parametrize(
    "settings, is_turned, order",
    [
        (SETTINGS, False, "3 4 5 6 7 8 9 T J Q K A 2"),
        (SETTINGS, True, "2 A K Q J T 9 8 7 6 5 4 3"),
        (SETTINGS | {"ruleset": "escoria", "options": {"turning": "run"}}, True, "K Q J T 9 8 7 6 5 4 3 2 A"),
        (presi(deck="spanish40"), False, "3 4 5 6 7 10 11 12 1 2"),
        (presi(three="below_two"), False, "4 5 6 7 8 9 10 11 12 1 3 2"),
        (presi(three="below_two", turning="order"), True, "2 3 1 12 11 10 9 8 7 6 5 4"),
    ],
)
def test_the_order_of_the_ranks(settings, is_turned, order):
    assert ranks(settings, revolution=is_turned) == tuple(order.split())


def test_which_cards_are_wild():
    assert [is_wild(card, WILD) for card in ("*1", "2C", "2O", "7O")] == [True, True, True, False]
    assert [is_wild(card, presi(jokers=2, joker="high")) for card in ("*1", "2C")] == [False, False]


@pytest.mark.parametrize(
    "cards, rank, told",
    [
        (("7O", "*1"), "7", ("7O", "*1=7C")),
        (("*1", "2C", "7O"), "7", ("*1=7C", "2C=7E", "7O")),
        (("2C", "*1"), "2", ("2C", "*1=2O")),
        (("2O",), "7", ("2O",)),
        (("2O", "7C"), "7", ("2O=7O", "7C")),
    ],
)
def test_a_wild_card_stands_for_one_that_is_not_in_the_play(cards, rank, told):
    assert declared(cards, rank, WILD) == told


@pytest.mark.parametrize(
    "line, cards",
    [
        ("7*", ("7O", "*1=7C")),
        ("7 2", ("7O", "2C=7C")),
        ("* =7", ("*1=7O",)),
        ("*=7", ("*1=7O",)),
        ("*=1", ("*1=1O",)),
        ("*1=7", ("*1=7O",)),
        ("2=12", ("2C=12O",)),
        ("* 2=12", ("*1=12O", "2C=12C")),
        ("7 *=7", ("7O", "*1=7C")),
        ("2 =12", ("2C=12O",)),
        ("2", ("2C",)),
        ("22", ("2C", "2O")),
        ("*1=1b", ("*1=1B",)),
        ("2o", ("2O",)),
    ],
)
def test_what_is_typed_says_what_it_stands_for(line, cards):
    assert parse(line, holding(WILD, "7O", "2C", "2O", "*1")) == Play(cards)


def test_what_could_be_anything_is_asked_for():
    asked = parse("*", holding(WILD, "7O", "*1"))
    assert isinstance(asked, Mistake)
    assert "stands for" in asked.text
    owing = holding(WILD, "7O", "*1", phase="exchange")
    assert parse("*", owing) == Give(("*1",))
    assert parse("*", holding(presi(jokers=1, joker="high"), "*1")) == Play(("*1",))


DECKS = [
    presi(jokers=2, joker="wild"),
    WILD,
    presi(jokers=4, joker="wild", deck="spanish40"),
    presi(jokers=2, joker="wild", three="below_two"),
]


UNSAID = [("*", ["*1"]), ("*", ["*2"]), ("**", ["*1", "*2"]), ("* 2", ["*2", "2C"]), ("22*", ["2C", "2E", "*1"])]
HINTED = [(deck, *row) for deck in DECKS for row in UNSAID if all(is_wild(card, deck) for card in row[1])]


@pytest.mark.parametrize("settings, typed, hand", HINTED)
def test_what_the_hint_shows_can_be_typed(settings, typed, hand):
    view = holding(settings, *hand)
    short, by_name = parse(typed, view).text.removeprefix("say what a wild card stands for: ").split(", or by name ")
    by_rank, named = parse(short, view), parse(by_name, view)
    assert isinstance(by_rank, Play)
    assert sorted(by_rank.cards) == sorted(named.cards)
    assert {held(card) for card in named.cards} == set(hand)
    assert {rank_of(card) for card in named.cards} < set(ranks(settings))
    assert {card[-1] for card in named.cards} <= set("OCEB")


@pytest.mark.parametrize(
    "line, said",
    [
        ("*1=5o", "you have no *1"),
        ("2e=5o", "you have no 2E"),
        ("*2=7s", "there is no 7S in this deck: a card is a rank and one of O, C, E, B, as 5O"),
        ("*2=t", "there is no T in this deck: a card is a rank and one of O, C, E, B, as 5O"),
        ("**", "you have only one joker"),
        ("7 8 *", "one to four cards of one rank, please"),
        ("*=5 2=6", "one to four cards of one rank, please"),
    ],
)
def test_what_a_wild_card_cannot_stand_for_is_told(line, said):
    assert parse(line, holding(WILD, "7O", "8O", "2C", "*2")) == Mistake(said)


class TestAuto:
    """Wild cards complete what is short of cards, and stand for the strongest when they are alone."""

    def test_answers_with_what_is_whole_before_what_a_wild_card_completes(self):
        view = holding(WILD, "8O", "10O", "10C", "*1", top=["7O", "7C"])
        assert attempts(view) == [Play(("10C", "10O")), Play(("8O", "*1=8C")), Simple("pass")]

    def test_wild_cards_alone_are_the_strongest_in_the_present_order(self):
        assert attempts(holding(WILD, "*1", "*2")) == [Play(("*1=2O",))]
        assert attempts(holding(WILD, "*1", top=["7O"])) == [Play(("*1=2O",)), Simple("pass")]
        turned = attempts(holding(WILD, "*1", top=["7O"], revolution=True))
        assert turned == [Play(("*1=3O",)), Simple("pass")]

    def test_a_joker_that_is_high_is_played_bare(self):
        settings = presi(jokers=1, joker="high")
        assert attempts(holding(settings, "*1", top=["2C"])) == [Play(("*1",)), Simple("pass")]

    def test_the_two_of_coins_takes_what_nothing_else_does(self):
        assert attempts(holding(presi(), "2O", "3O", top=["1O", "1C"])) == [Play(("2O",)), Simple("pass")]
        assert attempts(holding(presi(killer=False), "2O", "3O", top=["1O", "1C"])) == [Simple("pass")]


def test_a_play_and_a_turn_in_words():
    assert words.cards(["7O", "*1=7C", "2C=7E"]) == "7 7(*) 7(2)"
    teller = Teller(seat=0)
    run = parse_event(played(21, 1, ["9S"], 20, revolution=True, order=[2, 1, 0]))
    [line] = teller.tell(run, parse_view(racing()))
    assert line.endswith(" · REVOLUTION, and the direction turns")
    escoria = SETTINGS | {"ruleset": "escoria", "options": {"turning": "run"}}
    assert "REVOLUTION: A is high" in status(parse_view(racing(settings=escoria, revolution=True)), 9.8)[0]
