"""RULES 2.3, R1-R6: the race. Also what PROTOCOL sections 3.1 and 4 say of `on` and `race_lost`."""

import itertools

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.rules.presets import PRESETS
from tests.rules.table import dealt

HANDS = ("3S 3H 7S 7H", "5S 5H 9S 9D", "4S 8H 8D 2C", "6S 6H JD JC")


# R1


@pytest.mark.parametrize("seat, cards", list(enumerate(("3S 3H", "5S", "4S", "JD JC"))))
def test_R1_anyone_may_open_in_the_first_round(seat, cards):
    assert dealt(*HANDS).play(seat, cards).types == "played"


@pytest.mark.parametrize("seat, cards", list(enumerate(("3S 3H", "5S", "4S", "JD JC"))))
def test_R1_anyone_may_open_in_later_rounds(seat, cards):
    table = dealt(*HANDS, standings=(3, 2, 1, 0)).play(seat, cards)
    assert table.types == "played"


def test_R1_the_queen_of_hearts_gives_no_priority():
    table = dealt("QH 3S", "4S 5S", "6S 7S")
    assert table.all(ev.TrickOpened)[-1].leader is None
    assert table.play(1, "4S").types == "played"


@pytest.mark.parametrize("opener, cards", [(0, "3S"), (1, "9S"), (2, "2C"), (3, "JD")])
def test_R1_the_last_player_has_no_priority_behind_a_closed_trick(opener, cards):
    table = dealt(*HANDS).play(1, "5S").passes(0, 2, 3)
    assert table.the(ev.TrickOpened).leader is None
    assert table.play(opener, cards).types == "played"


def test_R1_the_last_player_may_play_on_their_own_play():
    table = dealt(*HANDS).play(0, "3S").play(0, "7S")
    assert table.types == "played"
    assert table.play(0, "7H").types == "played"


def test_R1_any_order_of_seats_may_play():
    singles = {0: "3S", 1: "5S", 2: "4S", 3: "6S"}
    for order in itertools.permutations(range(4)):
        strengths = dict(zip(order, ("3", "4", "5", "6"), strict=True))
        hands = [f"{strengths[seat]}S KS KH".replace("K", "JQKA"[seat]) for seat in singles]
        table = dealt(*hands)
        for seat in order:
            assert table.play(seat, f"{strengths[seat]}S").types == "played"


def test_R1_in_the_log_nobody_has_the_turn():
    table = dealt(*HANDS).play(0, "3S")
    assert table.view(0).turn is None
    assert table.view(0).must_rank is None


# R2, R3


def test_R2_a_trick_state_is_the_seq_of_its_event():
    table = dealt(*HANDS)
    assert table.on == table.state.seq
    table.play(0, "3S")
    assert table.on == table.state.seq
    assert table.the(ev.Played).on == table.state.seq - 1


@pytest.mark.parametrize("order", list(itertools.permutations([(0, "7S"), (1, "9S"), (2, "8H"), (3, "JD")])))
def test_R2_the_first_legal_play_processed_for_a_state_is_accepted(order):
    table = dealt(*HANDS)
    on = table.on
    outcomes = [table.play(seat, cards, on=on, at=1_002_000).types for seat, cards in order]
    assert outcomes[0] == "played"
    assert outcomes[1:] == ["race_lost"] * 3


def test_R2_an_illegal_attempt_before_it_earns_no_priority():
    table = dealt(*HANDS).play(3, "6S")
    on = table.on
    assert table.play(0, "3S", on=on).why == "too_weak"
    assert table.play(1, "9S", on=on).types == "played"
    assert table.play(0, "7S", on=on).why == "stale"


def test_R3_the_cards_stay_in_the_hand_even_if_they_beat_the_new_top():
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S", on=on).play(2, "2C", on=on)
    assert table.why == "stale"
    assert "2C" in table.hand(2)
    assert table.state.trick.last_player == 0


def test_R3_a_play_aimed_at_a_closed_trick_never_opens_the_next_one():
    table = dealt(*HANDS).play(1, "5S")
    on = table.on
    table.passes(0, 2, 3)
    assert table.closing == "passed"
    table.play(2, "8H", on=on)
    assert table.why == "stale"
    assert table.state.trick.top is None


