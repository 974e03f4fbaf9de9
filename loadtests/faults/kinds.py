"""The faults: each does something to a running bench, says when, and sets things right again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from loadtests.faults.bench import Bench, TookTooLong, until
from loadtests.faults.racer import now_ms
from loadtests.faults.servers import Process
from loadtests.faults.table import Table

LEASES = 3
"""A worker is stopped, or cut off, for so many leases."""
GATEWAY_STOP_SECONDS = 8.0
"""Longer than a gateway may be silent before its seats are lost connections."""
REDIS_AWAY_SECONDS = 1.0
LEAVING_CODE = 1001


@dataclass
class Fault:
    """What was done; `affected`: the tables that have to go on elsewhere, or all.

    `until_ms`: a hand-over went on so long while the tables were raced on; what counts then is the longest pause.
    """

    at_ms: int
    affected: Sequence[Table]
    verdicts: list[str]
    until_ms: int | None = None

    def pause_ms(self, table: Table) -> int | None:
        """Return how long the table waited for its next accepted play; None: there was none."""
        if self.until_ms is not None:
            return table.longest_gap_ms(self.at_ms, self.until_ms)
        return table.pause_ms(self.at_ms)


Inject = Callable[[Bench, Sequence[Table]], AbstractAsyncContextManager[Fault]]
"""The fault happens on entering, and is set right on leaving."""


@asynccontextmanager
async def kill_worker(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """`kill -9` of the worker with the most tables."""
    victim, affected = await bench.busiest(tables)
    fault = Fault(now_ms(), affected, [])
    bench.forget(victim)
    await victim.end(signal.SIGKILL)
    yield fault
    await _replace(bench, "worker")


@asynccontextmanager
async def kill_gateway(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """`kill -9` of a gateway."""
    victim = bench.gateways[0]
    fault = Fault(now_ms(), tables, [])
    bench.forget(victim)
    await victim.end(signal.SIGKILL)
    yield fault
    await _replace(bench, "gateway")


@asynccontextmanager
async def stop_worker(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """SIGSTOP of a worker for longer than its lease, then SIGCONT: it must find that it owns nothing any more."""
    victim, affected = await bench.busiest(tables)
    fault = Fault(now_ms(), affected, [])
    victim.send(signal.SIGSTOP)
    try:
        yield fault
        await _until_ms(fault.at_ms + LEASES * bench.lease_ms)
    finally:
        victim.send(signal.SIGCONT)
    await bench.until_balanced()


@asynccontextmanager
async def stop_gateway(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """SIGSTOP of a gateway until it has been taken for dead, then SIGCONT."""
    victim = bench.gateways[0]
    fault = Fault(now_ms(), tables, [])
    victim.send(signal.SIGSTOP)
    try:
        yield fault
        await _until_ms(fault.at_ms + int(GATEWAY_STOP_SECONDS * 1000))
    finally:
        victim.send(signal.SIGCONT)


@asynccontextmanager
async def drain_worker(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """SIGTERM of a worker: its tables go on with the others, their deadlines kept."""
    victim, affected = await bench.busiest(tables)
    fault = Fault(now_ms(), affected, [])
    bench.forget(victim)
    code = await victim.end(signal.SIGTERM)
    if code != 0:
        fault.verdicts.append(f"drain: the worker ended with {code}")
    fault.until_ms = now_ms()
    yield fault
    await _replace(bench, "worker")


@asynccontextmanager
async def drain_gateway(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """SIGTERM of a gateway: 1001 to everybody, who is back on another one at once."""
    victim = bench.gateways[0]
    here = [
        viewer.connections[-1]
        for table in tables
        for viewer in table.viewers
        if viewer.is_connected and viewer.base == victim.base
    ]
    fault = Fault(now_ms(), tables, [])
    bench.forget(victim)
    code = await victim.end(signal.SIGTERM)
    if code != 0:
        fault.verdicts.append(f"drain: the gateway ended with {code}")
    await until(lambda: all(one.closed_ms is not None for one in here), "connections of a gateway that has gone")
    codes = {one.code for one in here}
    if codes != {LEAVING_CODE}:
        fault.verdicts.append(f"drain: closed with {sorted(map(str, codes))}, 1001 is due")
    yield fault
    await _replace(bench, "gateway")


@asynccontextmanager
async def kill_redis(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """`kill -9` of Redis, which comes back with its append-only file after a moment."""
    fault = Fault(now_ms(), tables, [])
    await bench.redis.kill()
    await asyncio.sleep(REDIS_AWAY_SECONDS)
    await bench.redis.start()
    yield fault
    await bench.until_balanced()


@asynccontextmanager
async def cut_off_worker(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """A worker's connections to Redis become a black hole, and work again after some leases."""
    relay = await bench.relay()
    victim = await bench.add("worker", relay=relay)
    others = [worker for worker in bench.workers if worker is not victim]
    for other in others[1:]:
        bench.forget(other)
        await other.end()
    await bench.until_balanced()
    affected = [table for table in tables if await bench.owner_of(table.table) is victim]
    fault = Fault(now_ms(), affected, [])
    relay.swallow()
    try:
        yield fault
        await _until_ms(fault.at_ms + LEASES * bench.lease_ms)
    finally:
        relay.let_through()
    await bench.until_balanced()
    await _swap(bench, victim)


@asynccontextmanager
async def cut_off_gateway(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """A gateway's connections to Redis become a black hole, and work again."""
    relay = await bench.relay()
    victim = await bench.add("gateway", relay=relay)
    leaving = bench.gateways[0]
    bench.forget(leaving)
    await leaving.end()
    await until(
        lambda: all(viewer.is_connected for table in tables for viewer in table.viewers), "not everybody came back"
    )
    fault = Fault(now_ms(), tables, [])
    relay.swallow()
    try:
        yield fault
        await _until_ms(fault.at_ms + int(GATEWAY_STOP_SECONDS * 1000))
    finally:
        relay.let_through()
    await _swap(bench, victim)


@asynccontextmanager
async def fill_disk(bench: Bench, tables: Sequence[Table]) -> AsyncIterator[Fault]:
    """The append-only file cannot grow: attempts are refused as `unavailable` until there is room again.

    The time to the next play counts from when there is.
    """
    fault = Fault(now_ms(), tables, [])
    bench.redis.fill_disk()
    try:
        await until(
            lambda: all(any(racer.unavailable_ms for racer in table.racers) for table in tables),
            "nobody was told `unavailable` while the disk was full",
        )
    except TookTooLong as error:
        fault.verdicts.append(str(error))
    finally:
        bench.redis.free_disk()
    fault.at_ms = now_ms()
    yield fault
    await bench.until_balanced()


KINDS: dict[str, Inject] = {
    "worker-kill": kill_worker,
    "gateway-kill": kill_gateway,
    "worker-stop": stop_worker,
    "gateway-stop": stop_gateway,
    "worker-drain": drain_worker,
    "gateway-drain": drain_gateway,
    "redis-kill": kill_redis,
    "worker-cut-off": cut_off_worker,
    "gateway-cut-off": cut_off_gateway,
    "disk-full": fill_disk,
}


async def _replace(bench: Bench, kind: str) -> None:
    await bench.add(kind)
    await bench.until_balanced()


async def _swap(bench: Bench, victim: Process) -> None:
    """Put one without a relay in the place of one behind it."""
    await _replace(bench, victim.kind)
    bench.forget(victim)
    await victim.end()
    await bench.until_balanced()


async def _until_ms(ms: int) -> None:
    await asyncio.sleep(max(0.0, (ms - now_ms()) / 1000))
