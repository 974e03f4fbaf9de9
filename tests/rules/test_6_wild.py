"""RULES 6: three, jokers, wild cards and turning at other tables of `presi`; what is wild says what it stands for."""

import pytest

from rapid.engine import events as ev
from tests.rules.table import in_exchange, started
from tests.rules.test_3_presi_second import presi

WILD = {"jokers": 2, "joker": "wild"}
HIGH = {"jokers": 2}
TWOS = {"wild_twos": True}


def answer(led, cards, *, others="", variants=(), **options):
    """Why seat 1 may not answer so, None if it may; both keep a card."""
    held = " ".join(card.partition("=")[0] for card in cards.split())
    hands = (f"{led} 4C", f"{held} {others} 5C", "6C 7B", "8C 9C")
    return presi(*hands, options=options, variants=variants).play(0, led).play(1, cards).why


# "at some tables the 3 is the second highest card, below the 2"
@pytest.mark.parametrize(
    "led, cards, why",
    [("1O", "3C", None), ("2C", "3C", "too_weak"), ("3C", "2C", None), ("3C", "1O", "too_weak"), ("4O", "3C", None)],
)
def test_6_three_below_the_two(led, cards, why):
    assert answer(led, cards, three="below_two") == why


# "some tables add jokers above the twos"
@pytest.mark.parametrize(
    "led, cards, why",
    [
        ("2C", "*1", None),
        ("*1", "2C", "too_weak"),
        ("*1", "*2", None),
        ("2C 2E", "*1", "wrong_count"),
        ("2C 2E", "*1 *2", None),
        ("*1", "2O", None),
        ("7O 7C", "7E *1", "not_a_combination"),
        ("7O 7C", "7E *1=7B", "not_a_combination"),
    ],
)
def test_6_jokers_above_the_twos(led, cards, why):
    assert answer(led, cards, **HIGH) == why


@pytest.mark.parametrize("jokers", [0, 1, 4])
def test_6_jokers_are_dealt(jokers):
    names = started(4, ruleset="presi", options={"jokers": jokers}).state.rules.deck.names
    assert [name for name in names if name.startswith("*")] == [f"*{number + 1}" for number in range(jokers)]


def test_6_jokers_stay_above_all_in_a_turned_order():
    hands = ("7O 7C 7E 7B 3C 5B", "*1 4B", "6C 8B")
    table = presi(*hands, options={**HIGH, "turning": "order"}).play(0, "7O 7C 7E 7B").passes(1, 2).play(0, "3C")
    assert table.play(1, "*1").why is None


# "or use them to complete any play"
@pytest.mark.parametrize(
    "led, cards, why",
    [
        ("7O 7C", "8E *1=8B", None),
        ("7O 7C", "6E *1=6B", "too_weak"),
        ("7O 7C", "8E *1=9B", "not_a_combination"),
        ("7O 7C", "8E *1", "not_a_combination"),
        ("7O 7C", "*1=12O *2=12C", None),
        ("7O 7C 7E", "8E *1=8B *2=8C", None),
        ("7O", "*1=7B", None),
        ("7O", "*1", "not_a_combination"),
        ("7O", "*1=*2", "not_a_combination"),
        ("7O", "*1=13O", "not_a_combination"),
        ("7O", "8E=9E", "not_a_combination"),
        ("12O", "*1=2O", None),
    ],
)
def test_6_joker_wild_completes_any_combination(led, cards, why):
    assert answer(led, cards, **WILD) == why


def test_6_joker_wild_at_most_four_cards():
    hands = ("8O 8C 8E 8B *1 3C", "5C 5O", "6C 7B")
    assert presi(*hands, options=WILD).play(0, "8O 8C 8E 8B *1=8O").why == "not_a_combination"


def test_6_joker_wild_may_be_led_as_any_rank():
    table = presi("*1 3C", "5C 4O", "6C 7B", options=WILD).play(0, "*1=5O")
    assert table.the(ev.Played).cards == ("*1=5O",)
    assert table.play(1, "4O").why == "too_weak"
    # An equal rank, which skips the next.
    assert (table.play(1, "5C").types, table.turn) == ("played skipped turn_began", 0)


def test_6_joker_wild_as_the_two_of_coins_is_no_killer():
    table = presi("7O 7C 3C", "*1 5C", "6C 8B", options=WILD).play(0, "7O 7C")
    assert table.play(1, "*1=2O").why == "wrong_count"


