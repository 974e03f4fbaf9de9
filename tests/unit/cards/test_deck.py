import pytest

from rapid.cards.cardset import card_names, first_of, of_rank, parse_cards
from rapid.cards.combination import combination_rank
from rapid.cards.deck import FRENCH_52, make_deck


def hand_of(text):
    return parse_cards(FRENCH_52, text.split())


def test_ranks_and_suits_stand_in_the_order_of_the_protocol():
    assert "".join(FRENCH_52.ranks) == "3456789TJQKA2"
    assert "".join(FRENCH_52.suits) == "SHDC"
    assert (FRENCH_52.size, FRENCH_52.full) == (52, 2**52 - 1)


def test_the_order_before_the_shuffle_is_suit_by_suit():
    start = [FRENCH_52.names[card] for card in FRENCH_52.start]
    assert start[:14] == [*(f"{rank}S" for rank in "3456789TJQKA2"), "3H"]
    assert start[-1] == "2C"


def test_a_spanish_deck_with_jokers():
    deck = make_deck("spanish48", tuple(str(rank) for rank in range(1, 13)), tuple("OCEB"), jokers=2)
    assert deck.size == 50
    assert [deck.names[card] for card in deck.start[:13]] == [*(f"{rank}O" for rank in range(1, 13)), "1C"]
    assert [deck.names[card] for card in deck.start[-2:]] == ["*1", "*2"]
    assert deck.names[deck.index["12B"]] == "12B"


def test_a_deck_has_four_suits():
    with pytest.raises(ValueError):
        make_deck("three", ("1", "2"), tuple("ABC"))


@pytest.mark.parametrize(
    "texts", [["3s"], ["10S"], ["S3"], [""], ["3S "], ["1S"], ["3S", "3S"], ["3S", "*1"], ["3S=4S"], ["QH", "qh"]]
)
def test_what_is_no_set_of_cards(texts):
    assert parse_cards(FRENCH_52, texts) is None


@pytest.mark.parametrize(
    "text, rank", [("3S", "3"), ("3S 3C", "3"), ("2S 2H 2D 2C", "2"), ("", None), ("3S 4S", None), ("AS 2S", None)]
)
def test_combinations(text, rank):
    assert combination_rank(hand_of(text)) == (None if rank is None else FRENCH_52.ranks.index(rank))


def test_of_rank_and_first_of():
    hand = hand_of("3C 4H 4S 4D KS")
    assert card_names(FRENCH_52, of_rank(hand, 1)) == ("4S", "4H", "4D")
    assert card_names(FRENCH_52, first_of(of_rank(hand, 1), 2)) == ("4S", "4H")
