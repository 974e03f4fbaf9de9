"""Wild cards as the verifier reads them (RULES 6): what may be said, what a hand can make, what a stand-in lays."""

import json
from dataclasses import replace

import pytest

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.replay import standin, wild
from rapid.engine.replay.cards import bare, rank_of
from rapid.engine.replay.rulebook import RULEBOOKS
from rapid.engine.replay.trick import Play, TrickState, has_legal
from rapid.engine.replay.verify import verify_lines

PLAIN = RULEBOOKS["presi"]
JOKERS = replace(PLAIN, deck=replace(PLAIN.deck, jokers=2, has_wild_jokers=True))
TWOS = replace(PLAIN, has_wild_twos=True)
BOTH = replace(JOKERS, has_wild_twos=True)


def state(cards, *, is_turned=False):
    laid = tuple(cards.split())
    return TrickState(Play(9, laid, rank_of(laid[0])), is_turned, frozenset())


def test_a_card_and_what_it_stands_for():
    assert (bare("*1=12O"), rank_of("*1=12O")) == ("*1", "12")
    assert (bare("12O"), rank_of("12O")) == ("12O", "12")


@pytest.mark.parametrize(
    "book, cards, is_one",
    [
        (JOKERS, "7O *1=7C", True),
        (JOKERS, "*1=7O *2=7O", True),
        (JOKERS, "*1", False),
        (JOKERS, "7O *1=8C", False),
        (JOKERS, "7O 8O=7C", False),
        (JOKERS, "*1=*2", False),
        (JOKERS, "*1=13O", False),
        (JOKERS, "*1=7O *1=7C", False),
        (JOKERS, "7O 7C 7E 7B *1=7O", False),
        (JOKERS, "2O=7C", False),
        (PLAIN, "*1=7O", False),
        (TWOS, "2C", True),
        (TWOS, "2C 2E", True),
        (TWOS, "2C=7O 7E", True),
        (TWOS, "2C=2E", False),
        (TWOS, "2C 7O", False),
        (BOTH, "2C *1=2E", True),
    ],
)
def test_what_is_a_combination(book, cards, is_one):
    assert wild.is_combination(book, cards.split()) is is_one


@pytest.mark.parametrize(
    "book, hand, top, legal",
    [
        (JOKERS, "3O *1", "12O", True),
        (JOKERS, "3O *1", "12O 12C", False),
        (JOKERS, "12E *1", "12O 12C", True),
        (TWOS, "3O 2C", "12O", True),
        (TWOS, "1O 2C", "12O 12C", True),
        (TWOS, "3O 2O", "12O 12C", True),
        (PLAIN, "3O 2C", "12O 12C", False),
    ],
)
def test_whether_a_hand_holds_an_answer(book, hand, top, legal):
    assert has_legal(book, state(top), hand.split()) is legal


@pytest.mark.parametrize(
    "book, hand, top, due",
    [
        (JOKERS, "8O *1", "7O", "8O"),
        (JOKERS, "8O 8C *1", "7O", "8O"),
        (JOKERS, "6O *1", "7O", "*1=7O"),
        (JOKERS, "6O 9C *1 *2", "7O 7C", "9C *1=9O"),
        (TWOS, "6O 2C 2O", "7O", "2C=7O"),
        (TWOS, "6O 2O", "7O", "2O"),
        (TWOS, "9O 2C 2O", "7O 7C", "9O 2C=9O"),
        (BOTH, "9O *1 2C", "7O 7C", "9O 2C=9O"),
        (JOKERS, "6O", "7O", ""),
    ],
)
def test_8_the_stand_in_keeps_wild_cards(book, hand, top, due):
    assert standin.response(book, set(hand.split()), state(top)) == set(due.split())


@pytest.mark.parametrize(
    "book, hand, due",
    [
        (JOKERS, "4O 4C *1", "4O 4C"),
        (JOKERS, "*1 *2", "*1=2O *2=2O"),
        (TWOS, "2C 2E 9O", "9O"),
        (BOTH, "2C 2E *1", "2C 2E"),
    ],
)
def test_8_the_stand_in_opens_without_wild_cards(book, hand, due):
    assert standin.opening(book, set(hand.split()), is_turned=False) == set(due.split())


def changed(line, change):
    event = json.loads(line)
    event["cards"] = [change(card) for card in event["cards"]]
    return json.dumps(event)


@pytest.mark.parametrize(
    "change",
    [lambda card: card.partition("=")[0], lambda card: card.partition("=")[0] + "=13O", lambda card: "*3" + card[2:]],
)
def test_a_wild_card_that_says_something_else_is_found_where_it_stands(change):
    options = {"jokers": 2, "joker": "wild"}
    lines = list(simulate(SimulateOptions(ruleset="presi", seats=4, options=options, seed=3)))
    at = next(at for at, line in enumerate(lines) if '"*1=' in line)
    lines[at] = changed(lines[at], lambda card: change(card) if card.startswith("*1") else card)
    (report,) = verify_lines(lines)
    assert (report.ok, report.seq) == (False, at)
