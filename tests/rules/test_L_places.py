"""RULES 2.6: places, roles, points."""

import pytest
from msgspec import structs

from rapid.engine import events as ev
from tests.rules.table import dealt

ROLES = {
    3: ["president", "neutral", "asshole"],
    4: ["president", "vice_president", "vice_asshole", "asshole"],
    5: ["president", "vice_president", "neutral", "vice_asshole", "asshole"],
    6: ["president", "vice_president", "neutral", "neutral", "vice_asshole", "asshole"],
}
POINTS = {"president": 3, "vice_president": 2, "neutral": 1, "vice_asshole": 0, "asshole": 0}
RANKS = "3456789TJQKA2"


def finished_in(order, cards=None, **settings):
    """A round that ends in this order of going out: each lays its one card on the one before."""
    cards = cards or {seat: f"{RANKS[place]}S" for place, seat in enumerate(order[:-1])}
    hands = {**cards, order[-1]: "KH KD"}
    table = dealt(*(hands[seat] for seat in range(len(order))), **settings)
    for seat in order[:-1]:
        table.play(seat, hands[seat])
    return table


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (3, 1, 0, 2), (4, 3, 2, 1, 0), (5, 0, 4, 1, 3, 2)])
def test_L1_clean_finishers_in_order_then_the_seat_left(order):
    assert finished_in(order).the(ev.RoundEnded).standings == order


def test_L1_then_the_penalised_last_penalised_first():
    cards = {0: "5S", 1: "2S", 2: "2H"}
    table = finished_in((0, 1, 2, 3), cards, variants=["finish_with_two"])
    assert table.the(ev.RoundEnded).standings == (0, 3, 2, 1)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_L2_roles_and_points(seats):
    order = tuple(reversed(range(seats)))
    ended = finished_in(order).the(ev.RoundEnded)
    assert [ended.roles[str(seat)] for seat in order] == ROLES[seats]
    assert [ended.points[str(seat)] for seat in order] == [POINTS[role] for role in ROLES[seats]]
    assert ended.totals == ended.points


def test_L2_a_penalty_changes_the_place_and_nothing_else():
    ended = finished_in((0, 1, 2), {0: "2S", 1: "2H"}, variants=["finish_with_two"]).the(ev.RoundEnded)
    assert ended.standings == (2, 1, 0)
    assert ended.points == {"2": 3, "1": 1, "0": 0}


def test_L2_the_last_with_cards_becomes_president_if_all_others_are_penalised():
    ended = finished_in((0, 1, 2), {0: "2S", 1: "2H"}, variants=["finish_with_two"]).the(ev.RoundEnded)
    assert ended.roles["2"] == "president"


def test_L2_points_of_earlier_rounds_stay():
    table = dealt("3S", "2S", "KH KD", variants=["finish_with_two"])
    seats = tuple(structs.replace(seat, total=10 + seat.seat) for seat in table.state.seats)
    table.state = structs.replace(table.state, seats=seats)
    ended = table.play(0, "3S").play(1, "2S").the(ev.RoundEnded)
    assert ended.points == {"0": 3, "1": 0, "2": 1}
    assert ended.totals == {"0": 13, "1": 11, "2": 13}


def test_L2_the_view_shows_roles_of_the_last_standings_and_null_in_round_1():
    table = dealt("3S", "4S", "KH KD")
    assert [row.role for row in table.view(0).seats] == [None, None, None]
    table.play(0, "3S").play(1, "4S")
    assert [row.role for row in table.view(0).seats] == ["president", "neutral", "asshole"]
