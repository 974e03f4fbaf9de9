"""The command line: each scenario takes what it reads, and explains itself with an example."""

import os
import shlex
from pathlib import Path

import pytest

from loadtests.options import SCENARIOS, SPARE_FILES, parse


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_explains_itself_with_an_example_that_it_takes(scenario, capsys):
    with pytest.raises(SystemExit) as ended:
        parse([scenario, "--help"])
    assert ended.value.code == 0
    example = SCENARIOS[scenario][1]
    said = " ".join(capsys.readouterr().out.split())
    assert f"example: {example}" in said
    # What happens where an option is left out is said in words.
    assert "default: None" not in said
    assert "default: False" not in said
    for option, words in (
        ("--url", "one is started for the run"),
        ("--json", "it is not"),
        ("--picture FILE", "loadtest-"),
    ):
        assert f"(default: {words}" in said.partition(f"{option}")[2]
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


def assert_named(capsys, option: str, *arguments: str) -> str:
    """It ends with 2 and one line that names the option."""
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("./ops/loadtest ")
    assert option in said
    return said


@pytest.mark.parametrize(
    "scenario,option,values",
    [
        ("race", "--rate", ("nan", "inf", "-inf", "0", "-1", "x")),
        *((scenario, "--rate", ("1e9", "1000000.5")) for scenario in SCENARIOS if scenario != "idle"),
        *((scenario, "--seconds", ("nan", "inf", "0", "-1", "", "1e300", "86400.5")) for scenario in SCENARIOS),
        *((scenario, "--tables", ("9" * 23, "9" * 5000, "1000001")) for scenario in SCENARIOS),
        ("race", "--idle", ("-1", "x", "1.5", "9" * 23)),
        ("race", "--repeats", ("0", "9" * 23)),
        ("mixed", "--watchers", ("9" * 23,)),
        ("mixed", "--slow", ("9" * 23,)),
        ("spectators", "--watchers", ("-1", "many")),
        ("slow", "--slow", ("-1", "")),
        ("race", "--tables", ("0", "-3", "x")),
        ("race", "--generators", ("0",)),
    ],
)
def test_numbers_are_such_as_can_be_meant(capsys, scenario, option, values):
    for value in values:
        assert len(assert_named(capsys, option, scenario, f"{option}={value}")) < 200


@pytest.mark.parametrize(
    "arguments,connections",
    [
        (("race", "--tables", "50"), 200),
        (("race", "--tables", "50", "--idle", "10", "--seats", "5"), 300),
        (("race", "--tables", "50", "--generators", "4"), 200),
        (("race", "--tables", "50", "--generators", "4", "--url", "http://a"), 50),
        (("mixed", "--tables", "2", "--watchers", "10", "--slow", "3", "--idle", "0"), 31),
        (("spectators", "--tables", "1", "--watchers", "100", "--generators", "1"), 104),
        (("spectators", "--tables", "2", "--watchers", "100", "--generators", "2", "--watch-gateway"), 200),
    ],
)
def test_each_connection_is_an_open_file_in_one_process_at_least(arguments, connections):
    assert parse(arguments).open_files == connections + SPARE_FILES


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "x", "1e300"])
def test_the_floors_time_is_a_number_too_and_is_the_floors(capsys, value):
    assert_named(capsys, "--decide-us", "race", "--against", "floor", f"--decide-us={value}")
    assert_named(capsys, "--decide-us", "limit", "--decide-us", "5")
    assert parse(["race", "--against", "floor", "--decide-us", "5"]).decide_us == 5.0


