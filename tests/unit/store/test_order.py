"""Commands leave in the order in which they were asked, whatever becomes of the line meanwhile."""

import asyncio
import gc
from collections.abc import AsyncIterator
from importlib.resources import files
from itertools import cycle

import pytest

from rapid.errors import StoreUnavailable
from rapid.store import connection
from rapid.store.address import parse_address
from rapid.store.connection import Client, connect
from rapid.store.redis_store import SCRIPTS
from tests.contract.relay import Relay
from tests.unit.store.conftest import script

BEHIND = 5
"""Turns of the loop that a new line is watched."""
TURNS_MAX = 20_000
"""It stands long before that."""


PUSH = script("return redis.call('RPUSH', KEYS[1], ARGV[1])")


@pytest.fixture
async def client(redis_server) -> AsyncIterator[Client]:
    client = Client(parse_address(redis_server.url), "rapid", (PUSH,))
    yield client
    await client.close()


def by_start(client: Client, n: int) -> asyncio.Future[object]:
    told: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    client.start([("RPUSH", "asked", n)], told.set_result, block_ms=10)
    return told


WAYS = {
    "call": lambda client, n: asyncio.ensure_future(client.call("RPUSH", "asked", n)),
    "pipe": lambda client, n: asyncio.ensure_future(client.pipe([("RPUSH", "asked", n)])),
    "block": lambda client, n: asyncio.ensure_future(client.pipe([("RPUSH", "asked", n)], block_ms=10)),
    "raw": lambda client, n: client.pipe_raw([("RPUSH", "asked", n)]),
    "at once": lambda client, n: client.pipe_raw([("RPUSH", "asked", n)], at_once=True),
    "script": lambda client, n: asyncio.ensure_future(client.run_once(PUSH, ("asked",), (n,))),
    "start": by_start,
}
COROUTINES = {"call", "pipe", "block", "script"}
"""They ask when their task begins."""


async def the_line_is_broken(client: Client) -> None:
    await client.call("PING")
    client.abort()
    await client._line.lost


async def asked(client: Client) -> list[int]:
    return [int(n) for n in await client.call("LRANGE", "asked", 0, -1)]


@pytest.mark.parametrize("ways", [*((way,) for way in WAYS), tuple(WAYS)], ids="+".join)
async def test_what_is_asked_while_the_line_is_opened_anew_goes_before_what_is_asked_behind_it(client: Client, ways):
    """One a turn of the loop, from before the line is opened until some turns behind."""
    await the_line_is_broken(client)
    broken, answers, left = client._line, [], BEHIND
    for n, way in zip(range(TURNS_MAX), cycle(ways), strict=False):
        answers.append(WAYS[way](client, n))
        await asyncio.sleep(0)
        left -= client._line is not broken
        if not left:
            break
    assert not left
    await asyncio.gather(*answers)
    assert await asked(client) == list(range(len(answers)))


@pytest.mark.parametrize("way", [way for way in WAYS if way not in COROUTINES])
async def test_what_is_asked_in_one_turn_is_asked_whenever_the_replies_are_waited_for(client: Client, way):
    for is_broken in (False, True):
        if is_broken:
            await the_line_is_broken(client)
        await client.call("DEL", "asked")
        if is_broken:
            await the_line_is_broken(client)
        one, two = WAYS[way](client, 1), WAYS["at once"](client, 2)
        await two
        await one
        assert await asked(client) == [1, 2]


@pytest.mark.parametrize("is_broken", [False, True])
async def test_a_call_of_many_commands_is_not_overtaken(client: Client, monkeypatch, is_broken):
    monkeypatch.setattr(connection, "PIPE_MAX", 3)
    await client.call("PING")
    if is_broken:
        await the_line_is_broken(client)
    many = asyncio.ensure_future(client.pipe([("RPUSH", "asked", n) for n in range(10)]))
    await asyncio.sleep(0)
    one = asyncio.ensure_future(client.call("RPUSH", "asked", 10))
    assert await many == list(range(1, 11))
    await one
    assert await asked(client) == list(range(11))


