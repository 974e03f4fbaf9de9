"""Runs a command that must not outlive the process that started it, however that process ends.

Usage: `python embedded_guard.py PARENT_PID COMMAND …`, started by PARENT_PID itself with a pipe as standard input
that nobody writes to. It stands alone: the standard library only, for it is run as a file, before anything else.

On Linux the kernel sends SIGTERM when the parent dies, and this process *becomes* the command. Elsewhere it stays:
the pipe's end of file says that the parent is gone.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>; kept across exec
PARENT_GONE = 3
POLL_SECONDS = 0.2


def become(parent_pid: int, command: list[str]) -> None:
    """Linux: ask the kernel for SIGTERM at the parent's death, then turn into the command.

    The kernel watches the *thread* that started us, so the starter must be one that lives as long as the process:
    the one that runs the event loop.
    """
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    # Had it died before the line above took effect, we would have a new parent now and never be told.
    if os.getppid() != parent_pid:
        sys.exit(PARENT_GONE)
    os.execv(command[0], command)  # noqa: S606  # no shell is the point


def watch(command: list[str]) -> int:
    """Everywhere else: run the command, end it at SIGTERM or when standard input closes, return its exit code."""
    wanted = threading.Event()
    # Set up before the child is there, so that no moment is left in which SIGTERM would end us alone.
    signal.signal(signal.SIGTERM, lambda *_: wanted.set())
    threading.Thread(target=_wait_for_end_of_input, args=(wanted,), daemon=True).start()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False) as child:  # noqa: S603
        while child.poll() is None:
            if wanted.wait(POLL_SECONDS):
                child.terminate()
                return child.wait()
        return child.returncode


def _wait_for_end_of_input(wanted: threading.Event) -> None:
    while os.read(0, 64):
        pass
    wanted.set()


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code; on Linux this does not return."""
    parent_pid, command = int(arguments[0]), arguments[1:]
    if sys.platform == "linux":
        become(parent_pid, command)
    return watch(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
