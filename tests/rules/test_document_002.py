"""Document 002, sentence by sentence: those that speak of rapid mode, with the clause each became."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.phases import at_results
from tests.rules.table import dealt, in_exchange

HANDS = ("3S 3H 7S 7H", "5S 5H 9S 9D", "4S 8H 8D 2C", "6S 6H JD JC")
OPENINGS = [(0, "3S 3H"), (1, "5S"), (2, "8H 8D"), (3, "JD")]
VARIANTS = ["revolution", "four_closes", "strongest_closes", "finish_with_two"]


# "In rapid mode, there are no turns."
def test_R1_there_are_no_turns():
    table = dealt(*HANDS).play(3, "6S").play(0, "7S").play(2, "8H").play(1, "9S").play(1, "9D")
    assert table.types == "played"
    assert not [event for event in table.events if type(event).__name__ in {"TurnBegan", "Skipped"}]


# "Everyone still in the trick can play a legal combination."
@pytest.mark.parametrize("seat, cards", [(0, "7S"), (1, "9S"), (2, "8H"), (3, "JD")])
def test_R1_everyone_still_in_the_trick_can_play(seat, cards):
    assert dealt(*HANDS).play(3, "6S").play(seat, cards).types == "played"


# "Anyone can open, from the first round and after exchanges: neither the Queen of hearts, the Asshole nor the last
# player to play has priority."
@pytest.mark.parametrize("seat, cards", OPENINGS)
def test_R1_anyone_can_open_from_the_first_round(seat, cards):
    assert dealt(*HANDS).play(seat, cards).types == "played"


@pytest.mark.parametrize("seat", range(4))
def test_R1_anyone_can_open_after_exchanges(seat):
    hands = {0: "3S 4S 5S", 1: "3H 4H 5H", 2: "KS AH 2D", 3: "QS KD AC"}
    table = in_exchange((0, 1, 2, 3), hands).give(0, "3S 4S").give(1, "3H")
    assert table.state.phase == "playing"
    assert table.play(seat, min(table.hand(seat))).types.startswith("played")


def test_R1_the_queen_of_hearts_has_no_priority():
    assert dealt("QH 3S", "4S 5S", "6S 7S").play(2, "6S").types == "played"


@pytest.mark.parametrize("seat, cards", OPENINGS)
def test_R1_the_last_player_to_play_has_no_priority(seat, cards):
    table = dealt(*(f"{hand} A{suit}" for hand, suit in zip(HANDS, "SHDC", strict=True)))
    table.play(3, "6S").passes(0, 1, 2)
    assert table.play(seat, cards).types == "played"


# "Only the first legal play accepted by the server counts."
def test_R2_only_the_first_legal_play_counts():
    table = dealt(*HANDS)
    on = table.on
    for seat, cards in OPENINGS:
        table.play(seat, cards, on=on)
    assert [event.seat for event in table.all(ev.Played)] == [0]


# "If someone plays before you on the same trick state, your attempt is cancelled and your cards stay in your hand,
# even if they could beat the new top cards."
def test_R3_the_attempt_is_cancelled_and_the_cards_stay():
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S", on=on).play(2, "2C", on=on)
    assert table.why == "stale"
    assert table.hand(2) == {"4S", "8H", "8D", "2C"}
    assert [play.seat for play in table.view(2).trick.plays] == [0]


# "An illegal play earns no priority."
def test_P6_an_illegal_play_earns_no_priority():
    table = dealt(*HANDS).play(3, "6S")
    on = table.on
    table.play(0, "3S", on=on)
    assert table.last == ()
    assert table.play(1, "9S", on=on).types == "played"


# "A rejected attempt is never resent automatically. Look at the new trick and make a new gesture to play."
def test_R3_a_rejected_attempt_is_never_resent():
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S", on=on).play(2, "2C", on=on).tick(1_000).tick(1_000)
    assert [event.seat for event in table.all(ev.Played)] == [0]
    assert table.play(2, "2C").types == "played"  # a new gesture


# "You can also respond to your own accepted play, with a new legal combination and a new gesture."
def test_R1_one_may_respond_to_ones_own_play():
    table = dealt(*HANDS)
    on = table.on
    assert table.play(0, "3S", on=on).play(0, "7S", on=on).why == "stale"
    assert table.play(0, "7S").types == "played"
    assert table.play(0, "3H").why == "too_weak"


# "On a non-empty trick, passing removes you until the next trick."
def test_P4_passing_removes_you_until_the_next_trick():
    table = dealt(*HANDS).play(0, "3S").pass_(1)
    assert table.play(1, "9S").why == "already_passed"
    assert table.passes(2, 3).play(1, "9S").types == "played"


# "The last player to play cannot pass."
def test_R5_the_last_player_cannot_pass():
    assert dealt(*HANDS).play(0, "3S").pass_(0).why == "last_player"


# "When all the other players still in the round have passed, the trick closes and anyone can open the next one."
def test_R6_when_all_others_have_passed_the_trick_closes():
    table = dealt(*HANDS).play(0, "3S").passes(3, 1)
    assert table.closing is None
    assert table.pass_(2).types == "passed trick_closed trick_opened"
    assert table.the(ev.TrickOpened).leader is None


# "The shared timer allows 10 seconds without an accepted play."
def test_R7_the_shared_timer_allows_ten_seconds():
    table = dealt(*HANDS).play(0, "3S", at=1_005_000)
    table.pass_(1, at=1_014_999)
    assert table.types == "passed"
    table.pass_(2, at=1_015_000)
    assert table.all(ev.TrickClosed)[-1].why == "timer"


# "At zero, a non-empty trick closes; on an empty trick, the server makes a legal automatic opening for a player
# still in the round."
def test_R7_at_zero():
    table = dealt("3S", "5S 6S 7S", "4S 8H 9S").play(0, "3S")
    table.ran_out()
    assert table.closing == "timer"
    table.ran_out()
    opening = table.the(ev.Played)
    assert (opening.by, opening.seat in {1, 2}) == ("timer", True)


# "Each new trick and accepted play restarts this timer. Passes, rejections, reactions and reconnections do not
# extend it."
def test_R8_what_restarts_the_timer_and_what_does_not():
    table = dealt(*HANDS).play(0, "3S", at=1_004_000)
    assert table.state.deadline == 1_014_000
    table.pass_(1, at=1_005_000).play(1, "9S", at=1_006_000).send(do.Disconnect(seat=2), 1_007_000)
    table.send(do.Connect(seat=2), 1_008_000)
    assert table.state.deadline == 1_014_000
    table.play(3, "6S", at=1_009_000)
    assert table.state.deadline == 1_019_000
    table.pass_(2, at=1_010_000).pass_(0, at=1_011_000)
    assert table.the(ev.TrickOpened).deadline == 1_021_000


# "Order is determined by processing on the server, not by when you touch the screen or an animation finishes."
@pytest.mark.parametrize("first, second", [((0, "3S"), (1, "9S")), ((1, "9S"), (0, "3S"))])
def test_R9_order_is_that_of_processing(first, second):
    table = dealt(*HANDS)
    on = table.on
    assert table.play(*first, on=on, at=1_002_000).types == "played"
    assert table.play(*second, on=on, at=1_002_000).types == "race_lost"


# "The “Skip if matching cards are missing” variant is disabled in rapid mode, as there is no next player."
def test_R10_skip_is_off_in_rapid_mode():
    table = at_results().send(do.EndGame(seat=0)).send(do.ToLobby(seat=0))
    table.send(do.ChangeSettings(seat=0, fields={"variants": {"skip": True}}))
    assert table.why == "bad_settings"


# "The other variants … keep their effects when enabled; only accepted plays count."
def test_V1_keeps_its_effect_and_only_accepted_plays_count():
    table = dealt("3S 3H 3D 3C 9S", "5S 5H 5D 5C TS", "KS KH", variants=VARIANTS[:1])
    on = table.on
    table.play(0, "9S", on=on).play(1, "5S 5H 5D 5C", on=on)
    assert (table.why, table.view(None).revolution) == ("stale", False)
    table.passes(1, 2).play(0, "3S 3H 3D 3C")
    assert table.view(None).revolution is True


def test_V2_keeps_its_effect_and_only_accepted_plays_count():
    table = dealt("7S 7H 3S", "7D 3H", "7C 3D", variants=VARIANTS[1:2]).play(0, "7S").play(0, "7H")
    on = table.on
    table.play(1, "7D", on=on).play(2, "7C", on=on)
    assert (table.why, table.closing) == ("stale", None)
    assert table.play(2, "7C").closing == "four"


def test_V3_keeps_its_effect_and_only_accepted_plays_count():
    table = dealt("2S 3S", "2H 3H", "4S 4H", variants=VARIANTS[2:3])
    on = table.on
    table.play(2, "4S", on=on).play(0, "2S", on=on)
    assert (table.why, table.closing) == ("stale", None)
    assert table.play(0, "2S").closing == "strongest"


def test_V4_keeps_its_effect_and_only_accepted_plays_count():
    table = dealt("2S", "2H", "4S 4H", "5S 5H", variants=VARIANTS[3:])
    on = table.on
    table.play(1, "2H", on=on).play(0, "2S", on=on)
    assert table.why == "stale"
    assert table.state.round.penalised == (1,)


# "A rejected play … does not trigger the penalty. The rule also applies to bots and automated stand-ins."
def test_V4_a_rejected_play_does_not_trigger_it():
    table = dealt("2S", "4D 4S", "5S 5H", variants=VARIANTS[3:]).play(1, "4S")
    assert table.play(0, "2S", on=table.on - 1).why == "stale"
    assert table.view(0).seats[0].place is None


# "When time runs out, the server chooses a valid action for you: play, pass or return cards during an exchange. It does
# not pause the game."
def test_X3_the_server_returns_cards_when_time_runs_out():
    table = in_exchange((0, 1, 2, 3)).ran_out()
    assert table.types == "given given exchange_closed trick_opened"


# "If you disconnect, the server may take over before the timer expires. Reconnecting to the same seat lets you resume
# with the current state, without resetting the timer."
def test_G6_a_stand_in_takes_over_and_gives_back():
    table = dealt(*HANDS).play(0, "3S")
    deadline = table.state.deadline
    table.send(do.Disconnect(seat=1)).tick(5_000)
    assert table.view(1).seats[1].standin is True
    table.send(do.Connect(seat=1))
    view = table.view(1)
    assert (view.seats[1].standin, view.trick.state, view.deadline) == (False, table.on, deadline)
    assert table.play(1, "5S").the(ev.Played).by == "person"
