"""What a connection, a table in play and its events take in memory.

    python -m loadtests.bench_memory [--tables 250] [--events 200]

Starts a worker, a gateway and a Redis, opens the tables with four people each and looks at the resident memory
(garbage collected before) at rest, with all connected, and while they play; and in the same run at the WebSocket
library alone with as many connections. Needs 9 open files a table (`ulimit -n`), and raises the soft limit by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import aiohttp
import redis.asyncio
import uvloop

from loadtests.bench_latency import SEATS
from loadtests.parts import HOST, SETTLE_SECONDS, Process, Servers, need_files, running, servers
from loadtests.racing import Racers
from loadtests.raw import RawSocket

WARM_TABLES = 20
AT_ONCE = 20
FIRST_EVENTS = 40
KIB = 1024
MUST_CONNECTION, AIM_CONNECTION = 2.5, 1.7
MUST_TABLE_KB, AIM_TABLE_KB = 60, 30


class Held(NamedTuple):
    """KiB."""

    worker: float
    gateway: float
    redis: float

    def over(self, before: Held, count: float) -> Held:
        """Return the growth since then, for each of `count`."""
        return Held(*((now - then) / count for now, then in zip(self, before, strict=True)))

    def __str__(self) -> str:
        return f"worker {self.worker:.1f}, gateway {self.gateway:.1f}, Redis {self.redis:.1f} KiB"


async def settled(process: Process) -> float:
    """Collect its garbage; return what it still holds, KiB."""
    process.tell(signal.SIGUSR1)
    await asyncio.sleep(SETTLE_SECONDS)
    return process.rss_kib


async def held(running: Servers) -> Held:
    """Look at all three."""
    worker, gateway = await asyncio.gather(settled(running.worker), settled(running.gateways[0]))
    client = redis.asyncio.Redis.from_url(running.redis.url)
    try:
        used = int((await client.info("memory"))["used_memory"])
    finally:
        await client.aclose()
    return Held(worker, gateway, used / KIB)


async def all_of(work: Iterable[asyncio.Future[None]] | Iterable[object]) -> None:
    """Run coroutines, some at a time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(job: object) -> None:
        async with room:
            await job  # type: ignore[misc]

    await asyncio.gather(*(one(job) for job in work))


async def measure_bare(connections: int) -> float:
    """Return KiB a connection of the library alone."""
    async with running("loadtests.bare") as bare:
        url = (HOST, bare.port, "/", lambda *_: None)
        warm = [await RawSocket.open(*url) for _ in range(WARM_TABLES * SEATS)]
        before = await settled(bare)
        sockets = [await RawSocket.open(*url) for _ in range(connections)]
        behind = await settled(bare)
        for socket in (*warm, *sockets):
            socket.close()
        return (behind - before) / connections


async def measure_ours(data: Path, tables: int, events: int) -> list[Held]:
    """Return what is held at five times: warm, tables open, all connected, playing, and so many events later."""
    seen = []
    async with servers(data, module="loadtests.life.collecting") as ours, aiohttp.ClientSession() as http:
        port = ours.gateways[0].port
        warm = [await Racers.opened(http, port, -seed) for seed in range(1, WARM_TABLES + 1)]
        for table in warm:
            await table.connect()
            await table.start()
        await all_of(table.play(events) for table in warm)
        seen.append(await held(ours))
        races = [await Racers.opened(http, port, seed) for seed in range(tables)]
        seen.append(await held(ours))
        await all_of(race.connect() for race in races)
        seen.append(await held(ours))
        for race in races:
            await race.start()
        await all_of(race.play(FIRST_EVENTS) for race in races)
        seen.append(await held(ours))
        for _ in range(2):
            await all_of(race.play(events) for race in races)
            seen.append(await held(ours))
        for table in (*warm, *races):
            table.close()
    return seen


def report(bare: float, seen: list[Held], tables: int, events: int) -> None:
    """Print the figures."""
    warm, opened, connected, early, late, last = seen
    open_table = opened.over(warm, tables)
    connection = connected.over(opened, tables * SEATS)
    grown = late.over(connected, tables)
    table = open_table.worker + open_table.gateway + grown.worker + grown.gateway
    thousand = last.over(late, tables * events / 1000)
    print(f"{tables} tables of {SEATS}, {FIRST_EVENTS} and then twice {events} events at each")
    print(f"bare library, idle connection: {bare:.1f} KiB")
    print(f"table opened, nobody connected: {open_table}")
    print(f"idle seated connection: {connection}")
    print(f"table playing, {FIRST_EVENTS} events, over that: {early.over(connected, tables)}")
    print(f"table playing, {FIRST_EVENTS + events} events, over that: {grown}")
    print(f"each thousand events behind that: {thousand}")
    ratio = (connection.gateway + connection.worker) / bare
    print(f"connection against bare: {ratio:.2f} (must {MUST_CONNECTION}, aim {AIM_CONNECTION})")
    print(f"table in play, worker and gateway: {table:.1f} KiB (must {MUST_TABLE_KB}, aim {AIM_TABLE_KB})")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=250)
    parser.add_argument("--events", type=int, default=200)
    options = parser.parse_args()
    need_files(9 * (options.tables + WARM_TABLES) + 200)
    bare = uvloop.run(measure_bare(options.tables * SEATS))
    with tempfile.TemporaryDirectory() as data:
        seen = uvloop.run(measure_ours(Path(data), options.tables, options.events))
    report(bare, seen, options.tables, options.events)


if __name__ == "__main__":
    main()
