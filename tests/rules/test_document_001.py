"""RULES 4 and document 001, the house guide: its examples, its numbers, its twists."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import dealt, in_exchange, seated, started

ALEX, BLAIR, CASEY, DREW = range(4)
EXAMPLE = ("5S 5H 9S", "KS KH 3S", "9H 9D 4S", "6S 6H JS")
OUT_WITH_KINGS = ("5S 5H 9S", "KS KH", "9H 9D 4S", "6S 6H JS")


def house(*hands, leader=0, mode="turns", **fields):
    return dealt(*hands, ruleset="house", mode=mode, leader=leader if mode == "turns" else None, **fields)


# "In clockwise order, Alex leads a pair of fives, Blair passes, Casey plays a pair of nines and Drew passes. Alex
# passes; Blair may now play a pair of kings. Casey, Drew and Alex must each respond to that new play. If all three
# pass, Blair clears and leads again. If Blair's kings emptied their hand, Casey leads the new pile instead."


def to_the_kings(hands):
    table = house(*hands).play(ALEX, "5S 5H").pass_(BLAIR).play(CASEY, "9H 9D").passes(DREW, ALEX)
    assert table.turn == BLAIR
    return table.play(BLAIR, "KS KH")


def test_4_3_pass_and_re_enter():
    table = to_the_kings(EXAMPLE)
    assert table.types == "played turn_began"
    for seat in (CASEY, DREW, ALEX):
        assert table.turn == seat
        assert table.closing is None
        table.pass_(seat)
    assert (table.closing, table.turn) == ("passed", BLAIR)


def test_4_3_when_the_kings_were_the_last_cards_the_next_leads():
    table = to_the_kings(OUT_WITH_KINGS).passes(CASEY, DREW, ALEX)
    assert (table.closing, table.turn) == ("passed", CASEY)


def test_4_3_a_finished_seats_play_must_be_beaten():
    table = to_the_kings(OUT_WITH_KINGS)
    assert table.types == "played finished turn_began"
    assert table.play(CASEY, "4S").why == "wrong_count"


def test_4_3_with_two_seats_left_one_pass_closes():
    table = house("3S 7S", "4S", "5S", "6S 8S").play(0, "3S").play(1, "4S").play(2, "5S").play(3, "6S")
    assert table.pass_(0).closing == "passed"
    assert table.turn == 3


def test_4_3_the_leader_must_play():
    assert house("3S 7S", "4S", "5S", "6S").pass_(0).why == "empty_trick"


# "twos rank highest but cannot beat a larger set"; "A higher pair beats a lower pair; a single 2 does not beat a pair,
# and three kings do not beat two queens. You may choose two of your three kings and retain the third."
@pytest.mark.parametrize("cards, why", [("2S", "wrong_count"), ("KS KH KD", "wrong_count"), ("KS KD", None)])
def test_4_1_same_count(cards, why):
    assert house("QS QH 3S", "2S KS KH KD", "4S", "5S").play(0, "QS QH").play(1, cards).why == why


# "two 2s can beat two aces, but one 2 cannot. Equal ranks never beat each other; four of a kind has no extra power."
@pytest.mark.parametrize("cards, why", [("2S 2H", None), ("2S", "wrong_count"), ("AD AC", "too_weak")])
def test_4_1_strictly_higher(cards, why):
    assert house("AS AH 3S", "2S 2H AD AC", "4S", "5S").play(0, "AS AH").play(1, cards).why == why


def test_4_1_four_of_a_kind_has_no_extra_power():
    table = house("3S 3H 3D 3C 9S", "2S KS", "4S", "5S").play(0, "3S 3H 3D 3C")
    assert table.the(ev.Played).revolution is False
    assert table.play(1, "2S").why == "wrong_count"


def test_4_1_finishing_with_a_two_is_fine():
    table = house("3S 7S", "2S", "5S 9S", "6S 8S").play(0, "3S").play(1, "2S")
    assert table.the(ev.Finished).penalised is False


# "four players get 13 each; five get 10 or 11; six get 8 or 9; seven get 7 or 8."
@pytest.mark.parametrize("seats, counts", [(4, {13}), (5, {10, 11}), (6, {8, 9}), (7, {7, 8})])
def test_4_2_hands(seats, counts):
    table = started(seats, ruleset="house")
    assert {len(table.hand(seat)) for seat in range(seats)} == counts


@pytest.mark.parametrize("dealer", [None, 0, 1, 4])
def test_4_2_dealt_from_the_dealers_left_who_leads(dealer):
    table = started(5, ruleset="house", options={"first_dealer": dealer})
    left = ((4 if dealer is None else dealer) + 1) % 5
    assert table.turn == left
    longer = {seat for seat in range(5) if len(table.hand(seat)) == 11}
    assert longer == {left, (left + 1) % 5}


def round_over(target=11, options=None, **fields):
    """Seats finish in order: 0 is President, 4 is last."""
    hands = ("3S", "4S", "5S", "6S", "KS KH")
    table = house(*hands, target=target, options=options or {}, **fields)
    for seat in range(4):
        table.play(seat, hands[seat])
    assert any(isinstance(event, ev.RoundEnded) for event in table.last)
    return table


# "Add 2, 1 and zero points respectively."
def test_4_5_points_and_places():
    ended = round_over().the(ev.RoundEnded)
    assert ended.points == {"0": 2, "1": 1, "2": 0, "3": 0, "4": 0}
    assert (ended.roles["0"], ended.roles["1"], ended.roles["2"]) == ("president", "vice_president", "place_3")


def test_4_5_the_target_ends_the_game():
    table = round_over(target=2)
    assert (table.the(ev.GameEnded).why, table.the(ev.GameEnded).winners) == ("target", (0,))


# "move the dealer one seat clockwise and deal as before … The previous President opens this deal"
def test_4_2_the_dealer_moves_and_the_president_leads():
    table = round_over().send(do.NextRound(seat=0))
    counts = {seat: len(cards) for seat, cards in table.the(ev.Dealt).hands.items()}
    assert counts == {"0": 10, "1": 11, "2": 11, "3": 10, "4": 10}
    table.ran_out().ran_out()
    assert table.turn == 0


# "The previous last-place player hands their single highest-ranked card face down to the President; if tied in rank,
# choose either suit. The President adds it to their hand, then returns any one card face down. Nobody else trades."
HANDS = {0: "3S 4S", 1: "5S 6S", 2: "7S 8S", 3: "AS AH 9S"}


@pytest.mark.parametrize("card", ["AS", "AH"])
def test_4_4_two_steps(card):
    table = in_exchange((0, 1, 2, 3), HANDS, ruleset="house")
    opened = table.all(ev.ExchangeOpened)[-1]
    assert (opened.step, opened.moves, [(owed.from_, owed.to, owed.count, owed.pick) for owed in opened.owes]) == (
        1,
        (),
        [(3, 0, 1, "best")],
    )
    assert table.give(3, "9S").why == "wrong_cards"
    assert table.give(0, "3S").why == "nothing_owed"
    assert table.give(3, card).types == "given exchange_closed exchange_opened"
    opened = table.the(ev.ExchangeOpened)
    assert (opened.step, opened.owes[0].pick, table.hand(0)) == (2, "any", {"3S", "4S", card})
    assert table.give(0, card).types == "given exchange_closed trick_opened turn_began"
    assert table.hand(3) == {"AS", "AH", "9S"}
    assert table.turn == 0


def test_4_4_action_seconds_each():
    table = in_exchange((0, 1, 2, 3), HANDS, ruleset="house").tick(20_000).give(3, "AS")
    assert table.view(None).deadline == table.now + 30_000
    assert table.ran_out().types == "given exchange_closed trick_opened turn_began"
    assert table.the(ev.Given).cards == ("3S",)


# "A pass now removes you from the current pile until it clears."
def test_4_6_sit_out():
    table = house(*EXAMPLE, options={"sit_out": True})
    table.play(ALEX, "5S 5H").pass_(BLAIR).play(CASEY, "9H 9D").passes(DREW, ALEX)
    assert (table.closing, table.turn) == ("passed", CASEY)


# "Omit the President's one-card exchange for the entire match … the player left of the new dealer opens every deal."
def test_4_6_fresh_hands():
    table = round_over(options={"fresh_hands": True}).send(do.NextRound(seat=0))
    assert table.types == "dealt committed trick_opened turn_began"
    assert table.turn == 1


# "Replace the 11-point threshold with exactly three complete deals."
def test_4_6_three_deals():
    table = started(4, ruleset="house", options={"three_deals": True}, target=None)
    while table.state.phase != "final":
        if table.state.phase == "results":
            table.send(do.NextRound(seat=0))
        else:
            table.ran_out()
    assert len(table.all(ev.RoundEnded)) == 3
    assert table.the(ev.GameEnded).why == "rounds"


# "Keep the same group throughout a match."
def test_4_7_a_leaver_is_played_to_the_end_of_the_game():
    table = round_over().send(do.Leave(seat=3))
    assert table.types == "leaving"
    table.send(do.NextRound(seat=0))
    assert sorted(table.the(ev.Dealt).hands) == ["0", "1", "2", "3", "4"]


def test_7_in_a_race_a_pass_belongs_to_one_state():
    table = house("3S 7S", "4S 8S", "5S 9S", "6S TS", mode="rapid").play(0, "3S").pass_(1)
    assert table.play(1, "4S").why == "already_passed"
    on = table.on
    table.play(2, "5S")
    assert table.pass_(1, on=on).why == "stale"
    assert table.play(1, "8S").types == "played"


def test_7_in_a_race_it_closes_when_all_others_passed_since_the_latest_play():
    table = house("3S 7S", "4S 8S", "5S 9S", "6S TS", mode="rapid").play(0, "3S").passes(1, 2).play(3, "6S")
    assert table.passes(0, 1).closing is None
    assert table.pass_(2).closing == "passed"


def test_4_1_four_to_seven_seats():
    table = seated(3, ruleset="house")
    assert table.send(do.Start(seat=0)).why == "too_few"
    assert table.state.settings.seats == 7
