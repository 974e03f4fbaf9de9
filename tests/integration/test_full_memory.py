"""Redis runs out of memory in a game: `unavailable`, nothing half done, and it goes on once there is room."""

import asyncio
from contextlib import asynccontextmanager

import pytest
import redis.asyncio

from rapid.engine.replay.verify import verify_lines
from tests.integration.gateway_bench import served_by


@asynccontextmanager
async def full_memory(url: str):
    async with redis.asyncio.Redis.from_url(url) as client:
        await client.config_set("maxmemory", "1")
        try:
            yield
        finally:
            await client.config_set("maxmemory", "0")


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url, decision_timeout_ms=3_000) as server:
        yield server


async def test_a_game_waits_for_room_and_goes_on(server, redis_url):
    table = await server.open(bots=2, seats=3, rounds=1, race_seconds=0.3, bot_delay_ms=20)
    client, _ = await server.join(table["table"], table["token"])
    watching, _ = await server.join(table["table"])
    await client.ask("host", do="start")
    await client.event("played")
    async with full_memory(redis_url):
        for _ in range(3):
            reply = await client.ask("pass", on=1)
            assert (reply["ok"], reply["why"]) == (False, "unavailable")
        async with server.http.post(f"{server.url}/api/tables", json={"name": "Ada"}) as answer:
            assert answer.status == 503
        # What is there can be looked at.
        _, welcome = await server.join(table["table"])
        assert welcome["view"]["phase"] == "playing"
    ended = asyncio.create_task(client.event("round_ended"))
    await watching.event("game_ended")
    await ended
    client.judge_order()
    watching.judge_order()
    async with server.http.get(f"{server.url}/api/tables/{table['table']}/log") as answer:
        (report,) = verify_lines(f"{line}\n".encode() for line in (await answer.text()).splitlines())
    assert report.ok, report
    again = await server.open()
    assert (await server.join(again["table"], again["token"]))[1]["seat"] == 0
