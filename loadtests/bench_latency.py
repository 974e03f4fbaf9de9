"""How long from an intent sent to its event received by every seat: one table, an idle server.

    python -m loadtests.bench_latency [--floor DIR] [--repeats 5] [--plays 300] [--rate 100]

Starts `rapid serve` and, with `--floor`, the bare pipeline of that folder (a copy of the
performance floors: same WebSocket library, Redis stream, fenced append, Pub/Sub, no rules)
in turn, several times in one run, and prints medians and the ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import uvloop

from loadtests.raw import RawSocket
from rapid.store.embedded import EmbeddedRedis

HOST = "127.0.0.1"
SEATS = 4
RANKS = "3456789TJQKA2"
ANSWER_SECONDS = 10.0


class Race:
    """One table and four seats: knows just enough of the game to find a legal next intent."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.hands: list[list[str]] = [[] for _ in range(SEATS)]
        self.state, self.top, self.last = 0, None, -1  # type: int, tuple[int, int] | None, int
        self.passed: set[int] = set()
        self.is_over = False
        self.sent_at = 0.0
        self.waiting: set[int] = set()
        self.arrived = asyncio.Event()
        self.dealt = asyncio.Event()
        self.samples: list[float] = []

    def on_frame(self, seat: int, payload: bytes, now: float) -> None:
        """Take a message; the event asked for is measured at each seat."""
        message = msgpack.unpackb(payload)
        if message["t"] != "event":
            if message["t"] == "reply" and not message["ok"]:
                raise SystemExit(f"refused: {message}")
            return
        kind = message["type"]
        if kind in ("played", "passed") and seat in self.waiting:
            self.samples.append((now - self.sent_at) * 1000)
            self.waiting.discard(seat)
        self._fold(seat, kind, message)
        if not self.waiting:
            self.arrived.set()
        if self.state and all(self.hands):
            self.dealt.set()

    def _fold(self, seat: int, kind: str, event: dict[str, Any]) -> None:
        if kind == "dealt":
            self.hands[seat] = event["hands"][str(seat)]
        elif kind == "trick_opened" and seat == SEATS - 1:
            self.state, self.top, self.last, self.passed = event["seq"], None, -1, set()
        elif kind == "played" and seat == SEATS - 1:
            cards = event["cards"]
            self.state, self.last = event["seq"], event["seat"]
            self.top = (RANKS.index(cards[0][0]), len(cards))
            mine = self.hands[event["seat"]]
            self.hands[event["seat"]] = [card for card in mine if card not in cards]
        elif kind == "passed" and seat == SEATS - 1:
            self.passed.add(event["seat"])
        elif kind == "round_ended":
            self.is_over = True

    def next_intent(self) -> tuple[int, dict[str, Any]]:
        """Return (seat, message) of a legal play, else of a pass that is due."""
        seats = [s for s in range(SEATS) if self.hands[s] and s not in self.passed]
        self.rng.shuffle(seats)
        for seat in seats:
            ranks = sorted({RANKS.index(card[0]) for card in self.hands[seat]})
            for rank in ranks:
                cards = [card for card in self.hands[seat] if card[0] == RANKS[rank]]
                if self.top is None:
                    return seat, {"t": "play", "on": self.state, "cards": cards[:3]}
                if rank >= self.top[0] and len(cards) >= self.top[1] < 4:
                    return seat, {"t": "play", "on": self.state, "cards": cards[: self.top[1]]}
        seat = next(s for s in seats if s != self.last)
        return seat, {"t": "pass", "on": self.state}


def post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    """POST JSON, return JSON."""
    request = urllib.request.Request(url, json.dumps(body).encode())  # noqa: S310  loopback
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        found: dict[str, Any] = json.loads(answer.read())
        return found


async def open_race(port: int, rng: random.Random) -> tuple[Race, list[RawSocket]]:
    """Open a table of four people without bots, connect all, start a game."""
    base = f"http://{HOST}:{port}"
    settings = {"seats": SEATS, "race_seconds": 60, "rounds": 1}
    loop = asyncio.get_running_loop()
    opened = await loop.run_in_executor(None, post, f"{base}/api/tables", {"name": "a", "settings": settings})
    table, tokens = opened["table"], [opened["token"]]
    for name in "bcd":
        url = f"{base}/api/tables/{table}/seats"
        tokens.append((await loop.run_in_executor(None, post, url, {"name": name}))["token"])
    race = Race(rng)
    sockets = []
    for seat, token in enumerate(tokens):
        on_frame = lambda payload, now, seat=seat: race.on_frame(seat, payload, now)  # noqa: E731
        sockets.append(await RawSocket.open(HOST, port, f"/ws/{table}", on_frame, "rapid.v1.msgpack"))
        sockets[-1].send(msgpack.packb({"t": "hello", "v": 1, "token": token}))
    await asyncio.sleep(0.2)
    sockets[0].send(msgpack.packb({"t": "host", "id": 1, "do": "start"}))
    await asyncio.wait_for(race.dealt.wait(), ANSWER_SECONDS)
    return race, sockets