@pytest.mark.parametrize("beyond", [1, 2, 1000, 2**53 - 1])
def test_R3_a_state_that_is_not_yet_is_another_state(beyond):
    table = dealt(*HANDS).play(0, "3S")
    assert table.play(1, "5S", on=table.on + beyond).why == "stale"


@pytest.mark.parametrize("on", [0, -1, 1, 2])
def test_R3_a_seq_that_was_no_trick_state_is_stale(on):
    assert dealt(*HANDS).play(0, "3S").play(1, "5S", on=on).why == "stale"
    assert dealt(*HANDS).play(0, "3S").pass_(1, on=on).why == "stale"


def test_R3_the_seq_of_a_pass_is_no_trick_state():
    table = dealt(*HANDS).play(0, "3S").pass_(1)
    assert table.play(2, "4S", on=table.state.seq).why == "stale"


# R4


@pytest.mark.parametrize(
    "cards, why, is_logged",
    [
        ("9S", "stale", True),
        ("5S 5H", "stale", True),  # any combination was legal at the empty state
        ("3S", "not_your_cards", False),
        ("5S 9S", "not_a_combination", False),
    ],
)
def test_R4_cards_first_then_the_trick_state(cards, why, is_logged):
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S").play(1, cards, on=on)
    assert table.why == why
    assert bool(table.last) is is_logged


@pytest.mark.parametrize(
    "cards, is_logged",
    [("9S", True), ("5S", False), ("5S 5H", False)],
    ids=["was legal", "was too weak", "was the wrong count"],
)
def test_R4_a_lost_race_is_logged_if_the_play_would_have_been_legal_then(cards, is_logged):
    table = dealt(*HANDS).play(3, "6S")
    on = table.on
    table.play(0, "7S").play(1, cards, on=on)
    assert table.why == "stale"
    assert table.types == ("race_lost" if is_logged else "")
    assert (table.refusal.late_ms is not None) is is_logged


def test_R4_the_wrong_state_comes_before_the_rest():
    table = dealt(*HANDS).play(3, "6S")
    on = table.on
    table.play(0, "7S").pass_(1)
    assert table.play(1, "5S", on=on).why == "stale"
    assert table.play(1, "9S").why == "already_passed"


def test_R4_who_had_passed_had_no_legal_play():
    table = dealt(*HANDS).play(3, "6S").pass_(1)
    on = table.on
    table.play(0, "7S").play(1, "9S", on=on)
    assert (table.why, table.types) == ("stale", "")


def test_R4_who_passed_later_had_one():
    table = dealt(*HANDS).play(3, "6S")
    on = table.on
    table.play(0, "7S").pass_(1).play(1, "9S", on=on)
    assert (table.why, table.types) == ("stale", "race_lost")


def test_R4_legal_by_the_order_at_that_state():
    table = dealt("3S 3H 3D 3C KS", "4S 4H 4D 4C QS", "5S 5H 5D 5C JS", variants=("revolution",))
    table.play(0, "3S 3H 3D 3C")
    on = table.on  # a revolution: 3 is strongest, nothing but 3s answers
    table.play(1, "4S 4H 4D 4C", on=on)
    assert table.why == "too_weak"
    table = dealt("5S 5H 5D 5C KS", "4S 4H 4D 4C QS", "3S 3H 3D 3C JS", variants=("revolution",))
    table.play(0, "5S 5H 5D 5C")
    on = table.on
    table.play(1, "4S 4H 4D 4C", on=on)  # turns the order back
    table.play(2, "3S 3H 3D 3C", on=on)
    assert (table.why, table.types) == ("stale", "race_lost")


def test_R4_one_lost_race_a_seat_and_state():
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S", on=on)
    assert table.play(1, "5S", on=on).types == "race_lost"
    assert table.play(1, "9S", on=on).types == ""
    assert table.why == "stale"
    assert table.play(2, "4S", on=on).types == "race_lost"
    assert table.play(0, "7S", on=on).types == "race_lost"  # the winner of a state may lose at it too


def test_R4_a_state_of_the_trick_just_closed_still_counts_and_one_before_it_does_not():
    table = dealt(*HANDS)
    first = table.on
    table.play(1, "5S").passes(0, 2, 3)
    assert table.play(0, "3S", on=first).types == "race_lost"
    table.play(1, "5H").passes(0, 2, 3)
    assert table.play(2, "8H", on=first).types == ""
    assert table.why == "stale"


