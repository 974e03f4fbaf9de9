"""The small parts by themselves, against values worked out by hand or by another program."""

import ast
import hashlib
from pathlib import Path

import pytest

import rapid.engine.replay
from rapid.engine.replay import scoring, standin
from rapid.engine.replay.cards import FRENCH
from rapid.engine.replay.rulebook import RULEBOOKS
from rapid.engine.replay.shuffle import commitment, deal_key, dealt_round, opening_seat, shuffled
from rapid.engine.replay.trick import Play, TrickState

PRESIDENT = RULEBOOKS["president"]
SECRET = "00" * 32


def test_it_is_a_reading_of_its_own():
    for module in Path(rapid.engine.replay.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else names
            for name in names:
                assert not name.startswith("rapid") or name.startswith("rapid.engine.replay"), (module.name, name)


def test_a_commitment_is_the_sha_256_of_the_raw_secret():
    # The digest of 32 zero bytes, as `sha256sum` gives it.
    assert commitment(SECRET) == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"


def test_a_key_takes_salts_in_order():
    assert deal_key(SECRET, [b"a", b"", b"b"]) == hashlib.sha256(bytes(32) + b"ab").digest()


def test_a_shuffle_keeps_the_cards_and_hangs_on_table_deal_and_key():
    key = deal_key(SECRET, [])
    deck = FRENCH.cards()
    assert deck[:2] == ["3S", "4S"]
    assert deck[13] == "3H"
    assert deck[-1] == "2C"
    one = shuffled(deck, key, "abcdefghij", 1)
    assert sorted(one) == sorted(deck)
    assert one == shuffled(deck, key, "abcdefghij", 1)
    assert one not in (deck, shuffled(deck, key, "abcdefghij", 2), shuffled(deck, key, "abcdefghik", 1))
    assert one != shuffled(deck, deal_key(SECRET, [b"salt"]), "abcdefghij", 1)


@pytest.mark.parametrize(
    "seats, counts",
    [(3, [18, 17, 17]), (4, [13] * 4), (5, [11, 11, 10, 10, 10]), (6, [9, 9, 9, 9, 8, 8])],
)
def test_C3_extra_cards(seats, counts):
    hands = dealt_round(FRENCH.cards(), list(range(seats)))
    assert [len(hands[seat]) for seat in range(seats)] == counts


def test_an_opening_seat_is_one_of_those_in_the_round():
    key = deal_key(SECRET, [])
    drawn = [opening_seat(key, "abcdefghij", 1, trick, [1, 4, 5]) for trick in range(1, 200)]
    assert set(drawn) == {1, 4, 5}


def test_L1_standings():
    assert scoring.standings([2, 0], {3}, [1, 4]) == [2, 0, 3, 4, 1]
    assert scoring.standings([], {1}, [0, 2]) == [1, 2, 0]


@pytest.mark.parametrize("earned", [[3, 1, 0], [3, 2, 0, 0], [3, 2, 1, 0, 0], [3, 2, 1, 1, 0, 0]])
def test_L2_points(earned):
    titles = scoring.roles(PRESIDENT, list(range(len(earned))))
    assert list(scoring.points(PRESIDENT, titles).values()) == earned


def test_G3_leaders():
    assert scoring.leaders({0: 5, 1: 7, 2: 7}) == {1, 2}


def state(cards, *, is_turned=False):
    return TrickState(Play(9, tuple(cards.split()), cards[0]), is_turned, frozenset())


@pytest.mark.parametrize(
    "hand, top, is_turned, due",
    [
        ("4S 5S 5H 6D", "3S", False, "4S"),
        ("5S 5H 6D", "5C", False, "6D"),
        ("5S 5H", "5C", False, "5S"),
        ("5H 5S", "5C", False, "5S"),
        ("5S 5H 5D 6S 6H", "4S 4H", False, "6S 6H"),
        ("5S 5H 5D", "4S 4H", False, "5S 5H"),
        ("4S 5S", "6S", False, ""),
        ("4S 5S 7S", "6S", True, "5S"),
    ],
)
def test_8_the_stand_in_responds_with_the_weakest_that_breaks_no_larger_set(hand, top, is_turned, due):
    assert standin.response(PRESIDENT, set(hand.split()), state(top, is_turned=is_turned)) == set(due.split())


def test_8_the_stand_in_opens_with_all_of_the_weakest_rank():
    assert standin.opening(PRESIDENT, ["5H", "4C", "4S"], is_turned=False) == {"4C", "4S"}
    assert standin.opening(PRESIDENT, ["5H", "4C", "4S"], is_turned=True) == {"5H"}


def test_X2_the_strongest_in_suit_order_and_8_the_weakest():
    hand = ["2C", "2D", "2H", "AS", "3C", "3D", "3H"]
    assert standin.extreme(PRESIDENT, hand, 2, is_best=True) == {"2H", "2D"}
    assert standin.extreme(PRESIDENT, hand, 2, is_best=False) == {"3H", "3D"}
