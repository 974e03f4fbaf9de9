import pytest

from rapid.rules.exchange import Duty, duties_of
from rapid.rules.presets import PRESIDENT
from rapid.rules.scoring import dealing_order, points_of, roles_of, standings_of, winners_of


@pytest.mark.parametrize(
    "clean, left, penalised, standings",
    [
        ((1, 2, 3), 0, (), (1, 2, 3, 0)),
        ((1,), 0, (3, 2), (1, 0, 2, 3)),
        ((), 0, (1, 2, 3), (0, 3, 2, 1)),
    ],
)
def test_standings(clean, left, penalised, standings):
    assert standings_of(clean, left, penalised) == standings


def test_roles_and_points():
    roles = roles_of(PRESIDENT, (4, 2, 0, 1, 3))
    assert roles == {4: "president", 2: "vice_president", 0: "neutral", 1: "vice_asshole", 3: "asshole"}
    assert points_of(PRESIDENT, roles) == {4: 3, 2: 2, 0: 1, 1: 0, 3: 0}


@pytest.mark.parametrize("standings", [(), (1,), (1, 2)])
def test_no_roles_for_fewer_seats_than_the_least(standings):
    assert roles_of(PRESIDENT, standings) == {}


@pytest.mark.parametrize(
    "totals, winners", [({}, ()), ({0: 0, 2: 0}, (0, 2)), ({3: 5, 1: 5, 2: 4}, (1, 3)), ({0: 1, 1: 2}, (1,))]
)
def test_winners(totals, winners):
    assert winners_of(totals) == winners


def test_dealing_order():
    assert dealing_order((0, 2, 5), ()) == (0, 2, 5)
    assert dealing_order((0, 2, 5), (2, 5, 0)) == (0, 5, 2)


@pytest.mark.parametrize(
    "standings, duties",
    [
        ((), ()),
        ((2, 0, 1), (Duty(lower=1, upper=2, count=2),)),
        ((2, 0, 1, 3), (Duty(lower=3, upper=2, count=2), Duty(lower=1, upper=0, count=1))),
        ((5, 4, 3, 2, 1, 0), (Duty(lower=0, upper=5, count=2), Duty(lower=1, upper=4, count=1))),
    ],
)
def test_duties(standings, duties):
    assert duties_of(PRESIDENT, standings) == duties
