"""Readers that stop, and which of them the server cut off (DESIGN 2.12).

The server cuts one off for whom too much waits. The kernels take some 60 kB before anything waits, and a table makes
some 140 bytes of an intent, so a server of our own keeps less for each viewer than it does else.
"""

from __future__ import annotations

from typing import Any, Final

from loadtests.generator.plan import Stopped
from loadtests.options import Options
from loadtests.run import Run
from loadtests.under_test.measured import cut_readers

BUFFER_BYTES: Final = 16_384
SETTINGS: Final = {"VIEWER_BUFFER_MAX_BYTES": str(BUFFER_BYTES)}
KERNELS_BYTES: Final = 60_000
SURELY: Final = 4.0
"""What the kernels take varies (at 20 intents a second of a table, 1 of 20 readers due 161 kB was cut): from so many
times as much on, a cut is certain."""


def buffer_bytes(options: Options) -> int | None:
    """Return how much the server keeps for each viewer; None: it is not ours, so nobody knows."""
    return BUFFER_BYTES if options.url is None else None


class Cuts:
    """What became of those who stopped, each time."""

    def __init__(self, run: Run) -> None:
        self.cut: list[int | None] = []
        """How many the server says that it cut off with 4008."""
        self.stopped: list[Stopped] = []
        self._run = run
        self._before: int | None = None

    def begin(self) -> None:
        """They stop."""
        self._before = cut_readers(self._run.target)
        self._run.stop_reading()

    def end(self) -> None:
        """They read on."""
        after = cut_readers(self._run.target)
        self.cut.append(None if after is None or self._before is None else after - self._before)
        self.stopped.append(self._run.read_on())

    def faults(self, kept: int | None, *, only_if_certain: bool = False) -> tuple[str, ...]:
        """Return what is wrong on a server that keeps so much for a viewer; None: not known, so nothing is.

        `only_if_certain`: where so little was due that none had to be cut, that is no fault.
        """
        if kept is None or self._run.broken_off is not None:
            return ()
        return tuple(
            f"{stopped.readers} readers stopped and none was cut off: at least {stopped.due_bytes:,} bytes were due to "
            f"each, of which the kernels keep some {KERNELS_BYTES:,} and the server {kept:,}; more --rate for each "
            "table, or more --seconds, if that is too few"
            for cut, stopped in zip(self.cut, self.stopped, strict=True)
            if stopped.readers and not cut and not (only_if_certain and _is_too_little(stopped, kept))
        )

    def unexpected(self, kept: int | None) -> str:
        """Return why none was to be cut off, if none was; empty if there is nothing to explain."""
        for cut, stopped in zip(self.cut, self.stopped, strict=True):
            if not stopped.readers or cut or self._run.broken_off is not None:
                continue
            if cut is None:
                return "How many slow readers were cut off is not known: the server's metrics do not say."
            if kept is None:
                return "No slow reader was cut off; whether any had to be is not known: the server was there already."
            if _is_too_little(stopped, kept):
                return (
                    f"No slow reader was cut off, and none had to be: {stopped.due_bytes:,} bytes were due to the one "
                    f"who was due least, and the kernels and the server keep some {KERNELS_BYTES + kept:,}. More "
                    "--rate for each table, or more --seconds, and they are."
                )
        return ""

    def more(self, kept: int | None) -> dict[str, Any]:
        """Return what the report adds."""
        return {
            "slow_readers_cut_off": self.cut,
            "slow_readers": [stopped.readers for stopped in self.stopped],
            "bytes_due_to_each": [stopped.due_bytes for stopped in self.stopped],
            "viewer_buffer_max_bytes": kept or "the server's own",
        }


def _is_too_little(stopped: Stopped, kept: int) -> bool:
    return stopped.due_bytes < SURELY * (KERNELS_BYTES + kept)
