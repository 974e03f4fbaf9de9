"""Bots in turn mode: they act when it is their turn, and as the turn allows (T3, P3, V5)."""

import pytest

from rapid.bots.dice import Dice
from rapid.bots.policy import choose
from rapid.engine import intents as do
from tests.rules.table import dealt

LEVELS = ("easy", "normal", "hard")


def turns(*hands, level="normal", variants=(), **fields):
    return dealt(*hands, variants=variants, mode="turns", bots=len(hands) - 1, bot_level=level, **fields)


@pytest.mark.parametrize("level", LEVELS)
def test_it_does_nothing_before_its_turn(level):
    table = turns("QH 3S", "4S 6S 9S", "5S KD", level=level).play(0, "3S")
    assert table.view(1).turn == 1
    assert choose(table.view(2), Dice(1)) is None
    assert choose(table.view(1), Dice(1)) is not None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(12))
def test_a_bound_turn_is_that_rank_or_a_pass(level, seed):
    table = turns("QH 7S 3S", "7H 7D 9S KD", "5S KC", "4S 4H", level=level, variants=["skip"])
    table.play(0, "7S").play(1, "7H", by="bot")
    assert (table.view(2).turn, table.view(2).must_rank) == (3, None)  # seat 2 holds no seven
    table = turns("QH 7S 3S", "7H 9S KD", "7D 8S KC", "4S 4H", level=level, variants=["skip"])
    table.play(0, "7S").play(1, "7H", by="bot")
    assert table.view(2).must_rank == "7"
    move = choose(table.view(2), Dice(seed))
    assert isinstance(move, do.Pass) or move.cards == ("7D",)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(6))
def test_a_leader_always_plays(level, seed):
    """P3; twos only, under V4: in the race the best bots would wait for another to open."""
    table = turns("3S QC", "QH 2S 2H", "5S KC", level=level, variants=["finish_with_two"])
    table.play(1, "QH", by="bot").pass_(2, by="bot").pass_(0)
    assert table.view(1).turn == 1
    move = choose(table.view(1), Dice(seed))
    assert isinstance(move, do.Play)
    assert set(move.cards) <= {"2S", "2H"}
