"""PROTOCOL section 5, worked out here once more from its text alone."""

import hashlib
import hmac
import itertools

import pytest

from rapid.cards.deck import FRENCH_52
from rapid.cards.shuffle import WORD, commitment, deal_hands, deal_key, draw_below, opening_seat, shuffled, words

SECRET = bytes(range(32))


def test_the_commitment_is_sha256_of_the_raw_secret_in_hex():
    assert commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()


@pytest.mark.parametrize("salts", [[], [b"", b""], [b"a" * 16], [b"a" * 16, b"", b"b" * 16]])
def test_the_key_is_the_secret_with_the_salts_behind_it(salts):
    assert deal_key(SECRET, salts) == hashlib.sha256(SECRET + b"".join(salts)).digest()


def test_missing_salts_are_empty_and_the_order_of_seats_matters():
    assert deal_key(SECRET, [b"a" * 16, b""]) == deal_key(SECRET, [b"", b"a" * 16])
    assert deal_key(SECRET, [b"a" * 16, b"b" * 16]) != deal_key(SECRET, [b"b" * 16, b"a" * 16])


def test_the_stream_is_hmac_of_table_deal_and_block_read_as_big_endian_words():
    drawn = list(itertools.islice(words(b"key", "table00001:7"), 20))
    blocks = b"".join(hmac.new(b"key", f"table00001:7:{i}".encode(), hashlib.sha256).digest() for i in range(3))
    assert drawn == [int.from_bytes(blocks[4 * i : 4 * i + 4], "big") for i in range(20)]


@pytest.mark.parametrize(
    "numbers, n, drawn",
    [
        ([5], 3, 2),
        ([WORD - 1, 7], 3, 1),  # 3·⌊2³²/3⌋ = 2³²-1: the last number is thrown away
        ([WORD - 2], 3, 2),
        ([WORD - 1], 2, 1),
        ([WORD - 4, WORD - 1, 0], 7, 0),
    ],
)
def test_numbers_from_the_uneven_rest_are_thrown_away(numbers, n, drawn):
    limit = n * (WORD // n)
    assert draw_below(iter(numbers), n) == drawn == next(number for number in numbers if number < limit) % n


def test_a_shuffle_worked_out_by_hand():
    key = deal_key(SECRET, [])
    deck = [rank + suit for suit in "SHDC" for rank in "3456789TJQKA2"]
    stream = words(key, "abcdefghij:3")
    for k in range(51, 0, -1):
        j = draw_below(stream, k + 1)
        deck[k], deck[j] = deck[j], deck[k]
    assert [FRENCH_52.names[card] for card in shuffled(FRENCH_52, key, "abcdefghij", 3)] == deck


def test_table_and_deal_change_the_shuffle():
    shuffles = {tuple(shuffled(FRENCH_52, SECRET, table, deal)) for table in ("abcdefghij", "b") for deal in (1, 2)}
    assert len(shuffles) == 4


def test_cards_are_dealt_one_at_a_time_from_the_front():
    hands = deal_hands([10, 11, 12, 13, 14], [2, 0])
    assert hands == {2: 1 << 10 | 1 << 12 | 1 << 14, 0: 1 << 11 | 1 << 13}


@pytest.mark.parametrize("trick", range(1, 30))
def test_the_seat_of_an_automatic_opening(trick):
    digest = hmac.new(SECRET, f"abcdefghij:4:open:{trick}".encode(), hashlib.sha256).digest()
    number = int.from_bytes(digest[:4], "big")
    assert number < 3 * (WORD // 3)
    assert opening_seat(SECRET, "abcdefghij", 4, trick, (1, 3, 5)) == (1, 3, 5)[number % 3]
