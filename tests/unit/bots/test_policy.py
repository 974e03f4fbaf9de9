"""What each level does with a given hand."""

import random

import pytest

from rapid.bots.dice import Dice, between
from rapid.bots.policy import choose
from rapid.engine import intents as do
from tests.rules.table import dealt, in_exchange


def move_of(hand, *, level="hard", top=None, variants=(), seed=1, others="KH KD QS QD"):
    """What a bot at seat 1 does, after seat 0 has laid `top`."""
    table = dealt(f"{top or 'QC'} AC AD", hand, others, variants=variants, bots=2, bot_level=level)
    if top:
        table.play(0, top)
    return choose(table.view(1), Dice(seed))


def cards_of(move):
    return set(move.cards) if isinstance(move, do.Play) else None


@pytest.mark.parametrize(
    "hand, top, cards",
    [
        ("3S 8H 2D", None, "3S"),
        ("3S 3H KS 2D", None, "3S 3H"),
        ("6S 9H 2D", "5C", "6S"),
        ("4S 9H 2D", "8C", "9H"),
        ("9H", "8C", "9H"),
        ("9H 9S", "8C 8D", "9H 9S"),
    ],
)
def test_hard_lays_what_is_hardest_to_lose_later(hand, top, cards):
    assert cards_of(move_of(hand, top=top)) == set(cards.split())


def test_hard_keeps_a_weak_pair_together():
    assert isinstance(move_of("5S 5H 3S 4D 4H", top="4C"), do.Pass)


def test_hard_races_on_its_own_play():
    table = dealt("QC AC", "4S 6S 9S", "KH KD", bots=2, bot_level="hard")
    table.play(1, "4S", by="bot")
    assert cards_of(choose(table.view(1), Dice(1))) == {"6S"}


@pytest.mark.parametrize("level", ["easy", "normal"])
def test_the_others_wait_on_their_own_play(level):
    table = dealt("QC AC", "4S 6S 9S", "KH KD", bots=2, bot_level=level)
    table.play(1, "4S", by="bot")
    assert choose(table.view(1), Dice(1)) is None


def test_hard_turns_the_order_when_its_hand_gains():
    assert cards_of(move_of("2S 2H 2D 2C 3S 4S", variants=["revolution"])) == {"2S", "2H", "2D", "2C"}
    kept = move_of("KS KC KD KH 2S 2H 2D AS AH", variants=["revolution"], others="3H 3D 9S 9D")
    assert cards_of(kept) not in (None, {"KS", "KC", "KD", "KH"})  # its 2s and aces would be the weakest


@pytest.mark.parametrize(
    "hand, top, cards",
    [
        ("2S 9H", None, "2S"),  # the 2 must go first
        ("2S 2H 9H", None, "2S 2H"),
        ("2S", "8C", None),
        ("2S 2H", "8C 8D", None),
        ("2S 9H", "8C", "2S"),
        ("9H", "8C", "9H"),
    ],
)
def test_hard_knows_that_a_two_must_not_be_last(hand, top, cards):
    found = cards_of(move_of(hand, top=top, variants=["finish_with_two"]))
    assert found == (set(cards.split()) if cards else None)


def test_without_that_variant_a_two_may_be_last():
    assert cards_of(move_of("2S", top="8C")) == {"2S"}


def test_normal_does_not_break_a_weak_pair_while_it_has_many_cards():
    assert isinstance(move_of("5S 5H 3S 3H 4D 4H", top="4C", level="normal"), do.Pass)
    assert cards_of(move_of("5S 5H", top="4C", level="normal")) == {"5S"}


def test_easy_errs_now_and_then_but_always_legally():
    moves = [move_of("6S 9H 2D", top="5C", level="easy", seed=seed) for seed in range(200)]
    kinds = {(type(move), cards_of(move) and min(cards_of(move))) for move in moves}
    assert kinds == {(do.Pass, None), (do.Play, "6S"), (do.Play, "9H"), (do.Play, "2D")}
    assert sum(cards_of(move) == {"6S"} for move in moves) > 120


@pytest.mark.parametrize("level", ["easy", "normal", "hard"])
@pytest.mark.parametrize("hand", ["3S 5H 5D KS", "3S 3H 2D 2C", "3S 4S 5S 6S 7S"])
def test_in_an_exchange_it_returns_cards_it_holds(level, hand):
    hands = {0: "6H 7H 8H", 1: hand, 2: "9S 9H TS"}
    table = in_exchange((1, 0, 2), hands, bots=2, bot_level=level)
    move = choose(table.view(1), Dice(1))
    assert isinstance(move, do.Give)
    assert (len(move.cards), move.round) == (2, 2)
    assert set(move.cards) <= table.hand(1)


def test_hard_returns_weak_cards_but_no_half_of_a_pair():
    table = in_exchange((1, 0, 2), {0: "6H 7H 8H", 1: "3S 4S 5H 5D", 2: "9S 9H TS"}, bots=2, bot_level="hard")
    assert set(choose(table.view(1), Dice(1)).cards) == {"3S", "4S"}


def test_dice_are_the_same_everywhere():
    dice = Dice("rapid", 1)
    assert [round(dice.random(), 12) for _ in range(3)] == [0.471622654602, 0.744738079261, 0.731475922464]


def test_any_rng_with_random_will_do():
    table = dealt("QC AC", "4S 6S 9S", "KH KD", bots=2, bot_level="easy")
    assert choose(table.view(1), random.Random(1)) is not None


def test_between_reaches_both_ends_and_nothing_else():
    dice = Dice(3)
    assert {between(dice, 2, 5) for _ in range(500)} == {2, 3, 4, 5}
