"""The levels differ, and in the right order: in how they play, not only in how long they wait."""

import collections

import pytest

from rapid.bots.dice import Dice
from rapid.bots.policy import choose
from rapid.engine import intents as do
from rapid.engine.decide import decide
from rapid.engine.state import blank
from rapid.engine.timers import fire_due
from rapid.engine.view import view_of
from rapid.rules.settings_check import lay_over

VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two")
TABLE = "tournament01"


def totals(levels, seed, variants):
    """Five rounds in which everybody is equally quick: who moves first at a state is drawn."""
    dice = Dice("order", seed)
    fields = {
        "seats": len(levels),
        "bot_level": levels[0],
        "variants": {name: name in variants for name in VARIANTS},
    }
    settings = lay_over(None, fields)
    secrets = (f"{seed:032x}{number:032x}" for number in range(1000))
    opening = do.OpenTable(table=TABLE, settings=settings, person=None, bots=1)
    state = decide(blank(TABLE), opening, 0, next(secrets)).state
    for level in levels[1:]:
        state = decide(state, do.AddBot(seat=0, level=level), 0).state
    state = decide(state, do.Start(seat=0), 0, next(secrets)).state
    while state.phase != "final":
        if state.phase == "results":
            state = decide(state, do.NextRound(seat=0), state.at + 1, next(secrets)).state
        state = state_behind_one_race(state, dice)
    return state.results.totals


def state_behind_one_race(state, dice):
    before = state
    for row in sorted(state.seats, key=lambda _: dice.random()):
        move = choose(view_of(state, row.seat), dice)
        if move is None:
            continue
        outcome = decide(state, move, state.at + 1)
        assert outcome.refusal is None
        state = outcome.state
        if isinstance(move, do.Play):
            return state
    return state if state is not before else fire_due(state, state.deadline).state


@pytest.mark.parametrize("variants", [(), VARIANTS[:1], VARIANTS])
def test_hard_plays_better_than_normal_and_normal_better_than_easy(variants):
    points = collections.Counter()
    for seed in range(16):
        turn = seed % 3
        levels = ["easy", "normal", "hard"][turn:] + ["easy", "normal", "hard"][:turn]
        result = totals(levels, seed, variants)
        for seat, level in enumerate(levels):
            points[level] += result[str(seat)]
    assert points["hard"] > 1.2 * points["normal"] > 1.2 * 1.2 * points["easy"]
