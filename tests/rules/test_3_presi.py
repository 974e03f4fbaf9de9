"""RULES 3: ruleset `presi`, document 000. Seats are 0 … n-1 in play order."""

import itertools

import pytest
from msgspec import UNSET, structs

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import dealt, in_exchange, in_turns, seated, started

WAIT_MS = 60_000
ACTION_MS = 30_000


def presi(*hands, **fields):
    return in_turns(*hands, ruleset="presi", rounds=None, **fields)


def race(*hands, **fields):
    return dealt(*hands, ruleset="presi", mode="rapid", rounds=None, **fields)


# 3.1, 3.2, 3.3


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_3_1_the_48_card_deck_is_dealt_whole(seats):
    table = started(seats, ruleset="presi", rounds=None)
    cards = [card for seat in range(seats) for card in table.hand(seat)]
    assert len(cards) == len(set(cards)) == 48
    assert {card[:-1] for card in cards} == {str(number) for number in range(1, 13)}


def test_3_1_the_order_of_ranks():
    order = ["3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2"]
    for weaker, stronger in itertools.pairwise(order):
        table = presi(f"{weaker}C 3O", f"{stronger}E 4O", "5O 5C").play(0, f"{weaker}C")
        assert table.play(1, f"{stronger}E").why is None
        table = presi(f"{stronger}C 3O", f"{weaker}E 4O", "5O 5C").play(0, f"{stronger}C")
        assert table.play(1, f"{weaker}E").why == "too_weak"


def test_3_2_the_extra_cards_move_on_with_the_deal():
    table = started(5, ruleset="presi", rounds=None)
    counts = [len(table.hand(seat)) for seat in range(5)]
    assert counts == [10, 10, 10, 9, 9]
    table = in_exchange((0, 1, 2, 3, 4), ruleset="presi", rounds=None)
    assert [len(table.hand(seat)) for seat in range(5)] == [9, 10, 10, 10, 9]


def test_3_3_the_three_of_coins_leads_round_1_with_any_combination():
    table = presi("4O 4C", "3O 6C 6E", "8O 8C", leader=None)
    assert table.turn == 1
    assert table.play(1, "6C 6E").why is None


# 3.4


def test_3_4_the_five_the_five_and_the_fourth_player():
    """Document 000: you lead a five, the next plays another five and the third loses their turn."""
    table = presi("5O 9O", "5C 9C", "6E 9E", "7B 9B").play(0, "5O").play(1, "5C")
    assert table.types == "played skipped turn_began"
    assert (table.the(ev.Skipped).seat, table.turn) == (2, 3)


def test_3_4_a_skipped_seat_has_not_passed():
    table = presi("5O 8O 9O", "5C 9C", "6E 9E", "7B 10B").play(0, "5O").play(1, "5C").play(3, "7B").play(0, "8O")
    assert table.turn == 1
    table.pass_(1)
    assert table.turn == 2
    assert table.play(2, "9E").why is None


def test_3_4_a_pair_of_sevens_answers_a_pair_of_sevens_and_nothing_else_does():
    """Document 000: on a pair of sevens a pair of sevens or of eights, but not three cards or a single seven."""
    hands = ("7O 7C 9O", "7E 7B 8O 8C 8E", "9C 9E 10O")
    assert presi(*hands).play(0, "7O 7C").play(1, "7E 7B").why is None
    assert presi(*hands).play(0, "7O 7C").play(1, "8O 8C").why is None
    assert presi(*hands).play(0, "7O 7C").play(1, "8O 8C 8E").why == "wrong_count"
    assert presi(*hands).play(0, "7O 7C").play(1, "7E").why == "wrong_count"


def test_3_4_seats_that_passed_are_not_skipped():
    table = presi("5O 6O 9O", "6C 9C", "6E 9E", "7B 9B").play(0, "5O").pass_(1).play(2, "6E").pass_(3).play(0, "6O")
    assert table.types == "played skipped trick_closed trick_opened turn_began"
    assert (table.the(ev.Skipped).seat, table.turn) == (2, 0)  # back at the last player


def test_3_4_a_play_that_closes_the_trick_skips_nobody():
    table = presi("5O 9O", "5C", "6E 9E", "7B 9B").play(0, "5O").play(1, "5C")
    assert table.types == "played finished trick_closed trick_opened turn_began"
    assert (table.closing, table.turn) == ("finish", 2)


# 3.5


