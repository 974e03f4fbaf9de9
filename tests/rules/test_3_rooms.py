"""RULES 3.11, a room of Presi as the engine knows it; how many chairs are shown is the web client's."""

from rapid.engine import intents as do
from tests.rules.table import seated

NEWCOMER = do.Newcomer(name="Zoe", token_hash="f" * 64)


def test_3_11_the_setting_seats_stays_the_limit():
    """Three chairs or more, one for each person who joins, up to six."""
    table = seated(1, ruleset="presi")
    assert table.view(None).settings.seats == 6
    for taken in range(2, 7):
        assert table.send(do.TakeSeat(NEWCOMER)).why is None
        assert [seat.seat for seat in table.view(None).seats] == list(range(taken))
    assert table.send(do.TakeSeat(NEWCOMER)).why == "full"


def test_3_11_it_shrinks_again_and_who_comes_then_has_the_lowest_chair():
    table = seated(4, ruleset="presi").send(do.Leave(seat=1))
    assert [seat.seat for seat in table.view(None).seats] == [0, 2, 3]
    table.send(do.TakeSeat(NEWCOMER))
    assert [seat.seat for seat in table.view(None).seats] == [0, 1, 2, 3]


def test_3_11_against_bots_one_person_plays_with_two():
    table = seated(3, ruleset="presi", bots=2).send(do.Start(seat=0))
    assert [seat.kind for seat in table.view(None).seats] == ["person", "bot", "bot"]
    assert table.view(None).phase == "playing"
