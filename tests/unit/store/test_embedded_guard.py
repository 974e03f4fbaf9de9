"""The guard, in both its ways: becoming the command (Linux), and watching over it (elsewhere)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rapid.store import embedded_guard

GUARD = Path(embedded_guard.__file__)
PATIENCE_SECONDS = 20
# Says its pid, ends with 5 at SIGTERM. Waits for it by `sigwait`: a handler and `pause` would miss one that comes just
# before the pause.
CHILD = (
    "import os,signal,sys; signal.pthread_sigmask(signal.SIG_BLOCK, {15}); print(os.getpid(), flush=True);"
    " sys.exit(5 if signal.sigwait({15}) else 0)"
)
WATCH = f"""
import sys
sys.path.insert(0, {str(GUARD.parent)!r})
import embedded_guard
sys.exit(embedded_guard.watch(sys.argv[1:]))
"""
PARENT = """
import subprocess, sys, time
subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
time.sleep(1000)
"""


def start(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def watched() -> subprocess.Popen[str]:
    return start(WATCH, sys.executable, "-c", CHILD)


def wait_for_end(pid: int) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while (Path("/proc") / str(pid)).exists():
        state = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
        if state == "Z":
            return
        assert time.monotonic() < end, f"process {pid} did not end"
        time.sleep(0.01)


def test_watching_hands_on_sigterm_and_the_exit_code():
    with watched() as guard:
        child = int(guard.stdout.readline())
        guard.terminate()
        assert guard.wait(PATIENCE_SECONDS) == 5
    wait_for_end(child)


def test_watching_ends_the_command_when_the_pipe_closes():
    with watched() as guard:
        guard.stdout.readline()
        guard.stdin.close()
        assert guard.wait(PATIENCE_SECONDS) == 5


def test_watching_ends_the_command_when_the_parent_is_killed():
    with start(PARENT, sys.executable, "-c", WATCH, sys.executable, "-c", CHILD) as parent:
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
    wait_for_end(child)


def test_watching_returns_the_code_of_a_command_that_ends_by_itself():
    with start(WATCH, sys.executable, "-c", "import sys; sys.exit(7)") as guard:
        assert guard.wait(PATIENCE_SECONDS) == 7


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGTERM])
def test_becoming_the_command_ends_it_with_the_parent(death):
    parent = f"""
import os, subprocess, sys, time
subprocess.Popen([sys.executable, {str(GUARD)!r}, str(os.getpid()), sys.executable, "-c", {CHILD!r}])
time.sleep(1000)
"""
    with start(parent) as process:
        child = int(process.stdout.readline())
        process.send_signal(death)
        process.wait()
    wait_for_end(child)


def test_a_parent_that_is_gone_already_means_no_command_at_all():
    nobody = os.getppid()  # not the parent of what we start
    ended = subprocess.run(
        [sys.executable, GUARD, str(nobody), sys.executable, "-c", "print('ran')"], capture_output=True, check=False
    )
    assert ended.returncode == embedded_guard.PARENT_GONE
    assert ended.stdout == b""
