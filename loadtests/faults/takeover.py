"""`python -m loadtests.faults takeover`: many tables in their fifth round, whose workers and gateways come and go.

What is measured is what a player notices: how long after the death of a worker somebody hears of the next accepted
play, and how long an attempt waits for its reply while shards are handed over. Python looks for no cycles meanwhile:
the transcripts are so many objects that looking through them stops all racers at once for half a second.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from loadtests.faults.bench import Bench, bench_in, until
from loadtests.faults.figures import deadlines_kept, spread
from loadtests.faults.racer import Recorded, now_ms
from loadtests.faults.table import Table
from loadtests.judges import judge

FIFTH: Final = 5
FAST_MS: Final = (1.0, 15.0)
PACE_MS: Final = (200.0, 1_000.0)
TABLES_AT_ONCE: Final = 10
"""So many tables play their first rounds at the same time."""
ROUND_SECONDS: Final = 600.0
WARM_SECONDS: Final = 3.0
SETTINGS: Final = {"rounds": "unlimited", "race_seconds": 60, "action_seconds": 60}
Figures = dict[str, Any]


async def takeover(count: int, *, lease_ms: int) -> Figures:
    """Run all of it and return the figures, with `verdicts`."""
    with tempfile.TemporaryDirectory(prefix="rapid-takeover-") as folder:
        async with bench_in(Path(folder), lease_ms=lease_ms) as bench:
            tables = await _in_fifth_round(bench, count)
            try:
                figures: Figures = {"tables": count, "lease_ms": lease_ms}
                with _nothing_collected():
                    figures["worker_killed"] = await _worker_killed(bench, tables)
                    figures["worker_joined"] = await _worker_joined(bench, tables)
                    figures["worker_drained"] = await _worker_drained(bench, tables)
                    figures["gateway_drained"] = await _gateway_drained(bench, tables)
                figures["verdicts"] = await _judged(bench, tables)
            finally:
                await asyncio.gather(*(table.stop() for table in tables))
    return figures


async def _in_fifth_round(bench: Bench, count: int) -> list[Table]:
    """Open the tables and play four rounds fast, some tables at a time; then everybody rests."""
    room = asyncio.Semaphore(TABLES_AT_ONCE)

    async def one() -> Table:
        async with room:
            table = await Table.open(bench.http, bench.bases, pace_ms=FAST_MS, settings=SETTINGS, is_watched=False)
            await until(lambda: table.racers[0].round >= FIFTH and table.is_raced_on, "no fifth round", ROUND_SECONDS)
            _pause([table], is_paused=True)
            return table

    return list(await asyncio.gather(*(one() for _ in range(count))))


@contextmanager
def _nothing_collected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _pause(tables: Sequence[Table], *, is_paused: bool) -> None:
    for table in tables:
        for racer in table.racers:
            racer.pace_ms = PACE_MS
            racer.is_paused = is_paused


async def _worker_drained(bench: Bench, tables: Sequence[Table]) -> Figures:
    """SIGTERM while everybody races: how long attempts waited, before and meanwhile, and what became of deadlines."""
    before = await _raced(tables)
    victim, affected = await bench.busiest(tables)
    from_ms = now_ms()
    bench.forget(victim)
    code = await victim.end(signal.SIGTERM)
    to_ms = now_ms()
    await asyncio.sleep(WARM_SECONDS / 2)
    _pause(tables, is_paused=True)
    hit = {"handed_over": len(affected), "seconds": (to_ms - from_ms) / 1000, "exit_code": code}
    return hit | await _handed_over(bench, affected, tables, before, (from_ms, to_ms))


async def _worker_joined(bench: Bench, tables: Sequence[Table]) -> Figures:
    """One more worker takes its share from the one that has it all, while everybody races."""
    before = await _raced(tables)
    from_ms = now_ms()
    newcomer = await bench.add("worker")
    await bench.until_balanced()
    to_ms = now_ms()
    await asyncio.sleep(WARM_SECONDS / 2)
    _pause(tables, is_paused=True)
    affected = [table for table in tables if await bench.owner_of(table.table) is newcomer]
    hit = {"handed_over": len(affected), "seconds": (to_ms - from_ms) / 1000}
    return hit | await _handed_over(bench, affected, tables, before, (from_ms, to_ms))


async def _handed_over(
    bench: Bench, affected: Sequence[Table], tables: Sequence[Table], before: Figures, window: tuple[int, int]
) -> Figures:
    cases = [await table.case(bench.store, is_settled=False) for table in affected]
    kept = [kept for case in cases for kept in deadlines_kept(case.log, window[0])]
    return {
        "rounds": _rounds(tables),
        "reply_ms_before": before,
        "reply_ms": spread(list(_waits(affected, *window))),
        "reply_ms_of_others": spread(list(_waits([table for table in tables if table not in affected], *window))),
        "resumed": len(kept),
        "deadlines_kept": sum(kept),
    }


async def _gateway_drained(bench: Bench, tables: Sequence[Table]) -> Figures:
    """SIGTERM of a gateway while everybody races: 1001, and how soon its people are back on another one."""
    before = await _raced(tables)
    victim = bench.gateways[0]
    here = [racer for table in tables for racer in table.racers if racer.base == victim.base]
    left = [racer.connections[-1] for racer in here]
    bench.forget(victim)
    code = await victim.end(signal.SIGTERM)
    await until(lambda: all(racer.is_connected and racer.base != victim.base for racer in here), "not all are back")
    await asyncio.sleep(WARM_SECONDS / 2)
    _pause(tables, is_paused=True)
    await bench.add("gateway")
    return {
        "rounds": _rounds(tables),
        "connections": len(here),
        "exit_code": code,
        "closed_with": dict(Counter(str(one.code) for one in left)),
        "back_ms": spread([_welcomed_ms(racer.connections, one) for racer, one in zip(here, left, strict=True)]),
        "reply_ms_before": before,
    }


def _welcomed_ms(connections: Sequence[Recorded], left: Recorded) -> int:
    """Return how long after one connection's end its viewer was welcomed on the next."""
    following = connections[connections.index(left) + 1 :]
    assert left.closed_ms is not None
    return min(one.received[0][0] for one in following if one.received) - left.closed_ms


