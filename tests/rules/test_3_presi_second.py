"""RULES 3 once more, by those who wrote the second reading: the ruleset `presi`, clause by clause."""

import itertools

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import dealt, in_exchange, seated, started

RANKS = ("3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2")


def presi(*hands, leader=0, mode="turns", **fields):
    """A round's first trick; the first seat leads unless told otherwise."""
    return dealt(*hands, ruleset="presi", mode=mode, leader=leader if mode == "turns" else None, **fields)


# 3.1


def test_3_1_forty_eight_spanish_cards():
    names = started(4, ruleset="presi").state.rules.deck.names
    assert sorted(names) == sorted(f"{rank}{suit}" for rank in RANKS for suit in "OCEB")


@pytest.mark.parametrize("weaker, stronger", list(itertools.pairwise(RANKS)))
def test_3_1_strength(weaker, stronger):
    assert presi(f"{weaker}C 6B", f"{stronger}E 6O", "4B 4O").play(0, f"{weaker}C").play(1, f"{stronger}E").why is None
    assert presi(f"{stronger}C 6B", f"{weaker}E 6O", "4B 4O").play(0, f"{stronger}C").play(1, f"{weaker}E").why


@pytest.mark.parametrize("seats", [2, 7])
def test_3_1_three_to_six_seats(seats):
    table = seated(2, ruleset="presi")
    table.send(do.ChangeSettings(seat=0, fields={"seats": seats}))
    assert table.why == "bad_settings"
    assert table.send(do.Start(seat=0)).why == "too_few"


# 3.2


@pytest.mark.parametrize("seats, counts", [(3, [16] * 3), (4, [12] * 4), (5, [10, 10, 10, 9, 9]), (6, [8] * 6)])
def test_3_2_the_first_seats_dealt_to_get_the_extra_cards(seats, counts):
    table = started(seats, ruleset="presi")
    assert [len(table.hand(seat)) for seat in range(seats)] == counts


def test_3_2_round_k_starts_at_the_k_th_seat():
    table = presi("3C", "4C", "5C", "6C", "7C 8C").play(0, "3C")
    for seat, cards in ((1, "4C"), (2, "5C"), (3, "6C")):
        table.play(seat, cards)
    table.send(do.NextRound(seat=0))
    dealt_hands = table.the(ev.Dealt).hands
    assert [len(dealt_hands[str(seat)]) for seat in range(5)] == [9, 10, 10, 10, 9]


# 3.3


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_3_3_the_three_of_coins_leads_round_1_with_anything(seats):
    table = started(seats, ruleset="presi")
    assert "3O" in table.hand(table.turn)
    other = next(card for card in sorted(table.hand(table.turn)) if card != "3O")
    assert table.play(table.turn, other).why is None


