"""RULES 2.8, G1-G5, G10: settings, rounds, the end of a game. (G11 is the gateway's.)"""

import pytest
from msgspec import structs

from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.rules.settings_check import lay_over
from tests.rules.phases import at_final, at_results, in_phase
from tests.rules.table import dealt, seated, started

ONE_ROUND_LEFT = ("3S", "4S", "KH KD")


# G1


@pytest.mark.parametrize("rounds, is_right", [(0, False), (1, True), (50, True), (51, False), ("unlimited", True)])
def test_G1_number_of_rounds(rounds, is_right):
    assert isinstance(lay_over(None, {"rounds": rounds}), tuple) is not is_right


def test_G1_only_the_host_sets():
    table = seated(3).send(do.ChangeSettings(seat=1, fields={"rounds": 2}))
    assert table.why == "not_host"
    table.send(do.ChangeSettings(seat=0, fields={"rounds": 2}))
    assert table.the(ev.SettingsChanged).settings.rounds == 2


def test_G1_only_in_the_lobby():
    assert started(3).send(do.ChangeSettings(seat=0, fields={"rounds": 2})).why == "wrong_phase"


@pytest.mark.parametrize("fields, bad", [({"rounds": 0}, ["rounds"]), ({"seats": 2, "door": 1}, ["seats", "door"])])
def test_G1_bad_settings_have_a_row_a_field_and_change_nothing(fields, bad):
    table = seated(3).send(do.ChangeSettings(seat=0, fields=fields))
    assert table.why == "bad_settings"
    assert [error.field for error in table.refusal.errors] == bad
    assert table.last == ()


def test_G1_fewer_seats_than_those_taken_are_refused():
    assert seated(4).send(do.ChangeSettings(seat=0, fields={"seats": 3})).why == "bad_settings"


@pytest.mark.parametrize("seats, why", [(1, "too_few"), (2, "too_few"), (3, None), (6, None)])
def test_G1_a_game_needs_the_least_number_of_seats(seats, why):
    assert seated(seats).send(do.Start(seat=0)).why == why


def test_G1_bots_count():
    assert seated(3, bots=2).send(do.Start(seat=0)).types == "game_started dealt committed trick_opened"


def test_G1_empty_chairs_do_not_play():
    table = seated(4).send(do.Leave(seat=1)).send(do.Start(seat=0))
    assert table.the(ev.GameStarted).seats == (0, 2, 3)
    assert set(table.the(ev.Dealt).hands) == {"0", "2", "3"}
    assert table.view(None).order == (0, 2, 3)


def test_G1_add_bot_takes_the_lowest_free_chair_with_its_level():
    table = seated(6).send(do.Leave(seat=1)).send(do.AddBot(seat=0, level="hard"))
    taken = table.the(ev.SeatTaken)
    assert (taken.seat, taken.kind, taken.level) == (1, "bot", "hard")
    assert table.send(do.AddBot(seat=0)).why == "full"
    table = seated(3, bot_level="easy").send(do.AddBot(seat=0))
    assert table.the(ev.SeatTaken).level == "easy"


# G2


def test_G2_the_results_wait_for_the_host():
    table = at_results()
    assert table.state.phase == "results"
    assert table.state.deadline is None
    assert table.tick(300_000).last == ()
    assert table.send(do.NextRound(seat=1)).why == "not_host"
    assert table.send(do.NextRound(seat=0)).types == "dealt committed exchange_opened"


@pytest.mark.parametrize("intent", [do.NextRound(seat=0), do.EndGame(seat=0)])
@pytest.mark.parametrize("phase", ["lobby", "playing", "exchange", "final"])
def test_G2_anywhere_else_both_are_wrong_phase(intent, phase):
    table = in_phase(phase)
    before = table.state
    assert table.send(intent).why == "wrong_phase"
    assert table.state == before


def test_G2_with_nobody_connected_the_table_waits():
    table = at_results()
    for seat in range(3):
        table.send(do.Disconnect(seat=seat))
    table.tick(200_000)
    assert table.state.phase == "results"
    assert table.all(ev.HostChanged) == []


# G3, G4, G5


def test_G3_after_the_last_round_the_game_ends():
    table = at_results(rounds=1)
    assert table.types == "played finished trick_closed round_ended game_ended"
    ended = table.the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("rounds", (0,))
    assert table.view(1).results.winners == (0,)


def test_G3_not_before():
    assert at_results(rounds=2).types == "played finished trick_closed round_ended"


