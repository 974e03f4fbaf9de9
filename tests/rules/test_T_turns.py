"""RULES 2.4: turn mode, and V5 in 2.5. Seats are 0 … 3 in play order."""

import itertools

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import VARIANTS, in_exchange, in_turns, seated, started

FOUR_HANDS = ("3S 4S 7S KS", "5S 7H 9S KH", "6S 8H 9D KD", "4H 6H TD KC")


ALL_VARIANTS = [
    tuple(name for name, is_on in zip(VARIANTS, on, strict=True) if is_on)
    for on in itertools.product((False, True), repeat=len(VARIANTS))
]


# T1


@pytest.mark.parametrize("holder", range(4))
def test_T1_the_queen_of_hearts_leads_round_1(holder):
    hands = ["3S 4S QS", "3H 4H QD", "3D 4D QC", "3C 4C KH"]
    hands[holder] += " QH"
    table = in_turns(*hands, leader=None)
    assert (table.turn, table.must_rank) == (holder, None)
    assert (table.the(ev.TrickOpened).leader, table.the(ev.TrickOpened).deadline) == (holder, None)


def test_T1_she_need_not_be_played():
    assert in_turns("3S 4S", "QH 5H 5D", "8S 9S", leader=None).play(1, "5H 5D").types == "played turn_began"


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_T1_in_a_game_as_dealt(seats):
    table = started(seats, mode="turns")
    assert table.types == "game_started dealt committed trick_opened turn_began"
    assert "QH" in table.hand(table.turn)


@pytest.mark.parametrize("variants", ALL_VARIANTS, ids=lambda on: "+".join(on) or "none")
def test_T1_under_every_combination_of_variants(variants):
    table = in_turns("3S 4S", "QH 5H", "8S 9S", leader=None, variants=variants)
    assert table.turn == 1
    assert table.play(0, "3S").why == "not_your_turn"
    assert table.play(1, "5H").types.startswith("played turn_began")


# T2


@pytest.mark.parametrize("standings", [(0, 1, 2, 3), (3, 0, 2, 1), (1, 3, 2, 0)])
def test_T2_the_last_of_the_standings_leads_once_all_exchanges_are_done(standings):
    table = in_exchange(standings, mode="turns")
    assert table.turn is None
    president, vice = standings[0], standings[1]
    table.give(president, " ".join(sorted(table.hand(president))[:2]))
    assert (table.types, table.turn) == ("given", None)
    table.give(vice, min(table.hand(vice)))
    assert table.types == "given exchange_closed trick_opened turn_began"
    assert table.turn == table.the(ev.TrickOpened).leader == standings[-1]


def test_T2_also_when_the_timer_gives():
    table = in_exchange((2, 0, 1), mode="turns").ran_out()
    assert table.types == "given exchange_closed trick_opened turn_began"
    assert table.turn == 1


def test_T2_of_those_left_when_the_last_has_gone():
    table = in_turns("3S", "4S", "5S", "QH KH", leader=0).play(0, "3S").play(1, "4S").play(2, "5S")
    assert table.the(ev.RoundEnded).standings == (0, 1, 2, 3)
    table.send(do.Leave(seat=3)).send(do.NextRound(seat=0)).ran_out()
    assert table.turn == 2


# T3


def test_T3_turns_go_in_play_order():
    table = in_turns(*FOUR_HANDS, leader=2).play(2, "6S")
    assert table.turn == 3
    assert table.play(3, "TD").turn == 0
    assert table.play(0, "KS").turn == 1


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_T3_nobody_else_may_play_or_pass(seat):
    table = in_turns(*FOUR_HANDS).play(0, "3S")
    assert table.turn == 1
    why = {0: "last_player"}.get(seat, "not_your_turn")
    assert table.pass_(seat).why == why
    assert table.play(seat, {0: "4S", 2: "6S", 3: "4H"}[seat]).why == "not_your_turn"
    assert table.turn == 1


