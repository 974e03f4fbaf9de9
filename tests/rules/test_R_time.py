"""RULES 2.3, R7-R10: the shared timer, the clock, the mode."""

import pytest

from rapid.cards.shuffle import opening_seat
from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.engine.decide import decide
from rapid.engine.timers import fire_due, next_due
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over
from tests.rules.table import dealt, in_exchange, seated, started

HANDS = ("3S 3H 7S 7H", "5S 5H 9S 9D", "4S 8H 8D 2C", "6S 6H JD JC")


# R7


@pytest.mark.parametrize("seconds", [3, 10, 60])
def test_R7_the_timer_is_shared_and_as_long_as_the_setting(seconds):
    table = dealt(*HANDS, race_seconds=seconds).play(0, "3S")
    assert table.the(ev.Played).deadline == table.now + 1000 * seconds
    assert next_due(table.state) == table.now + 1000 * seconds
    assert table.view(None).deadline == table.now + 1000 * seconds


def test_R7_at_zero_a_trick_that_is_not_empty_closes():
    table = dealt(*HANDS).play(0, "3S").ran_out()
    assert table.types == "trick_closed trick_opened"
    assert table.closing == "timer"


def test_R7_at_zero_on_an_empty_trick_the_server_opens():
    table = dealt(*HANDS).ran_out()
    played = table.the(ev.Played)
    assert table.types == "played"
    assert played.by == "timer"


@pytest.mark.parametrize("trick", range(1, 9))
def test_R7_the_seat_is_drawn_from_the_deals_secret(trick):
    hands = ["3S 7S JS", "4S 8S QS", "5S 9S KS", "6S TS AS"]
    table = dealt(*hands)
    for _ in range(trick - 1):
        table.ran_out().ran_out()
    in_round = [seat for seat in range(4) if table.hand(seat)]
    round_, number = table.state.round, table.state.trick.number
    drawn = opening_seat(round_.key, table.state.table, round_.deal, number, in_round)
    assert table.ran_out().the(ev.Played).seat == drawn


@pytest.mark.parametrize(
    "hand, cards",
    [("3S 4H", "3S"), ("5S 5H 9D", "5S 5H"), ("9S 9H 9C 2D", "9S 9H 9C"), ("2S", "2S")],
)
def test_R7_the_cards_are_the_stand_ins_choice(hand, cards):
    # Whoever is drawn holds a hand of this shape.
    others = [hand.translate(str.maketrans("SHDC", suits)) for suits in ("HDCS", "DCSH")]
    table = dealt(hand, *others).ran_out()
    played = table.the(ev.Played)
    assert sorted(card[0] for card in played.cards) == sorted(card[0] for card in cards.split())


def test_R7_an_automatic_opening_restarts_the_timer_and_can_be_answered():
    table = dealt("3S 8S", "3H 9S", "3D TS").ran_out(late_ms=25)
    assert table.the(ev.Played).deadline == table.now + 10_000
    seat = (table.the(ev.Played).seat + 1) % 3
    assert table.play(seat, max(table.hand(seat))).types.startswith("played")


def test_R7_an_automatic_opening_may_finish_a_seat():
    table = dealt("3S", "4S", "5S").ran_out()
    assert table.types == "played finished"


# R8


@pytest.mark.parametrize(
    "act",
    [
        lambda t: t.pass_(1),
        lambda t: t.play(1, "4S"),  # refused
        lambda t: t.play(1, "5S 5H"),  # refused
        lambda t: t.pass_(0),  # refused
        lambda t: t.send(do.Disconnect(seat=2)),
        lambda t: t.send(do.Disconnect(seat=2)).send(do.Connect(seat=2)),
        lambda t: t.send(do.AddSalt(seat=1, deal=2, salt="0" * 32)),
        lambda t: t.send(do.Leave(seat=3)),
        lambda t: t.send(do.Tick()),
    ],
)
def test_R8_nothing_but_a_new_trick_or_an_accepted_play_touches_the_timer(act):
    table = dealt(*HANDS).play(0, "3S")
    deadline = table.state.deadline
    table.now += 500
    act(table)
    assert table.state.deadline == deadline


def test_R8_a_lost_race_does_not_touch_it():
    table = dealt(*HANDS)
    on = table.on
    table.play(0, "3S")
    deadline = table.state.deadline
    table.now += 500
    assert table.play(1, "9S", on=on).types == "race_lost"
    assert table.state.deadline == deadline