@pytest.mark.parametrize("led", ["5O", "5O 5C", "5O 5C 5E", "5O 5C 5E 5B", "2C", "2C 2E"])
def test_3_5_the_two_of_coins_alone_wins_any_trick(led):
    table = presi(f"{led} 9C", "2O 3C", "6E 9E").play(0, led).play(1, "2O")
    assert (table.closing, table.turn) == ("killer", 1)


def test_3_5_led_it_wins_at_once():
    table = presi("2O 3C", "4C 4E", "6E 9E").play(0, "2O")
    assert (table.types, table.turn) == ("played trick_closed trick_opened turn_began", 0)


def test_3_5_as_the_last_card_the_next_with_cards_leads():
    table = presi("2O", "4C 4E", "6E 9E").play(0, "2O")
    assert (table.closing, table.turn) == ("killer", 1)


def test_3_5_with_other_twos_it_is_a_two():
    table = presi("2O 2C 9C", "4C 4E", "6E 9E").play(0, "2O 2C")
    assert table.types == "played turn_began"
    assert presi("5O 9C", "2O 2C 3C", "6E 9E").play(0, "5O").play(1, "2O 2C").why == "wrong_count"


def test_3_5_in_the_race_it_wins_out_of_turn_and_a_late_one_has_lost_the_race():
    table = race("5O 5C 9C", "2O 3C", "6E 6B 9E").play(0, "5O 5C")
    on = table.on
    table.play(2, "6E 6B").play(1, "2O", on=on)
    assert (table.why, table.types) == ("stale", "race_lost")
    assert table.play(1, "2O").closing == "killer"


# 3.6, 3.7


def test_3_6_a_pass_binds_and_the_leader_cannot_pass():
    table = presi("5O 8O 9O", "6C 9C", "7E 9E")
    assert table.pass_(0).why == "empty_trick"
    table.play(0, "5O").pass_(1).play(2, "7E").play(0, "8O")
    assert table.turn == 2
    assert table.play(1, "9C").why == "already_passed"


@pytest.mark.parametrize("make", [presi, race])
def test_3_7_a_play_that_empties_a_hand_closes_the_trick(make):
    table = make("5O", "6C 9C", "7E 9E").play(0, "5O")
    assert table.closing == "finish"
    assert table.turn == (1 if make is presi else None)


# 3.8


@pytest.mark.parametrize(
    "seats, roles",
    [
        (3, "president vice_president culo"),
        (4, "president vice_president vice_culo culo"),
        (5, "president vice_president neutral vice_culo culo"),
        (6, "president vice_president neutral neutral vice_culo culo"),
    ],
)
def test_3_8_roles_and_points(seats, roles):
    table = presi(*[f"{rank}C" for rank in "45678"[: seats - 1]], "9C 10C")
    for seat in range(seats - 1):
        table.play(seat, table.hand(seat).pop())
    ended = table.the(ev.RoundEnded)
    assert [ended.roles[str(seat)] for seat in ended.standings] == roles.split()
    assert [ended.points[str(seat)] for seat in ended.standings] == [2, 1] + [0] * (seats - 2)


def ended_with(totals, target=11):
    """Seat 0 becomes President and seat 1 Vice-president, with these totals before the round."""

    table = presi("5O", "6C", "7E 8E", target=target)
    seats = tuple(structs.replace(seat, total=totals[seat.seat]) for seat in table.state.seats)
    table.state = structs.replace(table.state, seats=seats)
    return table.play(0, "5O").play(1, "6C")


@pytest.mark.parametrize(
    "totals, winners",
    [
        ((9, 0, 0), (0,)),
        ((0, 10, 0), (1,)),
        ((9, 10, 0), (0,)),  # together: the President, no shared win
        ((10, 10, 0), (0,)),
    ],
)
def test_3_8_the_first_to_11_wins(totals, winners):
    table = ended_with(totals)
    ended = table.the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("target", winners)


def test_3_8_below_the_target_the_game_goes_on():
    table = ended_with((8, 9, 10))
    assert table.types.endswith("round_ended")
    assert table.send(do.EndGame(seat=0)).the(ev.GameEnded).why == "stopped"  # G4


# 3.9

HANDS = {0: "3C 3E 4O 9O 1C", 1: "4C 5C 5E 10O 10C", 2: "6C 7C 2O 2C 2E", 3: "8C 8E 8B 12O 12C"}


def swap(**fields):
    return in_exchange((0, 1, 3, 2), HANDS, ruleset="presi", mode="turns", rounds=None, **fields)