def test_T3_the_leader_alone_opens_and_must():
    table = in_turns(*FOUR_HANDS)
    assert table.pass_(0).why == "empty_trick"
    assert table.pass_(1).why == "empty_trick"
    assert table.play(1, "5S").why == "not_your_turn"


def test_T3_seats_that_passed_are_passed_over():
    table = in_turns(*FOUR_HANDS).play(0, "3S").pass_(1).play(2, "6S").play(3, "6H").play(0, "7S")
    assert table.turn == 2
    assert table.play(1, "9S").why == "already_passed"


def test_T3_seats_without_cards_are_passed_over():
    table = in_turns("3S 9S", "4S", "5S KD", "6S TS").play(0, "3S").play(1, "4S").play(2, "5S").play(3, "6S")
    assert table.play(0, "9S").turn == 2


def test_T3_one_may_not_answer_ones_own_play():
    table = in_turns("3S 4S", "5S 6S", "7S 8S").play(0, "3S")
    assert table.play(0, "4S").why == "not_your_turn"


# T4


def test_T4_the_turn_comes_back_to_the_last_player():
    table = in_turns(*FOUR_HANDS).play(0, "3S").play(1, "9S").passes(2, 3)
    assert table.closing is None
    assert table.pass_(0).types == "passed trick_closed trick_opened turn_began"
    assert (table.closing, table.turn) == ("passed", 1)


def test_T4_no_such_seat_remains():
    table = in_turns(*FOUR_HANDS).play(0, "3S").passes(1, 2).play(3, "TD").pass_(0)
    assert (table.closing, table.turn) == ("passed", 3)


def test_T4_the_chair_of_a_last_player_without_cards_closes_it_too():
    table = in_turns("3S 4S", "7S", "5S 6S", "8S 9S").play(0, "3S").play(1, "7S").passes(2, 3)
    assert table.turn == 0
    assert table.pass_(0).closing == "passed"
    assert table.turn == 2


def test_T4_a_skipped_seat_has_had_its_turn():
    """A 7, B 7, C skipped, D and A pass: the trick closes, B leads."""
    table = in_turns("7S KS", "7H KH", "9D KD", "TD KC", variants=["skip"]).play(0, "7S").play(1, "7H")
    assert table.types == "played skipped turn_began"
    assert (table.the(ev.Skipped).seat, table.turn) == (2, 3)
    assert table.passes(3, 0).closing == "passed"
    assert table.turn == 1


# T5


def test_T5_thirty_seconds_to_act():
    table = in_turns(*FOUR_HANDS).play(0, "3S", at=1_010_000)
    began = table.the(ev.TurnBegan)
    assert (began.deadline, table.view(None).deadline) == (1_040_000, 1_040_000)
    assert table.the(ev.Played).deadline is None
    assert table.pass_(1, at=1_039_999).refusal is None
    assert table.the(ev.TurnBegan).deadline == 1_069_999


def test_T5_at_zero_the_server_plays_as_the_stand_in_would():
    table = in_turns("3S 4S", "6S 8H 8D", "9S TS").play(0, "4S").ran_out()
    assert table.types == "played turn_began"
    assert (table.the(ev.Played).cards, table.the(ev.Played).by) == (("6S",), "timer")


def test_T5_at_zero_the_server_spares_a_larger_set():
    table = in_turns("3S 4S", "6S 6H 8D", "9S TS").play(0, "4S").ran_out()
    assert table.the(ev.Played).cards == ("8D",)


def test_T5_at_zero_the_server_passes_where_there_is_nothing_legal():
    table = in_turns("KS 4S", "6S 6H 8D", "9S TS").play(0, "KS").ran_out()
    assert table.types == "passed turn_began"
    assert (table.the(ev.Passed).by, table.turn) == ("timer", 2)


