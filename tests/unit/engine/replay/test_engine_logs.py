"""The engine's logs by the second reading: two readings of the rules agree, or one of them is wrong."""

import itertools
import random

import pytest

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import SimulateOptions
from rapid.engine.replay.verify import verify_lines
from rapid.rules.presets import PRESETS
from tests.unit.engine.replay.crowd import VARIANTS, crowd_at_play


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
    """Options that go together, drawn by the seed; those about turns, and what excludes variants, are left out."""
    rng = random.Random(seed)
    options = {}
    for option in PRESETS[ruleset].options:
        is_free = not (option.needs or option.excludes or mode in (option.not_in or ()) or option.type == "integer")
        if is_free and option.name != "three_deals" and rng.random() < 0.5:
            options[option.name] = rng.choice(
                option.choices or ((None, 0, 2) if option.type == "seat" else (True, False))
            )
    return options


@pytest.mark.parametrize("mode", ["rapid", "turns"])
@pytest.mark.parametrize("ruleset", [name for name in PRESETS if name in {"house", "escoria"}])
def test_tables_of_others_with_people_who_do_as_they_please(mode, ruleset):
    for seed in range(20):
        crowd = crowd_at_play(seed, 700, mode, ruleset=ruleset, options=some_options(ruleset, mode, seed))
        (report,) = verify_lines(crowd.lines())
        assert report.ok, (seed, report, crowd.lines()[report.seq - 4 : report.seq + 2])
        assert report.events == crowd.state.seq


def test_the_idle_time_counts_from_the_last_person_who_was_connected():
    """Somebody leaves while connected; the others had been lost for long before (G9)."""
    crowd = crowd_at_play(1056, 900)
    (report,) = verify_lines(crowd.lines(hides_open_deals=False))
    assert report.ok, report
