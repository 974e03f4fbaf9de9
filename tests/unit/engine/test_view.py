"""PROTOCOL 3.3, phase by phase."""

import pytest
from msgspec import UNSET

from rapid.engine import intents as do
from tests.rules.phases import at_final, at_results, in_phase
from tests.rules.table import dealt, in_exchange, seated


@pytest.mark.parametrize(
    "phase, game, round_, has_trick, has_deadline, has_exchange, has_results",
    [
        ("lobby", None, None, False, False, False, False),
        ("playing", 1, 1, True, True, False, False),
        ("exchange", 1, 2, False, True, True, True),
        ("results", 1, 1, False, False, False, True),
        ("final", 1, 1, False, False, False, True),
    ],
)
def test_by_phase(phase, game, round_, has_trick, has_deadline, has_exchange, has_results):
    view = in_phase(phase).view(1)
    assert (view.phase, view.game, view.round) == (phase, game, round_)
    assert (view.trick is not None) is has_trick
    assert (view.deadline is not None) is has_deadline
    assert (view.exchange is not None) is has_exchange
    assert (view.results is not None) is has_results
    assert (view.turn, view.must_rank) == (None, None)
    assert [row.seat for row in view.seats] == [0, 1, 2]


def test_results_and_final():
    results = at_results().view(None).results
    assert (results.round, results.standings, results.why) == (1, (0, 1, 2), UNSET)
    assert results.points == {"0": 3, "1": 1, "2": 0}
    final = at_final().view(None).results
    assert (final.why, final.winners) == ("rounds", (0,))


def test_a_trick_with_all_its_plays_oldest_first():
    table = dealt("3S 9S", "4S 8S", "5S 7S").play(0, "3S").play(2, "5S")
    trick = table.view(None).trick
    assert [(play.seat, play.cards) for play in trick.plays] == [(0, ("3S",)), (2, ("5S",))]
    assert trick.top == trick.plays[-1]
    assert (trick.number, trick.state) == (1, table.on)


def test_an_empty_trick():
    trick = dealt("3S", "4S", "5S").view(None).trick
    assert (trick.top, trick.plays) == (None, ())


def test_counts_passes_and_places():
    table = dealt("3S", "4S 8S", "5S 7S 9S").play(0, "3S").pass_(1)
    rows = table.view(None).seats
    assert [row.cards for row in rows] == [0, 2, 3]
    assert [row.passed for row in rows] == [False, True, False]
    assert [row.place for row in rows] == [1, None, None]


def test_own_hand_without_cards_already_given():
    table = in_exchange((0, 1, 2), {0: "3S 4S", 1: "5S 6S", 2: "KS AS 2S"})
    you = table.view(0).you
    assert set(you.hand) == {"3S", "4S", "AS", "2S"}
    assert (you.owes.to, you.owes.count, you.owes.pick) == (2, 2, "any")
    table.send(do.Give(seat=0, round=1 + 1, cards=("3S", "4S")))
    assert set(table.view(0).you.hand) == {"AS", "2S"}
    assert table.view(0).you.owes is None


def test_a_spectator_and_an_empty_chair_see_no_hand():
    table = dealt("3S", "4S", "5S")
    assert table.view(None).you is None
    assert table.view(5).you is None


@pytest.mark.parametrize("seat, kind, connected, level", [(0, "person", True, UNSET), (2, "bot", True, "normal")])
def test_rows(seat, kind, connected, level):
    row = seated(3, bots=1).view(None).seats[seat]
    assert (row.kind, row.connected, row.level) == (kind, connected, level)


def test_a_lost_seat_is_not_connected():
    assert seated(3).send(do.Disconnect(seat=1)).view(None).seats[1].connected is False


def test_commit_is_that_of_the_deal_not_yet_dealt():
    table = dealt("3S", "4S", "5S")
    view = table.view(0)
    assert (view.deal, view.commit) == (2, table.state.commit)
