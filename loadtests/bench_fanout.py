"""One table, thousands of spectators: what an event costs, how long it holds the loop, and whether players feel it.

    python -m loadtests.bench_fanout [--spectators 5000] [--intents 100] [--repeats 3]

Starts a worker, a Redis, a gateway for the players and another one for the spectators; and the WebSocket library alone
with as many connections, to each of which it writes a prepared frame of the same size, straight to the transports.
The players' table with the crowd, one without, and the library take turns. CPU is that of 20 s with five events
(writes) a second less that of 20 s without, so that each holds the heartbeats of every connection once; what players
feel is measured at two intents a second.
Each process needs as many open files as there are spectators, and some (`ulimit -Hn`); the soft limit is raised here.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import statistics
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import aiohttp
import uvloop
from msgspec import Struct

from loadtests.parts import HOST, Process, need_files, running, servers
from loadtests.racing import Racers

PAUSE_SECONDS = 0.5
BUSY_PAUSE_SECONDS = 0.15
WINDOW_SECONDS = 20.0
SETTLE_SECONDS = 3.0
PROBES, PROBED_INTENTS = 5, 4
WARM_INTENTS = 10
FRAME_BYTES = 160
"""Of the bare library; about the mean of what a decision sends to a spectator, which is printed too."""


class Parts(Struct):
    """What is measured."""

    for_players: Process
    for_spectators: Process
    bare: Process
    watched: Racers
    alone: Racers


class Turn(Struct):
    """The figures of one repetition."""

    ours_us: float
    bare_us: float
    watched_p99_ms: float
    alone_p99_ms: float
    held_ms: float
    used_ms: float


def p99(samples: list[float]) -> float:
    """Return the 99th percentile."""
    return statistics.quantiles(samples, n=100)[98]


async def sent_bytes(http: aiohttp.ClientSession, gateway: Process) -> float:
    """Ask a gateway for what it has sent."""
    async with http.get(f"http://{HOST}:{gateway.port}/metrics") as answer:
        found = re.search(r"^rapid_sent_bytes_total (\S+)$", await answer.text(), re.MULTILINE)
    assert found is not None
    return float(found[1])


async def cpu_over(process: Process, work: Callable[[float], Awaitable[int]], spectators: int) -> float:
    """Return microseconds of CPU a recipient: `work` until then against as long without; it returns how many events."""
    loop, start = asyncio.get_running_loop(), process.cpu_seconds
    await asyncio.sleep(WINDOW_SECONDS)
    idle, until = process.cpu_seconds - start, loop.time() + WINDOW_SECONDS
    before, count = process.cpu_seconds, await work(until)
    await asyncio.sleep(max(0, until - loop.time()))
    return (process.cpu_seconds - before - idle) * 1e6 / (count * spectators)


async def play(table: Racers, intents: int) -> list[float]:
    """Play so many intents, two a second; return milliseconds from each to its event at each seat."""
    table.samples.clear()
    for _ in range(intents):
        await table.play(1, PAUSE_SECONDS)
    return list(table.samples)


async def ours(table: Racers, until: float) -> int:
    """Play before the crowd; return how many decisions it saw."""
    before = table.decisions
    while asyncio.get_running_loop().time() < until:
        await table.play(1, BUSY_PAUSE_SECONDS)
    return table.decisions - before


async def bare(process: Process, until: float) -> int:
    """Let the library write to its crowd; return how often."""
    count = 0
    while asyncio.get_running_loop().time() < until:
        process.tell(signal.SIGUSR2)
        await process.line()
        count += 1
        await asyncio.sleep(BUSY_PAUSE_SECONDS)
    return count


async def held(parts: Parts) -> tuple[float, float]:
    """Return how long the loop of the spectators' gateway was held up at most, on the clock and in CPU; ms.

    The median of some looks, each over a few events: other programs on the machine hold it up too.
    """
    looks = []
    for _ in range(PROBES):
        parts.for_spectators.tell(signal.SIGUSR2)
        await play(parts.watched, PROBED_INTENTS)
        parts.for_spectators.tell(signal.SIGUSR2)
        _, *figures = (await parts.for_spectators.line()).split()
        looks.append([float(figure) for figure in figures])
    clock_ms, used_ms = zip(*looks, strict=True)
    return statistics.median(clock_ms), statistics.median(used_ms)


async def turn(parts: Parts, intents: int, spectators: int) -> Turn:
    """Measure everything once, in turn."""
    ours_us = await cpu_over(parts.for_spectators, partial(ours, parts.watched), spectators)
    bare_us = await cpu_over(parts.bare, partial(bare, parts.bare), spectators)
    before_crowd = await play(parts.watched, intents)
    alone = await play(parts.alone, intents)
    return Turn(ours_us, bare_us, p99(before_crowd), p99(alone), *await held(parts))


@asynccontextmanager
async def assembled(data: Path, http: aiohttp.ClientSession, spectators: int) -> AsyncIterator[Parts]:
    """Start everything, with both crowds in place."""
    async with AsyncExitStack() as all_of:
        ours = await all_of.enter_async_context(servers(data, gateways=2, module="loadtests.probe"))
        library = await all_of.enter_async_context(running("loadtests.bare", str(FRAME_BYTES)))
        players, crowd = ours.gateways
        tables = [await Racers.opened(http, players.port, seed) for seed in (1, 2)]
        for table in tables:
            await table.connect()
            await table.start()
        for port, path in ((crowd.port, f"/ws/{tables[0].table}"), (library.port, "/")):
            await all_of.enter_async_context(running("loadtests.crowd", str(port), path, str(spectators)))
        for table in tables:
            all_of.callback(table.close)
            await play(table, WARM_INTENTS)
        await asyncio.sleep(SETTLE_SECONDS)
        yield Parts(players, crowd, library, *tables)


async def measure(data: Path, spectators: int, intents: int, repeats: int) -> None:
    """Measure and print."""
    async with aiohttp.ClientSession() as http, assembled(data, http, spectators) as parts:
        sent, decisions = await sent_bytes(http, parts.for_spectators), parts.watched.decisions
        turns = []
        for number in range(repeats):
            one = await turn(parts, intents, spectators)
            turns.append(one)
            print(
                f"{number + 1}: CPU a recipient {one.ours_us:.2f} us, bare {one.bare_us:.2f} us; "
                f"players' p99 {one.watched_p99_ms:.2f} ms, without crowd {one.alone_p99_ms:.2f} ms; "
                f"loop held {one.held_ms:.1f} ms, {one.used_ms:.1f} ms of CPU",
                flush=True,
            )
        sent = await sent_bytes(http, parts.for_spectators) - sent
        print(f"mean frame: {sent / ((parts.watched.decisions - decisions) * spectators):.0f} bytes")
    report(turns)


def report(turns: list[Turn]) -> None:
    """Print medians of the ratios."""
    cost = statistics.median(one.ours_us / one.bare_us for one in turns)
    felt = statistics.median(one.watched_p99_ms / one.alone_p99_ms for one in turns)
    held_ms = statistics.median(one.held_ms for one in turns)
    used_ms = statistics.median(one.used_ms for one in turns)
    print(f"CPU a recipient against a bare transport.write: {cost:.2f} (must 1.3, aim 1.15)")
    print(f"longest hold of the loop: {held_ms:.1f} ms, {used_ms:.1f} ms of CPU (must 5, aim 2.5)")
    print(f"a player's p99 with the crowd against without: {felt:.2f} (must 1.5, aim 1.2)")


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=5000)
    parser.add_argument("--intents", type=int, default=100, help="of a repetition, with the crowd and without")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    need_files(options.spectators + 500)
    with tempfile.TemporaryDirectory() as data:
        uvloop.run(measure(Path(data), options.spectators, options.intents, options.repeats))


if __name__ == "__main__":
    main()
