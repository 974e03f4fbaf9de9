"""The command line: each scenario takes what it reads, and explains itself with an example."""

import shlex

import pytest

from loadtests.options import SCENARIOS, parse


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_explains_itself_with_an_example_that_it_takes(scenario, capsys):
    with pytest.raises(SystemExit) as ended:
        parse([scenario, "--help"])
    assert ended.value.code == 0
    example = SCENARIOS[scenario][1]
    assert f"example: {example}" in " ".join(capsys.readouterr().out.split())
    assert parse(shlex.split(example)[1:]).scenario == scenario


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("sprint",),
        ("race", "--rate", "0"),
        ("race", "--tables", "0"),
        ("race", "--seconds", "-1"),
        ("race", "--watchers", "3"),
        ("limit", "--reaction", "human"),
        ("churn", "--against", "floor"),
        ("race", "--seats", "9"),
    ],
)
def test_what_no_scenario_reads_is_a_usage_error(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err


def test_scenarios_have_defaults_of_their_own():
    assert parse(["spectators"]).tables == 1
    assert parse(["spectators"]).watchers == 2000
    assert (parse(["race"]).tables, parse(["race"]).rate) == (100, 1000.0)
    assert parse(["race", "--reaction", "human"]).rate == 0.0
    assert "json" not in parse(["race"]).shown()
