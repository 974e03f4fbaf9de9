"""`rapid simulate` and `rapid verify`, and what holds for every command (PROTOCOL section 6)."""

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rapid.cli import LOGGED, PREFIX, build_parser, main
from rapid.engine.replay.verify import verify_lines
from rapid.rules.settings import ROUNDS_MOST
from tests.integration.cli_bench import ROOT, environment, rapid, start
from tests.integration.worker_bench import TABLE, bench_on, worker_on

COMMANDS = (
    "serve",
    "gateway",
    "worker",
    "tables",
    "close",
    "export",
    "backup",
    "restore",
    "verify",
    "simulate",
    "play",
    "watch",
)
OPERANDS = {
    "close": ["T"],
    "export": ["T"],
    "backup": ["A"],
    "restore": ["A"],
    "verify": ["F"],
    "play": ["U"],
    "watch": ["U"],
}
SAMPLES = {
    "port": "8123",
    "metrics-port": "8124",
    "shards": "5",
    "fsync": "always",
    "log-level": "debug",
    "lease-ms": "750",
}
SAMPLES |= {"log-kept-days": "2.5"}
FLAGS = {"dev", "auto", "fresh", "json", "until-final"}
NUMBERS = {"seats", "rounds", "target", "games", "seed", "bots"}


def parser_of(command):
    parser = build_parser({})
    (commands,) = [action for action in parser._actions if hasattr(action, "choices") and action.choices]
    return commands.choices[command]


def options_of(command):
    actions = parser_of(command)._actions
    return [a.option_strings[0].removeprefix("--") for a in actions if a.option_strings and a.dest != "help"]


EVERY_OPTION = [(command, option) for command in COMMANDS for option in options_of(command)]


@pytest.mark.parametrize("command, option", EVERY_OPTION)
def test_every_option_can_be_set_by_a_variable_and_what_is_typed_wins(command, option):
    dest = option.replace("-", "_")
    variable = PREFIX + dest.upper()
    typed = SAMPLES.get(option) or ("1" if option in FLAGS else "5" if option in NUMBERS else "typed")
    by_variable = build_parser({variable: typed}).parse_args([command, *OPERANDS.get(command, [])])
    flag = [f"--{option}"] if option in FLAGS else [f"--{option}", typed]
    by_hand = build_parser({}).parse_args([command, *OPERANDS.get(command, []), *flag])
    assert getattr(by_variable, dest) == getattr(by_hand, dest)
    default = build_parser({}).parse_args([command, *OPERANDS.get(command, [])])
    assert getattr(by_hand, dest) != getattr(default, dest)


def test_what_is_typed_wins_over_the_variable():
    given = build_parser({"RAPID_PORT": "1"}).parse_args(["serve", "--port", "2"])
    assert given.port == 2


@pytest.mark.parametrize(
    "arguments, env",
    [
        ((), {}),
        (("dance",), {}),
        (("serve", "--port", "70000"), {}),
        (("serve", "--port", "x"), {}),
        (("serve",), {"RAPID_PORT": "x"}),
        (("serve",), {"RAPID_DEV": "perhaps"}),
        (("serve", "--fsync", "never"), {}),
        (("worker", "--shards", "0"), {}),
        (("worker", "--log-level", "loud"), {}),
        (("worker",), {"RAPID_LOG_LEVEL": "loud"}),
        (("serve",), {"RAPID_FSYNC": "never"}),
        (("serve", "--log-kept-days", "0"), {}),
        (("serve", "--log-kept-days", "-1"), {}),
        (("worker", "--log-kept-days", "nan"), {}),
        (("worker",), {"RAPID_LOG_KEPT_DAYS": "month"}),
        (("close", "T", "--log-kept-days", "40000"), {}),
        (("close",), {}),
        (("simulate", "--seats", "four"), {}),
        (("simulate", "--seats", "2"), {}),
        (("simulate", "--seats", "7"), {}),
        (("simulate", "--rounds", "0"), {}),
        (("simulate", "--target", "11"), {}),
        (("simulate", "--ruleset", "presi", "--target", "many"), {}),
        (("simulate", "--ruleset", "whist"), {}),
        (("simulate", "--variants", "joker"), {}),
        (("simulate", "--options", "a"), {}),
        (("play", "ftp://127.0.0.1"), {}),
        (("watch", "http://127.0.0.1:1"), {}),
        (("play", "http://127.0.0.1:1", "--variants", "joker"), {}),
    ],
)
def test_usage_errors_leave_with_2(arguments, env, monkeypatch, capfd):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert code_of(*arguments) == 2
    said = capfd.readouterr()
    assert said.out + said.err
    assert "Traceback" not in said.err


