"""RULES 4: ruleset `house`, document 001. Seats are 0 … n-1 in play order: Alex, Blair, Casey, Drew."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import dealt, in_exchange, in_turns, started

ALEX, BLAIR, CASEY, DREW = range(4)
FOUR = ("5S 5H 3S 3H", "KS KH 4S", "9S 9H 6S", "7S 8S TS")
ACTION_MS = 30_000


def house(*hands, **fields):
    return in_turns(*(hands or FOUR), ruleset="house", rounds=None, **fields)


def race(*hands, **fields):
    return dealt(*(hands or FOUR), ruleset="house", mode="rapid", rounds=None, **fields)


# 4.1


def test_4_1_strictly_higher_and_the_same_count():
    table = house("5S 5H 3S", "5D 5C KS", "9S 2H", "7S 8S").play(0, "5S")
    assert table.play(1, "5D").why == "too_weak"
    assert table.play(1, "KS").why is None
    assert house("5S 5H 3S", "2S 4S", "9S 9H", "7S").play(0, "5S 5H").play(1, "2S").why == "wrong_count"


def test_4_1_finishing_with_a_two_is_fine_and_four_of_a_kind_has_no_power():
    table = house("2S", "5S 5H 5D 5C KS", "9S 9H", "7S 7H").play(0, "2S").pass_(1).pass_(2).pass_(3)
    assert table.all(ev.Finished) == [ev.Finished(0, penalised=False)]
    assert table.play(1, "5S 5H 5D 5C").the(ev.Played).revolution is False


def test_4_1_an_equal_rank_never_skips():
    table = house("5S 3S", "6S 4S", "6H 9H", "7S 8S").play(0, "5S").play(1, "6S")
    assert (table.types, table.turn) == ("played turn_began", 2)


# 4.2


@pytest.mark.parametrize("first_dealer, dealer", [(None, 4), (0, 0), (2, 2), (6, 4)])
def test_4_2_the_deal_starts_at_the_dealers_left_who_leads(first_dealer, dealer):
    table = started(5, ruleset="house", rounds=None, mode="turns", options={"first_dealer": first_dealer})
    assert table.turn == (dealer + 1) % 5
    more = [seat for seat in range(5) if len(table.hand(seat)) == 11]
    assert set(more) == {(dealer + 1) % 5, (dealer + 2) % 5}


def test_4_2_the_dealer_moves_and_later_the_president_leads():
    table = in_exchange((2, 0, 1, 4, 3), ruleset="house", rounds=None, mode="turns", options={"first_dealer": 0})
    assert {seat for seat in range(5) if len(table.hand(seat)) == 11} <= {2, 3}  # seat 3's highest may be given
    last, president = 3, 2
    table.give(last, highest(table, last)).give(president, min(table.hand(president)))
    assert table.turn == president


def highest(table, seat):
    return max(table.hand(seat), key=lambda card: "3456789TJQKA2".index(card[0]))


# 4.3


def test_4_3_the_pass_and_re_enter_example():
    """Document 001, word for word: Blair passes, Casey plays nines, Drew and Alex pass, Blair plays kings."""
    table = house().play(ALEX, "5S 5H").pass_(BLAIR).play(CASEY, "9S 9H").pass_(DREW).pass_(ALEX)
    assert (table.closing, table.turn) == (None, BLAIR)
    table.play(BLAIR, "KS KH").pass_(CASEY).pass_(DREW)
    assert (table.closing, table.turn) == (None, ALEX)
    table.pass_(ALEX)
    assert (table.closing, table.turn) == ("passed", BLAIR)  # Blair clears and leads again


def test_4_3_had_the_kings_emptied_blairs_hand_casey_leads():
    hands = (FOUR[0], "KS KH", *FOUR[2:])
    table = house(*hands).play(ALEX, "5S 5H").pass_(BLAIR).play(CASEY, "9S 9H").pass_(DREW).pass_(ALEX)
    table.play(BLAIR, "KS KH")
    assert (table.types, table.turn) == ("played finished turn_began", CASEY)  # the play must still be beaten
    table.passes(CASEY, DREW, ALEX)
    assert (table.closing, table.turn) == ("passed", CASEY)


def test_4_3_with_two_seats_left_one_pass_closes_and_the_leader_must_play():
    table = house("3S", "4S 5S 6S", "8S 9S", "7S").play(0, "3S").play(1, "4S").pass_(2).play(3, "7S").pass_(1)
    table.pass_(2)
    assert (table.closing, table.turn) == ("passed", 1)
    assert table.pass_(1).why == "empty_trick"
    assert table.play(1, "5S").pass_(2).closing == "passed"


def test_4_3_a_pass_names_the_present_state():
    table = house().play(ALEX, "5S 5H")
    on = table.on
    table.pass_(BLAIR).play(CASEY, "9S 9H").pass_(DREW).pass_(ALEX)
    assert table.pass_(BLAIR, on=on).why == "stale"


# 4.4


def exchange(**fields):
    hands = {0: "3S 4S 5S", 1: "6S 7S", 2: "8S 9S", 3: "2S 2H TS"}
    return in_exchange((0, 1, 2, 3), hands, ruleset="house", rounds=None, mode="turns", **fields)


def test_4_4_in_two_steps_the_received_card_may_go_back():
    table = exchange()
    opened = table.all(ev.ExchangeOpened)[-1]
    assert (opened.step, opened.moves, len(opened.owes)) == (1, (), 1)
    assert (opened.owes[0].from_, opened.owes[0].pick) == (3, "best")
    assert table.give(0, "3S").why == "nothing_owed"
    assert table.give(3, "TS").why == "wrong_cards"
    table.give(3, "2H")
    assert table.types == "given exchange_closed exchange_opened"
    opened = table.the(ev.ExchangeOpened)
    assert (opened.step, opened.owes[0].from_, opened.owes[0].pick) == (2, 0, "any")
    assert table.hand(0) == {"3S", "4S", "5S", "2H"}
    table.give(0, "2H")
    assert table.types == "given exchange_closed trick_opened turn_began"
    assert (table.hand(3), table.turn) == ({"2S", "2H", "TS"}, 0)


def test_4_4_each_step_has_its_time_and_the_server_chooses_at_its_end():
    table = exchange().ran_out()
    assert table.types == "given exchange_closed exchange_opened"
    assert table.state.deadline == table.state.at + ACTION_MS
    table.ran_out()
    assert table.types == "given exchange_closed trick_opened turn_began"
    assert table.hand(0) == {"4S", "5S", "2S"}


# 4.5


def test_4_5_roles_and_points():
    table = house("3S", "4S", "5S", "6S", "7S 8S")
    for seat in range(4):
        table.play(seat, table.hand(seat).pop())
    ended = table.the(ev.RoundEnded)
    assert [ended.roles[str(seat)] for seat in ended.standings] == [
        "president", "vice_president", "place_3", "place_4", "place_5",
    ]  # fmt: skip
    assert [ended.points[str(seat)] for seat in ended.standings] == [2, 1, 0, 0, 0]


# 4.6


def test_4_6_sit_out_a_pass_binds():
    table = house(options={"sit_out": True}).play(ALEX, "5S 5H").pass_(BLAIR).play(CASEY, "9S 9H").pass_(DREW)
    table.pass_(ALEX)
    assert (table.closing, table.turn) == ("passed", CASEY)


def test_4_6_fresh_hands_no_exchange_and_the_dealers_left_leads():
    options = {"fresh_hands": True, "first_dealer": 0}
    table = in_exchange((2, 0, 1, 3), ruleset="house", rounds=None, mode="turns", options=options)
    assert table.types == "dealt committed trick_opened turn_began"
    assert table.turn == 2  # the dealer has moved to seat 1


def test_4_6_three_deals_are_three_rounds_to_no_target():
    table = started(4, bots=3, ruleset="house", rounds=None, mode="rapid", options={"three_deals": True})
    assert table.state.settings.target is None
    assert table.state.rules.rounds == 3


# 4.7


def to_results(**fields):
    table = house("3S", "4S", "5S", "6S 7S", **fields)
    for seat in range(3):
        if seat == 1:
            table.send(do.Leave(seat=2))
        table.play(seat, table.hand(seat).pop(), by="bot" if seat == 2 else "person")
    return table


def test_4_7_a_bot_plays_a_leavers_seat_to_the_end_of_the_game():
    table = to_results()
    assert table.types.endswith("round_ended")
    assert table.state.seat_at(2).controller == "bot"
    table.send(do.Leave(seat=3))  # between rounds too
    assert table.types == "leaving"
    assert table.state.seat_at(3) is not None
    table.send(do.NextRound(seat=0))
    assert set(table.state.round.order) == {0, 1, 2, 3}


def test_4_7_the_seats_are_freed_at_the_games_end_before_it():
    table = to_results(target=2)
    assert table.types.endswith("round_ended seat_freed game_ended")
    assert table.the(ev.GameEnded).winners == (0,)
    table = to_results().send(do.EndGame(seat=0))
    assert [type(event).__name__ for event in table.last] == ["SeatFreed", "GameEnded"]
    assert table.state.seat_at(2) is None


# 7


def test_7_in_the_race_a_new_play_wipes_all_passes():
    table = race().play(ALEX, "5S 5H").pass_(BLAIR)
    on = table.on
    assert table.play(BLAIR, "KS KH").why == "already_passed"
    table.play(CASEY, "9S 9H")
    assert table.pass_(DREW, on=on).why == "stale"
    assert table.play(BLAIR, "KS KH").why is None
    assert table.passes(ALEX, CASEY, DREW).closing == "passed"
