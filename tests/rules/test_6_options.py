"""RULES 6: what other tables play, as options of `presi`; and 5.6, powers and what all beats."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import in_exchange, seated, started
from tests.rules.test_3_presi_second import presi
from tests.rules.test_document_004 import answer


def test_6_deck_of_forty_cards():
    table = started(4, ruleset="presi", options={"deck": "spanish40"})
    names = table.state.rules.deck.names
    assert len(names) == 40
    assert not {name[:-1] for name in names} & {"8", "9"}
    assert {len(table.hand(seat)) for seat in range(4)} == {10}
    assert "3O" in table.hand(table.turn)


def test_6_must_beat_no_equal_rank_and_no_skip():
    hands = ("7O 10O", "7C 8C 10C", "8E 11E", "9E 10E")
    table = presi(*hands, options={"must_beat": True}).play(0, "7O")
    assert table.play(1, "7C").why == "too_weak"
    assert table.play(1, "8C").types == "played turn_began"


def test_6_killer_off_the_two_of_coins_wins_no_trick():
    table = presi("3C 10O", "2O 10C", "2C 11E", options={"killer": False}).play(0, "3C").play(1, "2O")
    assert (table.closing, table.turn) == (None, 2)
    assert (
        presi("3C 3E 10O", "2O 10C", "7C", options={"killer": False}).play(0, "3C 3E").play(1, "2O").why
        == "wrong_count"
    )


def test_6_killer_off_it_is_still_the_best_card_of_the_exchange():
    hands = {0: "3O 3C 1O", 1: "7O 8O 9O", 2: "2O 2C 2E"}
    table = in_exchange((0, 1, 2), hands, ruleset="presi", options={"killer": False})
    assert table.give(2, "2C 2E").why == "wrong_cards"
    assert table.give(2, "2O 2E").why is None


def test_6_passing_free_one_may_play_when_the_turn_comes_back():
    table = presi("3C 10O", "5C 10C", "7C 11E", options={"passing": "free"}).play(0, "3C").pass_(1).play(2, "7C")
    assert table.play(0, "10O").types.startswith("played finished")
    table = (
        presi("3C 10O", "5C 10C", "7C 11E", options={"passing": "free"}).play(0, "3C").pass_(1).play(2, "7C").pass_(0)
    )
    assert table.turn == 1
    assert table.play(1, "10C").why is None


def test_6_one_free_in_two_steps_the_vice_pair_swaps_nothing():
    hands = {0: "3O 3C 1O", 1: "7O 8O", 2: "9O 10O", 3: "2O 2C 2E"}
    table = in_exchange((0, 1, 2, 3), hands, ruleset="presi", options={"exchange": "one_free"})
    (owed,) = table.all(ev.ExchangeOpened)[-1].owes
    assert (owed.from_, owed.to, owed.count, owed.pick) == (3, 0, 1, "best")
    assert table.give(3, "2C").why == "wrong_cards"
    assert table.give(3, "2O").types == "given exchange_closed exchange_opened"
    assert table.give(0, "1O").types == "given exchange_closed trick_opened turn_began"
    assert table.turn == 3


def test_6_leader_the_president_leads():
    table = in_exchange((2, 0, 1), ruleset="presi", options={"leader": "president"}).ran_out()
    assert table.turn == 2


def test_7_leader_is_refused_in_a_race():
    table = seated(3, ruleset="presi")
    table.send(do.ChangeSettings(seat=0, fields={"mode": "rapid", "options": {"leader": "president"}}))
    assert table.why == "bad_settings"


@pytest.mark.parametrize(
    "led, cards, options",
    [
        ("AS", "2S", {"two_high_low": True}),
        ("2S", "3S", {"two_high_low": True}),
        ("KS", "3S", {"transparent_threes": True}),
        ("2S", "*1", {"jokers": True}),
    ],
)
def test_5_6_a_power_over_all_or_a_top_that_all_beats(led, cards, options):
    assert answer(led, cards, **options) is None


@pytest.mark.parametrize(
    "led, cards, options",
    [
        ("AS AH", "2S", {"two_high_low": True}),
        ("2S 2H", "3S", {"two_high_low": True}),
        ("KS KH", "3S", {"transparent_threes": True}),
        ("2S 2H", "*1", {"jokers": True}),
    ],
)
def test_5_6_powers_need_the_same_count(led, cards, options):
    assert answer(led, cards, **options) == "wrong_count"
