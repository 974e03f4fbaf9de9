"""One seed from its beginning to the judges."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from dataclasses import dataclass, field

import structlog
from structlog.testing import LogCapture

from loadtests.judges import judge
from rapid.table import runner, supervisor
from tests.simulation import loop
from tests.simulation.faults import Faults
from tests.simulation.scene import Scene

PLAYS = 100
"""A seed is at least so many accepted plays."""
IN_TROUBLE = 0.75
"""So many of them at least while faults are made; the others in calm weather, where judges are stricter about time."""
RACED_AT_MOST_S = 600.0
SETTLE_S = 10.0
"""Behind the last fault: longer than a gateway is missed before it is dead, and than any timer here runs."""
TUNED = ((runner, "READ_BLOCK_MS", 500), (supervisor, "LOOK_SECONDS", 0.1))
"""Polls that cost time and show nothing: what they wait for wakes them here."""
NOBODY_PLAYS_S = 15.0
"""Then another table is opened."""
QUIET_S = 4.0
"""So long nobody asks for anything before the end."""
RECOVERED_MS = 3_000
"""Behind the last fault: from here on timers are on time."""
SECOND_TABLE = 0.3
BAD_LINES = {"entry_failed", "table_set_aside", "gateway_task_failed", "shard_not_taken", "log_corrupt"}
"""Log lines of faults of ours, which no injected fault excuses."""


@dataclass
class Outcome:
    """What came of a seed."""

    seed: int
    plays: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    slowest_kind: str = ""
    verdicts: list[str] = field(default_factory=list)
    """Of the judges."""
    errors: list[str] = field(default_factory=list)
    """Exceptions nobody caught, and log lines that say so."""
    trace: str = ""
    virtual_s: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Whether nothing at all was wrong."""
        return not self.verdicts and not self.errors


def simulate(seed: int, *, plays: int = PLAYS, verbose: bool = False) -> Outcome:
    """Run one seed; the same seed and commit give the same outcome, to the trace."""
    outcome = Outcome(seed)
    lines = LogCapture()
    processors = [lines] if not verbose else [structlog.processors.format_exc_info, lines]
    structlog.configure(processors=processors, cache_logger_on_first_use=False)
    was_collecting = gc.isenabled()
    # A collection at some moment of its own choosing would end coroutines of killed processes.
    gc.disable()
    untuned = [(module, name, getattr(module, name)) for module, name, _ in TUNED]
    for module, name, value in TUNED:
        setattr(module, name, value)
    try:
        outcome.errors += loop.run(lambda: _run(seed, plays, outcome, verbose=verbose))
    except Exception as error:  # noqa: BLE001  # a seed that fails is reported, and the next one runs
        outcome.errors.append(f"{type(error).__name__}: {error}")
    finally:
        for module, name, value in untuned:
            setattr(module, name, value)
        structlog.reset_defaults()
        if was_collecting:
            gc.enable()
    for line in lines.entries:
        if line["event"] in BAD_LINES:
            outcome.errors.append(f"log line: {line}")
        if verbose:
            print(line)
    return outcome


async def _run(seed: int, plays: int, outcome: Outcome, *, verbose: bool) -> None:
    scene = Scene(seed)
    scene.tend()
    await asyncio.sleep(0.3)
    faults = Faults(scene, seed)
    await scene.open_table()
    if scene.dice.random() < SECOND_TABLE:
        await scene.open_table()
    begun_s = played_s = scene.loop.time()
    played = 0
    while _played(scene) < plays * IN_TROUBLE and scene.loop.time() < begun_s + RACED_AT_MOST_S:
        await asyncio.sleep(0.25)
        now_s = scene.loop.time()
        if scene.world.played > played:
            played, played_s = scene.world.played, now_s
        is_raced = any(scene.is_raced_at(table) for table in scene.tables)
        if not is_raced or now_s > played_s + NOBODY_PLAYS_S:
            # All have left, or wait for a host who is gone.
            played_s = now_s
            await scene.open_table()
    faults.stop()
    scene.calm_from_ms = scene.world.clock.now_ms() + RECOVERED_MS
    await asyncio.sleep(SETTLE_S - QUIET_S)
    while _played(scene) < plays and scene.loop.time() < begun_s + RACED_AT_MOST_S:
        await asyncio.sleep(0.5)
        if not any(scene.is_raced_at(table) for table in scene.tables):
            await scene.open_table()
    scene.is_playing = False
    await asyncio.sleep(QUIET_S)
    for table in scene.tables:
        outcome.verdicts += [f"table {table}: {verdict}" for verdict in judge(scene.case_of(table))]
    outcome.plays = sum(_plays_of(scene, table) for table in scene.tables)
    outcome.faults, outcome.trace = scene.net.counts, scene.trace_hash
    outcome.slowest_s, outcome.slowest_kind = faults.slowest
    outcome.virtual_s = scene.loop.time() - loop.START_S
    if outcome.plays < plays:
        outcome.errors.append(f"only {outcome.plays} plays in {outcome.virtual_s:.0f} s")
    scene.is_over = True


def _played(scene: Scene) -> int:
    lost = sum(
        sum(event["type"] == "played" for event in loss.before[loss.kept_seq :])
        for losses in scene.losses.values()
        for loss in losses
    )
    return scene.world.played - lost


def _plays_of(scene: Scene, table: str) -> int:
    return sum(event["type"] == "played" for event in scene.log_of(table))
