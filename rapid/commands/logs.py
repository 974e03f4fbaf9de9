"""`rapid verify` and `rapid simulate`: logs read and written without a server."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from rapid.bots.simulate import simulate as simulated
from rapid.bots.simulate_options import SimulateError, SimulateOptions, parse_options, parse_variants
from rapid.engine.replay.verify import LogReport, verify_lines

FAILURE, USAGE = 1, 2


def verify(files: Sequence[str]) -> int:
    """Print a line for each log of each file; 1 if any of them is wrong or cannot be read."""
    failed = False
    for name in files:
        try:
            with _opened(name) as lines:
                for report in verify_lines(lines):
                    failed |= not report.ok
                    print(f"{name}: {sentence_of(report)}")
        except OSError as error:
            failed = True
            print(f"rapid: {name}: {error.strerror}", file=sys.stderr)
    return FAILURE if failed else 0


def sentence_of(report: LogReport) -> str:
    """Return what was found in one log, as one line."""
    table = "no table" if report.table is None else f"table {report.table}"
    if report.ok:
        return f"{table}: ok, {report.events} events, {report.rounds} rounds, {report.games} games"
    where = f"line {report.line}" if report.seq is None else f"seq {report.seq}"
    return f"{table}: WRONG at {where}: {report.reason}"


def simulate(fields: Mapping[str, Any], variants: str | None, options: str | None) -> int:
    """Write the logs of simulated games to standard output; 2 if an option is wrong."""
    try:
        on = None if variants is None else parse_variants(variants)
        given = SimulateOptions(**fields, variants=on, options=parse_options(options or ""))
        lines = simulated(given)
        _write(lines)
    except SimulateError as error:
        print(f"rapid simulate: {error}", file=sys.stderr)
        return USAGE
    return 0


def _write(lines: Iterable[str]) -> None:
    out = sys.stdout
    for line in lines:
        out.write(line + "\n")
    out.flush()


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with open(name, "rb") as file:  # noqa: PTH123  # a name as typed
        yield file