def test_R4_behind_the_rounds_last_trick_it_is_stale_and_logged_too():
    table = dealt("3S", "4S 9D", "5S 6S")
    on = table.on
    table.play(0, "3S").play(1, "4S")
    closed_on = table.on
    table.play(1, "9D")
    assert table.state.phase == "results"
    assert table.play(2, "5S", on=on).why == "stale"
    assert table.types == "race_lost"
    assert table.play(2, "6S", on=closed_on).types == "race_lost"


def ended_game(**fields):
    """A game that is over, the state that its last trick was won at, and the state of the play before."""
    table = dealt("3S", "4S 2D", "5S 2C", rounds=1, **fields)
    on = table.on
    table.play(0, "3S").play(1, "4S")
    closed_on = table.on
    table.play(1, "2D")
    assert table.state.phase == "final"
    return table, on, closed_on


def test_R4_behind_the_last_game_it_is_logged_too_also_in_the_lobby():
    table, on, closed_on = ended_game()
    table.send(do.ToLobby(seat=0))
    assert table.play(2, "5S", on=on).types == "race_lost"
    assert table.play(2, "2C", on=closed_on).types == "race_lost"
    assert table.play(2, "2C", on=closed_on).types == ""


@pytest.mark.parametrize("ruleset", PRESETS)
@pytest.mark.parametrize("cards", ["5S", "2C", "1O", "*1", "2O 2C"])
def test_R4_by_other_rules_than_those_of_the_trick_no_race_is_lost(ruleset, cards):
    for on in (1, 2):
        table, *states = ended_game()
        settings = {"ruleset": ruleset, "mode": "rapid", "door": "closed"}
        table.send(do.ToLobby(seat=0)).send(do.ChangeSettings(seat=0, fields=settings))
        assert table.types == "settings_changed"
        table.play(2, cards, on=states[on - 1])
        assert (table.why, table.types) in {("stale", ""), ("not_your_cards", "")}


def test_R4_a_newcomer_has_held_no_card_of_the_trick_before():
    table, on, closed_on = ended_game()
    table.send(do.Leave(2)).send(do.TakeSeat(do.Newcomer(name="New", token_hash="2" * 64)))
    assert table.the(ev.SeatTaken).seat == 2
    for state, cards in ((on, "5S"), (closed_on, "2C")):
        table.play(2, cards, on=state)
        assert (table.why, table.types) in {("stale", ""), ("not_your_cards", "")}
    assert table.play(0, "3S", on=on).types == ""


def test_R4_the_cards_of_a_new_deal_are_not_those_of_the_race():
    table = dealt("3S", "4S 9D", "5S 6S", rounds=5)
    on = table.on
    table.play(0, "3S").play(1, "4S").play(1, "9D").send(do.NextRound(seat=0))
    card = min(table.hand(2))
    table.play(2, card, on=on)
    assert table.types == ""
    assert table.why in {"stale", "not_your_cards"}


@pytest.mark.parametrize("late_ms", [0, 1, 37, 5_000])
def test_R4_late_ms_counts_from_the_play_that_ended_the_state(late_ms):
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S", at=1_002_000).play(2, "4S", at=1_002_000)
    table.play(1, "9S", on=on, at=1_002_000 + late_ms)
    assert table.the(ev.RaceLost) == ev.RaceLost(seat=1, on=on, late_ms=late_ms)
    assert table.refusal.late_ms == late_ms


def test_R4_late_ms_counts_from_that_play_whatever_came_between():
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S", at=1_002_000).pass_(3, at=1_002_050).play(2, "4S", at=1_002_070)
    assert table.play(1, "9S", on=on, at=1_002_100).the(ev.RaceLost).late_ms == 100


def test_R4_late_ms_counts_from_the_closing_where_no_play_ended_the_state():
    table = dealt(*HANDS).play(3, "6S", at=1_004_000)
    on = table.on
    table.pass_(0, at=1_004_100).pass_(2, at=1_004_200).pass_(1, at=1_004_300)
    assert table.closing == "passed"
    table.play(1, "9S", on=on, at=1_004_320)
    assert (table.why, table.types) == ("stale", "")  # it had passed
    table = dealt(*HANDS).play(3, "6S", at=1_004_000)
    on = table.on
    table.ran_out(late_ms=40)
    table.play(1, "9S", on=on, at=table.now + 7)
    assert table.the(ev.RaceLost).late_ms == 7


