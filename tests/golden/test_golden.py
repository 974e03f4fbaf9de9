"""Every preset, seat count and variant plays as it did. After a wanted change: `./ops/golden`, and read the diff."""

import difflib

import pytest

from rapid.bots.simulate import simulate
from rapid.bots.simulate_options import settings_for
from rapid.engine.replay.verify import verify_lines
from rapid.rules.presets import PRESETS
from tests.golden.perft import POSITIONS, counts
from tests.golden.playthrough import NAMES, options_of, playthrough
from tests.golden.regenerate import FOLDER

GOLDEN = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}


def test_there_is_a_golden_log_for_every_seat_count_and_variant_and_nothing_else():
    assert set(GOLDEN) == {f"{name}.log" for name in NAMES} | {"perft.txt"}


@pytest.mark.parametrize(
    "preset, mode",
    [(preset, mode) for preset in PRESETS.values() for mode in preset.modes],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_every_preset_has_one_for_each_of_its_seat_counts_in_each_mode(preset, mode):
    rows = [settings_for(options) for options in map(options_of, NAMES)]
    counted = {row.seats for row in rows if (row.ruleset, row.mode) == (preset.name, mode)}
    assert counted == set(range(preset.seats_min, preset.seats_max + 1))


@pytest.mark.parametrize("name", NAMES)
def test_golden_log(name):
    now, then = playthrough(name), GOLDEN.get(f"{name}.log", "")
    diff = list(difflib.unified_diff(then.splitlines(), now.splitlines(), "golden", "now", lineterm="", n=2))
    assert now == then, "\n".join(diff[:40])


@pytest.mark.parametrize("name", NAMES)
def test_golden_log_passes_the_second_reading_of_the_rules(name):
    (report,) = verify_lines(simulate(options_of(name)))
    assert report.ok, report


@pytest.mark.parametrize("name", list(POSITIONS))
def test_perft(name):
    golden = dict(line.split(" ", 1) for line in GOLDEN["perft.txt"].splitlines())
    assert counts(name) == f"{name} {golden.get(name)}", POSITIONS[name]
