"""One table, thousands of spectators: what an event costs, how long it holds the loop, and whether players feel it.

    python -m loadtests.bench_fanout [--spectators 5000] [--intents 100] [--repeats 3]

Starts a worker, a Redis, a gateway for the players and another one for the spectators; and the WebSocket library alone
with as many connections, to each of which it writes a prepared frame of the same size, straight to the transports.
The players' table with the crowd, one without, and the library take turns, each at two intents (writes) a second.
Each process needs as many open files as there are spectators, and some (`ulimit -Hn`); the soft limit is raised here.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import statistics
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import uvloop
from msgspec import Struct

from loadtests.parts import HOST, Process, need_files, running, servers
from loadtests.racing import Racers

PAUSE_SECONDS = 0.5
IDLE_SECONDS = 5.0
SETTLE_SECONDS = 3.0
PROBED_INTENTS = 10
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


async def idle_rate(process: Process) -> float:
    """Return what a process uses while nothing happens, in seconds of CPU a second."""
    before = process.cpu_seconds
    await asyncio.sleep(IDLE_SECONDS)
    return (process.cpu_seconds - before) / IDLE_SECONDS


async def play(table: Racers, intents: int) -> list[float]:
    """Play so many intents, two a second; return milliseconds from each to its event at each seat."""
    table.samples.clear()
    for _ in range(intents):
        await table.play(1, PAUSE_SECONDS)
    return list(table.samples)


async def watched(parts: Parts, intents: int, spectators: int) -> tuple[list[float], float]:
    """Play before the crowd; return the samples, and microseconds of CPU a recipient."""
    gateway, loop = parts.for_spectators, asyncio.get_running_loop()
    idle = await idle_rate(gateway)
    decisions, cpu, began = parts.watched.decisions, gateway.cpu_seconds, loop.time()
    samples = await play(parts.watched, intents)
    used = gateway.cpu_seconds - cpu - idle * (loop.time() - began)
    return samples, used * 1e6 / ((parts.watched.decisions - decisions) * spectators)


async def bare(process: Process, writes: int, spectators: int) -> float:
    """Let the library write to its crowd; return microseconds of CPU a recipient."""
    loop, idle = asyncio.get_running_loop(), await idle_rate(process)
    cpu, began = process.cpu_seconds, loop.time()
    for _ in range(writes):
        process.tell(signal.SIGUSR2)
        await process.line()
        await asyncio.sleep(PAUSE_SECONDS)
    used = process.cpu_seconds - cpu - idle * (loop.time() - began)
    return used * 1e6 / (writes * spectators)


async def held(parts: Parts) -> tuple[float, float]:
    """Return the longest hold of the spectators' gateway's loop over some events: on the clock, and in CPU; ms."""
    parts.for_spectators.tell(signal.SIGUSR2)
    await play(parts.watched, PROBED_INTENTS)
    parts.for_spectators.tell(signal.SIGUSR2)
    _, clock_ms, used_ms = (await parts.for_spectators.line()).split()
    return float(clock_ms), float(used_ms)


async def turn(parts: Parts, intents: int, spectators: int) -> Turn:
    """Measure everything once, in turn."""
    before_crowd, ours_us = await watched(parts, intents, spectators)
    alone = await play(parts.alone, intents)
    bare_us = await bare(parts.bare, intents, spectators)
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
    parser.add_argument("--intents", type=int, default=100, help="of each part of a repetition")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    need_files(options.spectators + 500)
    with tempfile.TemporaryDirectory() as data:
        uvloop.run(measure(Path(data), options.spectators, options.intents, options.repeats))


if __name__ == "__main__":
    main()
