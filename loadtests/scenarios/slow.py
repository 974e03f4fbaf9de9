"""`slow`: spectators that stop reading, beside tables that race on; they must cost the others nothing (DESIGN 2.12).

The server cuts one off for whom too much waits. The kernels take some 60 kB before anything waits, and a table makes
some 140 bytes of an intent, so a server of our own keeps less for each viewer than it does else: within a window
everybody who stopped is to be cut.
"""

from __future__ import annotations

from typing import Any, Final

from loadtests.generator.plan import Stopped
from loadtests.options import Options
from loadtests.report.progress import Display
from loadtests.report.report import Report
from loadtests.run import Run, run_on
from loadtests.scenarios.alternating import alternate, grown_kb, late, ratios
from loadtests.scenarios.common import plan_for, target_of
from loadtests.under_test.measured import cut_readers

BUFFER_BYTES: Final = 16_384


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

    def faults(self, buffer_bytes: int | None) -> tuple[str, ...]:
        """Return what is wrong on a server that keeps so much for a viewer; None: not known, so nothing is."""
        if buffer_bytes is None:
            return ()
        return tuple(
            f"{stopped.readers} readers stopped and none was cut off: at least {stopped.due_bytes:,} bytes were due to "
            f"each, of which the kernels keep some 60,000 and the server {buffer_bytes:,}; more --rate for each table, "
            "or more --seconds, if that is too few"
            for cut, stopped in zip(self.cut, self.stopped, strict=True)
            if stopped.readers and not cut
        )

    def more(self, buffer_bytes: int | None) -> dict[str, Any]:
        """Return what the report adds."""
        return {
            "slow_readers_cut_off": self.cut,
            "slow_readers": [stopped.readers for stopped in self.stopped],
            "bytes_due_to_each": [stopped.due_bytes for stopped in self.stopped],
            "viewer_buffer_max_bytes": buffer_bytes or "the server's own",
        }


def slow(options: Options, display: Display) -> Report:
    """Measure without and with readers that hang."""
    buffer_bytes = BUFFER_BYTES if options.url is None else None
    settings = {"VIEWER_BUFFER_MAX_BYTES": str(BUFFER_BYTES)}
    with target_of(options, settings=settings) as target, run_on(target, options.generators, display) as run:
        run.open(plan_for(options, target))
        run.warm_up(options.rate)
        cuts = Cuts(run)
        pairs = alternate(run, options, display, cuts.begin, cuts.end)
        run.finish()
        judged = run.judge()
    return Report(
        scenario=options.scenario,
        options=options.shown(),
        measured=pairs[-1].beside,
        judged=judged,
        faults=run.faults + cuts.faults(buffer_bytes),
        limited=late(pairs),
        steps=[window for pair in pairs for window in (pair.without, pair.beside)],
        more={
            "with_slow_readers_to_without": ratios(pairs),
            **cuts.more(buffer_bytes),
            "memory_grown_kb": grown_kb(pairs),
        },
        is_together=options.is_together,
    )