async def test_no_commands_are_nothing(client: Client):
    assert await client.pipe([]) == []
    assert client._line is None


async def test_who_gives_up_while_the_line_is_opened_is_left_out(client: Client):
    await the_line_is_broken(client)
    answers = [WAYS[way](client, n) for n, way in enumerate(("call", "block", "raw", "call", "raw"))]
    await asyncio.sleep(0)
    for given_up in answers[:3]:
        given_up.cancel()
    await asyncio.gather(*answers[3:])
    assert await asked(client) == [4, 3]  # a call asks a turn later, when its task begins
    assert all(given_up.cancelled() for given_up in answers[:3])


async def test_what_is_given_up_with_the_connection_is_not_sent_on_the_next(client: Client):
    """A read that blocks, and that nobody waits for any more, would only hold up the next one."""
    await the_line_is_broken(client)
    given_up = WAYS["start"](client, 1)
    client.abort()
    await WAYS["start"](client, 2)
    assert isinstance(await given_up, StoreUnavailable)
    assert await asked(client) == [2]


async def test_a_blocked_call_that_is_given_up_breaks_the_line_it_was_sent_on(client: Client):
    await the_line_is_broken(client)
    blocked = asyncio.ensure_future(client.pipe([("BLPOP", "nothing", 60)], block_ms=60_000))
    while not client._line.is_up:
        await asyncio.sleep(0)
    blocked.cancel()
    await asyncio.wait([blocked])
    assert not client._line.is_up
    assert await client.call("PING") == b"PONG"


@pytest.fixture
async def event_loop_errors() -> AsyncIterator[list[str]]:
    """What the loop complains of: exceptions that nobody has heard, tasks that nobody has waited for."""
    said: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: said.append(context["message"]))
    yield said
    asyncio.get_running_loop().set_exception_handler(None)


async def why_not(answers) -> set[str]:
    """Why there is no answer. None may wait for ever."""
    async with asyncio.timeout(5):
        outcomes = await asyncio.gather(*answers, return_exceptions=True)
    return {str(outcome) if isinstance(outcome, StoreUnavailable) else repr(outcome) for outcome in outcomes}


@pytest.mark.parametrize("turns", range(12))
async def test_closing_ends_all_that_waits_for_a_line(client: Client, event_loop_errors, turns):
    """From before the line is opened until it stands."""
    await the_line_is_broken(client)
    answers = [ask(client, n) for n, ask in enumerate(WAYS.values())]
    given_up = [ask(client, n) for n, ask in enumerate(WAYS.values())][:-1]
    for _ in range(turns):
        await asyncio.sleep(0)
    has_opened = client._line.is_up
    for one in given_up:
        one.cancel()
    await client.close()
    assert has_opened or await why_not(answers) == {"the store is closed"}
    await asyncio.wait([*answers, *given_up])
    assert await why_not(ask(client, n) for n, ask in enumerate(WAYS.values())) == {"the store is closed"}
    await why_not(answers)
    del answers, given_up
    await asyncio.sleep(0)
    gc.collect()
    assert event_loop_errors == []


async def test_a_line_that_cannot_be_opened_ends_all_that_waits_for_it(relay: Relay, event_loop_errors):
    client = connect(relay.url)
    await client.call("PING")
    await relay.cut()
    await client._line.lost
    answers = [ask(client, n) for n, ask in enumerate(WAYS.values())]
    given_up = [ask(client, n) for n, ask in enumerate(WAYS.values())][:-1]
    for one in given_up:
        one.cancel()
    (why,) = await why_not(answers)
    assert "no connection" in why
    await asyncio.wait(given_up)
    await relay.open()
    assert await client.call("PING") == b"PONG"
    await client.close()
    del answers, given_up
    gc.collect()
    assert event_loop_errors == []