async def _worker_killed(bench: Bench, tables: Sequence[Table]) -> Figures:
    """`kill -9` while everybody races: how soon its tables are raced on again."""
    before = await _raced(tables)
    victim, affected = await bench.busiest(tables)
    at_ms = now_ms()
    bench.forget(victim)
    await victim.end(signal.SIGKILL)
    await until(lambda: all(table.plays_since(at_ms) for table in affected), "not every table is raced on again")
    _pause(tables, is_paused=True)
    return {
        "rounds": _rounds(tables),
        "taken_over": len(affected),
        "next_play_ms": spread([table.pause_ms(at_ms) or 0 for table in affected]),
        "next_play_ms_of_others": spread([table.pause_ms(at_ms) or 0 for table in tables if table not in affected]),
        "reply_ms_before": before,
    }


def _rounds(tables: Sequence[Table]) -> list[int]:
    return sorted({racer.round for table in tables for racer in table.racers})


async def _raced(tables: Sequence[Table]) -> Figures:
    """Race for a while; return how long attempts waited for their replies, nothing being wrong."""
    from_ms = now_ms()
    _pause(tables, is_paused=False)
    await asyncio.sleep(WARM_SECONDS)
    return spread(list(_waits(tables, from_ms, now_ms())))


def _waits(tables: Sequence[Table], from_ms: int, to_ms: int) -> Iterator[int]:
    """Yield how long each attempt that was made in this time waited for its reply."""
    for table in tables:
        for racer in table.racers:
            for one in racer.connections:
                asked = {m["id"]: at for at, m in one.sent if "id" in m and m["t"] != "ping" and from_ms <= at <= to_ms}
                for at, message in one.received:
                    if message["t"] == "reply" and message["id"] in asked:
                        yield at - asked[message["id"]]


async def _judged(bench: Bench, tables: Sequence[Table]) -> list[str]:
    _pause(tables, is_paused=True)
    await until(
        lambda: all(len({viewer.seq for viewer in table.viewers}) == 1 for table in tables), "not all caught up"
    )
    await asyncio.gather(*(table.stop() for table in tables))
    verdicts: list[str] = []
    for table in tables:
        case = await table.case(bench.store, is_settled=False)
        verdicts += [f"table {table.table}: {verdict}" for verdict in judge(case)]
        verdicts += [f"table {table.table}: {verdict}" for viewer in table.viewers for verdict in viewer.verdicts]
    return verdicts