async def measure_rapid(port: int, plays: int, pause: float) -> list[float]:
    """Return milliseconds, a sample for each seat and intent."""
    rng = random.Random(1)  # noqa: S311  a measured game, not a dealt one
    samples: list[float] = []
    while len(samples) < plays * SEATS:
        race, sockets = await open_race(port, rng)
        number = 1
        while not race.is_over and len(samples) + len(race.samples) < plays * SEATS:
            await asyncio.sleep(pause)
            seat, message = race.next_intent()
            number += 1
            race.arrived.clear()
            race.waiting = set(range(SEATS))
            data = msgpack.packb(message | {"id": number})
            race.sent_at = time.perf_counter()
            sockets[seat].send(data)
            await asyncio.wait_for(race.arrived.wait(), ANSWER_SECONDS)
        samples += race.samples
        for socket in sockets:
            socket.close()
    return samples


async def measure_floor(port: int, plays: int, pause: float) -> list[float]:
    """The same of the floor, which echoes the intent as an event to the table's sockets."""
    samples: list[float] = []
    waiting = 0
    arrived = asyncio.Event()
    sent_at = 0.0

    def on_frame(_payload: bytes, now: float) -> None:
        nonlocal waiting
        samples.append((now - sent_at) * 1000)
        waiting -= 1
        if not waiting:
            arrived.set()

    sockets = [await RawSocket.open(HOST, port, f"/ws/0/{n}", on_frame) for n in range(SEATS)]
    await asyncio.sleep(0.2)
    for number in range(plays):
        await asyncio.sleep(pause)
        intent = {"t": "play", "ts": 1, "seq": number, "stack": 7, "card": 9, "hand": 3, "k": "x"}
        data = msgpack.packb(intent)
        arrived.clear()
        waiting = SEATS
        sent_at = time.perf_counter()
        sockets[number % SEATS].send(data)
        await asyncio.wait_for(arrived.wait(), ANSWER_SECONDS)
    for socket in sockets:
        socket.close()
    return samples


@contextmanager
def process(arguments: list[str], cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a server for the time of the block."""
    running = subprocess.Popen(  # noqa: S603  our own servers
        arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=cwd
    )
    try:
        yield running
    finally:
        running.terminate()
        running.wait()


def rapid_port(server: subprocess.Popen[str]) -> int:
    """Read the address that `rapid serve` prints; wait until it is ready."""
    assert server.stdout is not None
    for line in server.stdout:
        found = re.search(r"http://[^\s:]+:(\d+)", line)
        if found:
            port = int(found[1])
            break
    else:
        raise SystemExit("rapid serve did not start")
    while True:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/readyz"):
                return port
        except OSError:
            time.sleep(0.05)


def run_rapid(plays: int, pause: float) -> list[float]:
    """One measurement of `rapid serve`."""
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "rapid", "serve", "--host", HOST, "--port", "0"]
        with process([*command, "--data", data]) as server:
            return uvloop.run(measure_rapid(rapid_port(server), plays, pause))


def run_floor(folder: Path, plays: int, pause: float) -> list[float]:
    """One measurement of the floor `mini`."""
    flags = "--client mini --ingest batch --inbox shard --commit batch --deliver pubsub"
    with tempfile.TemporaryDirectory() as data:
        redis = EmbeddedRedis(Path(data))
        asyncio.run(redis.start())
        try:
            command = [sys.executable, "floor.py", "--role", "both", "--tables", "1"]
            socket = redis.url.removeprefix("unix://")
            arguments = [*command, *flags.split(), "--fanout", "raw", "--redis", socket]
            with process(arguments, folder) as server:
                assert server.stdout is not None
                port = json.loads(server.stdout.readline())["port"]
                return uvloop.run(measure_floor(port, plays, pause))
        finally:
            asyncio.run(redis.stop())


def percentiles(samples: list[float]) -> str:
    """Return median and p99 as text."""
    cuts = statistics.quantiles(samples, n=100)
    return f"p50 {statistics.median(samples):.2f} ms, p99 {cuts[98]:.2f} ms"


def main() -> None:
    """Run the measurements in turn and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--floor", type=Path, help="a copy of the floors' folder")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--plays", type=int, default=300)
    parser.add_argument("--rate", type=float, default=100.0, help="intents a second")
    options = parser.parse_args()
    pause = 1 / options.rate
    print(f"{os.cpu_count()} cores, {options.plays} intents at {options.rate:g}/s, {SEATS} seats")
    ratios = []
    for number in range(options.repeats):
        ours = run_rapid(options.plays, pause)
        print(f"{number + 1} rapid: {percentiles(ours)}", flush=True)
        if options.floor:
            floor = run_floor(options.floor, options.plays, pause)
            ratios.append(statistics.median(ours) / statistics.median(floor))
            print(f"{number + 1} floor: {percentiles(floor)}, ratio {ratios[-1]:.2f}", flush=True)
    if ratios:
        print(f"median of the ratios of the medians: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
