"""`python -m loadtests.faults`: real processes really killed while people race, and what the judges say."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
from pathlib import Path

from loadtests.faults.broken import BREAKS
from loadtests.faults.kinds import KINDS
from loadtests.faults.run import Outcome, run


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtests.faults", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="how often to go through all faults (default 1)")
    parser.add_argument("--seed", type=int, help="go through them in an order of its own, drawn from this number")
    parser.add_argument("--only", action="append", choices=KINDS, metavar="KIND", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--tables", type=int, default=6, help="raced on at the same time (default 6)")
    parser.add_argument("--lease-ms", type=int, default=1_000, help="of the workers (default 1000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there too; -: nothing else")
    return parser


def main() -> int:
    """Run, report, and return 1 if any judge had something to say."""
    given = _parser().parse_args()
    kinds = given.only or list(KINDS)
    if given.seed is not None:
        random.Random(given.seed).shuffle(kinds)  # noqa: S311  # an order
    print(f"{'fault':16} {'tables':>6} {'plays':>6} {'conns':>6}  next play: median, max (of those hit)   verdicts")
    outcomes = asyncio.run(run(kinds, rounds=given.rounds, tables=given.tables, lease_ms=given.lease_ms, say=_say))
    if given.json is not None:
        report = {"options": {k: str(v) for k, v in vars(given).items()}, "faults": [o.as_json() for o in outcomes]}
        given.json.write_text(json.dumps(report, indent=1), "utf-8")
    verdicts = sum(len(outcome.verdicts) for outcome in outcomes)
    print(
        f"{len(outcomes)} faults, {sum(o.plays for o in outcomes)} plays accepted, "
        f"{sum(o.acknowledged for o in outcomes)} acknowledgements, "
        f"{len(BREAKS)} ways to break a log or a transcript by hand tried behind each: "
        + ("all clean" if not verdicts else f"{verdicts} verdicts")
    )
    return 1 if verdicts else 0


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
