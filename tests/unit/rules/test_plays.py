"""Plays as they are written: which cards, and what they are played as (P1, P2, PROTOCOL 1, RULES 6 and 9)."""

from itertools import combinations

import pytest

from rapid.cards.cardset import parse_cards
from rapid.rules.plays import all_plays, named, read_play
from rapid.rules.settings import Settings, rules_of
from rapid.rules.settings_check import lay_over

HELD, COMBINED = "not_your_cards", "not_a_combination"


def presi(**options):
    laid = lay_over(None, {"ruleset": "presi", "options": options})
    assert isinstance(laid, Settings)
    return rules_of(laid)


PLAIN = presi()
WILD_JOKERS = presi(jokers=4, joker="wild")
HIGH_JOKERS = presi(jokers=4)
WILD_TWOS = presi(wild_twos=True)
BOTH = presi(jokers=4, joker="wild", wild_twos=True)
TWOS_AND_HIGH = presi(jokers=2, wild_twos=True)


def hand_of(rules, text):
    hand = parse_cards(rules.deck, text.split())
    assert hand is not None
    return hand


def read(rules, texts, hand):
    """What the texts say: rank and cards in words, or the refusal."""
    found = read_play(rules, texts.split(), hand_of(rules, hand))
    if isinstance(found, str):
        return found
    rank, cards = found
    names = [name for card, name in enumerate(rules.deck.names) if cards >> card & 1]
    return f"{[*rules.deck.ranks, '*'][rank]}: {' '.join(names)}"


@pytest.mark.parametrize(
    "rules, texts, hand, said",
    [
        (PLAIN, "5O 5C", "5O 5C 6O", "5: 5O 5C"),
        (PLAIN, "2O 2C", "2O 2C", "2: 2O 2C"),
        (HIGH_JOKERS, "*1 *3", "*1 *2 *3", "*: *1 *3"),
        (WILD_JOKERS, "*1=12O", "*1 5O", "12: *1"),
        (WILD_JOKERS, "12O *1=12O", "12O *1", "12: 12O *1"),  # suits mean nothing
        (WILD_JOKERS, "*1=12O *2=12O", "*1 *2", "12: *1 *2"),
        (WILD_JOKERS, "*1=5O 5C 5E *4=5B", "5C 5E *1 *4", "5: 5C 5E *1 *4"),
        (WILD_JOKERS, "*1=2C", "*1", "2: *1"),
        (WILD_JOKERS, "2O *1=2C", "2O *1", "2: 2O *1"),
        (WILD_TWOS, "2C", "2C", "2: 2C"),
        (WILD_TWOS, "2C=9O", "2C", "9: 2C"),
        (WILD_TWOS, "2O=9O 9C", "2O 9C", "9: 2O 9C"),
        (WILD_TWOS, "2O=9O", "2O", "9: 2O"),
        (BOTH, "2C *1=2B", "2C *1", "2: 2C *1"),
        (BOTH, "2C=3O *1=3O 3B", "2C *1 3B", "3: 3B 2C *1"),
        (TWOS_AND_HIGH, "*1 *2", "*1 *2", "*: *1 *2"),
    ],
)
def test_what_a_play_says(rules, texts, hand, said):
    found, wanted = read(rules, texts, hand), said
    assert (found.split(":")[0], set(found.split(" ")[1:])) == (wanted.split(":")[0], set(wanted.split(" ")[1:]))


@pytest.mark.parametrize(
    "rules, texts, hand, why",
    [
        (PLAIN, "", "5O", COMBINED),
        (PLAIN, "5O 6O", "5O 6O", COMBINED),
        (PLAIN, "5O 5O", "5O", HELD),
        (PLAIN, "5C", "5O", HELD),
        (PLAIN, "5O=6O", "5O", COMBINED),  # no card is wild here
        (PLAIN, "5C=6O", "5O", HELD),
        (PLAIN, "*1", "5O", HELD),  # there are no jokers
        (HIGH_JOKERS, "*1=12O", "*1", COMBINED),  # they have a rank of their own
        (HIGH_JOKERS, "*1 2O", "*1 2O", COMBINED),
        (WILD_JOKERS, "*1", "*1", COMBINED),  # it does not say what it stands for
        (WILD_JOKERS, "12O *1", "12O *1", COMBINED),
        (WILD_JOKERS, "*1", "*2", HELD),
        (WILD_JOKERS, "*1=12O", "*2", HELD),
        (WILD_JOKERS, "*1=12O *1=12C", "*1", HELD),
        (WILD_JOKERS, "12O *1=11O", "12O *1", COMBINED),
        (WILD_JOKERS, "*1=*2", "*1 *2", COMBINED),
        (WILD_JOKERS, "*1=99O", "*1", COMBINED),
        (WILD_JOKERS, "*1=QH", "*1", COMBINED),  # a card of another deck
        (WILD_JOKERS, "2C=9O", "2C", COMBINED),
        (WILD_JOKERS, "5O 5C 5E 5B *1=5O", "5O 5C 5E 5B *1", COMBINED),  # at most four
        (WILD_TWOS, "2C=2E", "2C", COMBINED),  # a two is a two by itself
        (WILD_TWOS, "2C 9O", "2C 9O", COMBINED),
        (WILD_TWOS, "9C=8O", "9C", COMBINED),
        (WILD_TWOS, "2C=9O", "2E", HELD),
        (TWOS_AND_HIGH, "2C=*1", "2C *1", COMBINED),
        (TWOS_AND_HIGH, "*1 2C", "2C *1", COMBINED),
        (BOTH, "", "2C *1", COMBINED),
    ],
)
def test_what_says_nothing_or_two_things_is_refused(rules, texts, hand, why):
    assert read(rules, texts, hand) == why


EVERY = [PLAIN, HIGH_JOKERS, WILD_JOKERS, WILD_TWOS, BOTH, TWOS_AND_HIGH]
HANDS = ["3O 3C 4O 2O 2C", "5O 5C 5E 5B 2E", "2O 2C 2E 2B", "12O 11O 1C 2C 2B"]


@pytest.mark.parametrize("rules", EVERY, ids=["plain", "high", "wild", "twos", "both", "twos-high"])
@pytest.mark.parametrize("text", HANDS)
def test_every_play_is_read_back_as_it_is_written(rules, text):
    hand = hand_of(rules, text) | sum(1 << card for card in range(48, min(rules.deck.size, 51)))
    plays = list(all_plays(rules, hand))
    assert len(set(plays)) == len(plays)
    for rank, cards in plays:
        texts = named(rules, rank, cards)
        assert read_play(rules, texts, hand) == (rank, cards)
        stood_for = [said.partition("=")[2] or said for said in texts]
        assert len(set(stood_for)) == len(texts)


@pytest.mark.parametrize("rules", EVERY, ids=["plain", "high", "wild", "twos", "both", "twos-high"])
@pytest.mark.parametrize("text", HANDS)
def test_all_plays_are_those_that_can_be_read(rules, text):
    """By trying every set of up to four cards in every way that they may be written."""
    hand = hand_of(rules, text) | sum(1 << card for card in range(48, min(rules.deck.size, 50)))
    names = [name for card, name in enumerate(rules.deck.names) if hand >> card & 1]
    found = set()
    for count in range(1, 5):
        for cards in combinations(names, count):
            for face in ("", *(f"={rank}O" for rank in rules.deck.ranks)):
                for marked in range(1 << count):
                    texts = [name + face if marked >> i & 1 else name for i, name in enumerate(cards)]
                    read_ = read_play(rules, texts, hand)
                    found |= {read_} if not isinstance(read_, str) else set()
    assert set(all_plays(rules, hand)) == found
