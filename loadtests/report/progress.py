"""What is shown while a load test runs: a live table in a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table

from loadtests.generator.plan import Progress
from loadtests.report.histogram import in_ms


class Display:
    """Use as a context. Redrawn only when there is something new, which costs next to nothing."""

    def __init__(self, console: Console, *, is_quiet: bool = False) -> None:
        self._console = console
        self._is_quiet = is_quiet
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._is_quiet:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def say(self, text: str) -> None:
        """Say what happens now."""
        if not self._is_quiet:
            self._console.print(text, highlight=False)

    def show(self, asked: float, rate: float, newest: Sequence[Progress], busy: Mapping[str, float]) -> None:
        """Show how the present window goes."""
        if self._live is None:
            return
        table = Table("load", "now", "p50 ms", "p99 ms", "refused", "open", *busy)
        table.add_row(
            f"{asked:,.0f}/s",
            f"{rate:,.0f}/s",
            in_ms(max((one.p50_ms for one in newest if one.p50_ms is not None), default=None)),
            in_ms(max((one.p99_ms for one in newest if one.p99_ms is not None), default=None)),
            str(sum(one.refused for one in newest)),
            str(sum(one.due - one.counted - one.refused for one in newest)),
            *(f"{share:.0%}" for share in busy.values()),
        )
        self._live.update(table, refresh=True)