async def test_another_run_is_known_before_anything_is_sent_there(client: Client, redis_server):
    """What is asked as it is told stands behind what was asked before."""
    runs, behind = [], []

    def told(run: str | None) -> None:
        runs.append(run)
        assert not client._line.is_up
        behind.append(client.pipe_raw([("RPUSH", "asked", 2)], at_once=True))

    client.on_other_run(told)
    await client.call("DEL", "asked")
    await the_line_is_broken(client)
    before = await client.run_id()
    assert runs == []
    await redis_server.restart()
    await client._line.lost
    await asyncio.gather(*(client.pipe_raw([("RPUSH", "asked", n)]) for n in range(2)))
    await asyncio.gather(*behind)
    assert await asked(client) == [0, 1, 2]
    assert runs == [await client.run_id()]
    assert before not in runs


async def test_a_fault_of_who_is_told_of_another_run_holds_nobody_up(client: Client, redis_server, event_loop_errors):
    def told(_run: str | None) -> None:
        raise ZeroDivisionError

    client.on_other_run(told)
    await client.call("PING")
    await redis_server.restart()
    await client._line.lost
    assert await client.call("PING") == b"PONG"
    assert len(event_loop_errors) == 1


# Scripts that Redis has forgotten


def test_the_store_s_client_is_told_all_scripts():
    there = {place.read_text("utf-8") for place in files("rapid.store").joinpath("lua").iterdir()}
    assert {one.text for one in SCRIPTS} == there


async def test_no_script_is_overtaken_on_a_new_line_to_a_redis_that_has_forgotten_it(client: Client):
    """As behind a restart. What is asked behind it, one a turn of the loop, runs behind it."""
    await client.call("SCRIPT", "FLUSH")
    client.abort()
    await client._line.lost
    answers = [WAYS["script"](client, 0)]
    for n in range(1, 200):
        await asyncio.sleep(0)
        answers.append(WAYS["raw"](client, n))
    await asyncio.gather(*answers)
    assert await asked(client) == list(range(200))


async def test_a_script_that_was_forgotten_meanwhile_is_not_overtaken_by_what_is_asked_behind_the_answer(
    client: Client, redis_server, monkeypatch
):
    """As told and asked again in one write: nothing comes between."""
    await client.call("SCRIPT", "FLUSH")
    answers: list[asyncio.Future[object]] = []
    pipe_raw = client.pipe_raw

    def followed(commands, **how):
        sent = pipe_raw(commands, **how)
        if commands[0][0] == "SCRIPT":
            answers.append(pipe_raw([("RPUSH", "asked", 1)], at_once=True))
        return sent

    monkeypatch.setattr(client, "pipe_raw", followed)
    assert await client.run_once(PUSH, ("asked",), (0,)) == 1
    await asyncio.gather(*answers)
    assert await asked(client) == [0, 1]


@pytest.fixture
async def forbidden(redis_server) -> AsyncIterator[str]:
    """The address for one who may not tell Redis any script."""
    owner = connect(redis_server.url)
    await owner.call("SCRIPT", "FLUSH")
    await owner.call("ACL", "SETUSER", "bob", "reset", "on", ">word", "~*", "&*", "+@all", "-script")
    yield redis_server.url.replace("unix://", "unix://bob:word@")
    await owner.call("ACL", "DELUSER", "bob")
    await owner.close()


async def test_who_may_not_tell_redis_scripts_can_run_those_it_knows(redis_server, forbidden: str):
    client = Client(parse_address(forbidden), "rapid", (PUSH,))
    with pytest.raises(StoreUnavailable, match="NOPERM"):
        await client.run_once(PUSH, ("asked",), (1,))
    owner = connect(redis_server.url)
    await owner.call(*PUSH.load())
    assert await client.run_once(PUSH, ("asked",), (1,)) == 1
    await client.close()
    await owner.close()