def typed_options():
    """Every option whose value is checked as it is read."""
    for command in COMMANDS:
        for action in parser_of(command)._actions:
            if action.option_strings and action.type not in (None, Path):
                yield command, action.option_strings[0]


@pytest.mark.parametrize("value", ["x", "-5", "70000000", "1.5", "", "unlimited", "9" * 5000])
@pytest.mark.parametrize("command, option", list(typed_options()))
def test_what_is_wrong_with_a_value_is_said_in_words(command, option, value, capfd):
    typed = [command, *OPERANDS.get(command, []), f"{option}={value}"]
    with contextlib.suppress(SystemExit):
        build_parser({}).parse_args(typed)
        return  # it can be so
    said = capfd.readouterr().err
    assert said.startswith(f"usage: rapid {command}")
    assert f"error: argument {option}: " in said
    assert not re.search(r"invalid \w+ value|\b_\w|\bint\b|\bfloat\b", said.partition("error:")[2]), said


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("serve", "--port", "70000"), "argument --port: 70000 is no port: 0 to 65535"),
        (("serve", "--shards", "0"), "argument --shards: 0 is too few: 1 at least"),
        (("worker", "--lease-ms", "x"), "argument --lease-ms: 'x' is no whole number"),
        (("close", "T", "--log-kept-days", "month"), "argument --log-kept-days: 'month' is no number of days"),
        (
            ("simulate", "--rounds", "unlimited"),
            f"argument --rounds: 'unlimited' is no number of rounds: 1 to {ROUNDS_MOST}",
        ),
    ],
)
def test_a_wrong_value_is_told_with_what_is_taken(arguments, said, capfd):
    assert code_of(*arguments) == 2
    assert said in capfd.readouterr().err


def test_help_says_how_many_rounds_can_be_asked_for(capfd):
    assert code_of("simulate", "--help") == 0
    assert f"rounds a game, 1 to {ROUNDS_MOST}" in " ".join(capfd.readouterr().out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_a_command_does_not_have_is_told_with_that_commands_usage(command, capfd):
    assert code_of(command, *OPERANDS.get(command, []), "--nosuch") == 2
    said = capfd.readouterr().err
    assert said.startswith(f"usage: rapid {command} ")
    assert said.endswith(f"rapid {command}: error: unrecognized arguments: --nosuch\n")


@pytest.mark.parametrize("option", ["--rounds", "--target", "--options", "--variants", "--seats"])
def test_a_wrong_value_is_told_by_the_option_that_it_came_with(option, capfd):
    assert code_of("simulate", option, "0") == 2
    said = capfd.readouterr().err
    assert said.startswith(f"rapid simulate: {option}: "), said


def test_play_tells_settings_from_options(capfd):
    for option in ("--settings", "--options", "--variants"):
        assert code_of("play", "http://127.0.0.1:1", option, "jokers") == 2
        assert capfd.readouterr().err.startswith(f"rapid play: {option}: ")


def code_of(*arguments):
    """The exit code of a command run in this process; argparse leaves by itself."""
    try:
        return main(arguments)
    except SystemExit as leaving:
        return leaving.code


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command, capfd):
    assert code_of(command, "--help") == 0
    assert capfd.readouterr().out.startswith(f"usage: rapid {command}")


async def test_the_same_seed_gives_the_same_log_and_another_seed_another():
    one, again, other = await asyncio.gather(
        rapid("simulate", "--seed", "5"), rapid("simulate", "--seed", "5"), rapid("simulate", "--seed", "6")
    )
    assert one.code == 0
    assert one.out == again.out != other.out
    header = json.loads(one.out.splitlines()[0])
    assert (header["log"], header["v"]) == ("rapid", 1)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--seats", "3", "--rounds", "2"),
        ("--seats", "6", "--games", "3", "--rounds", "2", "--variants", "none"),
        ("--variants", "revolution,four_closes,strongest_closes,finish_with_two", "--level", "hard"),
    ],
)
async def test_what_was_simulated_passes_verify(options, tmp_path):
    simulated = await rapid("simulate", *options)
    log = tmp_path / "games.log"
    log.write_text(simulated.out)
    by_file, by_input = await asyncio.gather(rapid("verify", log), rapid("verify", "-", given=simulated.out.encode()))
    assert by_file.code == by_input.code == 0
    games = sum(line.startswith('{"log"') for line in simulated.out.splitlines())
    assert len(by_file.out.splitlines()) == games
    assert all(": ok, " in line for line in by_file.out.splitlines())


