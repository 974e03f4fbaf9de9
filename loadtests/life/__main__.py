"""Opens tables, plays a round at each, closes them and lets them expire; then every process must be as small as before.

    python -m loadtests.life [--tables 10000] [--at-once 24] [--warm-up 5000] [--most-percent 10] [--json FILE]

Memory is read behind a first wave (`--warm-up`) and at the end, both when nothing goes on, all logs have expired and
the inboxes have been trimmed; and before all that, for comparison. The first wave lasts as long as anything is kept (an
inbox: a minute), so that as much has been held at once as ever is: what allocators keep goes by that, not by how many
tables there were. Exit code 1 if anything has grown by more than `--most-percent`, or a table went wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import aiohttp
import redis.asyncio
import uvloop

from loadtests.life.memory import Held
from loadtests.life.servers import Servers, servers
from loadtests.life.table import NotOpened, Wrong, live
from rapid.engine.intents import CloseTable
from rapid.errors import StoreUnavailable
from rapid.store import RedisStore, open_store
from rapid.store.limits import DEFAULT_LIMITS
from rapid.table.runner import TRIM_SECONDS
from rapid.wire.records import Entry

LOG_KEPT_SECONDS = 5.0
REPORT_EVERY_SECONDS = 30.0
AGAIN_SECONDS = 1.0
"""Behind a table that a busy server would not open."""
SETTLE_SECONDS = DEFAULT_LIMITS.inbox_kept_ms / 1000 + TRIM_SECONDS + 5
"""Inboxes are trimmed by then, and gateways have forgotten what nobody watches."""


class Waves:
    """Lives so many tables, some at once."""

    def __init__(self, url: str, at_once: int, store: RedisStore) -> None:
        self._url = url
        self._store = store
        self._at_once = at_once
        self._left = 0
        self.done = 0
        self.events = 0
        self.refused = 0
        self.wrong = 0

    async def run(self, count: int) -> float:
        """Live them; return the seconds it took."""
        self._left, self.done, begun = count, 0, time.monotonic()
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout()) as http:
            telling = asyncio.create_task(self._tell(count, begun))
            try:
                await asyncio.gather(*(self._live_on(http) for _ in range(self._at_once)))
            finally:
                telling.cancel()
        return time.monotonic() - begun

    async def _live_on(self, http: aiohttp.ClientSession) -> None:
        while self._left > 0:
            self._left -= 1
            try:
                events = await live(http, self._url)
            except NotOpened:
                self._left += 1
                self.refused += 1
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            except Wrong as error:
                print(f"  table {error.table}: {error}", file=sys.stderr, flush=True)
                await self._close(error.table)
                self.wrong += 1
                continue
            self.events += events
            self.done += 1

    async def _close(self, table: str | None) -> None:
        """Close a table that went wrong as an operator would: it must not stay."""
        assert table is not None
        with suppress(StoreUnavailable):
            await self._store.inbox.post([Entry(table, CloseTable())])

    async def _tell(self, count: int, begun: float) -> None:
        while True:
            await asyncio.sleep(REPORT_EVERY_SECONDS)
            rate = self.done / (time.monotonic() - begun)
            print(f"  {self.done} of {count} tables, {rate:.1f} a second", file=sys.stderr, flush=True)


async def settled(running: Servers) -> list[Held]:
    """Wait until nothing is left to be dropped, and read what is held."""
    await asyncio.sleep(SETTLE_SECONDS)
    client = redis.asyncio.Redis.from_url(running.redis.url)
    try:
        left = [key async for key in client.scan_iter("*:log:*", count=1000)]
    finally:
        await client.aclose()
    if left:
        raise RuntimeError(f"{len(left)} logs have not expired")
    return await running.held()


async def measure(tables: int, at_once: int, warm_up: int) -> dict[str, object]:
    """Return what was measured. A signal ends the servers too."""
    this = asyncio.current_task()
    assert this is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, this.cancel)
    with tempfile.TemporaryDirectory(prefix="rapid-life-") as folder:
        async with servers(Path(folder), log_kept_seconds=LOG_KEPT_SECONDS) as running:
            store = await open_store(running.redis.url)
            waves = Waves(running.url, at_once, store)
            fresh = await running.held()
            await waves.run(warm_up)
            before = await settled(running)
            waves.events = waves.wrong = 0
            seconds = await waves.run(tables)
            after = await settled(running)
            await store.close()
    new, first, last = (
        {name: kb for held in one for name, kb in held.figures.items()} for one in (fresh, before, after)
    )
    grown = {name: round(100 * (last[name] / first[name] - 1), 1) for name in first}
    return {
        "tables": tables,
        "at_once": at_once,
        "seconds": round(seconds),
        "events": waves.events,
        "asked_again": waves.refused,
        "went_wrong": waves.wrong,
        "fresh_kb": new,
        "before_kb": first,
        "after_kb": last,
        "grown_percent": grown,
    }


def _show(report: dict[str, dict[str, int]], most_percent: float) -> bool:
    went_wrong = f", {report['went_wrong']} went wrong" if report["went_wrong"] else ""
    print(f"{report['tables']} tables in {report['seconds']} s, {report['events']} events{went_wrong}")
    is_fine = not went_wrong
    for name, percent in report["grown_percent"].items():
        verdict = "" if percent <= most_percent else "   TOO MUCH"
        is_fine &= not verdict
        kb = " ".join(f"{report[when][name]:>8} kB" for when in ("fresh_kb", "before_kb", "after_kb"))
        print(f"  {name:20} {kb}  {percent:+6.1f} %{verdict}")
    return is_fine


def main() -> int:
    """Run, and print a line for each figure."""
    parser = argparse.ArgumentParser(prog="python -m loadtests.life", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=24)
    parser.add_argument("--warm-up", type=int, default=5_000)
    parser.add_argument("--most-percent", type=float, default=10.0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = uvloop.run(measure(given.tables, given.at_once, given.warm_up))
    if given.json is not None:
        given.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if _show(report, given.most_percent) else 1  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.exit(main())