def test_T5_at_zero_the_server_opens_for_the_leader():
    table = in_turns("5S 5H KS", "6S 8D", "9S TS").ran_out()
    assert set(table.the(ev.Played).cards) == {"5S", "5H"}


def test_T5_it_is_action_seconds_not_race_seconds():
    table = in_turns(*FOUR_HANDS, action_seconds=7, race_seconds=50).play(0, "3S", at=1_005_000)
    assert table.the(ev.TurnBegan).deadline == 1_012_000


def test_T5_a_play_stamped_at_the_deadline_comes_behind_it():
    table = in_turns(*FOUR_HANDS).play(0, "3S", at=1_010_000)
    table.play(1, "9S", at=1_040_000)
    assert table.why == "stale"
    assert table.all(ev.Played)[-1].cards == ("5S",)


def test_T5_the_next_turn_counts_from_where_the_timer_was_noticed():
    table = in_turns(*FOUR_HANDS).play(0, "3S", at=1_010_000).ran_out(late_ms=400)
    assert table.the(ev.TurnBegan).deadline == 1_040_400 + 30_000


def test_T5_an_empty_trick_never_closes_and_a_trick_never_by_the_timer():
    table = in_turns(*FOUR_HANDS)
    for _ in range(40):
        if table.state.phase == "playing":
            table.ran_out()
    assert table.state.phase == "results"
    assert "timer" not in {event.why for event in table.all(ev.TrickClosed)}


def test_T5_a_new_authority_starts_the_turn_anew_in_full():
    table = in_turns(*FOUR_HANDS).play(0, "3S", at=1_010_000).send(do.Resume(epoch=2), 1_030_000)
    assert table.view(None).deadline == 1_060_000
    assert table.turn == 1


# T6


def test_T6_connections_refusals_and_salts_pause_no_turn():
    table = in_turns(*FOUR_HANDS).play(0, "3S", at=1_010_000)
    table.send(do.Disconnect(seat=1)).send(do.Connect(seat=1)).play(3, "TD").pass_(0)
    table.send(do.AddSalt(seat=1, deal=2, salt="0" * 32))
    assert table.view(1).deadline == 1_040_000


def test_T6_a_stand_in_takes_over_inside_the_turn():
    table = in_turns(*FOUR_HANDS).play(0, "3S", at=1_010_000).send(do.Disconnect(seat=1)).tick(5_000)
    assert table.view(None).seats[1].standin is True
    assert (table.view(None).deadline, table.turn) == (1_040_000, 1)
    assert table.play(1, "5S").why
    assert table.play(1, "5S", by="standin").types == "played turn_began"


# P7


def test_P7_the_last_player_leads_the_next():
    table = in_turns(*FOUR_HANDS).play(0, "3S").passes(1, 2, 3)
    assert table.the(ev.TrickOpened).leader == 0


@pytest.mark.parametrize("variants", [["strongest_closes"], ["four_closes"], ["revolution", "four_closes"]])
def test_P7_also_when_a_variant_closes(variants):
    cards = "2S" if variants == ["strongest_closes"] else "6S 6H 6D 6C"
    table = in_turns("3S 4S", "2S 6S 6H 6D 6C", "5S 7S", leader=1, variants=variants).play(1, cards)
    assert table.types == "played trick_closed trick_opened turn_began"
    assert table.turn == 1


def test_P7_without_cards_the_next_in_the_round_behind_it():
    table = in_turns("4S KS", "2S", "5S 7S", leader=1, variants=["strongest_closes"]).play(1, "2S")
    assert table.types == "played finished trick_closed trick_opened turn_began"
    assert table.turn == 2


def test_P7_and_over_chairs_without_cards():
    table = in_turns("3S KS", "4S", "5S", "6S KD").play(0, "3S").play(1, "4S").play(2, "5S")
    assert table.passes(3, 0).closing == "passed"
    assert table.turn == 3


