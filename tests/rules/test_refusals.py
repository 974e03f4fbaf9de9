"""PROTOCOL 3.4: the first refusal that holds, and that a refusal changes nothing (P6)."""

import pytest

from rapid.engine import intents as do
from tests.rules.phases import in_phase
from tests.rules.table import TABLE, Table, dealt, in_exchange, seated, settings_with

HANDS = ("3S 3H 7S 7H", "5S 5H 9S 9D", "4S 8H 8D 2C", "6S")
"""Seat 3 finishes with its one card in `racing`, so it is not in the round."""


def racing():
    """6S of seat 3, who is out, then 7S of seat 0, the last player; seat 2 has passed."""
    return dealt(*HANDS).play(3, "6S").play(0, "7S").pass_(2)


PLAYS = [
    # seat, cards, how far `on` is off, why
    (1, "KS", 0, "not_your_cards"),
    (1, "KS", 1, "not_your_cards"),
    (3, "6S", 0, "not_your_cards"),  # holds no cards: none of these can be its own
    (2, "KS", 0, "not_your_cards"),
    (1, "5S 9S", 0, "not_a_combination"),
    (1, "5S 9S", 1, "not_a_combination"),
    (2, "4S 8H", 0, "not_a_combination"),
    (1, "5S", 1, "stale"),
    (2, "4S", 1, "stale"),
    (2, "4S", 0, "already_passed"),
    (2, "8H 8D", 0, "already_passed"),
    (1, "5S 5H", 0, "wrong_count"),
    (1, "9S 9D", 0, "wrong_count"),
    (1, "5S", 0, "too_weak"),
    (1, "9S", 0, None),
    (0, "7H", 0, None),
]


@pytest.mark.parametrize("seat, cards, off, why", PLAYS)
def test_order_of_refusals_of_a_play(seat, cards, off, why):
    table = racing()
    before = table.state
    assert table.play(seat, cards, on=table.on + off).why == why
    assert why is None or table.state == before


PASSES = [
    (3, "now", "not_in_round"),
    (3, "other", "not_in_round"),
    (0, "other", "stale"),
    (2, "other", "stale"),
    (0, "empty", "empty_trick"),
    (2, "empty", "empty_trick"),
    (0, "now", "last_player"),
    (2, "now", "already_passed"),
    (1, "now", None),
    (1, "earlier", None),
]


@pytest.mark.parametrize("seat, aim, why", PASSES)
def test_order_of_refusals_of_a_pass(seat, aim, why):
    table = racing()
    empty, earlier = (past.state for past in table.state.trick.past)
    on = {"now": table.on, "other": table.on + 1, "empty": empty, "earlier": earlier}[aim]
    before = table.state
    assert table.pass_(seat, on=on).why == why
    assert why is None or table.state == before


@pytest.mark.parametrize(
    "seat, round_, cards, why",
    [
        (2, 1, "KS", "stale"),
        (1, 3, "3H", "stale"),
        (2, 2, "KS", "nothing_owed"),
        (0, 2, "3S 4S", "already_given"),
        (0, 2, "ZZ", "already_given"),
        (1, 2, "KD", "not_your_cards"),
        (1, 2, "3H 3H", "not_your_cards"),
        (1, 2, "3H 4H", "wrong_cards"),
        (1, 2, "", "wrong_cards"),
        (1, 2, "3H", None),
    ],
)
def test_order_of_refusals_of_a_return(seat, round_, cards, why):
    hands = {0: "3S 4S 5S", 1: "3H 4H 5H", 2: "KS AH 2D", 3: "QS KD AC"}
    table = in_exchange((0, 1, 2, 3), hands).give(0, "3S 4S")
    before = table.state
    assert table.give(seat, cards, round_=round_).why == why
    assert why is None or table.state == before


@pytest.mark.parametrize("off, why", [(0, None), (1, "stale"), (-1, "stale")])
def test_order_of_refusals_of_a_salt(off, why):
    table = seated(3)
    table.send(do.AddSalt(seat=1, deal=table.state.deal + off, salt="ab" * 16))
    assert table.why == why
    if why is None:
        assert table.view(1).you.salted is True
        assert table.view(2).you.salted is False
        assert table.send(do.AddSalt(seat=1, deal=table.state.deal, salt="cd" * 16)).why == "already_given"
        assert table.send(do.AddSalt(seat=1, deal=table.state.deal + 1, salt="cd" * 16)).why == "stale"


@pytest.mark.parametrize("phase", ["lobby", "playing", "exchange", "results", "final"])
def test_a_salt_may_come_in_any_phase(phase):
    table = in_phase(phase)
    assert table.send(do.AddSalt(seat=1, deal=table.state.deal, salt="ab" * 16)).types == "salted"


HOST = [
    (do.Start, {}, "lobby"),
    (do.NextRound, {}, "results"),
    (do.EndGame, {}, "results"),
    (do.PlayAgain, {}, "final"),
    (do.ToLobby, {}, "final"),
    (do.AddBot, {}, "lobby final"),
    (do.ChangeSettings, {"fields": {"rounds": 3}}, "lobby"),
    (do.Remove, {"target": 1}, "lobby playing exchange results final"),
]


@pytest.mark.parametrize("phase", ["lobby", "playing", "exchange", "results", "final"])
@pytest.mark.parametrize("kind, fields, phases", HOST)
def test_a_hosts_command_by_phase_and_not_host_first(kind, fields, phases, phase):
    assert in_phase(phase).send(kind(seat=2, **fields)).why == "not_host"
    table = in_phase(phase).send(kind(seat=0, **fields))
    assert table.why == (None if phase in phases.split() else "wrong_phase")


@pytest.mark.parametrize(
    "intent", [do.Play(seat=5, on=1, cards=("3S",)), do.Pass(seat=5, on=1), do.Give(seat=5, round=1, cards=("3S",))]
)
@pytest.mark.parametrize("phase", ["lobby", "playing", "exchange", "results", "final"])
def test_who_holds_no_seat_is_a_spectator(intent, phase):
    assert in_phase(phase).send(intent).why == "spectator"


@pytest.mark.parametrize("phase", ["lobby", "exchange", "results", "final"])
def test_moves_outside_the_race_are_wrong_phase(phase):
    table = in_phase(phase)
    assert table.play(1, "3S", on=2**53 - 1).why == "wrong_phase"
    assert table.pass_(1, on=2**53 - 1).why == "wrong_phase"


@pytest.mark.parametrize("phase", ["lobby", "playing", "results", "final"])
def test_returns_outside_an_exchange_are_wrong_phase(phase):
    assert in_phase(phase).give(0, "3S 4S", round_=1).why == "wrong_phase"


def test_a_play_at_the_trick_just_closed_is_stale_also_behind_the_rounds_last_trick():
    table = dealt("3S", "4S", "5S 5H 5D")
    on = [table.on, table.play(0, "3S").on]
    table.play(1, "4S")
    assert table.state.phase == "results"
    assert [table.play(2, "5S", on=state).why for state in on] == ["stale", "stale"]


def test_nothing_reaches_a_table_that_is_not_open():
    for intent in (do.Start(seat=0), do.Play(seat=0, on=1, cards=("3S",)), do.Tick(), do.Leave(seat=0)):
        assert Table().send(intent).why == "no_table"


def test_a_table_is_opened_once():
    table = seated(3)
    before = table.state
    table.send(do.OpenTable(table=TABLE, settings=settings_with(), person=None, bots=3))
    assert table.refusal is not None
    assert table.state == before
