"""The whole path in processes of their own: clients, a gateway, workers, Redis; the one killed owns the table.

What the clients see must be one game without a hole: every event once and in order, one reply
for each attempt, and a log that a second reading of the rules finds right.
"""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator

import aiohttp

from rapid.engine.replay.verify import verify_lines
from rapid.store import open_store
from rapid.table.ports import shard_of
from tests.integration.cli_bench import serving
from tests.integration.gateway_bench import JSON, MSGPACK, Client
from tests.integration.test_gateway_race import Racer
from tests.integration.worker_bench import WorkerProcess, worker_processes

NO_LIMITS = {f"RAPID_{what}_{how}": "1000000" for what in ("MESSAGES", "INTENTS") for how in ("PER_SECOND", "BURST")}
SETTINGS = {"rounds": 3, "race_seconds": 2, "action_seconds": 60}


class Giver(Racer):
    """Returns its cards in an exchange only when it is told to."""

    def __init__(self, client: Client, seat: int) -> None:
        super().__init__(client, seat)
        self.exchanges: asyncio.Queue[dict] = asyncio.Queue()

    async def on_exchange_opened(self, event: dict) -> None:
        self.move(event["moves"])
        await self.exchanges.put(event)

    async def give(self) -> None:
        event = await self.exchanges.get()
        for owed in event["owes"]:
            if owed["from"] == self.seat:
                await self.say("give", round=event["round"], cards=self.hand[: owed["count"]])


class Place:
    """A gateway's address, and whom a table belongs to at the moment."""

    def __init__(self, url: str, http: aiohttp.ClientSession, store, workers: list[WorkerProcess]) -> None:
        self.url, self.http, self.store, self.workers = url, http, store, workers
        self.table = ""

    async def post(self, path: str, body: dict) -> dict:
        async with self.http.post(self.url + path, json=body) as answer:
            assert answer.status == 201, await answer.text()
            return dict(await answer.json())

    async def join(self, token: str | None, protocol: str = MSGPACK) -> Client:
        client = Client(await self.http.ws_connect(f"{self.url}/ws/{self.table}", protocols=(protocol,)))
        await client.send({"t": "hello", "v": 1, **({"token": token} if token else {})})
        await client.until("welcome")
        return client

    async def kill_owner(self) -> None:
        names = await self.store.lease.owners([shard := shard_of(self.table, self.store.shards)])
        (owning,) = [worker for worker in self.workers if f"-{worker.pid}-" in names[shard]]
        assert await owning.end(signal.SIGKILL) == -signal.SIGKILL


@contextlib.asynccontextmanager
async def place(redis_url: str) -> AsyncIterator[Place]:
    store = await open_store(redis_url)
    async with (
        aiohttp.ClientSession() as http,
        worker_processes(redis_url, 3) as workers,
        serving("--redis", redis_url, command="gateway", env=NO_LIMITS) as gateway,
    ):
        yield Place(gateway.url, http, store, workers)
    await store.close()


async def test_the_owner_is_killed_in_a_trick_and_the_next_one_in_an_exchange(redis_url):
    async with place(redis_url) as here:
        opened = await here.post("/api/tables", {"name": "Ada", "settings": SETTINGS})
        here.table = opened["table"]
        seats = f"/api/tables/{here.table}/seats"
        tokens = [opened["token"], *[(await here.post(seats, {"name": name}))["token"] for name in ("Bo", "Cy", "Di")]]
        racers = [Giver(await here.join(token, (MSGPACK, JSON)[n % 2]), n) for n, token in enumerate(tokens)]
        watching = await here.join(None)
        tasks = [asyncio.create_task(racer.run()) for racer in racers]
        host = racers[0]
        await host.say("host", do="start")

        await watching.event("trick_opened")
        await watching.event("played")
        await here.kill_owner()
        resumed = await watching.event("resumed")
        assert resumed["deadline"] == resumed["at"] + 2_000
        await watching.event("round_ended")

        await host.say("host", do="next_round")
        await watching.event("exchange_opened")
        await here.kill_owner()
        resumed = await watching.event("resumed")
        assert resumed["deadline"] == resumed["at"] + 60_000
        for racer in racers:
            await racer.give()
        await watching.event("exchange_closed")
        await watching.event("round_ended")

        await host.say("host", do="next_round")
        await watching.event("exchange_opened")
        for racer in racers:
            await racer.give()
        await watching.event("game_ended")
        await asyncio.gather(*tasks)
        await asyncio.gather(*(racer.until_all_replied() for racer in racers))
        judge(racers, watching)
        async with here.http.get(f"{here.url}/api/tables/{here.table}/log") as answer:
            (report,) = verify_lines((await answer.text()).splitlines())
        assert report.ok, report
        assert report.rounds == 3


def judge(racers: list[Giver], watching: Client) -> None:
    for client in (watching, *(racer.client for racer in racers)):
        client.judge_order()
    played = [event for event in watching.events if event["type"] == "played"]
    assert len({event["on"] for event in played}) == len(played), "two accepted plays of one trick state"
    assert len([event for event in watching.events if event["type"] == "given"]) == 4
    accepted = 0
    for racer in racers:
        assert racer.asked.keys() == racer.replies.keys(), "one reply each"
        plays = [id_ for id_, asked in racer.asked.items() if asked["t"] == "play"]
        accepted += sum(racer.replies[id_]["ok"] for id_ in plays)
        assert all(racer.replies[id_]["ok"] for id_, asked in racer.asked.items() if asked["t"] in {"give", "host"})
    assert accepted == sum(event["by"] == "person" for event in played)