def test_P7_a_round_that_ends_has_no_next_trick():
    table = in_turns("3S", "4S", "5S 6S").play(0, "3S").play(1, "4S")
    assert table.types == "played finished trick_closed round_ended"
    assert table.turn is None


# V5

SKIP = ["skip"]


def test_V5_it_keeps_its_turn_if_it_holds_as_many_of_that_rank():
    table = in_turns("7S KS", "7H KH", "7D KD", "TD KC", variants=SKIP).play(0, "7S").play(1, "7H")
    assert table.types == "played turn_began"
    assert (table.turn, table.must_rank) == (2, "7")
    assert table.the(ev.TurnBegan).rank == "7"


def test_V5_then_it_may_play_that_rank_or_pass_and_nothing_else():
    table = in_turns("7S KS", "7H KH", "7D KD", "TD KC", variants=SKIP).play(0, "7S").play(1, "7H")
    assert table.play(2, "KD").why == "must_match_rank"
    assert table.play(2, "7D").types == "played skipped turn_began"  # seat 3 holds no seven
    assert (table.the(ev.Skipped).seat, table.turn, table.must_rank) == (3, 0, None)


def test_V5_after_that_seat_passes_the_following_answers_freely():
    table = in_turns("7S KS", "7H KH", "7D KD", "TD KC", variants=SKIP).play(0, "7S").play(1, "7H").pass_(2)
    assert table.types == "passed turn_began"
    assert (table.turn, table.must_rank) == (3, None)
    assert table.play(3, "TD").refusal is None


def test_V5_otherwise_it_is_skipped_and_has_not_passed():
    table = in_turns("7S KS 2S", "7H KH", "8D AD", "TD KC", variants=SKIP).play(0, "7S").play(1, "7H")
    assert table.the(ev.Skipped).seat == 2
    table.play(3, "TD").play(0, "KS").pass_(1)
    assert table.turn == 2
    assert table.play(2, "AD").refusal is None


@pytest.mark.parametrize("third", ["7D 9S", "9S TS"])
def test_V5_it_must_hold_at_least_that_many(third):
    """Four sevens do not suffice for three pairs: the next seat never holds as many."""
    table = in_turns("7S 7H KS", "7C 7D KH", third.replace("7D", "9D"), "TD KC", variants=SKIP)
    table.play(0, "7S 7H").play(1, "7C 7D")
    assert (table.types, table.the(ev.Skipped).seat) == ("played skipped turn_began", 2)


def test_V5_an_unequal_answer_skips_nobody():
    table = in_turns("7S KS", "8H KH", "9D KD", "TD KC", variants=SKIP).play(0, "7S").play(1, "8H")
    assert (table.types, table.turn, table.must_rank) == ("played turn_began", 2, None)


def test_V5_the_rank_before_counts_not_an_earlier_one():
    table = in_turns("7S 8S KS", "8H KH", "9D 8D KD", variants=SKIP).play(0, "7S").play(1, "8H").play(2, "9D")
    assert table.must_rank is None
    assert table.play(0, "KS").play(1, "KH").types == "played finished turn_began"
    assert (table.turn, table.must_rank) == (2, "K")


def test_V5_seats_that_passed_or_finished_are_not_affected():
    table = in_turns("7S KS", "TS QS", "8D QD", "7H KC", variants=SKIP).play(0, "7S").passes(1, 2).play(3, "7H")
    assert table.types == "played skipped trick_closed trick_opened turn_began"
    assert (table.the(ev.Skipped).seat, table.turn) == (0, 3)


def test_V5_if_nobody_remains_after_the_skip_the_trick_closes():
    table = in_turns("7S KS", "7H KH", "8D TD", variants=SKIP).play(0, "7S").play(1, "7H").pass_(0)
    assert (table.closing, table.turn) == ("passed", 1)
    table = in_turns("7S KS", "TS KH", "7D TD", variants=SKIP).play(0, "7S").pass_(1).play(2, "7D")
    assert table.types == "played skipped trick_closed trick_opened turn_began"
    assert (table.the(ev.Skipped).seat, table.closing, table.turn) == (0, "passed", 2)


