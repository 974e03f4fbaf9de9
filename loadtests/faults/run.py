"""One fault after the other, each on fresh tables, and the judges over everything behind each."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from loadtests.faults.bench import Bench, TookTooLong, bench_in, until
from loadtests.faults.broken import BREAKS, missed
from loadtests.faults.figures import deadlines_kept
from loadtests.faults.kinds import KINDS, Fault
from loadtests.faults.racer import now_ms
from loadtests.faults.table import Table
from loadtests.judges import Case, judge

STILL_SECONDS = 2.0
WARM_PLAYS = 15
"""Plays at each table before the fault, and again once things were set right."""


@dataclasses.dataclass
class Outcome:
    """What came of one fault. Times in ms from the fault to the next accepted play that somebody heard of."""

    kind: str
    tables: int = 0
    affected: int = 0
    plays: int = 0
    acknowledged: int = 0
    connections: int = 0
    messages: int = 0
    pauses_ms: list[int] = dataclasses.field(default_factory=list)
    affected_ms: list[int] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    verdicts: list[str] = dataclasses.field(default_factory=list)
    hand_broken: int = 0
    """Logs and transcripts broken by hand, all of which the judges found."""

    def as_json(self) -> dict[str, Any]:
        """Return it for `--json`."""
        return dataclasses.asdict(self)


async def run(
    kinds: Sequence[str], *, rounds: int, tables: int, lease_ms: int, is_bundled: bool, say: Callable[[Outcome], None]
) -> list[Outcome]:
    """Run each kind, all on one bench; `say` is told each outcome as it comes."""
    outcomes: list[Outcome] = []
    folder = Path(tempfile.mkdtemp(prefix="rapid-faults-"))
    try:
        async with bench_in(folder, lease_ms=lease_ms, is_bundled=is_bundled) as bench:
            for _ in range(rounds):
                for kind in kinds:
                    outcomes.append(await run_kind(bench, kind, tables))
                    say(outcomes[-1])
    finally:
        if len(outcomes) == rounds * len(kinds) and not any(outcome.verdicts for outcome in outcomes):
            shutil.rmtree(folder)
        else:
            print(f"What the processes logged, and Redis' data, are in {folder}")
    return outcomes


async def run_kind(bench: Bench, kind: str, count: int) -> Outcome:
    """Open tables, race, let it happen, race on, end the games, judge."""
    outcome, started = Outcome(kind), time.monotonic()
    tables = await bench.open_tables(count)
    try:
        fault = await _race_through(bench, tables, outcome)
    except TookTooLong as error:
        outcome.verdicts.append(f"{kind}: {error}")
        fault = None
        # Judged all the same: what nobody asks for any more stands still, and transcripts and log can be compared.
        for table in tables:
            table.pause()
        await asyncio.sleep(STILL_SECONDS)
    await _judge(bench, tables, outcome, fault)
    await asyncio.gather(*(table.stop() for table in tables))
    outcome.seconds = round(time.monotonic() - started, 1)
    return outcome


async def _race_through(bench: Bench, tables: Sequence[Table], outcome: Outcome) -> Fault:
    """From the first play to the games' ends, as every viewer sees them; `TookTooLong` if anything stays away."""
    await _has_plays(tables, 0, "before the fault")
    async with KINDS[outcome.kind](bench, tables) as fault:
        await _has_plays(tables, fault.at_ms, "behind the fault", least=1)
    await _has_plays(tables, now_ms(), "once things were set right")
    _measure(outcome, tables, fault)
    for table in tables:
        table.finish()
    for table in tables:
        await until(partial(table.is_settled, bench.store), "a game did not come to its end for everybody")
    return fault


async def _judge(bench: Bench, tables: Sequence[Table], outcome: Outcome, fault: Fault | None) -> None:
    """Judge what came of it; `fault` None: it did not come to its end."""
    cases = [await table.case(bench.store, is_settled=fault is not None) for table in tables]
    if fault is not None:
        outcome.verdicts += fault.verdicts
    if fault is not None and fault.until_ms is not None:
        kept = [is_kept for case in cases for is_kept in deadlines_kept(case.log, fault.at_ms)]
        if False in kept:
            outcome.verdicts.append(f"hand-over: {kept.count(False)} of {len(kept)} deadlines were not kept")
    for table, case in zip(tables, cases, strict=True):
        more = await table.more_verdicts(bench.store, bench.http, bench.bases)
        outcome.verdicts += [f"table {table.table}: {verdict}" for verdict in [*judge(case), *more]]
    _count(outcome, cases)
    if not outcome.verdicts:
        outcome.verdicts += [f"hand-broken and not found: {name}" for name in missed(cases[0])]
        outcome.hand_broken = len(BREAKS)


async def _has_plays(tables: Sequence[Table], since_ms: int, when: str, least: int = WARM_PLAYS) -> None:
    def holds() -> bool:
        return all(table.plays_since(since_ms) >= least for table in tables)

    try:
        await until(holds, "")
    except TookTooLong:
        silent = [table.table for table in tables if table.plays_since(since_ms) < least]
        raise TookTooLong(f"too few plays {when} at {', '.join(silent)}") from None


def _measure(outcome: Outcome, tables: Sequence[Table], fault: Fault) -> None:
    outcome.tables, outcome.affected = len(tables), len(fault.affected)
    for table in tables:
        pause = fault.pause_ms(table)
        if pause is not None:
            outcome.pauses_ms.append(pause)
            if table in fault.affected:
                outcome.affected_ms.append(pause)


def _count(outcome: Outcome, cases: Sequence[Case]) -> None:
    for case in cases:
        outcome.plays += sum(event["type"] == "played" for event in case.log)
        outcome.connections += len(case.transcripts)
        for one in case.transcripts:
            outcome.messages += len(one.received)
            outcome.acknowledged += sum(message["t"] == "reply" and message["ok"] for _, message in one.received)
