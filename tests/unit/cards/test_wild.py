"""What wild cards may say they stand for (PROTOCOL 1)."""

from rapid.cards.deck import SPANISH_48, with_jokers
from rapid.cards.wild import make_wild

DECK = with_jokers(SPANISH_48, 2)
TWOS = [DECK.index[name] for name in ("2O", "2C", "2E", "2B")]
JOKERS = [DECK.index[name] for name in ("*1", "*2")]


def test_a_joker_stands_for_any_card_but_a_joker_and_says_so():
    wild = make_wild(DECK, JOKERS)
    assert {text for text in wild.index if wild.index[text] == JOKERS[0]} == {f"*1={card}" for card in SPANISH_48.names}
    assert {wild.ranks[f"*1={suit}"] for suit in ("12O", "12C")} == {DECK.ranks.index("12")}


def test_a_two_is_a_two_or_stands_for_a_card_of_another_rank():
    wild = make_wild(DECK, TWOS)
    others = {card for card in SPANISH_48.names if not card.startswith("2")}
    assert {text for text in wild.index if wild.index[text] == TWOS[1]} == {"2C"} | {f"2C={card}" for card in others}
    assert wild.ranks["2C"] == DECK.ranks.index("2")
    assert wild.ranks["*1"] == len(DECK.ranks)  # a joker that is not wild has a rank of its own


def test_the_other_cards_are_themselves():
    wild = make_wild(DECK, [*TWOS, *JOKERS])
    plain = {text: card for text, card in wild.index.items() if "=" not in text}
    assert plain == {name: card for name, card in DECK.index.items() if not name.startswith("*")}
    assert wild.cards == sum(1 << card for card in (*TWOS, *JOKERS))


def test_decks_with_jokers():
    assert with_jokers(SPANISH_48, 4).names[-4:] == ("*1", "*2", "*3", "*4")
    assert with_jokers(SPANISH_48, 0) == SPANISH_48
    assert with_jokers(DECK, 1).size == 49
