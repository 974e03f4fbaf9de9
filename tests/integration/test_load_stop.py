"""`python -m loadtests` is told to end, at its start and in its midst: nothing that it started outlives it."""

import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def started(folder: Path, *arguments: str, expects: str) -> tuple[subprocess.Popen, list[int]]:
    """Start a load, wait until it says so, and return it with all processes below it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "loadtests", arguments[0], "--tables", "1", *arguments[1:], "--no-picture"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(folder)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert any(expects in line for line in process.stderr)
    return process, below(process.pid)


def below(pid: int) -> list[int]:
    try:
        children = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [one for child in children for one in below(child)]


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def has_ended(pid: int, seconds: float = 10.0) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def assert_nothing_is_left(folder: Path, processes: list[int]) -> None:
    # A helper of the library's ends behind its parent, a moment later.
    assert [pid for pid in processes if not has_ended(pid)] == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "number,arguments",
    [
        (signal.SIGTERM, ("--split",)),
        (signal.SIGHUP, ()),
        (signal.SIGINT, ()),
    ],
)
def test_a_signal_in_the_window_ends_all(tmp_path, number, arguments):
    load = ("race", "--rate", "20", "--seconds", "60")
    process, processes = started(tmp_path, *load, *arguments, expects="measuring")
    assert len(processes) >= 4  # Redis, the server, a generator and its library's helper
    process.send_signal(number)
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (128 + number, "")
    assert said.splitlines() == [f"loadtest: stopped by {number.name}"]
    assert_nothing_is_left(tmp_path, processes)


@pytest.mark.parametrize("part", ["redis", "serve", "spawn_main"])
def test_so_does_one_while_the_parts_start(tmp_path, part):
    process, _ = started(tmp_path, "race", expects="starting")
    while not any(part in command(pid) for pid in below(process.pid)):
        assert process.poll() is None
    processes = below(process.pid)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said.splitlines()[-1]) == (143, "loadtest: stopped by SIGTERM")
    assert "Traceback" not in said
    assert_nothing_is_left(tmp_path, processes)


def test_a_generator_is_ended_by_its_parent_or_by_itself(tmp_path):
    process, processes = started(tmp_path, "race", "--rate", "20", "--seconds", "60", expects="measuring")
    generator = next(pid for pid in processes if "spawn_main" in command(pid))
    os.kill(generator, signal.SIGINT)  # what a terminal sends to all is the parent's business
    os.kill(generator, signal.SIGHUP)
    assert not has_ended(generator, 0.0)
    os.kill(generator, signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in said
    assert_nothing_is_left(tmp_path, processes)


@pytest.mark.parametrize(
    "scenario,expects,arguments",
    [
        ("race", "measuring", ()),
        ("race", "measuring", ("--tables", "2", "--generators", "2")),
        ("limit", "raising", ()),
        ("limit", "raising", ("--tables", "2", "--generators", "2")),
        ("spectators", "without", ("--watchers", "2")),
        ("slow", "without", ("--slow", "2")),
        ("idle", "at rest for", ()),
        ("churn", "coming and going", ()),
        ("mixed", "measuring", ("--watchers", "1", "--idle", "1", "--slow", "1")),
    ],
)
def test_a_generator_that_is_gone_ends_every_scenario_with_a_report(tmp_path, scenario, expects, arguments):
    load = () if scenario == "idle" else ("--rate", "20")
    process, processes = started(tmp_path, scenario, *load, "--seconds", "600", *arguments, expects=expects)
    generator = next(pid for pid in processes if "spawn_main" in command(pid))
    os.kill(generator, signal.SIGKILL)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert re.match(r"generator \d has ended", said)  # before anything else is
    assert re.search(r"WRONG: .*generator \d has ended", printed)
    assert re.search(r"NOT QUOTED: generator \d has ended", printed)
    assert "nothing was asked for" not in printed
    assert_nothing_is_left(tmp_path, processes)


def catches(pid: int, number: int) -> bool:
    """Whether it has said what is to be done at that signal; a Python that does nothing about it has for SIGINT."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (number - 1) & 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_program_loads_is_one_line(number):
    process = subprocess.Popen(
        [sys.executable, "-m", "loadtests", "race", "--no-picture"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not all(catches(process.pid, one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
        assert process.poll() is None
    process.send_signal(number)
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed, said) == (128 + number, "", f"loadtest: stopped by {number.name}\n")


def test_nothing_outlives_a_run_that_is_killed(tmp_path):
    process, processes = started(tmp_path, "race", "--rate", "20", "--seconds", "60", expects="measuring")
    process.kill()
    process.communicate(timeout=60)
    assert [pid for pid in processes if not has_ended(pid, 30.0)] == []
    # Its folder is, until the next run.
    [left] = tmp_path.glob("rapid-load-*")
    process, processes = started(tmp_path, "race", "--rate", "20", "--seconds", "60", expects="measuring")
    assert not left.exists()
    process.terminate()
    process.communicate(timeout=60)
    assert_nothing_is_left(tmp_path, processes)
