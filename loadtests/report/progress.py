"""What is shown while a load test runs: a live table in a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table

from loadtests.generator.plan import Progress
from loadtests.report.histogram import in_ms

ESSENTIAL: Final = ("now", "p99 ms", "open", "load", "p50 ms", "refused")
FRAME_CHARACTERS: Final = 3
"""Around each column."""


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
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def show(self, asked: float, rate: float, newest: Sequence[Progress], busy: Mapping[str, float]) -> None:
        """Show how the present window goes."""
        if self._live is None:
            return
        cells = {
            "load": f"{asked:,.0f}/s",
            "now": f"{rate:,.0f}/s",
            "p50 ms": in_ms(max((one.p50_ms for one in newest if one.p50_ms is not None), default=None)),
            "p99 ms": in_ms(max((one.p99_ms for one in newest if one.p99_ms is not None), default=None)),
            "refused": str(sum(one.refused for one in newest)),
            "open": str(sum(one.due - one.counted - one.refused for one in newest)),
            **{name: f"{share:.0%}" for name, share in busy.items()},
        }
        shown = that_fit(cells, self._console.width)
        table = Table(*shown)
        table.add_row(*shown.values())
        self._live.update(table, refresh=True)


def that_fit(cells: Mapping[str, str], width: int) -> Mapping[str, str]:
    """Return as many columns as fit into so many characters, those that say most first, in their order."""
    chosen, left = set[str](), width - 1
    for name in sorted(cells, key=lambda name: ESSENTIAL.index(name) if name in ESSENTIAL else len(ESSENTIAL)):
        left -= max(len(name), len(cells[name])) + FRAME_CHARACTERS
        if left < 0:
            break
        chosen.add(name)
    return {name: cell for name, cell in cells.items() if name in chosen}