async def test_verify_names_the_first_wrong_seq_and_leaves_with_1(tmp_path):
    lines = (await rapid("simulate", "--seed", "9", "--rounds", "1")).out.splitlines()
    number = next(n for n, line in enumerate(lines) if '"type":"played"' in line)
    event = json.loads(lines[number])
    other = "3S" if event["cards"][0] != "3S" else "4S"
    lines[number] = json.dumps({**event, "cards": [other, *event["cards"][1:]]})
    wrong = tmp_path / "wrong.log"
    wrong.write_text("\n".join(lines) + "\n")
    ran = await rapid("verify", wrong)
    assert ran.code == 1
    (line,) = ran.out.splitlines()
    assert f"WRONG at seq {event['seq']}:" in line


async def test_verify_reads_unfinished_logs_and_says_which_of_several_is_wrong(tmp_path):
    good = (await rapid("simulate", "--rounds", "1")).out
    unfinished = "".join(good.splitlines(keepends=True)[:40])
    files = {"good": good + good, "unfinished": unfinished, "empty": "", "prose": "hello\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    ran = await rapid("verify", *(tmp_path / name for name in files))
    assert ran.code == 1
    verdicts = [(line.split(": ")[0].rpartition("/")[2], "WRONG" in line) for line in ran.out.splitlines()]
    assert verdicts == [("good", False), ("good", False), ("unfinished", False), ("empty", True), ("prose", True)]


async def test_verify_of_a_missing_file_is_one_line_and_1(tmp_path):
    ran = await rapid("verify", tmp_path / "missing")
    assert ran.code == 1
    assert "No such file" in ran.complaint


async def test_a_reader_that_has_enough_ends_it_without_a_traceback():
    process = await start("simulate", "--games", "1000")
    assert process.stdout is not None
    assert process.stderr is not None
    await process.stdout.readline()
    process.stdout._transport.close()
    async with asyncio.timeout(30):
        err = await process.stderr.read()
        await process.wait()
    assert err == b""


def test_simulate_waits_for_no_module_that_it_does_not_need():
    program = (
        "import sys; from rapid.cli import main; code = main(['simulate', '--rounds', '1']);"
        "slow = {'aiohttp', 'redis', 'hiredis', 'asyncio', 'structlog'};"
        "print(sorted(slow & sys.modules.keys()), file=sys.stderr);"
        "sys.exit(code)"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment(), capture_output=True, check=True)
    assert ran.stderr.strip() == b"[]"


@pytest.mark.parametrize("command", ["export", "tables", "close"])
async def test_standard_output_is_the_commands_alone_also_when_something_is_logged(redis_url, command):
    """A Redis without an append-only file is warned of: on standard error, as a log line."""
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1"):
        await bench.open()
        client = bench.store._client
        before = (await client.call("CONFIG", "GET", "appendonly"))[1]
        await client.call("CONFIG", "SET", "appendonly", "no")
        try:
            ran = await rapid(command, *([] if command == "tables" else [TABLE]), "--redis", redis_url)
        finally:
            await client.call("CONFIG", "SET", "appendonly", before)
    assert ran.code == 0
    (said,) = [json.loads(line) for line in ran.err.splitlines()]
    assert (said["event"], said["level"]) == ("redis_unsafe", "warning")
    if command == "export":
        lines = ran.out.splitlines()
        assert [json.loads(line)["type"] for line in lines[1:]]
        (report,) = verify_lines(f"{line}\n".encode() for line in lines)
        assert report.ok
    else:
        assert "redis_unsafe" not in ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_that_runs_parts_of_the_server_leaves_logging_as_it_comes(command):
    runs_the_server = command not in {"verify", "simulate", "play", "watch"}
    assert (command in LOGGED) == runs_the_server