# R5


@pytest.mark.parametrize(
    "seat, why", [(0, "last_player"), (1, None), (2, None), (3, None)], ids=["last player", "1", "2", "3"]
)
def test_R5_a_pass_needs_a_top_and_another_last_player(seat, why):
    assert dealt(*HANDS).play(0, "3S").pass_(seat).why == why


def test_R5_a_pass_makes_no_new_trick_state():
    table = dealt(*HANDS).play(0, "3S")
    on = table.on
    table.pass_(1)
    assert table.on == on
    assert table.play(2, "4S", on=on).types == "played"


def test_R5_a_pass_at_an_earlier_state_of_the_trick_counts():
    table = dealt(*HANDS)
    opened = table.on
    first = table.play(0, "3S").on
    second = table.play(2, "4S").on
    table.play(3, "6S")
    assert table.pass_(1, on=first).types == "passed"
    assert table.pass_(2, on=second).types == "passed"
    assert table.pass_(0, on=opened).why == "empty_trick"


def test_R5_a_pass_at_the_empty_state_of_the_trick_is_refused():
    table = dealt(*HANDS)
    opened = table.on
    assert table.play(0, "3S").pass_(1, on=opened).why == "empty_trick"


def test_R5_a_pass_at_another_trick_is_stale():
    table = dealt(*HANDS).play(1, "5S")
    on = table.on
    table.passes(0, 2, 3).play(0, "3S")
    assert table.pass_(1, on=on).why == "stale"
    assert table.pass_(1, on=table.on + 1).why == "stale"


def test_R5_who_was_last_player_then_and_is_not_now_may_pass():
    table = dealt(*HANDS).play(0, "3S")
    own = table.on
    table.play(1, "5S")
    assert table.pass_(0, on=own).types == "passed"


# R6


def test_R6_the_trick_closes_when_all_but_the_last_player_have_passed():
    table = dealt(*HANDS).play(0, "3S").passes(1, 2)
    assert table.closing is None
    assert table.pass_(3).types == "passed trick_closed trick_opened"
    assert table.closing == "passed"


def test_R6_checked_behind_every_pass_the_others_plays_in_between():
    table = dealt(*HANDS).play(0, "3S").play(1, "5S").passes(0, 2).play(3, "6S")
    assert table.closing is None  # seat 1 has not passed
    assert table.play(1, "9S").closing is None  # nor has seat 3
    assert table.pass_(3).closing == "passed"


def test_R6_checked_behind_a_play_too():
    # Seat 0 is out with its play, seats 2 and 3 have passed: behind seat 1's play nobody is left to answer.
    table = dealt("3S", "5S 9S", "4S 8H", "6S 6H").play(0, "3S").passes(2, 3)
    assert table.closing is None
    assert table.play(1, "5S").types == "played trick_closed trick_opened"
    assert table.closing == "passed"


def test_R6_the_last_players_own_play_behind_all_passes_is_a_new_trick():
    table = dealt(*HANDS).play(3, "6S").passes(0, 1, 2)
    assert table.play(3, "JD").types == "played"
    assert table.the(ev.Played).trick == 2


def test_R6_if_the_last_player_is_out_every_seat_left_must_have_passed():
    table = dealt("3S", "5S 5H", "4S 8H", "6S 6H").play(0, "3S")
    assert table.types == "played finished"
    assert table.passes(1, 2).closing is None
    assert table.pass_(3).closing == "passed"


def test_R6_seats_out_of_the_round_need_not_pass():
    table = dealt("3S", "5S 5H", "4S 8H", "6S 6H").play(0, "3S").play(1, "5S").pass_(2)
    assert table.closing is None
    assert table.pass_(3).closing == "passed"
    assert table.pass_(0).why == "not_in_round"


def test_R6_everyone_in_the_round_is_in_the_next_trick():
    table = dealt(*HANDS).play(0, "3S").passes(1, 2, 3)
    assert [row.passed for row in table.view(None).seats] == [False] * 4
