"""A short fixed set of seeds, that a seed replays, and that the judges see planted bugs (DESIGN section 5)."""

import asyncio
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from rapid.table.runner import STAMP_AHEAD_MS
from tests.simulation import loop
from tests.simulation.bugs import BUGS, planted
from tests.simulation.run import PLAYS, simulate
from tests.simulation.scene import Scene

ROOT = Path(__file__).parents[2]
SEEDS = range(1, 9)
SOON_FOUND = (
    "answer_twice",
    "apply_a_late_timer",
    "drop_the_fence",
    "keep_the_standin",
    "show_the_crowd_early",
    "trust_the_push",
)
"""Planted bugs that a few seeds find; the others, and how many seeds they take, stand in the README."""
FEW = 12


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_is_clean(seed):
    outcome = simulate(seed)
    assert outcome.verdicts == []
    assert outcome.errors == []
    assert outcome.plays >= PLAYS
    assert sum(outcome.faults.values()) > 0


def test_workers_report_that_redis_clock_was_set_back_while_a_race_goes_on():
    reports: list[list[int]] = []

    async def scenes() -> None:
        scene = Scene(1)
        scene.tend()
        await asyncio.sleep(1)
        await scene.open_table()
        await asyncio.sleep(2)
        for by_ms in (0, STAMP_AHEAD_MS // 2, 9 * STAMP_AHEAD_MS):
            with capture_logs() as lines:
                scene.world.clock.jump(-by_ms)
                await asyncio.sleep(2)
            reports.append([line["ahead_ms"] for line in lines if line["event"] == "stamp_ahead"])
            await asyncio.sleep(by_ms / 1000)
        scene.is_over = True

    loop.run(scenes)
    calm, little, much = reports
    assert (calm, little) == ([], [])
    assert much
    assert all(STAMP_AHEAD_MS < ahead_ms <= 9 * STAMP_AHEAD_MS for ahead_ms in much)


def test_a_seed_leaves_nothing_behind():
    """Ten thousand in a row would fill the machine."""
    simulate(1, plays=20)
    gc.collect()
    assert [type(left) for left in gc.get_objects() if isinstance(left, (loop.Process, Scene))] == []


def replayed(seed: int, hash_seed: str) -> str:
    """The trace of a seed run alone, in a process of its own."""
    script = f"from tests.simulation.run import simulate; print(simulate({seed}).trace)"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()


def test_a_seed_replays_exactly_wherever_and_after_whatever_it_is_run():
    traces = {replayed(3, "1"), replayed(3, "2"), simulate(3).trace}
    assert len(traces) == 1
    assert simulate(4).trace not in traces


@pytest.mark.parametrize("bug", sorted(BUGS))
def test_every_bug_finds_its_place_in_the_code(bug):
    with planted(bug):
        pass


@pytest.mark.parametrize("bug", SOON_FOUND)
def test_a_planted_bug_is_found_by_a_judge(bug):
    with planted(bug):
        assert any(simulate(seed).verdicts for seed in range(1, FEW + 1))
