"""`python -m loadtests` is told to end, at its start and in its midst: nothing that it started outlives it."""

import os
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
        [sys.executable, "-m", "loadtests", *arguments, "--tables", "1", "--no-picture"],
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


def test_nothing_outlives_a_run_that_is_killed(tmp_path):
    process, processes = started(tmp_path, "race", "--rate", "20", "--seconds", "60", expects="measuring")
    process.kill()
    process.communicate(timeout=60)
    assert [pid for pid in processes if not has_ended(pid, 30.0)] == []
