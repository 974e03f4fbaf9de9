"""The engine's logs by the second reading: two readings of the rules agree, or one of them is wrong.

`RAPID_CROWDS=300` tries more tables with options.
"""

import itertools
import os
import random

import pytest

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.replay.verify import verify_lines
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings
from rapid.rules.settings_check import lay_over
from tests.unit.engine.replay.crowd import VARIANTS, crowd_at_play

CROWDS = int(os.environ.get("RAPID_CROWDS", "20"))


def combinations_of(names):
    return [on for count in range(len(names) + 1) for on in itertools.combinations(names, count)]


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_simulated_games_with_all_combinations_of_variants(seats):
    for seed, on in enumerate(combinations_of(VARIANTS)):
        lines = simulate(SimulateOptions(seats=seats, variants=on, games=1, rounds=3, seed=seed))
        reports = list(verify_lines(lines))
        assert [(report.ok, report.rounds, report.games) for report in reports] == [(True, 3, 1)], (on, reports)


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_simulated_games_in_turns_with_all_combinations_of_variants(seats):
    for seed, on in enumerate(combinations_of((*VARIANTS, "skip"))):
        options = SimulateOptions(seats=seats, mode="turns", variants=on, games=1, rounds=3, seed=seed)
        reports = list(verify_lines(simulate(options)))
        assert [(report.ok, report.rounds, report.games) for report in reports] == [(True, 3, 1)], (on, reports)


@pytest.mark.parametrize("level", ["easy", "hard"])
@pytest.mark.parametrize("mode", ["rapid", "turns"])
def test_simulated_games_of_other_bots(level, mode):
    lines = simulate(SimulateOptions(seats=4, mode=mode, variants=VARIANTS, games=4, rounds=3, level=level))
    assert all(report.ok for report in verify_lines(lines))


@pytest.mark.parametrize("mode", ["rapid", "turns"])
@pytest.mark.parametrize("first", range(0, 60, 10))
def test_tables_with_people_who_do_as_they_please(first, mode):
    for seed in range(first, first + 10):
        crowd = crowd_at_play(seed, 700, mode)
        for hides in (False, True):
            (report,) = verify_lines(crowd.lines(hides_open_deals=hides))
            assert report.ok, (seed, hides, report, crowd.lines()[report.seq - 4 : report.seq + 2])
            assert report.events == crowd.state.seq


@pytest.mark.parametrize("policy", ["wait", "standin"])
@pytest.mark.parametrize("mode", ["rapid", "turns"])
def test_tables_of_presi_with_people_who_do_as_they_please(mode, policy):
    """3.10 under `wait`: chairs wait, timers stop and start anew, games are cancelled."""
    for seed in range(15):
        crowd = crowd_at_play(seed, 700, mode, ruleset="presi", disconnect=policy)
        (report,) = verify_lines(crowd.lines())
        assert report.ok, (seed, report, crowd.lines()[report.seq - 4 : report.seq + 2])
        assert report.events == crowd.state.seq


def some_options(ruleset, mode, seed):
    """Options and variants that go together, drawn by the seed: what is refused is drawn anew."""
    rng, offered = random.Random(seed), PRESETS[ruleset].options
    while True:
        options = {option.name: some_value(option, rng) for option in offered if rng.random() < 0.5}
        variants = {name: rng.random() < 0.25 for name in VARIANTS}
        # 4.6: three rounds would leave no target to ask for.
        options.pop("three_deals", None)
        fields = {"ruleset": ruleset, "mode": mode, "options": options, "variants": variants}
        if isinstance(lay_over(None, fields), Settings):
            return {"options": options, "variants": variants}


def some_value(option, rng):
    if option.type == "seat":
        return rng.choice((None, 0, 2))
    if option.type == "integer":
        return rng.randint(option.min, option.max)
    return rng.choice(option.choices or (True, False))


@pytest.mark.parametrize("mode", ["rapid", "turns"])
@pytest.mark.parametrize("ruleset", [name for name in PRESETS if PRESETS[name].options])
def test_tables_of_others_with_people_who_do_as_they_please(mode, ruleset):
    for seed in range(CROWDS):
        crowd = crowd_at_play(seed, 700, mode, ruleset=ruleset, **some_options(ruleset, mode, seed))
        (report,) = verify_lines(crowd.lines())
        assert report.ok, (seed, report, crowd.lines()[report.seq - 4 : report.seq + 2])
        assert report.events == crowd.state.seq


def test_the_idle_time_counts_from_the_last_person_who_was_connected():
    """Somebody leaves while connected; the others had been lost for long before (G9)."""
    crowd = crowd_at_play(1056, 900)
    (report,) = verify_lines(crowd.lines(hides_open_deals=False))
    assert report.ok, report