@pytest.mark.parametrize(
    "before, winners",
    [((0, 0, 0), (0,)), ((0, 2, 0), (0, 1)), ((0, 9, 0), (1,)), ((0, 2, 3), (0, 1, 2))],
)
def test_G3_highest_total_wins_all_tied_leaders_win(before, winners):
    table = dealt(*ONE_ROUND_LEFT, rounds=1)
    seats = tuple(structs.replace(seat, total=before[seat.seat]) for seat in table.state.seats)
    table.state = structs.replace(table.state, seats=seats)
    table.play(0, "3S").play(1, "4S")
    assert table.the(ev.GameEnded).winners == winners


def test_G3_seats_that_left_do_not_rank():
    table = dealt("3S", "4S", "5S", "KH KD", rounds=1).send(do.Leave(seat=1))
    table.play(0, "3S").play(1, "4S", by="bot").play(2, "5S")
    assert table.types == "played finished trick_closed round_ended seat_freed game_ended"
    assert set(table.the(ev.GameEnded).totals) == {"0", "2", "3"}
    assert table.the(ev.RoundEnded).standings == (0, 1, 2, 3)


def test_G3_a_leaver_who_leads_does_not_win():
    table = dealt("3S", "4S", "5S", "KH KD", rounds=1).send(do.Leave(seat=0))
    table.play(0, "3S", by="bot").play(1, "4S").play(2, "5S")
    assert table.the(ev.GameEnded).winners == (1,)


def test_G4_unlimited_ended_by_the_host_has_winners():
    ended = at_final("ended").the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("ended", (0,))


def test_G4_a_set_number_is_stopped_without_a_winner():
    ended = at_final("stopped").the(ev.GameEnded)
    assert (ended.why, ended.winners) == ("stopped", ())


@pytest.mark.parametrize("rounds", [1, "unlimited"])
def test_G4_unlimited_goes_on_and_on(rounds):
    table = at_results(rounds=rounds)
    assert table.state.phase == ("final" if rounds == 1 else "results")


@pytest.mark.parametrize("why", ["rounds", "ended", "stopped"])
def test_G4_after_any_end_the_host_can_return_to_the_lobby(why):
    table = at_final(why)
    assert table.send(do.ToLobby(seat=1)).why == "not_host"
    assert table.send(do.ToLobby(seat=0)).types == "lobby_opened"
    view = table.view(0)
    assert (view.phase, view.game, view.results, view.round) == ("lobby", None, None, None)
    assert [row.total for row in view.seats] == [0, 0, 0]


@pytest.mark.parametrize("why, refused", [("rounds", None), ("ended", None), ("stopped", "wrong_phase")])
def test_G5_play_again(why, refused):
    table = at_final(why)
    settings = table.state.settings
    table.send(do.PlayAgain(seat=0))
    assert table.why == refused
    if refused is None:
        started_again = table.the(ev.GameStarted)
        assert (started_again.game, started_again.settings) == (2, settings)
        assert [row.total for row in table.view(0).seats] == [0, 0, 0]
        assert table.types == "game_started dealt committed trick_opened"  # no exchange: round 1 again


def test_G5_deals_count_on_over_games():
    table = at_final().send(do.PlayAgain(seat=0))
    assert table.the(ev.Dealt).deal == 2
    assert table.the(ev.Dealt).round == 1


def test_G5_needs_the_least_number_of_seats():
    table = at_final().send(do.Leave(seat=1))
    assert table.send(do.PlayAgain(seat=0)).why == "too_few"


# G10


@pytest.mark.parametrize(
    "phase, types",
    [("lobby", "seat_taken"), ("final", "seat_taken"), ("playing", ""), ("exchange", ""), ("results", "")],
)
def test_G10_seats_are_taken_in_the_lobby_and_at_the_final_standings_only(phase, types):
    table = in_phase(phase).send(do.TakeSeat(do.Newcomer(name="late", token_hash="f" * 64)))
    assert table.types == types
    assert table.why == (None if types else "wrong_phase")


def test_G10_a_closed_door():
    table = seated(3).send(do.ChangeSettings(seat=0, fields={"door": "closed"}))
    assert table.send(do.TakeSeat(do.Newcomer(name="late", token_hash="f" * 64))).why == "door_closed"


def test_G10_a_full_table():
    table = seated(6)
    assert table.send(do.TakeSeat(do.Newcomer(name="late", token_hash="f" * 64))).why == "full"
