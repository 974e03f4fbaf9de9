"""Whose turn comes next, and who leads: small functions of small arguments (T1-T4, P7)."""

import pytest

from rapid.cards.cardset import parse_cards
from rapid.cards.deck import FRENCH_52
from rapid.rules.presets import HOUSE, PRESIDENT
from rapid.rules.turns import next_in_trick, next_leader, round_leader

ORDER = (0, 2, 3, 5)
ALL = 0b101101


@pytest.mark.parametrize(
    "after, last_player, in_trick, seat",
    [
        (0, 0, ALL, 2),
        (5, 5, ALL, 0),  # round the table
        (2, 0, ALL, 3),
        (5, 0, ALL, None),  # T4: back at the last player's chair
        (0, 0, ALL & ~0b100, 3),  # seat 2 has passed
        (0, 0, 0b000001, None),  # nobody else is left
        (3, 5, ALL, None),  # the chair counts, with or without cards
        (3, 5, ALL & ~0b100000, None),
        (0, 5, 0b001001, 3),
    ],
)
def test_the_next_seat_in_the_trick(after, last_player, in_trick, seat):
    assert next_in_trick(ORDER, after, last_player, in_trick) == seat


def test_turns_follow_the_play_order_whatever_the_seats_numbers():
    assert next_in_trick((5, 0, 3, 2), 0, 5, ALL) == 3


@pytest.mark.parametrize("holding, seat", [(ALL, 2), (ALL & ~0b100, 3), (0b000001, 0)])
def test_P7_the_last_player_leads_or_the_next_behind_it_with_cards(holding, seat):
    assert next_leader(ORDER, 2, holding) == seat


def test_T1_T2_who_leads_a_round():
    hands = [parse_cards(FRENCH_52, cards.split()) for cards in ("3S QS", "4S QH", "5S")]
    assert round_leader(PRESIDENT, 1, (0, 1, 2), hands, ()) == 1
    assert round_leader(PRESIDENT, 2, (0, 1, 2), hands, (1, 0, 2)) == 2


def test_4_2_the_seat_left_of_the_dealer_leads_and_later_the_president():
    assert round_leader(HOUSE, 1, ORDER, (), ()) == 0
    assert round_leader(HOUSE, 2, ORDER, (), (3, 0, 2, 5)) == 3
