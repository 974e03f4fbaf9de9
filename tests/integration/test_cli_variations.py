"""`rapid simulate` then `rapid verify -`, for every preset in every mode and every documented variation of it."""

import io
import sys
from collections.abc import Iterator

import pytest

from rapid.cli import main
from rapid.rules.presets import PRESETS
from tests.golden.playthrough import NAMES, options_of

DOCUMENTED = [
    # 000, its last part
    *(("presi", f"{option}={value}") for option, value in (
        ("deck", "spanish40"), ("three", "below_two"), ("jokers", 2), ("turning", "order"),
        ("turning", "order_and_direction"), ("must_beat", "true"), ("killer", "false"), ("passing", "free"),
        ("exchange", "one_free"), ("wild_twos", "true"),
    )),
    ("presi", "jokers=4,joker=wild"),
    # 001, its twists
    ("house", "sit_out=true"), ("house", "fresh_hands=true"), ("house", "three_deals=true"),
    ("house", "sit_out=true,fresh_hands=true,three_deals=true"),
    # 004, its variations
    *(("escoria", f"{option}={value}") for option, value in (
        ("dealer", "scum"), ("larger_sets", "higher"), ("larger_sets", "any"), ("equal", "true"),
        ("turning", "order"), ("jokers", "true"), ("two_high_low", "true"), ("transparent_threes", "true"),
    )),
    ("escoria", "equal=true,turning=run"),
]  # fmt: skip
ONLY_IN_TURNS = [
    ("presi", "leader=president"), ("escoria", "reseat=true"), ("escoria", "equal=true,skip_next=true"),
]  # fmt: skip


def rows() -> Iterator[tuple[str, str, list[str]]]:
    """Yield (ruleset, mode, further arguments)."""
    for name, preset in PRESETS.items():
        for mode in preset.modes:
            yield name, mode, []
            for variant in preset.variant_names:
                if (variant, mode) != ("skip", "rapid"):
                    yield name, mode, ["--variants", variant]
    yield from ((name, mode, ["--options", options]) for name, options in DOCUMENTED for mode in ("turns", "rapid"))
    yield from ((name, "turns", ["--options", options]) for name, options in ONLY_IN_TURNS)


ROWS = list(rows())


@pytest.mark.parametrize("ruleset, mode, more", ROWS, ids=[" ".join([*row[:2], *row[2]]) for row in ROWS])
def test_what_is_simulated_verifies(ruleset, mode, more, capsys, monkeypatch):
    seats = str(PRESETS[ruleset].seats_min + 1)
    rounds = ["--rounds", "2"] if ruleset == "president" else []
    assert verified(["--ruleset", ruleset, "--mode", mode, "--seats", seats, *rounds, *more], capsys, monkeypatch)


@pytest.mark.parametrize("ruleset", list(PRESETS))
def test_every_ruleset_takes_a_number_of_rounds(ruleset, capsys, monkeypatch):
    said = verified(["--ruleset", ruleset, "--rounds", "2"], capsys, monkeypatch)
    assert ", 2 rounds, 1 games" in said


def verified(arguments, capsys, monkeypatch):
    """Simulate, verify what was written, return what that said."""
    assert main(["simulate", *arguments]) == 0
    log = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.encode())))
    assert main(["verify", "-"]) == 0
    said = capsys.readouterr().out
    assert ": ok, " in said
    assert said.endswith(" 1 games\n")
    return said


def test_every_value_of_every_option_is_among_them():
    """What is played in the golden games, one value of one option after the other, is simulated here too."""
    asked = {(ruleset, part) for ruleset, _, more in ROWS for part in (more[1].split(",") if more else ())}
    for options in map(options_of, NAMES):
        for option, value in options.options.items():
            word = str(value).lower() if isinstance(value, bool) else str(value)
            is_number = isinstance(value, int) and not isinstance(value, bool)
            assert is_number or (options.ruleset, f"{option}={word}") in asked, (option, value)