@pytest.mark.parametrize("options", [WILD, TWOS])
def test_6_four_of_a_kind_with_wild_cards_turns_the_order(options):
    wild = "*1" if options is WILD else "2C"
    hands = (f"7O 7C 7E {wild} 3C", "8O 4B", "6C 8B")
    table = presi(*hands, options={**options, "turning": "order"}).play(0, f"7O 7C 7E {wild}=7B")
    assert table.the(ev.Played).revolution is True


# "at others the twos are wild"
@pytest.mark.parametrize(
    "led, cards, why",
    [
        ("7O 7C", "8E 2C=8B", None),
        ("7O 7C", "6E 2C=6B", "too_weak"),
        ("7O 7C", "8E 2C", "not_a_combination"),
        ("7O 7C", "2C 2E", None),
        ("7O 7C", "2C=9O 2E=9C", None),
        ("7O", "2C", None),
        ("7O", "2C=2E", "not_a_combination"),
        ("2C", "2E=12O", "too_weak"),
    ],
)
def test_6_wild_twos(led, cards, why):
    assert answer(led, cards, **TWOS) == why


@pytest.mark.parametrize("cards", ["2O", "2O=4C"])
def test_6_wild_twos_the_two_of_coins_alone_wins_any_trick(cards):
    table = presi("7O 7C 3C", "2O 5C", "6C 8B", options=TWOS).play(0, "7O 7C").play(1, cards)
    assert (table.closing, table.turn) == ("killer", 1)


def test_6_wild_twos_with_others_the_two_of_coins_is_wild_too():
    table = presi("7O 7C 3C", "8C 2O 5C", "6C 8B", options=TWOS).play(0, "7O 7C").play(1, "8C 2O=8B")
    assert (table.why, table.closing) == (None, None)


def test_6_wild_cards_are_seen_as_they_were_laid():
    table = presi("7O 3C", "*1 5C", "6C 8B", options=WILD).play(0, "7O").play(1, "*1=9C")
    assert table.view(None).trick.plays[-1].cards == ("*1=9C",)
    assert table.hand(1) == {"5C"}


# "four of a kind reverses the order of the cards, and sometimes the direction of play too"
FOURS = ("7O 7C 7E 7B 9O 3C", "5O 5C 5E 5B 11B", "6O 6C 6E 6B 11O", "12O 10B")


@pytest.mark.parametrize("turning, way", [("order", [0, 1, 2, 3]), ("order_and_direction", [0, 3, 2, 1])])
def test_6_turning(turning, way):
    table = presi(*FOURS, options={"turning": turning}).play(0, "7O 7C 7E 7B")
    assert table.the(ev.Played).revolution is True
    assert table.turn == way[1]
    order = table.view(None).order
    assert [*order[order.index(0) :], *order[: order.index(0)]] == way
    seat = table.turn if table.turn == 1 else table.pass_(3).turn
    assert table.play(seat, {1: "5O 5C 5E 5B", 2: "6O 6C 6E 6B"}[seat]).the(ev.Played).revolution is False
    # Seat 3 has passed.
    assert table.turn == {1: 2, 2: 0}[seat]


def test_6_turning_off_four_of_a_kind_turns_nothing():
    assert presi(*FOURS).play(0, "7O 7C 7E 7B").the(ev.Played).revolution is False


def test_6_turning_the_killer_wins_in_a_turned_order_too():
    hands = ("7O 7C 7E 7B 3C 9O", "2O 11B", "6O 11O")
    table = presi(*hands, options={"turning": "order"}).play(0, "7O 7C 7E 7B").passes(1, 2).play(0, "3C").play(1, "2O")
    assert table.closing == "killer"


@pytest.mark.parametrize("options", [HIGH, WILD])
def test_6_in_the_exchange_a_joker_is_best_of_all_then_the_two_of_coins(options):
    hands = {0: "3O 3C 1O", 1: "7O 8O 9O", 2: "*1 2O 2C"}
    table = in_exchange((0, 1, 2), hands, ruleset="presi", options=options)
    assert table.give(2, "2O 2C").why == "wrong_cards"
    assert table.give(2, "*1 2C").why == "wrong_cards"
    assert table.give(2, "*1 2O").why is None


def test_6_the_stand_in_keeps_wild_cards():
    table = presi("7O 3C", "*1 12C 5C", "6C 8B", options=WILD).play(0, "7O").ran_out()
    assert table.the(ev.Played).cards == ("12C",)
    table = presi("7O 7C 3C", "*1 12C 5C", "6C 8B", options=WILD).play(0, "7O 7C").ran_out()
    assert [card.partition("=")[0] for card in table.the(ev.Played).cards] == ["12C", "*1"]