def test_R8_plays_and_new_tricks_restart_it_in_full():
    table = dealt(*HANDS)
    for act in (lambda: table.play(0, "3S"), lambda: table.play(2, "4S"), lambda: table.passes(0, 1, 3)):
        table.now += 700
        act()
        assert table.state.deadline == table.now + 10_000


# R9


@pytest.mark.parametrize("offset_ms, is_in_time", [(-2, True), (-1, True), (0, False), (1, False), (5_000, False)])
def test_R9_an_entry_stamped_at_or_behind_the_deadline_comes_after_it(offset_ms, is_in_time):
    table = dealt(*HANDS).play(0, "3S")
    on, deadline = table.on, table.state.deadline
    table.play(1, "5S", on=on, at=deadline + offset_ms)
    timers = [event for event in table.events if isinstance(event, ev.TrickClosed)]
    assert [event.why for event in timers] == ([] if is_in_time else ["timer"])
    assert table.types == ("played" if is_in_time else "race_lost")


def test_R9_the_next_deadline_counts_from_the_stamp_of_the_entry_at_which_the_timer_fired():
    table = dealt(*HANDS).play(0, "3S")
    deadline = table.state.deadline
    table.pass_(1, at=deadline + 1_234)
    opened = table.all(ev.TrickOpened)[-1]
    assert opened.deadline == deadline + 1_234 + 10_000
    assert table.why == "stale"


def test_R9_a_long_silence_fires_one_timer_behind_the_other_only_as_their_own_time_comes():
    table = dealt(*HANDS).play(0, "3S")
    fired_at = table.state.deadline + 60_000
    table.tick(70_000 - 1)  # well behind several lengths of the timer
    closed = [event for event in table.events if isinstance(event, ev.TrickClosed)]
    assert len(closed) == 1
    assert table.state.deadline >= fired_at


def test_R9_a_stamp_before_the_last_events_is_raised_to_it():
    table = dealt(*HANDS).play(0, "3S", at=1_002_000).play(1, "5S", at=1_001_000)
    assert table.state.at == 1_002_000
    assert table.state.deadline == 1_012_000


def test_R9_after_a_change_of_authority_the_running_timer_starts_anew_in_full():
    table = dealt(*HANDS).play(0, "3S")
    at = table.state.at + 60_000
    # Straight to `decide`: nothing fires for the time in which nobody was in charge.
    outcome = decide(table.state, do.Resume(epoch=2), at)
    assert [type(event) for event in outcome.events] == [ev.Resumed]
    assert outcome.events[0] == ev.Resumed(epoch=2, lost_ms=60_000, deadline=at + 10_000)
    assert outcome.state.deadline == at + 10_000
    assert fire_due(outcome.state, at + 9_999) is None


def test_R9_a_planned_hand_over_keeps_the_timer():
    table = dealt(*HANDS).play(0, "3S")
    deadline = table.state.deadline
    table.send(do.Resume(epoch=2, keeps_deadline=True))
    assert table.the(ev.Resumed).deadline == deadline
    assert table.state.deadline == deadline


def test_R9_the_exchange_starts_anew_too():
    table = in_exchange((0, 1, 2, 3))
    table.send(do.Resume(epoch=2))
    assert table.the(ev.Resumed).deadline == table.now + 30_000


def test_R9_no_timer_no_deadline():
    table = started(4).send(do.Resume(epoch=3))
    assert table.state.deadline == table.now + 10_000
    assert seated(4).send(do.Resume(epoch=3)).the(ev.Resumed).deadline is None


# R10


def test_R10_skip_cannot_be_asked_for_with_rapid_mode():
    refused = lay_over(None, {"mode": "rapid", "variants": {"skip": True}})
    assert [error.field for error in refused] == ["variants"]
    refused = lay_over(None, {"variants": {"skip": True}})
    assert [error.field for error in refused] == ["variants"]


@pytest.mark.parametrize("name", ["revolution", "four_closes", "strongest_closes", "finish_with_two"])
def test_R10_all_other_variants_can_be_on(name):
    settings = lay_over(None, {"mode": "rapid", "variants": {name: True}})
    assert isinstance(settings, Settings)
    assert getattr(settings.variants, name) is True
