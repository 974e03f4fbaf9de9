"""RULES 5, Escoria, clause by clause: what the document's own examples (test_document_004) leave open."""

import pytest
from msgspec.structs import replace

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import in_exchange, seated, started
from tests.rules.test_document_004 import FOURS, answer, escoria, round_over

# 5.1


@pytest.mark.parametrize("seats", [3, 8])
def test_5_1_four_to_seven_seats(seats):
    table = seated(3, ruleset="escoria")
    table.send(do.ChangeSettings(seat=0, fields={"seats": seats}))
    assert table.why == "bad_settings"
    assert table.send(do.Start(seat=0)).why == "too_few"


def test_5_1_fifty_two_cards():
    names = started(5, ruleset="escoria").state.rules.deck.names
    assert len(set(names)) == 52


def test_5_1_a_pass_does_not_bind():
    table = escoria("3S KS", "9S 4S", "5S 6S", "7S 8S").play(0, "3S").pass_(1).play(2, "5S").passes(3, 0)
    assert table.turn == 1
    assert table.play(1, "9S").why is None


def test_5_1_the_trick_closes_when_all_others_have_passed_and_the_last_player_leads():
    table = escoria("3S KS", "9S 4S", "5S 6S", "7S 8S").play(0, "3S").play(1, "9S").passes(2, 3, 0)
    assert (table.closing, table.turn) == ("passed", 1)


# "Si, por ejemplo, el jugador C no tuviera más cartas, comenzaría el siguiente jugador de la rotación"
def test_5_1_without_cards_the_next_leads():
    table = escoria("3S KS", "9S", "5S 6S", "7S 8S").play(0, "3S").play(1, "9S").passes(2, 3, 0)
    assert (table.closing, table.turn) == ("passed", 2)


@pytest.mark.parametrize("dealer, leader", [(None, 0), (0, 1), (2, 3), (3, 0)])
def test_5_1_the_first_dealer_is_chosen_or_the_last_seat(dealer, leader):
    table = started(4, ruleset="escoria", options={"first_dealer": dealer})
    assert table.turn == leader


@pytest.mark.parametrize("dealer, longer", [("president", {0, 3}), ("scum", {2, 0})])
def test_5_1_the_deal_starts_at_the_dealers_left(dealer, longer):
    """Of 54 cards two seats of four have one more: those dealt to first, in the order of the ranks."""
    table = in_exchange((2, 0, 3, 1), ruleset="escoria", options={"dealer": dealer, "jokers": True})
    hands = table.all(ev.Dealt)[-1].hands
    assert {int(seat) for seat, cards in hands.items() if len(cards) == 14} == longer


# 5.2


def test_5_2_round_1_is_played_in_seat_order():
    assert started(4, ruleset="escoria").the(ev.Dealt).order == (0, 1, 2, 3)


def test_5_2_reseat_is_shown_and_changes_nothing_of_the_order():
    plain, moved = (
        in_exchange((2, 0, 3, 1), ruleset="escoria", options={"reseat": reseat}) for reseat in (False, True)
    )
    assert moved.view(None).settings.options["reseat"] is True
    assert moved.view(None).order == plain.view(None).order == (2, 0, 3, 1)
    assert [seat.seat for seat in moved.view(None).seats] == [0, 1, 2, 3]


# 5.3


def test_5_3_the_target_is_11_unless_set():
    assert seated(2, ruleset="escoria").state.settings.target == 11


def test_5_3_ties_share():
    table = round_over(target="none")
    tied = tuple(replace(seat, total=5) for seat in table.state.seats)
    table.state = replace(table.state, seats=tied)
    assert table.send(do.EndGame(seat=0)).the(ev.GameEnded).winners == (0, 1, 2, 3)


@pytest.mark.parametrize("target, rounds, ends", [("none", 49, False), ("none", 50, True), (99, 50, False)])
def test_5_3_without_target_fifty_rounds_at_most(target, rounds, ends):
    table = escoria("3S", "4S", "5S", "KS KH", target=target, leader=None)
    table = _in_round(table, rounds)
    while table.state.round is not None:
        table.ran_out()
    assert (table.state.phase == "final") is ends
    if ends:
        assert table.the(ev.GameEnded).why == "rounds"


def _in_round(table, number):
    table.state = replace(table.state, round=replace(table.state.round, number=number), rounds_played=number - 1)
    return table


def test_5_3_points_may_be_below_zero():
    ended = round_over(target="none").the(ev.RoundEnded)
    assert sorted(ended.totals.values()) == [-2, -1, 1, 2]


# 5.4


def test_5_4_the_received_card_may_go_back_and_only_the_two_trade():
    hands = {0: "3S 4S", 1: "5S 6S", 2: "7S 8S", 3: "AS KH 9S"}
    table = in_exchange((0, 1, 2, 3), hands, ruleset="escoria")
    assert [(owed.from_, owed.to, owed.count) for owed in table.all(ev.ExchangeOpened)[-1].owes] == [(3, 0, 1)]
    assert table.give(3, "AS").give(0, "AS").types == "given exchange_closed trick_opened turn_began"
    assert table.hand(3) == {"AS", "KH", "9S"}