def test_V5_if_no_other_is_in_the_trick_nobody_is_skipped():
    """The first has laid its last card: nobody is left to skip."""
    table = in_turns("7S", "TS KH", "7D TD", variants=SKIP).play(0, "7S").pass_(1).play(2, "7D")
    assert table.types == "played trick_closed trick_opened turn_began"
    assert (table.closing, table.turn) == ("passed", 2)


@pytest.mark.parametrize(
    "variant, hands, plays, why",
    [
        ("strongest_closes", ("2S KS", "2H KH", "8D TD"), [(0, "2S")], "strongest"),
        ("four_closes", ("7S 7H KS", "7D 7C KH", "8D TD"), [(0, "7S 7H"), (1, "7D 7C")], "four"),
        ("four_closes", ("7S 7H KS", "7D KH", "7C TD"), [(0, "7S"), (1, "7D"), (2, "7C"), (0, "7H")], "four"),
    ],
)
def test_V5_a_play_that_closes_the_trick_skips_nobody(variant, hands, plays, why):
    table = in_turns(*hands, variants=["skip", variant])
    for seat, cards in plays:
        table.play(seat, cards)
    assert table.closing == why
    assert not table.all(ev.Skipped)


def test_V5_a_round_over_skips_nobody():
    table = in_turns("7S", "7H", "8D TD", variants=SKIP).play(0, "7S").play(1, "7H")
    assert table.types == "played finished trick_closed round_ended"


def test_V5_in_a_revolution_equal_is_equal():
    hands = ("3S 3H 3D 3C 7S KS", "7H KH TS", "9D KD TC", "8C KC TH")
    table = in_turns(*hands, variants=["skip", "revolution"]).play(0, "3S 3H 3D 3C").passes(1, 2, 3)
    table.play(0, "7S").play(1, "7H")
    assert table.types == "played skipped turn_began"


def test_V5_off_equal_ranks_skip_nobody():
    table = in_turns("7S KS", "7H KH", "9D KD", "TD KC").play(0, "7S").play(1, "7H")
    assert (table.types, table.turn, table.must_rank) == ("played turn_began", 2, None)


def test_V5_at_zero_the_server_plays_that_rank():
    table = in_turns("7S KS", "7H KH", "7D 7C KD", "TD KC", variants=SKIP).play(0, "7S").play(1, "7H").ran_out()
    assert (table.the(ev.Played).cards, table.the(ev.Played).by) == (("7D",), "timer")


def test_V5_a_wrong_count_is_told_before_the_rank():
    table = in_turns("7S KS", "7H KH", "7D KD KC", "TD 3C", variants=SKIP).play(0, "7S").play(1, "7H")
    assert table.play(2, "KD KC").why == "wrong_count"


@pytest.mark.parametrize("variants", [on for on in ALL_VARIANTS if "skip" in on], ids="+".join)
def test_V5_with_every_combination_of_the_others(variants):
    table = in_turns("7S KS", "7H KH", "7D KD", "TD KC", variants=variants).play(0, "7S").play(1, "7H")
    assert (table.turn, table.must_rank) == (2, "7")
    assert table.play(2, "7D").types == "played skipped turn_began"


# R10


def test_R10_skip_may_be_asked_for_in_turn_mode_only():
    table = seated(3, mode="turns")
    table.send(do.ChangeSettings(seat=0, fields={"variants": {"skip": True}}))
    assert table.state.settings.variants.skip is True
    table.send(do.ChangeSettings(seat=0, fields={"mode": "rapid"}))
    assert (table.state.settings.mode, table.state.settings.variants.skip) == ("rapid", False)
    table.send(do.ChangeSettings(seat=0, fields={"variants": {"skip": True}}))
    assert table.why == "bad_settings"
