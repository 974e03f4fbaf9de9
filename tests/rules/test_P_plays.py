"""RULES 2.2: plays and passes."""

import pytest

from rapid.engine import events as ev
from tests.rules.table import dealt

HANDS = ("3S 3H 3D 3C 7S 7H", "5S 5H 5D 5C 9S", "4S 8H 8D 2C", "6S 6H JD JC")


@pytest.mark.parametrize("cards", ["7S", "7S 7H", "3S 3H 3D", "3S 3H 3D 3C"])
def test_P1_any_combination_opens(cards):
    table = dealt(*HANDS).play(0, cards)
    assert table.types == "played"
    assert set(table.the(ev.Played).cards) == set(cards.split())


@pytest.mark.parametrize(
    "cards, why",
    [
        ("3S 7S", "not_a_combination"),
        ("3S 3H 3D 3C 7S", "not_a_combination"),
        ("", "not_a_combination"),
        ("3S 3S", "not_your_cards"),
        ("5S", "not_your_cards"),
        ("XX", "not_your_cards"),
        ("*1", "not_your_cards"),
    ],
)
def test_P1_what_is_no_combination_of_the_hand(cards, why):
    assert dealt(*HANDS).play(0, cards).why == why


@pytest.mark.parametrize(
    "top, answer, why",
    [
        ("5S", "7S", None),
        ("5S 5H", "7S 7H", None),
        ("5S", "7S 7H", "wrong_count"),
        ("5S 5H", "7S", "wrong_count"),
        ("5S 5H 5D", "7S 7H", "wrong_count"),
        ("5S", "3S", "too_weak"),
        ("9S", "7S", "too_weak"),
        ("5S 5H", "3S 3H", "too_weak"),
        ("9S", "7S 7H", "wrong_count"),
    ],
)
def test_P1_a_response_has_the_count_and_at_least_the_rank(top, answer, why):
    table = dealt(*HANDS).play(1, top).play(0, answer)
    assert table.why == why
    assert table.types == ("" if why else "played")


def test_P1_one_rank_below_is_too_weak():
    assert dealt(*HANDS).play(1, "9S").play(2, "8H").why == "too_weak"


@pytest.mark.parametrize("variants", [(), ("revolution", "four_closes", "strongest_closes", "finish_with_two")])
@pytest.mark.parametrize("top, answer", [("9S", "9H"), ("9S 9D", "9H 9C")])
def test_P1_equal_rank_is_always_legal(variants, top, answer):
    table = dealt("9S 9D 3S", "9H 9C 3H", "KS KH", variants=variants)
    assert table.play(0, top).play(1, answer).last[0].cards == tuple(answer.split())


@pytest.mark.parametrize("cards", ["3S 4S 5S", "3S 4S", "3S 4H 5D 6C"])
def test_P2_no_straights(cards):
    table = dealt("3S 4S 5S 4H 5D 6C", "KS", "KH")
    assert table.play(0, cards).why == "not_a_combination"


@pytest.mark.parametrize("top, why", [("4S", "wrong_count"), ("6S 6H", "wrong_count")])
def test_P2_four_of_a_kind_answers_only_four(top, why):
    seat = 2 if top == "4S" else 3
    assert dealt(*HANDS).play(seat, top).play(1, "5S 5H 5D 5C").why == why


def test_P2_four_answers_four():
    table = dealt(*HANDS).play(0, "3S 3H 3D 3C").play(1, "5S 5H 5D 5C")
    assert table.types == "played"


def test_P3_passing_is_allowed_with_a_legal_response():
    assert dealt(*HANDS).play(0, "7S").pass_(1).types == "passed"


@pytest.mark.parametrize("seat", range(4))
def test_P3_an_empty_trick_cannot_be_passed(seat):
    assert dealt(*HANDS).pass_(seat).why == "empty_trick"


def test_P4_a_pass_binds_until_the_next_trick_opens():
    table = dealt(*HANDS).play(0, "3S").pass_(1)
    assert table.play(1, "5S").why == "already_passed"
    assert table.pass_(1).why == "already_passed"
    assert table.play(2, "4S").play(1, "9S").why == "already_passed"
    assert table.pass_(3).pass_(0).closing == "passed"
    assert table.play(1, "5S").types == "played"


def test_P5_the_round_ends_when_one_seat_holds_cards():
    table = dealt("3S", "4S", "5S 5H 5D")
    assert table.play(0, "3S").types == "played finished"
    assert table.play(1, "4S").types == "played finished trick_closed round_ended"
    assert table.state.phase == "results"


ILLEGAL = [
    (1, "3S"),  # not held
    (0, "3S 7S"),  # no combination
    (0, "3S 3H"),  # wrong count
    (0, "3S"),  # too weak
]


@pytest.mark.parametrize("seat, cards", ILLEGAL)
def test_P6_an_illegal_attempt_changes_nothing(seat, cards):
    table = dealt(*HANDS).play(3, "6S")
    before = table.state
    table.play(seat, cards)
    assert table.why is not None
    assert table.last == ()
    assert table.state == before


@pytest.mark.parametrize("seat, cards", ILLEGAL)
def test_P6_an_illegal_attempt_costs_nothing(seat, cards):
    table = dealt(*HANDS).play(3, "6S").play(seat, cards)
    right = {0: "7S", 1: "9S"}[seat]
    assert table.play(seat, right).types == "played"
