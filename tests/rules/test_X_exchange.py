"""RULES 2.7: the exchange."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import in_exchange, started

HANDS = {0: "3S 4S 5S 6S", 1: "3H 4H 5H 6H", 2: "KS AH 2D 7S", 3: "QS KD AC 2C AS"}


def test_X1_none_in_round_1():
    assert started(4).types == "game_started dealt committed trick_opened"


def test_X1_from_round_2_on_after_the_deal():
    assert in_exchange((0, 1, 2, 3)).types == "dealt committed exchange_opened"


@pytest.mark.parametrize(
    "standings, moves",
    [
        ((0, 1, 2), [(2, 0, 2)]),
        ((0, 1, 2, 3), [(3, 0, 2), (2, 1, 1)]),
        ((4, 2, 0, 1, 3), [(3, 4, 2), (1, 2, 1)]),
        ((5, 4, 3, 2, 1, 0), [(0, 5, 2), (1, 4, 1)]),
    ],
)
def test_X2_who_gives_whom_how_many(standings, moves):
    opened = in_exchange(standings).the(ev.ExchangeOpened)
    assert [(move.from_, move.to, move.count) for move in opened.moves] == moves
    assert [(owed.from_, owed.to, owed.count, owed.pick) for owed in opened.owes] == [
        (to, from_, count, "any") for from_, to, count in moves
    ]


@pytest.mark.parametrize(
    "hand, given",
    [
        ("3S 4S 2D AC KH", "2D AC"),  # 2 strongest
        ("3S 4S KD KH", "KH KD"),
        ("3C 3D 3H 3S", "3S 3H"),  # spades, hearts, diamonds, clubs
        ("2C 2D 2H 2S 3S", "2S 2H"),
        ("AC AD 2C 3S", "2C AD"),
    ],
)
def test_X2_the_strongest_cards_among_equal_ranks_in_suit_order(hand, given):
    table = in_exchange((0, 1, 2), {0: "5S 6S", 1: "7S 8S", 2: hand})
    (move,) = table.the(ev.ExchangeOpened).moves
    assert set(move.cards) == set(given.split())


def test_X2_they_are_there_at_once():
    table = in_exchange((0, 1, 2, 3), HANDS)
    assert table.hand(0) == {"3S", "4S", "5S", "6S", "2C", "AS"}
    assert table.hand(1) == {"3H", "4H", "5H", "6H", "2D"}
    assert table.hand(2) == {"KS", "AH", "7S"}
    assert table.hand(3) == {"QS", "KD", "AC"}


@pytest.mark.parametrize("cards", ["3S 4S", "2C AS", "3S 2C", "6S AS"])
def test_X3_the_president_returns_any_two_received_ones_too(cards):
    table = in_exchange((0, 1, 2, 3), HANDS).give(0, cards)
    assert table.types == "given"
    assert set(table.the(ev.Given).cards) == set(cards.split())
    assert table.hand(0) == {"3S", "4S", "5S", "6S", "2C", "AS"} - set(cards.split())


@pytest.mark.parametrize("card", ["3H", "2D"])
def test_X3_the_vice_president_any_one(card):
    assert in_exchange((0, 1, 2, 3), HANDS).give(1, card).types == "given"


@pytest.mark.parametrize("first, second", [((0, "3S 4S"), (1, "3H")), ((1, "3H"), (0, "3S 4S"))])
def test_X3_both_choose_at_the_same_time_and_the_trick_opens_when_all_is_in(first, second):
    table = in_exchange((0, 1, 2, 3), HANDS).give(*first)
    assert table.state.phase == "exchange"
    assert table.give(*second).types == "given exchange_closed trick_opened"
    assert table.state.phase == "playing"
    assert table.hand(3) == {"QS", "KD", "AC", "3S", "4S"}
    assert table.hand(2) == {"KS", "AH", "7S", "3H"}


def test_X3_given_cards_arrive_when_the_exchange_closes():
    table = in_exchange((0, 1, 2, 3), HANDS).give(0, "3S 4S")
    assert table.hand(3) == {"QS", "KD", "AC"}


@pytest.mark.parametrize(
    "seat, cards, why",
    [
        (0, "3S", "wrong_cards"),
        (0, "3S 4S 5S", "wrong_cards"),
        (0, "", "wrong_cards"),
        (0, "KS KD", "not_your_cards"),
        (0, "3S 3S", "not_your_cards"),
        (2, "KS", "nothing_owed"),
        (3, "QS KD", "nothing_owed"),
    ],
)
def test_X3_what_is_refused(seat, cards, why):
    table = in_exchange((0, 1, 2, 3), HANDS)
    before = table.state
    assert table.give(seat, cards).why == why
    assert table.state == before


def test_X3_once_given_it_stands():
    table = in_exchange((0, 1, 2, 3), HANDS).give(0, "3S 4S")
    assert table.give(0, "5S 6S").why == "already_given"


def test_X3_nobody_plays_before_all_returns_are_in():
    table = in_exchange((0, 1, 2, 3), HANDS).give(0, "3S 4S")
    assert table.play(2, "KS", on=table.state.seq).why == "wrong_phase"
    assert table.pass_(2, on=table.state.seq).why == "wrong_phase"


@pytest.mark.parametrize("given", [(), (0,), (1,)])
def test_X3_at_zero_the_server_returns_for_those_who_have_not(given):
    table = in_exchange((0, 1, 2, 3), HANDS)
    for seat in given:
        table.give(seat, {0: "6S AS", 1: "6H"}[seat])
    table.ran_out()
    owing = [seat for seat in (0, 1) if seat not in given]
    assert table.types == "given " * len(owing) + "exchange_closed trick_opened"
    by_timer = [event for event in table.last if isinstance(event, ev.Given)]
    assert [event.by for event in by_timer] == ["timer"] * len(owing)
    weakest = {0: {"3S", "4S"}, 1: {"3H"}}
    assert [set(event.cards) for event in by_timer] == [weakest[seat] for seat in owing]
    if 0 in given:  # what was given stands
        assert {"6S", "AS"} <= table.hand(3)


@pytest.mark.parametrize("seconds", [5, 30, 120])
def test_X3_the_time_to_choose(seconds):
    table = in_exchange((0, 1, 2, 3), HANDS, action_seconds=seconds)
    assert table.state.deadline == table.now + 1000 * seconds


def test_X3_a_return_does_not_touch_the_timer():
    table = in_exchange((0, 1, 2, 3), HANDS)
    deadline = table.state.deadline
    table.now += 10_000
    assert table.give(0, "3S 4S").state.deadline == deadline


@pytest.mark.parametrize("offset_ms, by", [(-1, "person"), (0, "timer"), (1, "timer")])
def test_X3_a_return_at_the_deadline_comes_after_it(offset_ms, by):
    table = in_exchange((0, 1, 2, 3), HANDS).give(1, "3H")
    table.give(0, "6S AS", at=table.state.deadline + offset_ms)
    assert table.all(ev.Given)[-1].by == by


def test_X3_the_first_trick_has_the_races_own_time():
    table = in_exchange((0, 1, 2, 3), HANDS).give(0, "3S 4S").give(1, "3H")
    assert table.the(ev.TrickOpened).deadline == table.now + 10_000


def test_X4_a_new_round_starts_in_normal_order():
    table = in_exchange((0, 1, 2, 3), HANDS, ["revolution"]).give(0, "3S 4S").give(1, "3H")
    assert table.view(None).revolution is False
    assert table.play(2, "KS").play(3, "QS").why == "too_weak"


def test_X_after_a_seat_was_freed_roles_are_given_anew_by_the_smaller_number():
    table = in_exchange((0, 1, 2, 3))  # five were never here: seat 1 leaves at the results of this round
    table.give(0, " ".join(sorted(table.hand(0))[:2])).give(1, min(table.hand(1)))
    while table.state.phase == "playing":
        table.ran_out()
    standings = table.the(ev.RoundEnded).standings
    leaver = next(seat for seat in standings if seat != 0)
    table.send(do.Leave(seat=leaver)).send(do.NextRound(seat=0))
    left = [seat for seat in standings if seat != leaver]
    opened = table.the(ev.ExchangeOpened)
    assert [(move.from_, move.to, move.count) for move in opened.moves] == [(left[2], left[0], 2)]
