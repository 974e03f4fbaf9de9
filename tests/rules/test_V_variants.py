"""RULES 2.5: the variants, and why a trick closes."""

import itertools

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.rules.legal import closing_reason
from rapid.rules.settings import rules_of
from tests.rules.table import dealt, settings_with

FOURS = ("3S 3H 3D 3C 8S KS", "5S 5H 5D 5C 9S QS", "4S 8H 8D 2C 7H AS")
"""Each of the first two holds four of a kind."""


# V1


def test_V1_four_of_a_kind_at_once_reverses_the_order():
    table = dealt(*FOURS, variants=["revolution"]).play(0, "3S 3H 3D 3C")
    assert table.the(ev.Played).revolution is True
    assert table.view(None).revolution is True
    assert table.play(1, "5S 5H 5D 5C").why == "too_weak"


def test_V1_the_next_one_reverses_it_back():
    table = dealt(*FOURS, variants=["revolution"]).play(1, "5S 5H 5D 5C").play(0, "3S 3H 3D 3C")
    assert table.the(ev.Played).revolution is False
    assert table.view(None).revolution is False


def test_V1_it_lasts_across_tricks():
    table = dealt(*FOURS, variants=["revolution"]).play(0, "3S 3H 3D 3C").passes(1, 2)
    assert table.closing == "passed"
    assert table.play(1, "9S").play(2, "AS").why == "too_weak"
    assert table.play(2, "7H").types == "played"


def test_V1_it_ends_with_the_round():
    table = dealt("3S 3H 3D 3C", "5S", "4S 8H", variants=["revolution"])
    table.play(0, "3S 3H 3D 3C").passes(1, 2).play(1, "5S")
    assert table.the(ev.RoundEnded)
    assert table.view(None).revolution is False


@pytest.mark.parametrize(
    "plays", [("4S", "4H", "4D", "4C"), ("4S 4H", "4D 4C"), ("4S 4H", "4D", "4C")], ids=["1+1+1+1", "2+2", "2+1+1"]
)
def test_V1_four_gathered_over_several_plays_never_do_it(plays):
    table = dealt("4S 4H 4D 4C 9S", "5S KS", "6S KD", variants=["revolution"])
    for cards in plays:
        table.play(0, cards)
    assert table.view(None).revolution is False


def test_V1_off_four_of_a_kind_is_an_ordinary_combination():
    table = dealt(*FOURS).play(0, "3S 3H 3D 3C")
    assert table.the(ev.Played).revolution is False
    assert table.play(1, "5S 5H 5D 5C").types == "played"
    assert table.view(None).revolution is False


def test_V1_an_equal_rank_answers_in_either_order():
    table = dealt("3S 3H 3D 3C 8S KS", "8H KD", "8D KC", variants=["revolution"])
    table.play(0, "3S 3H 3D 3C").passes(1, 2).play(0, "8S")
    assert table.play(1, "8H").types == "played"
    assert table.play(2, "KC").why == "too_weak"


def test_V1_an_automatic_opening_of_four_turns_the_order_too():
    table = dealt("3S 3H 3D 3C 8S", "4S 4H 4D 4C 9S", "5S 5H 5D 5C TS", variants=["revolution"]).ran_out()
    assert table.the(ev.Played).by == "timer"
    assert table.view(None).revolution is True


# V2


@pytest.mark.parametrize(
    "plays, closes_at",
    [
        ([(0, "7S 7H 7D 7C")], 1),
        ([(0, "7S 7H"), (0, "7D 7C")], 2),
        ([(0, "7S"), (0, "7H"), (0, "7D"), (0, "7C")], 4),
        ([(0, "7S"), (1, "8S"), (1, "8H"), (1, "8D"), (1, "8C")], 5),
        ([(0, "7S"), (0, "7H"), (0, "7D"), (1, "8S")], None),
        ([(0, "7S 7H"), (1, "8S 8H")], None),
        ([(0, "7S 7H 7D")], None),
    ],
    ids=["one play", "two pairs", "four singles", "a new rank restarts the count", "three", "pairs", "a three"],
)
def test_V2_four_consecutive_cards_of_a_rank_close_the_trick(plays, closes_at):
    table = dealt("7S 7H 7D 7C 3S", "8S 8H 8D 8C 3D", "KS KH 3C", variants=["four_closes"])
    closed = None
    for number, (seat, cards) in enumerate(plays, 1):
        if table.play(seat, cards).closing:
            closed = number
            assert table.closing == "four"
    assert closed == closes_at


def test_V2_several_seats_may_gather_them():
    table = dealt("7S 3S", "7H 3H", "7D 7C 3D", variants=["four_closes"])
    table.play(0, "7S").play(1, "7H").play(2, "7D")
    assert table.closing is None
    assert table.play(2, "7C").closing == "four"


def test_V2_does_not_outlast_the_trick():
    table = dealt("7S 7H 3S", "7D 7C 3H", "KS KH", variants=["four_closes"])
    table.play(0, "7S 7H").passes(1, 2).play(1, "7D 7C")
    assert table.closing is None