def test_3_9_all_four_choose_at_the_same_time_even_without_a_choice():
    opened = swap().all(ev.ExchangeOpened)[-1]
    assert opened.moves == ()
    owed = {(one.from_, one.to, one.count, one.pick) for one in opened.owes}
    assert owed == {(2, 0, 2, "best"), (0, 2, 2, "worst"), (3, 1, 1, "best"), (1, 3, 1, "worst")}
    assert opened.step is UNSET


def test_3_9_with_three_seats_only_president_and_culo():
    table = in_exchange((1, 0, 2), ruleset="presi", rounds=None)
    assert {(one.from_, one.to) for one in table.all(ev.ExchangeOpened)[-1].owes} == {(1, 2), (2, 1)}


@pytest.mark.parametrize(
    "seat, cards, why",
    [
        (2, "2O 2C", None),
        (2, "2O 2E", None),  # equal ranks leave a choice
        (2, "2C 2E", "wrong_cards"),  # the two of coins is the best of all
        (2, "2O 7C", "wrong_cards"),
        (2, "2O", "wrong_cards"),
        (0, "3C 3E", None),
        (0, "3C 4O", "wrong_cards"),
        (3, "12O", None),
        (3, "12C", None),
        (3, "8C", "wrong_cards"),
        (1, "4C", None),
        (1, "5C", "wrong_cards"),
        (0, "3C 12O", "not_your_cards"),
    ],
)
def test_3_9_the_table_checks_the_cards_and_a_wrong_choice_may_be_made_again(seat, cards, why):
    table = swap().give(seat, cards)
    assert table.why == why
    if why:
        right = {0: "3C 3E", 1: "4C", 2: "2O 2C", 3: "12O"}[seat]
        assert table.give(seat, right).why is None


def test_3_9_the_two_of_coins_is_last_among_the_worst():
    hands = HANDS | {0: "2O 2C 2E", 2: "6C 7C 3O"}
    table = in_exchange((0, 1, 3, 2), hands, ruleset="presi", rounds=None)
    assert table.give(0, "2O 2C").why == "wrong_cards"
    assert table.give(0, "2C 2E").why is None


def test_3_9_nobody_has_received_before_all_have_confirmed():
    table = swap().give(2, "2O 2C").give(0, "3C 3E").give(1, "4C")
    assert table.hand(0) == {"4O", "9O", "1C"}
    table.give(3, "12C")
    assert table.types == "given exchange_closed trick_opened turn_began"
    assert table.hand(0) == {"4O", "9O", "1C", "2O", "2C"}
    assert table.hand(2) == {"6C", "7C", "2E", "3C", "3E"}
    assert (table.hand(1), table.turn) == ({"5C", "5E", "10O", "10C", "12C"}, 2)


def test_3_9_at_zero_the_server_chooses():
    table = swap().give(3, "12C").ran_out()
    assert table.types == "given given given exchange_closed trick_opened turn_began"
    given = {event.from_: set(event.cards) for event in table.last if isinstance(event, ev.Given)}
    assert given == {2: {"2O", "2C"}, 0: {"3C", "3E"}, 1: {"4C"}}


# 3.10


def waiting(*hands, **fields):
    return presi(*(hands or ("5O 9O", "6C 9C", "7E 9E")), **fields)


def test_3_10_the_chair_waits_60_s_then_the_game_is_cancelled():
    table = waiting().send(do.Disconnect(1))
    lost = table.the(ev.ConnectionLost)
    assert lost.until == table.state.at + WAIT_MS
    table.tick(WAIT_MS - 2)
    assert table.state.in_game
    table.tick(2)
    assert [type(event).__name__ for event in table.events[-3:]] == ["GameEnded", "LobbyOpened", "SeatFreed"]
    assert table.all(ev.GameEnded)[-1].why == "cancelled"
    assert table.state.phase == "lobby"
    assert not table.all(ev.StandinStarted)


def test_3_10_it_comes_before_the_host_changes():
    table = waiting().send(do.Disconnect(0)).tick(WAIT_MS)
    kinds = [type(event).__name__ for event in table.events[-4:]]
    assert kinds == ["GameEnded", "LobbyOpened", "SeatFreed", "HostChanged"]


def test_3_10_the_awaited_seats_turn_stands_until_it_is_back():
    table = waiting().send(do.Disconnect(0))
    assert table.the(ev.ConnectionLost).deadline is None
    assert table.view(1).deadline is None
    table.tick(ACTION_MS + 1_000)
    assert table.turn == 0
    table.send(do.Connect(0))
    assert table.the(ev.ConnectionBack).deadline == table.state.at + ACTION_MS == table.view(1).deadline
    assert table.ran_out().the(ev.Played).by == "timer"


