"""Document 000 (Presi), sentence by sentence where it gives an example or a number; clauses are in test_3_presi."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.test_3_presi_second import in_exchange, presi, seated

# "On a pair of sevens you can play another pair of sevens or a pair of eights, but not three cards or a single seven.
# The only exception is the two of coins played on its own."
PAIR_HANDS = ("7O 7C 11O", "7E 7B 8E 8B 8C 2O", "9C 9E 9B")


@pytest.mark.parametrize("cards", ["7E 7B", "8E 8B", "8C 8B", "2O"])
def test_3_4_on_a_pair_of_sevens(cards):
    assert presi(*PAIR_HANDS).play(0, "7O 7C").play(1, cards).why is None


@pytest.mark.parametrize("cards", ["8E 8B 8C", "7E", "8E"])
def test_3_4_on_a_pair_of_sevens_not(cards):
    assert presi(*PAIR_HANDS).play(0, "7O 7C").play(1, cards).why == "wrong_count"


# "For example, with four players: you lead a five, the next player plays another five and the third loses their turn,
# so it is the fourth player's go."
def test_3_4_five_five_skip():
    table = presi("5O 10O", "5C 10C", "11O 11C", "12O 12C").play(0, "5O").play(1, "5C")
    assert table.types == "played skipped turn_began"
    assert (table.the(ev.Skipped).seat, table.turn) == (2, 3)


# "A skipped player has not passed" - and so can play "if the trick goes on and the turn comes back to them".
def test_3_4_a_skipped_player_can_play_when_the_turn_comes_back():
    table = presi("5O 10O", "5C 10C", "11O 11C", "7O 12C").play(0, "5O").play(1, "5C").play(3, "7O").passes(0, 1)
    assert table.turn == 2
    assert table.play(2, "11O").why is None


# "The trick ends when the turn comes back to whoever made the last play without anyone beating it."
def test_T4_the_trick_ends_when_the_turn_comes_back():
    table = presi("5O 10O", "6C 10C", "11O 11C").play(0, "5O").passes(1, 2)
    assert (table.closing, table.turn) == ("passed", 0)


# "If a play leaves you with no cards, the trick closes at that moment and the next player who still has cards leads."
def test_3_7_a_play_that_leaves_you_with_no_cards():
    table = presi("5O 10O", "6C", "11O 11C").play(0, "5O").play(1, "6C")
    assert (table.closing, table.turn) == ("finish", 2)


# "With five players it does not come out even and three of them get one card more; each hand the deal starts one seat
# further on."
@pytest.mark.parametrize("round_, longer", [(1, {0, 1, 2}), (2, {1, 2, 3}), (4, {3, 4, 0}), (6, {0, 1, 2})])
def test_3_2_five_players(round_, longer):
    table = seated(5, ruleset="presi", target=99, bots=4).send(do.Start(seat=0))
    while table.all(ev.Dealt)[-1].round < round_:
        if table.state.phase == "results":
            table.send(do.NextRound(seat=0))
        else:
            table.ran_out()
    hands = table.all(ev.Dealt)[-1].hands
    assert {int(seat) for seat, cards in hands.items() if len(cards) == 10} == longer


# "Everyone chooses from the cards they were dealt, without knowing what they will receive, and confirms."
def test_3_9_everyone_chooses_from_the_cards_they_were_dealt():
    hands = {0: "3O 3C 1O", 1: "7O 8O 9O", 2: "2O 2C 4O"}
    table = in_exchange((0, 1, 2), hands, ruleset="presi").give(2, "2O 2C")
    assert table.hand(0) == {"3O", "3C", "1O"}
    assert table.give(0, "3O 3C").types == "given exchange_closed trick_opened turn_began"
    assert (table.hand(0), table.hand(2)) == ({"1O", "2O", "2C"}, {"4O", "3O", "3C"})


# "Then the Culo leads."
def test_3_3_then_the_culo_leads():
    table = in_exchange((2, 0, 1), ruleset="presi").ran_out()
    assert table.turn == 1
