"""What a gateway and a worker of their own show of themselves before and after a short game."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from rapid_client import Welcome
from rapid_client import events as ev
from tests.conftest import RealRedis
from tests.integration.cli_bench import PATIENCE_SECONDS, serving, start
from tests.integration.peers import Autoplay, playing, seats, spectator

NAME = "Grace Hopper"
GAUGES_SECONDS = 0.05
"""Between two looks for what a worker shows every two seconds."""


class Sample(NamedTuple):
    name: str
    labels: Mapping[str, str]
    value: float


class Shown:
    """One scrape, read as Prometheus reads it."""

    def __init__(self, text: str) -> None:
        self.text = text
        families = list(text_string_to_metric_families(text))
        self.help = {family.name: family.documentation for family in families}
        self.kinds = {family.name: family.type for family in families}
        self.samples = [Sample(s.name, s.labels, s.value) for family in families for s in family.samples]

    @property
    def names(self) -> set[str]:
        return {sample.name for sample in self.samples}

    def total(self, name: str, **labels: str) -> float:
        """The sum over all series of that name with these labels; there must be one."""
        found = [s.value for s in self.samples if s.name == name and labels.items() <= s.labels.items()]
        assert found, (name, labels)
        return sum(found)

    def values_of(self, label: str) -> set[str]:
        return {sample.labels[label] for sample in self.samples if label in sample.labels}


class Told(NamedTuple):
    """Of both processes, before the first table and behind the game; `secrets` must not be in any of it."""

    gateway: tuple[Shown, Shown]
    worker: tuple[Shown, Shown]
    secrets: list[str]


async def shown_at(http: aiohttp.ClientSession, url: str) -> Shown:
    async with http.get(url) as answer:
        assert answer.status == 200
        return Shown(await answer.text())


@asynccontextmanager
async def measured_worker(*options: object) -> AsyncIterator[str]:
    """A worker; give the address of its metrics."""
    process = await start("worker", "--metrics-port", "0", *options)
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = (await process.stdout.readline()).decode()
        found = re.search(r"http://\S+/metrics", line)
        assert found, line
        yield found[0]
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await process.communicate()


async def shown_of_a_game(folder: Path) -> Told:
    """A person and three bots play a round, and one watches."""
    redis = RealRedis(folder)
    await redis.start()
    try:
        where = ("--redis", redis.url)
        async with (
            measured_worker(*where) as worker,
            serving(*where, command="gateway") as gateway,
            aiohttp.ClientSession() as http,
        ):
            return await _play(http, gateway.url, worker)
    finally:
        await redis.stop()


async def _play(http: aiohttp.ClientSession, gateway: str, worker: str) -> Told:
    settings = {"rounds": 1, "race_seconds": 3, "bot_delay_ms": 1, "standin_grace_seconds": 0}
    before = [await shown_at(http, f"{gateway}/metrics"), await shown_at(http, worker)]
    (place,) = await seats(http, gateway, NAME, bots=3, **settings)
    async with playing(gateway, place, Autoplay()) as person, playing(gateway, spectator(place)) as watcher:
        await watcher.until(Welcome)
        await person.table.host("start")
        await watcher.until(ev.GameEnded)
        await person.until(ev.GameEnded)
        refused = await person.table.host("next_round")
        assert not refused.ok
        async with http.get(f"{gateway}/readyz") as answer:
            assert answer.status == 200
        behind_gateway = await shown_at(http, f"{gateway}/metrics")
        behind_worker = await until(http, worker, "rapid_open_tables", "rapid_shard_tables", "rapid_stream_length")
    return Told((before[0], behind_gateway), (before[1], behind_worker), [place.token, place.table, NAME])


async def until(http: aiohttp.ClientSession, url: str, *names: str) -> Shown:
    """Ask until it shows something of each."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            shown = await shown_at(http, url)
            if {sample.name for sample in shown.samples if sample.value} >= set(names):
                return shown
            await asyncio.sleep(GAUGES_SECONDS)
