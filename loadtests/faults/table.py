"""One table of a run: its racers, a spectator, when it was played on, and its log in the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import aiohttp

from loadtests.faults.racer import Gateways, Racer
from loadtests.faults.strategy import PLAYERS
from loadtests.judges import Case
from rapid.engine.notation import Decided, log_lines
from rapid.engine.replay.verify import verify_lines
from rapid.store.redis_store import RedisStore
from rapid.table.ports import FIRST_ID

SETTINGS: Final = {"rounds": "unlimited", "race_seconds": 3, "action_seconds": 5}
OPEN_SECONDS: Final = 20.0
PAGE: Final = 500
NAMES: Final = ("Ada", "Bo", "Cy", "Di")


class Table:
    """Opened and seated over HTTP; the racers start the game by themselves."""

    def __init__(self, table: str, racers: Sequence[Racer], viewers: Sequence[Racer]) -> None:
        """`viewers` are the racers and who watches."""
        self.table = table
        self.racers = racers
        self.viewers = viewers
        self.accepted: dict[int, tuple[int, int]] = {}
        """Of each play the first viewer heard of: when it was accepted and when that viewer heard, in ms."""

    @classmethod
    async def open(
        cls,
        http: aiohttp.ClientSession,
        gateways: Gateways,
        *,
        pace_ms: tuple[float, float],
        settings: Mapping[str, Any] = SETTINGS,
        is_watched: bool = True,
    ) -> Table:
        """Open a table, take its seats and connect everybody, in turn over the gateways."""
        opened = await _post(http, gateways, "/api/tables", {"name": NAMES[0], "settings": settings})
        table, tokens = opened["table"], [opened["token"]]
        seats = f"/api/tables/{table}/seats"
        tokens += [(await _post(http, gateways, seats, {"name": name}))["token"] for name in NAMES[1:PLAYERS]]
        watchers = [("watcher", None)] if is_watched else []
        found: list[Table] = []

        def saw(event: Mapping[str, Any], at: int) -> None:
            if event["type"] == "played":
                found[0].accepted.setdefault(event["seq"], (event["at"], at))

        everybody = [
            Racer(http, gateways, table, name, token, first=number, pace_ms=pace_ms, saw=saw)
            for number, (name, token) in enumerate([*zip(NAMES, tokens, strict=False), *watchers])
        ]
        found.append(cls(table, everybody[:PLAYERS], everybody))
        for viewer in everybody:
            viewer.start()
        return found[0]

    def plays_since(self, ms: int) -> int:
        """Return how many plays were accepted at or after this moment, as far as anybody here has heard."""
        return sum(at >= ms for at, _ in self.accepted.values())

    def pause_ms(self, fault_ms: int) -> int | None:
        """Return how long after the fault somebody heard of a play that was accepted after it."""
        heard = [heard_ms for at, heard_ms in self.accepted.values() if at >= fault_ms]
        return min(heard) - fault_ms if heard else None

    def longest_gap_ms(self, from_ms: int, to_ms: int) -> int:
        """Return the longest time between two plays heard of, from one moment to another."""
        heard = sorted(heard_ms for _, heard_ms in self.accepted.values() if from_ms <= heard_ms <= to_ms)
        return max(later - earlier for earlier, later in pairwise([from_ms, *heard, to_ms]))

    @property
    def is_raced_on(self) -> bool:
        """Whether everybody sees an open trick."""
        return all(racer.phase == "playing" for racer in self.racers)

    def pause(self) -> None:
        """Nobody asks for anything any more."""
        for racer in self.racers:
            racer.is_paused = True

    def finish(self) -> None:
        """Play the round to its end; then the host ends the game."""
        for racer in self.racers:
            racer.is_finishing = True

    @property
    def is_over(self) -> bool:
        """Whether every viewer is there and has seen the game's end."""
        return all(viewer.phase == "final" and viewer.is_connected for viewer in self.viewers)

    async def is_settled(self, store: RedisStore) -> bool:
        """Whether the game is over, and every viewer has all that the log holds."""
        if not self.is_over:
            return False
        record = (await store.log.tail([self.table]))[self.table].record
        return record is not None and all(viewer.seq == record.last_seq for viewer in self.viewers)

    async def stop(self) -> None:
        """Hang up."""
        await asyncio.gather(*(viewer.stop() for viewer in self.viewers))

    async def case(self, store: RedisStore, *, is_settled: bool) -> Case:
        """Return everything for the judges: the log as Redis has it, and all transcripts."""
        log = [json.loads(line) for line in (await self._lines(store))[1:]]
        transcripts = [one for viewer in self.viewers for one in viewer.transcripts()]
        end_ms = await store.clock.read_ms()
        return Case(log=log, transcripts=transcripts, table=self.table, end_ms=end_ms, is_settled=is_settled)

    async def more_verdicts(self, store: RedisStore, http: aiohttp.ClientSession, gateways: Gateways) -> list[str]:
        """Return what the clients found wrong by themselves, the second reader of the rules, and the HTTP log."""
        verdicts = [verdict for viewer in self.viewers for verdict in viewer.verdicts]
        lines = await self._lines(store)
        verdicts += [f"verify: {report}" for report in verify_lines(lines) if not report.ok]
        if self.is_over:
            async with http.get(f"{gateways()[0]}/api/tables/{self.table}/log") as answer:
                shown = (await answer.text()).splitlines()
            if shown != [line for line in log_without_open_secrets(lines) if line]:
                verdicts.append("GET log is not what Redis holds")
        return verdicts

    async def _lines(self, store: RedisStore) -> list[str]:
        decided: list[Decided] = []
        after = FIRST_ID
        while True:
            entries = await store.log.read(self.table, after, limit=PAGE)
            for entry in entries:
                after = entry.id
                if entry.record is not None:
                    decided.append(Decided(entry.record.seq, entry.record.at, entry.record.events))
            if len(entries) < PAGE:
                return list(log_lines(self.table, decided))


def log_without_open_secrets(lines: Sequence[str]) -> list[str]:
    """Return an exported log as `GET …/log` shows it: the deal that is committed and not played stays secret."""
    rows = [json.loads(line) for line in lines]
    ended = {row["deal"] for row in rows if row.get("type") == "round_ended"}
    shown = []
    for line, row in zip(lines, rows, strict=True):
        if row.get("type") == "committed" and row["deal"] not in ended:
            row.pop("secret")
            shown.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
        else:
            shown.append(line)
    return shown


async def _post(http: aiohttp.ClientSession, gateways: Gateways, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Ask until there is an answer; a gateway may be on its way out, or wait for a worker."""
    async with asyncio.timeout(OPEN_SECONDS):
        while True:
            try:
                async with http.post(gateways()[0] + path, json=body) as answer:
                    if answer.status == 201:
                        return dict(await answer.json())
                    if answer.status != 503:
                        raise RuntimeError(f"{path}: {answer.status} {await answer.text()}")
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.05)