def test_V2_off_they_close_nothing():
    assert dealt("7S 7H 7D 7C 3S", "3H KD", "KS KH").play(0, "7S 7H 7D 7C").closing is None


def test_V2_with_V1_the_order_turns_first_and_the_next_trick_keeps_it():
    table = dealt(*FOURS, variants=["revolution", "four_closes"]).play(0, "3S 3H 3D 3C")
    assert table.types == "played trick_closed trick_opened"
    assert table.the(ev.Played).revolution is True
    assert table.closing == "four"
    assert table.play(1, "9S").play(2, "AS").why == "too_weak"


# V3


@pytest.mark.parametrize(
    "plays, closing",
    [
        ([(0, "2S")], "strongest"),
        ([(0, "2S 2H")], "strongest"),
        ([(1, "9S"), (0, "2S")], "strongest"),
        ([(1, "AS")], None),
        ([(1, "3S")], None),
    ],
)
def test_V3_a_two_closes_in_normal_order(plays, closing):
    table = dealt("2S 2H 4S", "9S AS 3S", "KS KH", variants=["strongest_closes"])
    for seat, cards in plays:
        table.play(seat, cards)
    assert table.closing == closing


def test_V3_the_count_must_match():
    table = dealt("2S 2H 4S", "9S 9D 3S", "KS KH", variants=["strongest_closes"]).play(1, "9S 9D")
    assert table.play(0, "2S").why == "wrong_count"
    assert table.play(0, "2S 2H").closing == "strongest"


@pytest.mark.parametrize("cards, closing", [("3S", "strongest"), ("2S", None)])
def test_V3_a_three_closes_in_revolution(cards, closing):
    table = dealt("5S 5H 5D 5C KD", "3S 2S 9S", "KS KH", variants=["revolution", "strongest_closes"])
    table.play(0, "5S 5H 5D 5C").passes(1, 2)
    assert table.play(1, cards).closing == closing


@pytest.mark.parametrize("cards, closing", [("2S 2H 2D 2C", "strongest"), ("3S 3H 3D 3C", None)])
def test_V3_the_order_before_the_play_counts(cards, closing):
    table = dealt("2S 2H 2D 2C KD", "3S 3H 3D 3C 9S", "KS KH", variants=["revolution", "strongest_closes"])
    seat = 0 if cards[0] == "2" else 1
    assert table.play(seat, cards).closing == closing
    assert table.view(None).revolution is True


def test_V3_off_it_closes_nothing():
    assert dealt("2S 4S", "9S 3S", "KS KH").play(0, "2S").closing is None


def test_V3_closing_keeps_the_revolution():
    table = dealt("2S 2H 2D 2C KD", "9S 7S", "KS KH", variants=["revolution", "strongest_closes"])
    table.play(0, "2S 2H 2D 2C")
    assert table.closing == "strongest"
    assert table.play(1, "9S").play(2, "KS").why == "too_weak"


# V4


@pytest.mark.parametrize("cards", ["2S", "2S 2H", "2S 2H 2D", "2S 2H 2D 2C"])
def test_V4_any_count_of_twos_that_empties_the_hand(cards):
    table = dealt(cards, "3S 4S", "3H 4H", variants=["finish_with_two"]).play(0, cards)
    assert table.the(ev.Finished) == ev.Finished(seat=0, penalised=True)


@pytest.mark.parametrize(
    "hand, cards, penalised",
    [("AS", "AS", False), ("3S", "3S", False), ("2S", "2S", True)],
)
def test_V4_nothing_but_twos(hand, cards, penalised):
    table = dealt(hand, "3D 4S", "3H 4H", variants=["finish_with_two"]).play(0, cards)
    assert table.the(ev.Finished).penalised is penalised


def test_V4_off_finishing_with_a_two_is_clean():
    table = dealt("2S", "3D 4S", "3H 4H").play(0, "2S")
    assert table.the(ev.Finished).penalised is False


@pytest.mark.parametrize("cards, penalised", [("2S", True), ("3S", False)])
def test_V4_in_revolution_it_is_still_the_two(cards, penalised):
    table = dealt("5S 5H 5D 5C KD", f"{cards}", "KS KH", variants=["revolution", "finish_with_two"])
    table.play(0, "5S 5H 5D 5C").passes(1, 2).play(1, cards)
    assert table.the(ev.Finished).penalised is penalised


def test_V4_playing_a_two_and_keeping_cards_is_no_penalty():
    table = dealt("2S 3S", "3D 4S", "3H 4H", variants=["finish_with_two"]).play(0, "2S")
    assert table.types == "played"
    assert table.passes(1, 2).play(0, "3S").the(ev.Finished).penalised is False


def test_V4_a_refused_play_is_no_penalty():
    table = dealt("2S 5S", "3D 3S", "3H 4H", variants=["finish_with_two"]).play(1, "3D 3S")
    assert table.types == "played finished"
    assert table.play(0, "2S").why == "wrong_count"
    assert table.play(0, "2S", on=1).why == "stale"
    assert table.state.round.penalised == ()


