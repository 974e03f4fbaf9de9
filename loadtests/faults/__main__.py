"""`python -m loadtests.faults`: real processes really killed while people race, and what the judges say."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from pathlib import Path
from typing import Any

import uvloop

from loadtests.faults.broken import BREAKS
from loadtests.faults.figures import words
from loadtests.faults.kinds import KINDS
from loadtests.faults.run import Outcome, run
from loadtests.faults.takeover import takeover


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtests.faults", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("faults", "takeover"), default="faults", help="takeover: see there")
    parser.add_argument("--rounds", type=int, default=1, help="how often to go through all faults (default 1)")
    parser.add_argument("--seed", type=int, help="go through them in an order of its own, drawn from this number")
    parser.add_argument("--only", action="append", choices=KINDS, metavar="KIND", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--tables", type=int, help="raced on at the same time (default 6; takeover: 100)")
    parser.add_argument("--lease-ms", type=int, default=1_000, help="of the workers (default 1000)")
    parser.add_argument("--bundled-redis", action="store_true", help="the 6.2 that comes along, not the machine's own")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there too")
    return parser


def main() -> int:
    """Run, report, and return 1 if any judge had something to say."""
    given = _parser().parse_args()
    return _takeover(given) if given.what == "takeover" else _faults(given)


def _takeover(given: argparse.Namespace) -> int:
    figures = uvloop.run(takeover(given.tables or 100, lease_ms=given.lease_ms))
    for name, value in figures.items():
        print(f"{name}: {value}" if not isinstance(value, dict) else f"{name}:")
        for inner, figure in value.items() if isinstance(value, dict) else ():
            print(f"    {inner}: {words(figure) if 'median' in str(figure) else figure}")
    _write(given, figures)
    return 1 if figures["verdicts"] else 0


def _faults(given: argparse.Namespace) -> int:
    kinds = given.only or list(KINDS)
    if given.seed is not None:
        random.Random(given.seed).shuffle(kinds)  # noqa: S311  # an order
    print(f"{'fault':16} {'tables':>6} {'plays':>6} {'conns':>6}  next play: median, max (of those hit)   verdicts")
    outcomes = uvloop.run(
        run(
            kinds,
            rounds=given.rounds,
            tables=given.tables or 6,
            lease_ms=given.lease_ms,
            is_bundled=given.bundled_redis,
            say=_say,
        )
    )
    _write(given, {"faults": [outcome.as_json() for outcome in outcomes]})
    verdicts = sum(len(outcome.verdicts) for outcome in outcomes)
    print(
        f"{len(outcomes)} faults, {sum(o.plays for o in outcomes)} plays accepted, "
        f"{sum(o.acknowledged for o in outcomes)} acknowledgements, "
        f"{len(BREAKS)} ways to break a log or a transcript by hand tried behind each: "
        + ("all clean" if not verdicts else f"{verdicts} verdicts")
    )
    return 1 if verdicts else 0


def _write(given: argparse.Namespace, report: dict[str, Any]) -> None:
    if given.json is not None:
        options = {name: str(value) for name, value in vars(given).items()}
        given.json.write_text(json.dumps({"options": options, **report}, indent=1), "utf-8")


def _say(outcome: Outcome) -> None:
    print(
        f"{outcome.kind:16} {outcome.tables:6} {outcome.plays:6} {outcome.connections:6}  "
        f"{_times(outcome.pauses_ms):>18} ({outcome.affected}: {_times(outcome.affected_ms)})   "
        f"{len(outcome.verdicts) or 'clean'}   [{outcome.seconds} s]",
        flush=True,
    )
    for verdict in outcome.verdicts:
        print(f"    {verdict}", flush=True)


def _times(times_ms: list[int]) -> str:
    return f"{statistics.median(times_ms):.0f}, {max(times_ms)} ms" if times_ms else "none"


if __name__ == "__main__":
    sys.exit(main())