@pytest.mark.parametrize(
    "url",
    [
        "", "foo", "127.0.0.1:8080", "ftp://127.0.0.1", "https://127.0.0.1", "http://", "http://:80",
        "http://127.0.0.1:port", "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://[::1", "http://a/t/x",
        "http://a?b", "http://a:b@c",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(capsys, url):
    assert_named(capsys, "--url", "race", "--url", url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://localhost", "http://a.example:1/"])
def test_what_is_an_address_is_not(url):
    assert parse(["race", "--url", url]).url == url


@pytest.mark.parametrize(
    "option",
    [("--split",), ("--fsync", "always"), ("--fsync", "everysec"), ("--limits", "raised"), ("--watch-gateway",)],
)
def test_a_server_that_runs_already_is_as_it_is(capsys, option):
    assert "--url" in assert_named(capsys, option[0], "spectators", "--url", "http://a", *option)
    assert parse(["spectators", *option]).url is None


def test_what_is_not_known_of_a_server_that_runs_already_is_not_said():
    shown = parse(["spectators", "--url", "http://a"]).shown()
    assert [shown[name] for name in ("split", "fsync", "limits", "watch_gateway")] == [None] * 4
    assert parse(["race", "--url", "http://a"]).is_together is None
    ours = parse(["race", "--limits", "default", "--split"])
    assert (ours.shown()["limits"], ours.shown()["fsync"], ours.is_together) == ("default", "everysec", False)


@pytest.mark.parametrize("option", ["--json", "--picture"])
def test_where_nothing_can_be_written_is_said_before_the_run(capsys, tmp_path, option):
    (tmp_path / "folder.png").mkdir()
    for place in (tmp_path / "missing" / "a.png", tmp_path / "folder.png"):
        assert str(place) in assert_named(capsys, option, "race", option, str(place))
    assert str(Path("/proc/x.png")) in assert_named(capsys, option, "race", option, "/proc/x.png")
    assert parse(["race", option, str(tmp_path / "a.png")])
    assert list(tmp_path.iterdir()) == [tmp_path / "folder.png"]


@pytest.mark.parametrize("option", ["--json", "--picture"])
def test_what_is_there_already_is_left_until_the_run_is_over(tmp_path, option):
    file = tmp_path / "a.png"
    file.write_text("of the run before")
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "link.png").symlink_to("far.png")
    assert parse(["race", option, str(tmp_path / "link.png")])
    assert (tmp_path / "link.png").is_symlink()
    assert not (tmp_path / "far.png").exists()
    assert parse(["race", option, str(file)])
    assert parse(["race", option, str(tmp_path / "pipe.png")])
    assert file.read_text() == "of the run before"


def test_a_file_is_not_written_twice(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.png").symlink_to("a.png")
    for other in (tmp_path / "a.png", Path("a.png"), Path("link.png")):
        assert "--json" in assert_named(capsys, "--picture", "race", "--json", "a.png", "--picture", str(other))
    assert_named(capsys, "--picture", "race", "--json", "loadtest-race.png")
    assert parse(["race", "--json", "a.png", "--picture", "a.png", "--no-picture"])


@pytest.mark.parametrize("name", ["a", "a.txt", "a.json", "a.png.gz"])
def test_a_picture_of_a_kind_that_is_not_drawn_is_refused(capsys, tmp_path, name):
    assert_named(capsys, "--picture", "race", "--picture", str(tmp_path / name))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_generator_is_without_a_table(capsys, scenario):
    said = assert_named(capsys, "--generators", scenario, "--tables", "2", "--generators", "4")
    assert "--tables" in said


@pytest.mark.parametrize("scenario", [scenario for scenario in SCENARIOS if scenario != "idle"])
def test_no_more_seats_race_than_there_are(capsys, scenario):
    said = assert_named(capsys, "--contention", scenario, "--contention", "5", "--seats", "4")
    assert "--seats" in said
    assert parse([scenario, "--contention", "4", "--seats", "4"]).contention == 4
    assert parse([scenario, "--rate", "1e6"]).rate == 1e6


def test_scenarios_have_defaults_of_their_own():
    assert parse(["spectators"]).tables == 1
    assert parse(["spectators"]).watchers == 2000
    assert (parse(["race"]).tables, parse(["race"]).rate) == (100, 1000.0)
    assert parse(["race", "--reaction", "human"]).rate == 0.0
    assert "json" not in parse(["race"]).shown()
