"""The stand-in where cards are wild (RULES 6, 8): it keeps them, and takes the fewest of them, the weakest first."""

import pytest

from rapid.rules.plays import named
from rapid.rules.standin import standin_answer, standin_opening
from tests.unit.rules.test_plays import BOTH, HIGH_JOKERS, TWOS_AND_HIGH, WILD_JOKERS, WILD_TWOS, hand_of, presi

NO_KILLER = presi(wild_twos=True, killer=False)
STRICT = presi(jokers=4, joker="wild", must_beat=True)


@pytest.mark.parametrize(
    "rules, hand, turned, laid",
    [
        (WILD_JOKERS, "3O 3C 5O *1", False, "3O 3C"),
        (WILD_JOKERS, "5O *1", True, "5O"),
        (WILD_JOKERS, "*1 *3", False, "*1=2O *3=2C"),  # as the strongest rank
        (WILD_JOKERS, "*1", True, "*1=3O"),
        (WILD_TWOS, "2O 2C 5O", False, "5O"),
        (WILD_TWOS, "2C 12O", True, "12O"),  # the twos would be the weakest
        (WILD_TWOS, "2O 2C", False, "2O 2C"),
        (BOTH, "2C *1 *2", False, "2C"),
        (TWOS_AND_HIGH, "2C *1", False, "*1"),  # a joker that is not wild is a card like others
        (HIGH_JOKERS, "3O *1 *2", True, "3O"),
    ],
)
def test_opening(rules, hand, turned, laid):
    assert set(named(rules, *standin_opening(rules, hand_of(rules, hand), reversed_=turned))) == set(laid.split())


@pytest.mark.parametrize(
    "rules, hand, top, turned, laid",
    [
        (WILD_JOKERS, "7O 9O *1", "6 1", False, "7O"),
        (WILD_JOKERS, "7O 7C *1", "6 1", False, "7O"),  # rather breaks a set
        (WILD_JOKERS, "4O *1 *2", "6 1", False, "*1=6O"),  # the weakest rank that is legal
        (STRICT, "4O *1 *2", "6 1", False, "*1=7O"),
        (STRICT, "4O *1", "2 1", False, None),
        (WILD_JOKERS, "9O 7O *1", "6 2", False, "7O *1=7C"),
        (WILD_JOKERS, "4O 7O 7C *1 *2", "6 3", False, "7O 7C *1=7E"),
        (WILD_JOKERS, "4O 8O 7O *1 *2", "7 3", False, "7O *1=7C *2=7E"),
        (WILD_JOKERS, "4O *1 *2 *3", "12 3", False, "*1=12O *2=12C *3=12E"),
        (WILD_JOKERS, "4O *1 *2", "12 3", False, None),
        (WILD_JOKERS, "4O 12O *1", "6 2", True, "4O *1=4C"),
        (WILD_JOKERS, "3C 2O *1", "12 2", False, "2O"),  # the killer is a plain card
        (WILD_JOKERS, "3C 2O *1", "12 1", False, "2O"),  # plain cards first, the killer too
        (WILD_TWOS, "9O 2C 2B", "6 2", False, "9O 2C=9C"),
        (WILD_TWOS, "4O 2O 2B", "6 1", False, "2B=6O"),  # the killer is the last of the twos
        (WILD_TWOS, "4O 2O", "6 1", False, "2O"),
        (WILD_TWOS, "4O 2O", "6 3", False, "2O"),  # against any count
        (NO_KILLER, "4O 2O", "6 3", False, None),
        (NO_KILLER, "4O 2O 2B", "6 1", False, "2O=6O"),
        (WILD_TWOS, "4O 2C 2E", "2 2", False, "2C 2E"),
        (BOTH, "4O 2E *1", "6 1", False, "2E=6O"),  # a two before a joker
        (BOTH, "4O 2E *1", "2 2", False, "2E *1=2O"),
        (TWOS_AND_HIGH, "4O 2C *1", "6 1", False, "*1"),
        (TWOS_AND_HIGH, "4O 2C *1", "* 2", False, None),  # nothing stands for a joker
        (TWOS_AND_HIGH, "4O 2O 2C", "* 1", False, "2O"),  # but the killer wins
    ],
)
def test_answer(rules, hand, top, turned, laid):
    rank, count = top.split()
    ranks = [*rules.deck.ranks, "*"]
    found = standin_answer(rules, hand_of(rules, hand), (ranks.index(rank), int(count)), reversed_=turned)
    assert (found and set(named(rules, *found))) == (set(laid.split()) if laid else None)
