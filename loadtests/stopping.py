"""SIGINT, SIGTERM and SIGHUP end a run alike: every process it started, its folder, one line."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OF_THE_TERMINAL: Final = (signal.SIGINT, signal.SIGHUP)
"""These reach every process of a terminal; we end ours ourselves."""
_PR_SET_PDEATHSIG: Final = 1


class Stopped(KeyboardInterrupt):
    """A signal asks for the end. Of this kind, since event loops let it through."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.exit_code = 128 + number
        """As shells say it."""


class _Asked:
    """Which signal has come, and whether it has to wait."""

    number: int | None = None
    held_back = 0


def listen() -> None:
    """Raise `Stopped` in the main thread at the first of them. Who was told to ignore one (`nohup`) goes on to."""
    _Asked.number = None
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _hear)


def _hear(number: int, _frame: FrameType | None) -> None:
    if _Asked.number is not None:
        return  # what is being ended must not be left half way
    _Asked.number = number
    if not _Asked.held_back:
        raise Stopped(number)


@contextmanager
def held_back() -> Iterator[None]:
    """Let a signal wait until the block's end: what is started there is then known to whoever ends it."""
    before = _Asked.number
    _Asked.held_back += 1
    try:
        yield
    finally:
        _Asked.held_back -= 1
    if _Asked.number is not None and before is None and not _Asked.held_back:
        raise Stopped(_Asked.number)


@contextmanager
def out_of_the_terminals_reach() -> Iterator[None]:
    """Start processes in the block that the terminal's signals do not reach."""
    # Not at the top: a run listens to signals before it loads anything that takes its time.
    from multiprocessing import resource_tracker  # noqa: PLC0415

    # A helper of that module's is started with the first process, and unblocks them when it is.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, OF_THE_TERMINAL)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent(number: int = signal.SIGKILL) -> None:
    """Let the kernel tell this process to end as soon as the one that started it is gone, killed or not."""
    import ctypes  # noqa: PLC0415  as above

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