def test_5_4_a_joker_is_the_highest_card():
    hands = {0: "3S 4S", 1: "5S 6S", 2: "7S 8S", 3: "2S *1 9S"}
    table = in_exchange((0, 1, 2, 3), hands, ruleset="escoria", options={"jokers": True})
    assert table.give(3, "2S").why == "wrong_cards"
    assert table.give(3, "*1").why is None


# 5.5


@pytest.mark.parametrize(
    "led, cards, options, why",
    [
        ("7S 7H", "*1", {}, "wrong_count"),
        ("7S", "*1 *2", {"larger_sets": "higher"}, None),
        ("2S", "*1 *2", {"larger_sets": "higher"}, None),
        ("*1", "2S 2H", {"larger_sets": "higher"}, "too_weak"),
        ("*1", "3S 3H", {"larger_sets": "any"}, None),
        ("*1", "7S 7H *2", {"larger_sets": "any"}, "not_a_combination"),
    ],
)
def test_5_5_jokers_and_larger_sets(led, cards, options, why):
    assert answer(led, cards, jokers=True, **options) == why


@pytest.mark.parametrize(
    "led, cards, why",
    [("2S", "3S 3H", "too_weak"), ("AS", "2S 2H", None), ("2S", "2H 2D", "too_weak"), ("KS", "2S 2H", None)],
)
def test_5_5_against_fewer_cards_a_two_that_is_high_and_low_counts_as_high(led, cards, why):
    assert answer(led, cards, two_high_low=True, larger_sets="higher") == why


def test_5_5_jokers_are_highest_in_a_turned_order_too():
    hands = ("7S 7H 7D 7C 3S 4C", "*1 5C", "6C TS", "8C 9C")
    table = escoria(*hands, options={"turning": "order", "jokers": True}).play(0, "7S 7H 7D 7C").passes(1, 2, 3)
    assert table.play(0, "3S").play(1, "*1").why is None


def test_5_5_equal_alone_skips_nobody():
    table = escoria("8S 4C", "8H 5C", "TS QS", "JS 9D", options={"equal": True}).play(0, "8S").play(1, "8H")
    assert (table.types, table.turn) == ("played turn_began", 2)


@pytest.mark.parametrize("options", [{"skip_next": True}, {"turning": "run"}])
def test_5_5_what_needs_equal_is_refused_without(options):
    table = seated(4, ruleset="escoria")
    table.send(do.ChangeSettings(seat=0, fields={"options": options}))
    assert table.why == "bad_settings"
    table.send(do.ChangeSettings(seat=0, fields={"options": {**options, "equal": True}}))
    assert table.why is None


@pytest.mark.parametrize("turning", ["order", "run"])
def test_5_5_turning_and_V1_exclude_each_other(turning):
    options = {"turning": turning, "equal": True}
    table = seated(4, ruleset="escoria")
    table.send(do.ChangeSettings(seat=0, fields={"options": options, "variants": {"revolution": True}}))
    assert table.why == "bad_settings"


def test_5_5_turning_run_a_second_time_turns_both_back():
    options = {"turning": "run", "equal": True}
    table = escoria(*FOURS, options=options).play(0, "7S 7H 7D 7C").play(3, "8S 8H 8D 8C")
    assert table.why == "too_weak"
    table.passes(3).play(2, "6S 6H 6D 6C")
    assert table.the(ev.Played).revolution is False
    assert table.turn == 3


def test_5_5_turning_ends_with_the_round():
    hands = ("7S 7H 7D 7C", "5S 8S", "6S", "9S")
    table = escoria(*hands, options={"turning": "order"}).play(0, "7S 7H 7D 7C").passes(1, 2, 3)
    table.play(1, "8S").play(2, "6S").passes(3)
    assert table.view(None).revolution is True
    while table.state.round is not None:
        table.ran_out()
    table.send(do.NextRound(seat=0))
    assert table.view(None).revolution is False


def test_5_5_a_run_needs_four_singles_one_behind_the_other():
    table = escoria("7S 8S", "7H 9C", "7D 6C", "7C 5C", options={"turning": "run", "equal": True})
    for seat, card in enumerate(("7S", "7H", "7D")):
        assert table.play(seat, card).the(ev.Played).revolution is False
    assert table.play(3, "7C").the(ev.Played).revolution is True


@pytest.mark.parametrize("cards, why", [("3S 3H", None), ("3S", "wrong_count"), ("3S 3H 3D", "wrong_count")])
def test_5_5_threes_need_the_same_count(cards, why):
    assert answer("KS KH", cards, transparent_threes=True) == why


def test_5_5_a_three_answers_a_three_that_took_a_rank():
    table = escoria("KS 4C", "3S 5C", "3H 6C", "AS 8C", options={"transparent_threes": True}).play(0, "KS")
    assert table.play(1, "3S").play(2, "3H").why is None
    assert table.play(3, "AS").why is None