def test_3_10_others_play_on_and_a_turn_that_comes_to_an_awaited_chair_has_no_timer():
    table = waiting().send(do.Disconnect(1)).play(0, "5O")
    began = table.the(ev.TurnBegan)
    assert (began.seat, began.deadline) == (1, None)
    table.send(do.Connect(1)).play(1, "6C")
    assert table.turn == 2


def test_3_10_in_the_exchange_each_has_a_time_of_its_own():
    table = swap().send(do.Disconnect(2))
    assert table.the(ev.ConnectionLost).deadline is None
    shared = table.view(0).deadline
    table.ran_out()
    assert {event.from_ for event in table.last} == {0, 1, 3}
    assert (table.state.phase, table.view(0).deadline) == ("exchange", None)
    table.send(do.Connect(2), at=shared + 5_000)
    assert table.view(0).deadline == shared + 5_000 + ACTION_MS
    assert table.give(2, "2O 2C").types == "given exchange_closed trick_opened turn_began"


def test_3_10_a_return_does_not_lengthen_the_others_time():
    table = swap()
    shared = table.view(0).deadline
    table.send(do.Disconnect(2)).send(do.Connect(2))
    assert table.view(0).deadline == shared
    table.ran_out()
    assert {event.from_ for event in table.last} == {0, 1, 3}
    assert table.view(0).deadline > shared


def test_3_10_the_automatic_opening_never_picks_an_awaited_chair():
    for seed in range(20):
        table = race("5O 9O", "6C 9C", "7E 9E")
        table.now += seed
        table.send(do.Disconnect(1)).ran_out()
        assert table.the(ev.Played).seat in {0, 2}


def test_3_10_if_every_chair_is_awaited_the_race_timer_starts_anew():
    table = race("5O 9O", "6C 9C", "7E 9E")
    deadline = table.state.deadline
    for seat in range(3):
        table.send(do.Disconnect(seat))
    table.tick(25_000)
    assert not table.all(ev.Played)
    table.send(do.Connect(1))
    assert table.the(ev.ConnectionBack).deadline == deadline + 20_000
    assert table.ran_out().the(ev.Played).seat == 1


def test_3_10_leaving_on_purpose_is_G7_also_while_awaited():
    table = waiting().send(do.Disconnect(1)).play(0, "5O")
    table.send(do.Remove(seat=0, target=1))
    assert table.state.seat_at(1).controller == "bot"
    assert table.state.deadline == table.state.at + ACTION_MS
    assert table.tick(WAIT_MS).state.in_game


def waited_for(table):
    """Until when each chair is waited for, as everyone's view has it."""
    views = [table.view(viewer) for viewer in (None, 0, 2)]
    shown = [{seat.seat: seat.until for seat in view.seats if seat.until is not UNSET} for view in views]
    assert shown[0] == shown[1] == shown[2]
    return shown[0]


def test_3_10_a_view_says_until_when_a_chair_waits():
    table = waiting()
    assert waited_for(table) == {}
    table.send(do.Disconnect(1))
    until = table.state.at + WAIT_MS
    assert table.play(0, "5O").the(ev.Played).seat == 0
    assert waited_for(table) == {1: until}
    table.send(do.Connect(1))
    assert waited_for(table) == {}
    table.send(do.Disconnect(1)).tick(WAIT_MS)
    assert waited_for(table) == {}


def test_3_10_nobody_waits_for_a_leaver_nor_with_stand_ins_nor_in_the_lobby():
    table = waiting().send(do.Disconnect(1)).send(do.Remove(seat=0, target=1))
    assert waited_for(table) == {}
    assert waited_for(waiting(disconnect="standin").send(do.Disconnect(1))) == {}
    assert waited_for(seated(3, ruleset="presi").send(do.Disconnect(1))) == {}


def test_3_10_policy_standin_may_be_chosen():
    table = waiting(disconnect="standin").send(do.Disconnect(1))
    assert table.the(ev.ConnectionLost) == ev.ConnectionLost(1)
    table.tick(6_000)
    assert table.all(ev.StandinStarted)


def test_3_10_a_loss_in_the_lobby_counts_from_the_games_start():
    table = seated(3, ruleset="presi", rounds=None).send(do.Disconnect(1)).tick(50_000).send(do.Start(seat=0))
    assert waited_for(table) == {1: table.state.at + WAIT_MS}
    table.tick(WAIT_MS - 1_000)
    assert table.state.in_game
    table.tick(1_000)
    assert table.state.phase == "lobby"
