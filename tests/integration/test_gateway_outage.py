"""Redis away, and back: clear answers at once, nothing accepted lost, everything resumes by itself."""

import asyncio

import pytest

from tests.integration.gateway_bench import served_by


@pytest.fixture(params=["together", "split"])
async def server(redis_url, request):
    async with served_by(
        redis_url, is_split=request.param == "split", decision_timeout_ms=3_000, hello_hold_ms=20_000
    ) as server:
        yield server


async def until_away(server):
    async with asyncio.timeout(20):
        while server.gateway.health.is_up:
            await asyncio.sleep(0.01)


async def until_back(server):
    async with asyncio.timeout(20):
        while not server.gateway.health.is_up:
            await asyncio.sleep(0.01)


async def ready_status(server):
    async with server.http.get(server.url + "/readyz") as answer:
        return answer.status


async def test_away_is_said_and_back_everything_goes_on(server, redis_server):
    table = await server.open(bots=2, race_seconds=0.3, bot_delay_ms=50)
    client, _ = await server.join(table["table"], table["token"])
    watching, _ = await server.join(table["table"])
    await client.ask("host", do="start")
    await client.event("played")
    await redis_server.kill()
    await until_away(server)
    assert await ready_status(server) == 503
    for message in ("host", "react"):
        fields = {"do": "next_round"} if message == "host" else {"emoji": "🔥"}
        assert (await client.ask(message, **fields))["why"] == "unavailable"
    await client.until("pong", id=await client.say("ping"))
    assert (await watching.ask("host", do="start"))["why"] == "unavailable"
    for method, path in (("GET", "/api/tables"), ("POST", "/api/tables")):
        body = {"json": {"name": "Ada"}} if method == "POST" else {}
        async with server.http.request(method, server.url + path, **body) as answer:
            assert answer.status == 503
            assert answer.headers["Retry-After"] == "1"
    late = await server.dial(table["table"])
    await late.send({"t": "hello", "v": 1, "token": table["token"]})
    # Read from now on: a close that is not answered within its grace is cut, which the client's library calls 1006.
    ended = asyncio.create_task(client.end())
    await redis_server.restart()
    await until_back(server)
    await watching.event("resumed")
    async with asyncio.timeout(20):
        while await ready_status(server) != 200:
            await asyncio.sleep(0.05)
    await watching.event("played")
    assert (await late.until("welcome"))["seat"] == 0
    assert await ended == (4000, "taken_over")
    reply = await late.ask("react", emoji="🔥")
    assert reply["ok"]
    for one in (client, watching, late):
        one.judge_order()


async def test_a_socket_that_closes_while_redis_is_away_is_a_lost_connection_afterwards(server, redis_server):
    table = await server.open()
    watching, _ = await server.join(table["table"])
    client, _ = await server.join(table["table"], table["token"])
    await watching.event("connection_back")
    await redis_server.kill()
    await until_away(server)
    await client.close()
    async with asyncio.timeout(10):
        while len(server.gateway.viewers) > 1:
            await asyncio.sleep(0.01)
    await redis_server.restart()
    await watching.event("connection_lost", seat=0)
    watching.judge_order()


async def test_every_intent_sent_around_an_outage_gets_one_reply(server, redis_server):
    table = await server.open()
    client, _ = await server.join(table["table"], table["token"])
    asked = [await client.say("pass", on=1) for _ in range(20)]
    await redis_server.kill()
    asked += [await client.say("pass", on=1) for _ in range(20)]
    await until_away(server)
    await redis_server.restart()
    await until_back(server)
    asked += [await client.say("pass", on=1) for _ in range(5)]
    replies = {}
    while len(replies) < len(asked):
        reply = await client.until("reply")
        assert reply["id"] not in replies
        replies[reply["id"]] = reply["why"]
    assert set(replies.values()) <= {"wrong_phase", "unavailable", "rate_limited"}
    assert (await client.ask("host", do="add_bot"))["ok"]
    client.judge_order()


async def test_a_table_that_redis_has_lost_is_gone_for_everyone(server, redis_server):
    table = await server.open()
    client, _ = await server.join(table["table"])
    redis_server.flush()
    assert await client.end() == (4004, "no_table")
    assert table["table"] not in server.gateway.hub.tables


async def test_a_hello_that_waits_too_long_is_told_to_come_back(redis_url, redis_server):
    async with served_by(redis_url, hello_hold_ms=200) as server:
        table = await server.open()
        await redis_server.kill()
        await until_away(server)
        client = await server.dial("aaaaaaaaaaaa")
        await client.send({"t": "hello", "v": 1})
        assert await client.end() == (1001, "leaving")
        spectator, welcome = await server.join(table["table"])
        assert welcome["view"]["phase"] == "lobby"
        await spectator.close()
        await redis_server.restart()