@pytest.mark.parametrize("standings", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_3_3_later_the_culo(standings):
    table = in_exchange(standings, ruleset="presi").ran_out()
    assert table.types.endswith("exchange_closed trick_opened turn_began")
    assert table.turn == standings[-1]


# 3.4


def test_3_4_same_count_equal_or_higher():
    table = presi("5O 5C 9C", "5E 5B 6C 6E", "7C 7E 8C").play(0, "5O 5C")
    assert table.play(1, "6C").why == "wrong_count"
    assert table.play(1, "5E 5B").why is None


@pytest.mark.parametrize("held", ["8C 9C", "7B 9C"], ids=["no such card", "holds one"])
def test_3_4_equal_rank_skips_the_next_whatever_it_holds(held):
    table = presi("7O 10O", "7C 10C", held, "9E 10E").play(0, "7O").play(1, "7C")
    assert table.types == "played skipped turn_began"
    assert (table.the(ev.Skipped).seat, table.turn, table.must_rank) == (2, 3, None)


def test_3_4_once():
    table = presi("7O 10O", "7C 10C", "8C 11E", "9E 10E").play(0, "7O").play(1, "7C").play(3, "9E").pass_(0)
    assert table.turn == 1
    assert table.pass_(1).turn == 2
    assert table.play(2, "11E").why is None


def test_3_4_seats_that_passed_are_not_counted():
    table = presi("7O 10O", "8C 10C", "7C 11E", "9E 10E", "12E 12C").play(0, "7O").pass_(1).play(2, "7C")
    assert (table.the(ev.Skipped).seat, table.turn) == (3, 4)
    table.play(4, "12E").pass_(0).pass_(2)
    assert table.turn == 3


def test_3_4_if_the_turn_comes_back_the_trick_closes():
    table = presi("7O 10O", "8C 10C", "7C 11E").play(0, "7O").pass_(1).play(2, "7C")
    assert table.types == "played skipped trick_closed trick_opened turn_began"
    assert (table.closing, table.turn) == ("passed", 2)


def test_3_4_a_play_that_closes_skips_nobody():
    table = presi("2C 10O", "2O 10C", "7C 11E").play(0, "2C").play(1, "2O")
    assert table.types == "played trick_closed trick_opened turn_began"
    table = presi("7O 10O", "7C", "9C 11E").play(0, "7O").play(1, "7C")
    assert table.types == "played finished trick_closed trick_opened turn_began"


# 3.5


@pytest.mark.parametrize("led", ["3C", "12C 12E", "4C 4E 4B", "5O 5C 5E 5B", "2C 2E"])
def test_3_5_the_two_of_coins_wins_against_any_count(led):
    table = presi(f"{led} 10O", "2O 10C", "7C 11E").play(0, led).play(1, "2O")
    assert (table.closing, table.turn) == ("killer", 1)


def test_3_5_led_too():
    table = presi("2O 10O", "2C 10C", "7C 11E").play(0, "2O")
    assert (table.closing, table.turn) == ("killer", 0)


def test_3_5_as_the_last_card_the_next_leads():
    table = presi("3C 10O", "2O", "7C 11E").play(0, "3C").play(1, "2O")
    assert (table.closing, table.turn) == ("killer", 2)


def test_3_5_with_other_twos_it_is_an_ordinary_two():
    table = presi("1C 1E 10O", "2O 2C 10C", "2E 2B 11E").play(0, "1C 1E").play(1, "2O 2C")
    assert table.closing is None
    assert table.play(2, "2E 2B").why is None
    assert presi("1C 3E", "2O 2C 10C", "2E 2B").play(0, "1C").play(1, "2O 2C").why == "wrong_count"


def test_3_5_other_twos_alone_win_nothing():
    table = presi("1C 10O", "2C 10C", "2E 11E").play(0, "1C").play(1, "2C")
    assert table.closing is None
    assert table.play(2, "2E").why is None


def test_3_5_in_a_turned_order_too():
    table = presi("3O 3C 3E 3B 5O", "2O 10C", "7C 11E", variants=["revolution"]).play(0, "3O 3C 3E 3B")
    assert table.play(1, "2O").closing == "killer"


def test_3_5_in_a_race_too():
    table = presi("3C 10O", "2O 10C", "7C 11E", mode="rapid").play(0, "3C").play(1, "2O")
    assert table.closing == "killer"
    assert table.the(ev.TrickOpened).leader is None


# 3.6


def test_3_6_a_pass_binds():
    table = presi("3C 10O", "5C 10C", "7C 11E", "8C 12E").play(0, "3C").pass_(1).play(2, "7C").play(3, "8C").pass_(0)
    assert table.turn == 2
    assert table.play(1, "10C").why == "already_passed"


def test_3_6_the_leader_cannot_pass():
    assert presi("3C 10O", "5C", "7C").pass_(0).why == "empty_trick"


# 3.7


def test_3_7_a_play_that_empties_a_hand_closes_the_trick():
    table = presi("3C 10O", "5C", "7C 11E", "8C 12E").play(0, "3C").play(1, "5C")
    assert table.types == "played finished trick_closed trick_opened turn_began"
    assert (table.closing, table.turn) == ("finish", 2)


def test_3_7_led_too():
    assert presi("3C", "5C 6C", "7C 11E").play(0, "3C").closing == "finish"


def test_3_7_the_last_but_one_ends_the_round():
    table = presi("3C", "5C", "7C 11E").play(0, "3C").play(1, "5C")
    assert table.types == "played finished trick_closed round_ended"
    assert table.the(ev.TrickClosed).why == "round_over"


# 3.8

ROLES = {
    3: ["president", "vice_president", "culo"],
    4: ["president", "vice_president", "vice_culo", "culo"],
    5: ["president", "vice_president", "neutral", "vice_culo", "culo"],
    6: ["president", "vice_president", "neutral", "neutral", "vice_culo", "culo"],
}


def played_out(seats, target=11):
    """The round's places are the seats in order."""
    hands = [f"{rank}C" for rank in RANKS[: seats - 1]] + ["1C 1E"]
    table = presi(*hands, target=target)
    for seat in range(seats - 1):
        table.play(seat, hands[seat])
    return table


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_3_8_roles_and_points(seats):
    ended = played_out(seats).the(ev.RoundEnded)
    assert [ended.roles[str(seat)] for seat in range(seats)] == ROLES[seats]
    assert [ended.points[str(seat)] for seat in range(seats)] == [2, 1, *[0] * (seats - 2)]


def test_3_8_the_first_to_the_target_wins():
    ended = played_out(3, target=2).the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("target", (0,))


def test_3_8_together_the_president_wins():
    ended = played_out(3, target=1).the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("target", (0,))


def test_3_8_below_the_target_there_is_another_round():
    assert played_out(3, target=3).types == "played finished trick_closed round_ended"


def test_3_8_the_target_is_11_unless_set():
    assert seated(3, ruleset="presi").state.settings.target == 11


def test_G4_ended_by_the_host_it_is_stopped_without_winner():
    table = played_out(3).send(do.EndGame(seat=0))
    assert (table.the(ev.GameEnded).why, table.the(ev.GameEnded).winners) == ("stopped", ())


# 3.9

FOUR_SEATS = {
    0: "3O 3C 4O 5O 12O",
    1: "3E 4C 5C 9O",
    2: "6O 2C 1O 2E",
    3: "2B 2O 1C 1E 7O",
}


def test_3_9_all_choose_at_the_same_time():
    table = in_exchange((0, 1, 2, 3), FOUR_SEATS, ruleset="presi")
    opened = table.state.exchange
    assert {(duty.giver, duty.taker, duty.count, duty.pick) for duty in opened.owed} == {
        (3, 0, 2, "best"),
        (0, 3, 2, "worst"),
        (2, 1, 1, "best"),
        (1, 2, 1, "worst"),
    }
    assert table.all(ev.ExchangeOpened)[-1].moves == ()


def test_3_9_with_three_seats_president_and_culo_only():
    table = in_exchange((0, 1, 2), ruleset="presi")
    assert {(duty.giver, duty.taker) for duty in table.state.exchange.owed} == {(2, 0), (0, 2)}


def test_3_9_the_two_of_coins_is_best_of_all():
    table = in_exchange((0, 1, 2, 3), FOUR_SEATS, ruleset="presi")
    assert table.give(3, "2B 1C").why == "wrong_cards"
    assert table.give(3, "2O 1C").why == "wrong_cards"
    assert table.give(3, "2O 2B").types == "given"


def test_3_9_it_is_last_among_the_worst():
    hands = {**FOUR_SEATS, 0: "2O 2C 1O 1B", 2: "6O 8C"}
    table = in_exchange((0, 1, 2, 3), hands, ruleset="presi")
    assert table.give(0, "2C 2O").why == "wrong_cards"
    assert table.give(0, "1O 1B").types == "given"


@pytest.mark.parametrize("cards", ["2C", "2E"])
def test_3_9_among_equal_ranks_one_chooses(cards):
    assert in_exchange((0, 1, 2, 3), FOUR_SEATS, ruleset="presi").give(2, cards).types == "given"


@pytest.mark.parametrize("cards", ["3O 4O", "4O 5O", "3O 3C 4O", "3O"])
def test_3_9_a_wrong_choice_is_refused_and_may_be_made_again(cards):
    table = in_exchange((0, 1, 2, 3), FOUR_SEATS, ruleset="presi")
    assert table.give(0, cards).why == "wrong_cards"
    assert table.give(0, "3O 3C").types == "given"
    assert table.give(0, "3O 3C").why == "already_given"


def test_3_9_cards_move_once_all_have_confirmed():
    table = in_exchange((0, 1, 2, 3), FOUR_SEATS, ruleset="presi")
    table.give(3, "2O 2B").give(0, "3O 3C").give(1, "3E")
    assert table.hand(0) == {"4O", "5O", "12O"}
    assert table.hand(3) == {"1C", "1E", "7O"}
    table.give(2, "2C")
    assert table.types == "given exchange_closed trick_opened turn_began"
    assert table.hand(0) == {"4O", "5O", "12O", "2O", "2B"}
    assert table.hand(3) == {"1C", "1E", "7O", "3O", "3C"}
    assert (table.hand(1), table.hand(2)) == ({"4C", "5C", "9O", "2C"}, {"6O", "1O", "2E", "3E"})


def test_3_9_nobody_sees_what_others_give():
    table = in_exchange((0, 1, 2, 3), FOUR_SEATS, ruleset="presi").give(3, "2O 2B")
    assert "2O" not in repr(table.view(0)).replace("12O", "")


def test_3_9_then_the_server_chooses():
    table = in_exchange((0, 1, 2, 3), FOUR_SEATS, ruleset="presi").give(0, "3C 3O").ran_out()
    given = {event.from_: set(event.cards) for event in table.last if isinstance(event, ev.Given)}
    assert given == {3: {"2O", "2B"}, 2: {"2C"}, 1: {"3E"}}


# 3.10


def test_3_10_the_chair_waits_sixty_seconds():
    table = presi("3C 10O", "5C 10C", "7C 11E").play(0, "3C").send(do.Disconnect(seat=2))
    lost = table.the(ev.ConnectionLost)
    assert lost.until == table.now + 60_000
    table.tick(59_999)
    assert table.state.phase == "playing"
    assert table.view(None).seats[2].standin is False


def test_3_10_then_the_game_is_cancelled_and_the_seat_freed():
    table = presi("3C 10O", "5C 10C", "7C 11E").play(0, "3C").send(do.Disconnect(seat=2)).tick(60_000)
    names = [type(event).__name__ for event in table.events[-3:]]
    assert names == ["GameEnded", "LobbyOpened", "SeatFreed"]
    assert table.all(ev.GameEnded)[-1].why == "cancelled"
    assert (table.state.phase, table.state.seat_at(2)) == ("lobby", None)


def test_3_10_coming_back_keeps_the_seat_and_its_cards():
    table = presi("3C 10O", "5C 10C", "7C 11E").play(0, "3C").send(do.Disconnect(seat=2)).tick(59_000)
    table.send(do.Connect(seat=2)).tick(5_000)
    assert table.state.phase == "playing"
    assert table.hand(2) == {"7C", "11E"}


def test_3_10_each_its_own_minute():
    table = presi("3C 10O", "5C 10C", "7C 11E", "8C 8E").send(do.Disconnect(seat=2)).tick(30_000)
    table.send(do.Disconnect(seat=3)).send(do.Connect(seat=2)).tick(59_000)
    assert table.state.phase == "playing"
    assert table.tick(1_000).state.phase == "lobby"


def test_3_10_the_awaited_seats_own_timer_stops_and_starts_in_full():
    table = presi("3C 10O", "5C 10C", "7C 11E").play(0, "3C").send(do.Disconnect(seat=1))
    assert table.the(ev.ConnectionLost).deadline is None
    assert table.view(None).deadline is None
    table.tick(50_000).send(do.Connect(seat=1))
    assert table.turn == 1
    assert table.the(ev.ConnectionBack).deadline == table.now + 30_000
    assert table.ran_out().types == "played turn_began"


def test_3_10_a_turn_that_comes_to_an_awaited_chair_has_no_timer():
    table = presi("3C 10O", "5C 10C", "7C 11E").send(do.Disconnect(seat=1)).play(0, "3C")
    assert (table.turn, table.the(ev.TurnBegan).deadline) == (1, None)


def test_3_10_others_play_on():
    table = presi("3C 10O", "5C 10C", "7C 11E").play(0, "3C").send(do.Disconnect(seat=2))
    assert table.play(1, "5C").types == "played turn_began"


def test_3_10_in_a_race_the_timer_runs_and_picks_no_awaited_chair():
    table = presi("3C 10O", "5C 10C", "7C 11E", mode="rapid").send(do.Disconnect(seat=1)).send(do.Disconnect(seat=2))
    assert table.ran_out().the(ev.Played).seat == 0


def test_3_10_in_every_phase_of_a_game():
    table = played_out(3).send(do.Disconnect(seat=2)).tick(60_000)
    assert (table.state.phase, table.all(ev.GameEnded)[-1].why) == ("lobby", "cancelled")
    table = in_exchange((0, 1, 2), ruleset="presi").send(do.Disconnect(seat=2)).tick(60_000)
    assert (table.state.phase, table.all(ev.GameEnded)[-1].why) == ("lobby", "cancelled")


def test_3_10_a_leavers_seat_is_freed_with_the_game():
    table = presi("3C 10O", "5C 10C", "7C 11E", "8C 8E").send(do.Leave(seat=3)).send(do.Disconnect(seat=2)).tick(60_000)
    assert table.state.phase == "lobby"
    assert [seat.seat for seat in table.state.seats] == [0, 1]


def test_3_10_before_the_host_changes():
    table = presi("3C 10O", "5C 10C", "7C 11E").send(do.Disconnect(seat=0)).tick(60_000)
    assert [type(event).__name__ for event in table.events[-4:]] == [
        "GameEnded",
        "LobbyOpened",
        "SeatFreed",
        "HostChanged",
    ]


def test_3_10_leaving_on_purpose_is_G7():
    table = presi("3C 10O", "5C 10C", "7C 11E", "8C 8E").play(0, "3C").send(do.Leave(seat=2))
    assert table.types == "leaving"
    assert table.state.phase == "playing"


def test_3_10_with_the_policy_standin_a_stand_in_plays():
    table = presi("3C 10O", "5C 10C", "7C 11E", disconnect="standin").play(0, "3C").send(do.Disconnect(seat=1))
    assert table.tick(5_000).view(None).seats[1].standin is True


# 8 and 9: the stand-in and the killer two


@pytest.mark.parametrize(
    "hand, led, laid",
    [
        ("2O 2C 10C", "1C", "2C"),
        ("2O 9C", "1C", "2O"),
        ("2O 2C 3C", "12C", "2C"),
        ("2O 1C 1E", "12C", "2O"),
        ("2O 2C 3C", "12C 12E", "2O 2C"),
    ],
)
def test_8_the_stand_in_ranks_it_above_the_twos(hand, led, laid):
    table = presi(f"{led} 3E", hand, "4C 4E").play(0, led).ran_out()
    assert set(table.the(ev.Played).cards) == set(laid.split())
