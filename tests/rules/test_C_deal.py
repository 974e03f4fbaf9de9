"""RULES 2.1: cards and deal."""

import itertools

import pytest

from rapid.cards.deck import FRENCH_52
from rapid.cards.shuffle import deal_key, shuffled
from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.rules.settings_check import lay_over
from tests.rules.table import TABLE, dealt, secret_of, started

WEAKEST_FIRST = tuple("3456789TJQKA2")


@pytest.mark.parametrize("seats, is_allowed", [(2, False), (3, True), (4, True), (5, True), (6, True), (7, False)])
def test_C1_three_to_six_seats(seats, is_allowed):
    assert isinstance(lay_over(None, {"seats": seats}), tuple) is not is_allowed


def test_C1_fifty_two_cards_no_jokers():
    ranks, suits = "3456789TJQKA2", "SHDC"
    assert set(FRENCH_52.names) == {rank + suit for rank in ranks for suit in suits}


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_C1_all_cards_are_dealt(seats):
    hands = started(seats).the(ev.Dealt).hands
    assert sorted(card for hand in hands.values() for card in hand) == sorted(FRENCH_52.names)


@pytest.mark.parametrize("seats", [3, 6])
def test_C1_the_deal_is_the_shuffle_of_the_committed_secret(seats):
    table = started(seats)
    committed = table.all(ev.Committed)[0]
    key = deal_key(bytes.fromhex(committed.secret), [b""] * seats)
    deck = [FRENCH_52.names[card] for card in shuffled(FRENCH_52, key, TABLE, 1)]
    for seat in range(seats):
        assert set(table.the(ev.Dealt).hands[str(seat)]) == set(deck[seat::seats])


@pytest.mark.parametrize("weaker, stronger", list(itertools.pairwise(WEAKEST_FIRST)))
def test_C2_order_of_ranks(weaker, stronger):
    table = dealt(f"{stronger}S 3C", f"{weaker}H 3D", "KC KD KH")
    table.play(1, f"{weaker}H").play(0, f"{stronger}S")
    assert table.types == "played"
    table = dealt(f"{stronger}S 3C", f"{weaker}H 3D", "KC KD KH")
    assert table.play(0, f"{stronger}S").play(1, f"{weaker}H").why == "too_weak"


@pytest.mark.parametrize("first, second", [("S", "H"), ("H", "D"), ("D", "C"), ("C", "S")])
def test_C2_suits_never_matter(first, second):
    table = dealt(f"9{first} 3C", f"9{second} 3D", "KC KD KH")
    assert table.play(0, f"9{first}").play(1, f"9{second}").types == "played"
    table = dealt(f"9{first} 3C", f"9{second} 3D", "KC KD KH")
    assert table.play(1, f"9{second}").play(0, f"9{first}").types == "played"


@pytest.mark.parametrize(
    "seats, counts",
    [(3, [18, 17, 17]), (4, [13] * 4), (5, [11, 11, 10, 10, 10]), (6, [9, 9, 9, 9, 8, 8])],
)
def test_C3_extra_cards_round_1_go_to_the_first_seats(seats, counts):
    hands = started(seats).the(ev.Dealt).hands
    assert [len(hands[str(seat)]) for seat in range(seats)] == counts


@pytest.mark.parametrize(
    "standings, counts",
    [
        ((2, 0, 1), {1: 18, 0: 17, 2: 17}),
        ((0, 1, 2), {2: 18, 1: 17, 0: 17}),
        ((4, 3, 2, 1, 0), {0: 11, 1: 11, 2: 10, 3: 10, 4: 10}),
        ((1, 3, 5, 0, 2, 4), {4: 9, 2: 9, 0: 9, 5: 9, 3: 8, 1: 8}),
    ],
)
def test_C3_extra_cards_later_go_to_the_last_of_the_standings_first(standings, counts):
    table = _at_results(standings)
    table.send(do.NextRound(seat=0))
    hands = table.the(ev.Dealt).hands
    assert {int(seat): len(hand) for seat, hand in hands.items()} == counts


def test_C3_the_card_at_the_front_goes_to_the_last_of_the_standings():
    table = _at_results((1, 2, 0))
    deal, secret = table.state.deal, table.state.secret
    table.send(do.NextRound(seat=0))
    deck = shuffled(FRENCH_52, deal_key(bytes.fromhex(secret), []), TABLE, deal)
    hands = table.the(ev.Dealt).hands
    assert FRENCH_52.names[deck[0]] in hands["0"]
    assert FRENCH_52.names[deck[1]] in hands["2"]
    assert FRENCH_52.names[deck[2]] in hands["1"]


def _at_results(standings):
    """A table whose first round has just ended in this order: each seat in turn lays its one card."""
    ranks = iter(WEAKEST_FIRST)
    cards = {seat: next(ranks) + "S" for seat in standings[:-1]} | {standings[-1]: "3D 3C"}
    table = dealt(*(cards[seat] for seat in range(len(standings))))
    for seat in standings[:-1]:
        table.play(seat, cards[seat])
    assert table.the(ev.RoundEnded).standings == standings
    return table


def test_the_secrets_of_these_tests_are_secrets():
    assert len(bytes.fromhex(secret_of(7))) == 32
