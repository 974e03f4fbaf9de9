"""The bench of the bots: who sits where, and what its interval says."""

import math
from argparse import Namespace

import pytest

from loadtests.bench_bots import Match, Pair, figure_of, levels_of, main, matches, pairs, parser, row_of
from rapid.bots.simulate_options import SimulateOptions
from rapid.rules.presets import PRESETS

MATCH = Match("hard", "normal", SimulateOptions(mode="rapid", rounds=2, seats=4), 5)


def asked(*arguments) -> Namespace:
    return parser().parse_args(arguments)


@pytest.mark.parametrize(
    "seats, swapped, levels",
    [
        (4, False, ("hard", "normal", "hard", "normal")),
        (4, True, ("normal", "hard", "normal", "hard")),
        (3, True, ("normal", "hard", "normal")),
    ],
)
def test_every_other_seat(seats, swapped, levels):
    assert levels_of(MATCH, seats, swapped=swapped) == levels


def test_mean_and_interval():
    figure = figure_of([Pair(2, 1.0), Pair(2, 3.0), Pair(4, 4.0)])
    assert (figure.rounds, figure.mean) == (8, 1.0)
    # residuals -1, 1, 0; their squares' sum times 3/2 under the root, over 8 rounds
    assert figure.half == pytest.approx(1.96 * math.sqrt(3) / 8)
    assert figure.is_better
    assert not figure_of([Pair(2, 1.0), Pair(2, -1.0)]).is_better
    assert not figure_of([Pair(2, 1.0)]).is_better  # one says nothing


def test_pairs_go_on_until_there_are_enough_rounds():
    played = list(pairs(MATCH))
    assert [pair.rounds for pair in played] == [4, 4]  # two rounds a game, two games a pair
    assert played == list(pairs(MATCH))  # and the same again


def test_all_that_is_measured_by_default():
    todo = matches(asked())
    assert len(todo) == 2 * sum(len(preset.modes) for preset in PRESETS.values())
    assert {(one.better, one.lower) for one in todo} == {("normal", "easy"), ("hard", "normal")}
    (only,) = matches(asked("--ruleset", "presi", "--mode", "turns", "--better", "hard", "--options", "jokers=2"))
    assert (only.options.ruleset, only.options.options) == ("presi", {"jokers": 2})


def test_a_row():
    figure = figure_of([Pair(2, 1.0), Pair(2, 3.0)])
    assert row_of(MATCH, figure) == "| president | rapid | hard – normal | 4 | +1.000 | +0.020 to +1.980 |"


@pytest.mark.parametrize(
    "wrong, said",
    [
        (("--options", "joker=wild"), "escoria has no option joker"),
        (("--options", "joker"), "'joker' is not name=value"),
        (("--variants", "none,all"), "no variant"),
        (("--seats", "3"), "seats"),
    ],
)
def test_what_cannot_be_played_is_named_before_anything_is_measured(capsys, wrong, said):
    with pytest.raises(SystemExit) as ended:
        main(["--ruleset", "escoria", *wrong])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert said in printed.err
    assert printed.out == ""
