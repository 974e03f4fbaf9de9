"""`python -m tests.simulation --seeds 10000`: many seeds, what went wrong in them, and whether anything was."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.bugs import BUGS, planted
from tests.simulation.run import Outcome, simulate

HASH_SEED = "0"


def main() -> int:
    """Run, report, and return 1 if a seed was not clean."""
    options = _options()
    if options.seed is not None:
        with planted(options.bug):
            return _one(options.seed, verbose=options.verbose)
    if options.bug is not None:
        return _hunt(options.bug, options.first, options.seeds)
    begun = time.monotonic()
    total = Total()
    for outcome in _outcomes(range(options.first, options.first + options.seeds), options.jobs):
        total.add(outcome)
        if not outcome.is_clean:
            print(_failure(outcome), flush=True)
        if total.seeds % 500 == 0:
            print(f"… {total.seeds} seeds, {len(total.failed)} failed, {time.monotonic() - begun:.0f} s", flush=True)
    print(total.report(time.monotonic() - begun))
    return 1 if total.failed else 0


class Total:
    """What came of all seeds."""

    def __init__(self) -> None:
        self.seeds = 0
        self.plays = 0
        self.least_plays = 1 << 30
        self.virtual_s = 0.0
        self.faults: Counter[str] = Counter()
        self.slowest: tuple[float, str, int] = (0.0, "", -1)
        self.failed: list[int] = []

    def add(self, outcome: Outcome) -> None:
        """Count one."""
        self.seeds += 1
        self.plays += outcome.plays
        self.least_plays = min(self.least_plays, outcome.plays)
        self.virtual_s += outcome.virtual_s
        self.faults += outcome.faults
        self.slowest = max(self.slowest, (outcome.slowest_s, outcome.slowest_kind, outcome.seed))
        if not outcome.is_clean:
            self.failed.append(outcome.seed)

    def report(self, seconds: float) -> str:
        """Return the report."""
        slowest_s, kind, seed = self.slowest
        lines = [
            f"seeds            {self.seeds} in {seconds:.0f} s ({self.virtual_s / 3600:.1f} h of virtual time)",
            f"accepted plays   {self.plays}, at least {self.least_plays} a seed",
            f"faults           {sum(self.faults.values())}",
            *(f"  {name:<18} {count}" for name, count in sorted(self.faults.items())),
            f"slowest recovery {slowest_s * 1000:.0f} virtual ms, behind {kind} (seed {seed})",
            f"failures         {len(self.failed)}",
            *(f"  python -m tests.simulation --seed {failed} -v" for failed in self.failed),
        ]
        return "\n".join(lines)


def _failure(outcome: Outcome) -> str:
    found = [*outcome.verdicts, *outcome.errors]
    return "\n".join([f"seed {outcome.seed}: {len(found)} verdicts and errors", *(f"  {line}" for line in found[:6])])


def _one(seed: int, *, verbose: bool) -> int:
    outcome = simulate(seed, verbose=verbose)
    print(f"seed {seed}: {outcome.plays} plays in {outcome.virtual_s:.1f} virtual s, trace {outcome.trace}")
    print(f"faults: {dict(outcome.faults)}")
    for line in (*outcome.verdicts, *outcome.errors):
        print(line)
    return 0 if outcome.is_clean else 1


def _hunt(bug: str, first: int, seeds: int) -> int:
    """Say how many seeds it takes until a judge sees a planted bug."""
    with planted(bug):
        for seed in range(first, first + seeds):
            outcome = simulate(seed)
            if outcome.verdicts:
                print(f"{bug}: found by seed {seed}, the {seed - first + 1}. one: {outcome.verdicts[0]}")
                return 0
            if outcome.errors:
                print(f"{bug}: seed {seed} ends with an error, not a verdict: {outcome.errors[0]}")
    print(f"{bug}: not found in {seeds} seeds")
    return 1


def _outcomes(seeds: range, jobs: int) -> Iterator[Outcome]:
    if jobs == 1:
        yield from map(simulate, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(simulate, seeds, chunksize=4)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--seed", type=int, help="this one alone")
    parser.add_argument("--bug", choices=sorted(BUGS), help="planted on purpose: run until a judge sees it")
    parser.add_argument("-v", "--verbose", action="store_true", help="with its log lines")
    return parser.parse_args()


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != HASH_SEED:
        # Sets of text are walked in another order with another seed of their hashes.
        os.environ["PYTHONHASHSEED"] = HASH_SEED
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])
    sys.exit(main())
