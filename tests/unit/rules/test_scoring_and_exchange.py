import pytest
from msgspec.structs import replace

from rapid.rules.exchange import Duty, Trade, duties_of, trades_of
from rapid.rules.presets import HOUSE, PRESI, PRESIDENT
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
    assert winners_of(totals, (), shares=True, target=None) == winners


@pytest.mark.parametrize(
    "totals, standings, winners",
    [
        ({0: 11, 1: 3, 2: 11}, (2, 0, 1), (2,)),  # together: the President (3.8)
        ({0: 12, 1: 3, 2: 11}, (2, 0, 1), (2,)),
        ({0: 12, 1: 3, 2: 10}, (2, 0, 1), (0,)),
        ({0: 7, 1: 3, 2: 7}, (2, 0, 1), (2,)),  # who reached it has been freed: the best of the others
        ({0: 7, 1: 8}, (2, 0, 1), (1,)),
        ({}, (2, 0, 1), ()),
    ],
)
def test_the_first_to_the_target_wins_alone(totals, standings, winners):
    assert winners_of(totals, standings, shares=False, target=11) == winners


@pytest.mark.parametrize(
    "ruleset, number, standings, dealt_to",
    [
        (PRESIDENT, 1, (), (0, 2, 5)),
        (PRESIDENT, 2, (2, 5, 0), (0, 5, 2)),
        (PRESI, 1, (), (0, 2, 5)),
        (PRESI, 2, (2, 5, 0), (2, 5, 0)),
        (PRESI, 6, (2, 5, 0), (5, 0, 2)),
        (HOUSE, 1, (), (0, 2, 5)),  # nobody chosen: the last seat deals
        (HOUSE, 2, (2, 5, 0), (2, 5, 0)),  # the dealer moves
        (replace(HOUSE, first_dealer=2), 1, (), (5, 0, 2)),
        (replace(HOUSE, first_dealer=4), 1, (), (0, 2, 5)),  # that chair is empty
    ],
)
def test_dealing_order(ruleset, number, standings, dealt_to):
    assert dealing_order(ruleset, number, (0, 2, 5), standings) == dealt_to


@pytest.mark.parametrize(
    "standings, trades",
    [
        ((), ()),
        ((2, 0, 1), (Trade(lower=1, upper=2, count=2),)),
        ((2, 0, 1, 3), (Trade(lower=3, upper=2, count=2), Trade(lower=1, upper=0, count=1))),
        ((5, 4, 3, 2, 1, 0), (Trade(lower=0, upper=5, count=2), Trade(lower=1, upper=4, count=1))),
    ],
)
def test_who_trades_with_whom(standings, trades):
    assert trades_of(PRESIDENT, standings) == trades


def test_duties():
    trades = trades_of(PRESIDENT, (2, 0, 1, 3))
    assert duties_of(PRESIDENT, trades) == (Duty(2, 3, 2, "any"), Duty(0, 1, 1, "any"))
    assert duties_of(PRESI, trades) == (
        Duty(3, 2, 2, "best"), Duty(2, 3, 2, "worst"), Duty(1, 0, 1, "best"), Duty(0, 1, 1, "worst")
    )  # fmt: skip
