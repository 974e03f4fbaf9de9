"""RULES 2.8, G6-G9: lost connections, leaving, too few seats, the host."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.engine.timers import next_due
from tests.rules.phases import at_final, at_results, in_phase
from tests.rules.table import TABLE, Table, dealt, in_exchange, name_of, seated, settings_with, started

HANDS = ("3S 3H 7S 7H", "5S 5H 9S 9D", "4S 8H 8D 2C", "6S 6H JD JC")
GRACE_MS = 5_000


# G6


@pytest.mark.parametrize("grace", [1, 5, 60])
def test_G6_a_stand_in_acts_behind_the_grace(grace):
    table = dealt(*HANDS, standin_grace_seconds=grace, race_seconds=60).send(do.Disconnect(seat=1))
    lost_at = table.now
    table.send(do.Tick(), lost_at + 1000 * grace - 1)
    assert table.all(ev.StandinStarted) == []
    table.send(do.Tick(), lost_at + 1000 * grace)
    assert table.all(ev.StandinStarted) == [ev.StandinStarted(seat=1)]
    assert table.view(0).seats[1].standin is True


def test_G6_without_a_grace_it_acts_at_once():
    table = dealt(*HANDS, standin_grace_seconds=0).send(do.Disconnect(seat=1)).tick()
    assert table.all(ev.StandinStarted) == [ev.StandinStarted(seat=1)]


def test_G6_the_stand_in_moves_and_nobody_else_for_the_seat():
    table = dealt(*HANDS).send(do.Disconnect(seat=1))
    assert table.play(1, "5S", by="standin").why == "not_in_charge"
    table.tick(GRACE_MS)
    assert table.play(1, "5S", by="bot").why == "not_in_charge"
    assert table.play(1, "5S", by="standin").the(ev.Played).by == "standin"


def test_G6_coming_back_gives_the_seat_back_at_once():
    table = dealt(*HANDS).send(do.Disconnect(seat=1)).tick(GRACE_MS).send(do.Connect(seat=1))
    assert table.types == "connection_back standin_ended"
    assert table.play(1, "5S", by="standin").why == "not_in_charge"
    assert table.play(1, "5S").the(ev.Played).by == "person"


def test_G6_coming_back_within_the_grace():
    table = dealt(*HANDS).send(do.Disconnect(seat=1)).tick(GRACE_MS - 2).send(do.Connect(seat=1))
    assert table.types == "connection_back"
    assert table.tick(GRACE_MS).all(ev.StandinStarted) == []


@pytest.mark.parametrize("seat", [1, 2])
def test_G6_no_timer_is_reset(seat):
    table = dealt(*HANDS).play(0, "3S")
    deadline = table.state.deadline
    table.send(do.Disconnect(seat=seat)).tick(GRACE_MS).send(do.Connect(seat=seat))
    assert table.state.deadline == deadline


def test_G6_another_loss_has_a_grace_of_its_own():
    table = dealt(*HANDS).send(do.Disconnect(seat=1)).tick(4_000).send(do.Connect(seat=1)).send(do.Disconnect(seat=1))
    lost_at = table.now
    assert next_due(table.state) == lost_at + GRACE_MS


def test_G6_one_seats_loss_does_not_touch_anothers():
    table = dealt(*HANDS).send(do.Disconnect(seat=1)).tick(1_000).send(do.Disconnect(seat=2)).tick(3_999)
    assert [event.seat for event in table.all(ev.StandinStarted)] == [1]


@pytest.mark.parametrize("phase", ["lobby", "final"])
def test_G6_no_stand_in_outside_a_game(phase):
    table = in_phase(phase).send(do.Disconnect(seat=1)).tick(60_000)
    assert table.all(ev.StandinStarted) == []


def test_G6_the_grace_counts_from_the_start_of_the_game_for_those_lost_before():
    table = seated(4).send(do.Disconnect(seat=1)).tick(30_000).send(do.Start(seat=0))
    started_at = table.now
    table.send(do.Tick(), started_at + GRACE_MS - 1)
    assert table.all(ev.StandinStarted) == []
    table.send(do.Tick(), started_at + GRACE_MS)
    assert table.all(ev.StandinStarted) == [ev.StandinStarted(seat=1)]


def test_G6_a_second_connection_and_a_second_loss_are_no_events():
    table = dealt(*HANDS).send(do.Connect(seat=1))
    assert table.last == ()
    table.send(do.Disconnect(seat=1)).send(do.Disconnect(seat=1))
    assert table.last == ()


def test_G6_a_stand_in_may_return_cards_too():
    table = in_exchange((0, 1, 2, 3)).send(do.Disconnect(seat=1)).tick(GRACE_MS)
    card = min(table.hand(1))
    table.send(do.Give(seat=1, round=2, cards=(card,), by="standin"))
    assert table.the(ev.Given).by == "standin"


def test_G6_the_games_end_ends_it_silently():
    table = dealt("3S", "4S", "KH KD", rounds=1).send(do.Disconnect(seat=2)).tick(GRACE_MS)
    table.play(0, "3S").play(1, "4S")
    assert table.types.endswith("round_ended game_ended")
    assert table.view(0).seats[2].standin is False
    assert table.all(ev.StandinEnded) == []


# G7


@pytest.mark.parametrize("intent, why", [(do.Leave(seat=1), "left"), (do.Remove(seat=0, target=1), "removed")])
def test_G7_in_a_round_a_bot_finishes_it_then_the_seat_is_freed(intent, why):
    table = dealt("3S", "4S", "5S 6S", "KH KD").send(intent)
    assert table.last == (ev.Leaving(seat=1, why=why),)
    assert table.view(0).seats[1].leaving is True
    assert table.play(1, "4S").why == "spectator"
    table.play(0, "3S").play(1, "4S", by="bot")
    assert table.the(ev.Played).by == "bot"
    table.ran_out().play(2, "5S").play(2, "6S")
    assert table.types == "played finished trick_closed round_ended seat_freed"
    assert table.the(ev.SeatFreed) == ev.SeatFreed(seat=1, why=why)
    assert [row.seat for row in table.view(0).seats] == [0, 2, 3]


@pytest.mark.parametrize("phase", ["lobby", "results", "final"])
@pytest.mark.parametrize("intent, why", [(do.Leave(seat=1), "left"), (do.Remove(seat=0, target=1), "removed")])
def test_G7_anywhere_else_it_is_freed_at_once(phase, intent, why):
    table = in_phase(phase).send(intent)
    assert table.last[0] == ev.SeatFreed(seat=1, why=why)


def test_G7_in_an_exchange_a_bot_goes_on_too():
    table = in_exchange((0, 1, 2, 3)).send(do.Leave(seat=0))
    assert table.types == "leaving host_changed"
    cards = tuple(sorted(table.view(0).you.hand)[:2])
    table.send(do.Give(seat=0, round=2, cards=cards, by="bot"))
    assert table.the(ev.Given).by == "bot"


def test_G7_it_is_final():
    table = dealt(*HANDS).send(do.Leave(seat=1)).send(do.Connect(seat=1))
    assert table.last == ()
    assert table.pass_(1).why == "spectator"
    assert table.send(do.Leave(seat=1)).why == "spectator"


def test_G7_a_stand_in_gives_way_silently():
    table = dealt(*HANDS).send(do.Disconnect(seat=1)).tick(GRACE_MS).send(do.Leave(seat=1))
    assert table.types == "leaving"
    row = table.view(0).seats[1]
    assert (row.standin, row.leaving) == (False, True)


def test_G7_the_freed_seat_leaves_totals_and_last_standings():
    table = at_results(seats=4).send(do.Leave(seat=1))
    assert table.state.standings == (0, 2, 3)
    table.send(do.NextRound(seat=0))
    (move,) = table.the(ev.ExchangeOpened).moves
    assert (move.from_, move.to, move.count) == (3, 0, 2)  # three seats: no Vice pair
    assert set(table.the(ev.Dealt).hands) == {"0", "2", "3"}


@pytest.mark.parametrize("target, why", [(0, "no_such_seat"), (4, "no_such_seat"), (-1, "no_such_seat")])
def test_G7_whom_the_host_cannot_remove(target, why):
    assert dealt(*HANDS).send(do.Remove(seat=0, target=target)).why == why


def test_G7_a_leaver_cannot_be_removed_again():
    table = dealt(*HANDS).send(do.Leave(seat=1)).send(do.Remove(seat=0, target=1))
    assert table.why == "no_such_seat"


def test_G7_bots_can_be_removed():
    table = seated(4, bots=2).send(do.Remove(seat=0, target=3))
    assert table.types == "seat_freed"
    table = started(4, bots=2).send(do.Remove(seat=0, target=3))
    assert table.types == "leaving"


def test_G7_a_place_that_became_free_can_be_taken_again_after_the_game():
    table = at_final().send(do.Leave(seat=1)).send(do.TakeSeat(do.Newcomer(name="new", token_hash="e" * 64)))
    assert table.the(ev.SeatTaken).seat == 1


# G8


def test_G8_too_few_seats_interrupt_the_game_between_rounds():
    table = at_results().send(do.Leave(seat=1))
    assert table.types == "seat_freed game_ended lobby_opened"
    ended = table.the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("interrupted", ())
    assert table.state.phase == "lobby"


def test_G8_too_few_seats_behind_the_round_interrupt_it_too():
    table = dealt("3S", "4S", "KH KD").send(do.Leave(seat=1)).play(0, "3S").play(1, "4S", by="bot")
    assert table.types == "played finished trick_closed round_ended seat_freed game_ended lobby_opened"
    assert table.the(ev.GameEnded).why == "interrupted"


def test_G8_if_the_round_was_the_last_G3_applies_instead():
    table = dealt("3S", "4S", "KH KD", rounds=1).send(do.Leave(seat=1)).play(0, "3S").play(1, "4S", by="bot")
    assert table.types == "played finished trick_closed round_ended seat_freed game_ended"
    ended = table.the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("rounds", (0,))


def test_G8_bots_counted():
    table = at_results(seats=4)
    assert table.send(do.Leave(seat=1)).types == "seat_freed"
    table = seated(5, bots=3).send(do.Start(seat=0)).send(do.Leave(seat=1))
    assert table.types == "leaving"


def test_G8_an_interrupted_game_cannot_be_played_again():
    table = at_results().send(do.Leave(seat=1)).send(do.PlayAgain(seat=0))
    assert table.why == "wrong_phase"


# G9


def test_G9_if_the_host_leaves_the_person_seated_longest_becomes_host():
    assert seated(4).send(do.Leave(seat=0)).the(ev.HostChanged) == ev.HostChanged(seat=1)
    table = seated(4).send(do.Leave(seat=1)).send(do.TakeSeat(do.Newcomer(name="new", token_hash="d" * 64)))
    assert table.the(ev.SeatTaken).seat == 1  # the lowest chair, but the newest person
    assert table.send(do.Leave(seat=0)).the(ev.HostChanged) == ev.HostChanged(seat=2)


def test_G9_a_bot_never_becomes_host():
    table = seated(4, bots=1).send(do.Leave(seat=1))
    assert table.send(do.Leave(seat=0)).the(ev.HostChanged) == ev.HostChanged(seat=2)


@pytest.mark.parametrize(
    "phase, after_ms", [("lobby", 60_000), ("playing", 60_000), ("results", 30_000), ("final", 60_000)]
)
def test_G9_also_when_the_host_has_been_lost(phase, after_ms):
    table = in_phase(phase).send(do.Disconnect(seat=0))
    lost_at = table.now
    table.send(do.Tick(), lost_at + after_ms - 1)
    assert table.all(ev.HostChanged) == []
    table.send(do.Tick(), lost_at + after_ms)
    assert table.all(ev.HostChanged) == [ev.HostChanged(seat=1)]


def test_G9_only_a_connected_person_can_follow_a_lost_host():
    table = seated(3).send(do.Disconnect(seat=1)).send(do.Disconnect(seat=0)).tick(60_000)
    assert table.all(ev.HostChanged) == [ev.HostChanged(seat=2)]


def test_G9_a_host_who_is_back_in_time_stays_host():
    table = seated(3).send(do.Disconnect(seat=0)).tick(59_998).send(do.Connect(seat=0)).tick(60_000)
    assert table.all(ev.HostChanged) == []


def test_G9_a_table_with_no_person_seated_is_closed():
    table = seated(3, bots=2).send(do.Leave(seat=0))
    assert table.types == "seat_freed table_closed"
    assert table.the(ev.TableClosed).why == "empty"


def test_G9_a_running_game_first_ends_cancelled():
    table = started(3, bots=2).send(do.Leave(seat=0))
    assert table.types == "leaving game_ended lobby_opened table_closed"
    ended = table.the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("cancelled", ())
    assert len(ended.secret) == 64  # a deal was cut short


def test_G9_none_connected_for_ten_minutes_closes_it():
    table = seated(2)
    table.send(do.Disconnect(seat=0)).tick(300_000).send(do.Disconnect(seat=1))
    lost_at = table.now
    table.send(do.Tick(), lost_at + 599_999)
    assert table.state.phase == "lobby"
    table.send(do.Tick(), lost_at + 600_000)
    assert table.state.phase == "closed"
    assert table.all(ev.TableClosed) == [ev.TableClosed(why="idle")]


@pytest.mark.parametrize("is_connected", [True, False])
def test_G9_the_time_counts_from_whoever_was_connected_last_also_if_they_have_left(is_connected):
    table = seated(2)
    table.send(do.Disconnect(seat=0)).tick(590_000)
    if not is_connected:
        table.send(do.Disconnect(seat=1))
    last_at = table.now
    table.tick(15_000).send(do.Leave(seat=1))
    last_at = table.now if is_connected else last_at
    table.send(do.Tick(), last_at + 599_999)
    assert table.state.phase == "lobby"
    table.send(do.Tick(), last_at + 600_000)
    assert table.all(ev.TableClosed) == [ev.TableClosed(why="idle")]


@pytest.mark.parametrize(
    "phase, types", [("final", "table_closed"), ("results", "game_ended lobby_opened table_closed")]
)
def test_G9_in_any_phase_a_running_game_ends_first(phase, types):
    table = in_phase(phase)
    for seat in range(3):
        table.send(do.Disconnect(seat=seat))
    last_lost_at = table.now
    before = len(table.events)
    table.send(do.Tick(), last_lost_at + 600_000)
    closing = [event for event in table.events[before:] if not isinstance(event, ev.StandinStarted)]
    assert " ".join(name_of(event) for event in closing) == types


def test_G9_not_one_that_never_had_a_person():
    table = Table().send(do.OpenTable(table=TABLE, settings=settings_with(), person=None, bots=4))
    assert table.types == "table_opened committed seat_taken seat_taken seat_taken seat_taken"
    table.tick(6_000_000)
    assert table.state.phase == "lobby"
    assert next_due(table.state) is None


def test_G9_a_closed_table_takes_nothing():
    table = seated(3).send(do.CloseTable())
    assert table.types == "table_closed"
    assert table.the(ev.TableClosed).why == "operator"
    for intent in (do.Start(seat=0), do.Connect(seat=0), do.Play(seat=0, on=1, cards=("3S",)), do.Tick()):
        assert table.send(intent).why == "no_table"


def test_G9_the_operator_closes_a_running_game():
    assert started(3).send(do.CloseTable()).types == "game_ended lobby_opened table_closed"
    assert at_final().send(do.CloseTable()).types == "table_closed"