def test_V4_the_play_keeps_all_its_effects():
    variants = ["revolution", "four_closes", "strongest_closes", "finish_with_two"]
    table = dealt("2S 2H 2D 2C", "3D 4S", "3H 4H", variants=variants).play(0, "2S 2H 2D 2C")
    assert table.types == "played finished trick_closed trick_opened"
    assert table.the(ev.Played).revolution is True
    assert table.closing == "four"
    assert table.the(ev.Finished).penalised is True


def test_V4_a_closure_does_not_lift_the_penalty():
    table = dealt("2S", "3D 4S", "3H 4H", variants=["strongest_closes", "finish_with_two"]).play(0, "2S")
    assert table.closing == "strongest"
    assert table.the(ev.Finished).penalised is True


@pytest.mark.parametrize(
    "finishers, standings",
    [
        # (seat, card) in finishing order; the seat left is the one not named
        ([(0, "2S"), (1, "5S"), (2, "6S")], (1, 2, 3, 0)),
        ([(0, "5S"), (1, "2S"), (2, "6S")], (0, 2, 3, 1)),
        ([(0, "5S"), (1, "6S"), (2, "2S")], (0, 1, 3, 2)),
        ([(0, "2S"), (1, "2H"), (2, "6S")], (2, 3, 1, 0)),
        ([(0, "2S"), (1, "2H"), (2, "2D")], (3, 2, 1, 0)),
        ([(3, "2S"), (1, "5H"), (2, "2D")], (1, 0, 2, 3)),
    ],
)
def test_V4_places_are_reserved_from_below(finishers, standings):
    hands = dict.fromkeys(range(4), "KS KH") | dict(finishers)
    table = dealt(*(hands[seat] for seat in range(4)), variants=["finish_with_two"])
    for seat, cards in finishers:
        while table.state.trick.top is not None:
            table.ran_out()
        table.play(seat, cards)
    assert table.the(ev.RoundEnded).standings == standings


def test_V4_holding_a_two_when_the_last_place_is_left_is_no_penalty():
    table = dealt("5S", "6S", "2S 2H", variants=["finish_with_two"]).play(0, "5S").play(1, "6S")
    assert table.the(ev.RoundEnded).standings == (0, 1, 2)
    table = dealt("2D", "2C", "2S 2H", variants=["finish_with_two"]).play(0, "2D").play(1, "2C")
    assert table.the(ev.RoundEnded).standings == (2, 1, 0)


def test_V4_the_view_knows_the_reserved_place():
    table = dealt("2S", "5S", "6S 7S", "8S 9S", variants=["finish_with_two"]).play(0, "2S").passes(1, 2, 3)
    assert table.view(None).seats[0].place == 4
    table.play(1, "5S")
    assert table.view(None).seats[1].place == 1


@pytest.mark.parametrize("by", ["bot", "standin", "timer"])
def test_V4_by_bots_stand_ins_and_timers(by):
    if by == "timer":
        table = dealt("2S", "2H", "2D 2C", variants=["finish_with_two"]).ran_out()
        while not isinstance(table.last[1], ev.Finished):
            table = table.ran_out().ran_out()
        assert table.the(ev.Finished).penalised is True
        return
    table = dealt("3S 4S", "3H 4H", "2S", variants=["finish_with_two"], bots=1 if by == "bot" else 0)
    if by == "standin":
        table.send(do.Disconnect(seat=2)).tick(5_000)
    table.play(2, "2S", by=by)
    assert table.the(ev.Played).by == by
    assert table.the(ev.Finished).penalised is True


# V6


def _rules(names):
    return rules_of(settings_with(names))


@pytest.mark.parametrize("holds", list(itertools.product([False, True], repeat=4)))
def test_V6_the_first_reason_that_holds(holds):
    round_over, four, strongest, passed = holds
    names = [name for name, on in (("four_closes", four), ("strongest_closes", strongest)) if on]
    expected = next(
        (why for why, on in zip(("round_over", "four", "strongest", "passed"), holds, strict=True) if on), None
    )
    two = 12
    assert (
        closing_reason(_rules(names), two, run=4, reversed_before=False, all_passed=passed, round_over=round_over)
        == expected
    )


def test_V6_round_over_comes_before_all_others_at_the_table():
    variants = ["revolution", "four_closes", "strongest_closes", "finish_with_two"]
    table = dealt("3S", "2S 2H 2D 2C", "4H 4D", variants=variants).play(0, "3S").passes(1, 2)
    table.play(1, "2S 2H 2D 2C")
    assert table.closing == "round_over"


def test_V6_four_comes_before_strongest_at_the_table():
    table = dealt("2S 2H 2D 2C 3S", "5S 6S", "4H 4D", variants=["four_closes", "strongest_closes"])
    assert table.play(0, "2S 2H 2D 2C").closing == "four"
