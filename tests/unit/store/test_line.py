"""The pipelined connection: what it does when Redis is slow, silent, strange or refuses."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from rapid.errors import ConfigError, StoreUnavailable
from rapid.store import connection, limits, line, open_store, subscription
from rapid.store.address import parse_address
from rapid.store.connection import Client, connect
from rapid.store.subscription import Subscription
from tests.contract.relay import Relay
from tests.unit.store.conftest import script


@pytest.fixture
async def client(relay: Relay) -> AsyncIterator[Client]:
    client = connect(relay.url)
    yield client
    await client.close()


class Talker:
    """A server that answers every read with the next of these."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = list(answers)
        self.heard: list[bytes] = []
        self.talks: list[asyncio.Future[None]] = []

    def answer(self, data: bytes) -> bytes:
        return self._answers.pop(0) if self._answers else b""

    def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.talks.append(asyncio.ensure_future(self._talk(reader, writer)))

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                self.heard.append(data)
                writer.write(self.answer(data))
            writer.close()
            await writer.wait_closed()


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Callable[[Talker], Awaitable[Client]]]:
    """Start a talker and return a client of it."""
    servers: list[asyncio.Server] = []
    talkers: list[Talker] = []
    clients: list[Client] = []

    async def start(talker: Talker) -> Client:
        servers.append(await asyncio.start_unix_server(talker, tmp_path / "talker"))
        talkers.append(talker)
        clients.append(connect(f"unix://{tmp_path}/talker"))
        return clients[-1]

    yield start
    for client in clients:
        await client.close()
    for server in servers:
        server.close()
    for talker in talkers:
        await asyncio.gather(*talker.talks)


LET_IN = b"+OK\r\n+PONG\r\n" + b"-NOPERM no\r\n" * 2
"""By a host that does not say who we are there."""


async def test_replies_come_back_to_their_callers_in_order(client: Client):
    calls = [client.pipe([("SET", f"k{n}", n), ("GET", f"k{n}")]) for n in range(200)]
    assert await asyncio.gather(*calls) == [[b"OK", str(n).encode()] for n in range(200)]


async def test_a_refused_command_raises_and_the_connection_goes_on(client: Client):
    await client.call("SET", "text", "x")
    refused = asyncio.ensure_future(client.call("INCR", "text"))
    fine = asyncio.ensure_future(client.call("GET", "text"))
    with pytest.raises(StoreUnavailable, match="not an integer"):
        await refused
    assert await fine == b"x"


async def test_a_caller_that_gives_up_does_not_shift_the_replies(client: Client):
    await client.call("SET", "k", 1)
    given_up = asyncio.ensure_future(client.call("INCR", "k"))
    kept = asyncio.ensure_future(client.call("INCRBY", "k", 10))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await kept == 12


async def test_a_command_that_cannot_be_packed_does_not_shift_the_replies(client: Client):
    with pytest.raises(UnicodeEncodeError):
        await client.call("SET", "key", "\ud800")
    assert await client.call("ECHO", "first") == b"first"
    assert await client.pipe([("ECHO", "second"), ("ECHO", "third")]) == [b"second", b"third"]


async def test_a_redis_that_says_nothing_is_given_up_in_time(relay: Relay, client: Client, monkeypatch):
    monkeypatch.setattr(connection, "COMMAND_TIMEOUT_MS", 50)
    await client.call("PING")
    relay.hang()
    waiting = [asyncio.ensure_future(client.call("INCR", "k")) for _ in range(3)]
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes)
    relay.flow()
    # Sent once and never again: each of them counts at most once.
    assert int(await client.call("GET", "k") or 0) <= 3


async def test_a_blocking_read_is_given_up_a_little_after_its_time(relay: Relay, client: Client, monkeypatch):
    monkeypatch.setattr(connection, "BLOCK_MARGIN_MS", 30)
    await client.call("PING")
    relay.hang()
    with pytest.raises(StoreUnavailable, match="40 ms"):
        await client.pipe([("XREAD", "BLOCK", 10, "STREAMS", "s", "0-0")], block_ms=10)


async def test_connecting_to_one_that_does_not_answer_ends_in_time(relay: Relay, client: Client, monkeypatch):
    monkeypatch.setattr(line, "CONNECT_TIMEOUT_MS", 30)
    relay.hang()
    outcomes = await asyncio.gather(*(client.call("PING") for _ in range(5)), return_exceptions=True)
    assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes)


async def test_many_callers_open_one_connection(relay: Relay, client: Client, redis_server):
    await asyncio.gather(*(client.call("PING") for _ in range(1_000)))
    clients: bytes = await client.call("CLIENT", "LIST")
    assert clients.count(b"name=rapid ") == 1


async def test_one_that_gives_up_while_connecting_does_not_stop_the_others(client: Client):
    given_up, kept = (asyncio.ensure_future(client.call("PING")) for _ in range(2))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await kept == b"PONG"
    assert given_up.cancelled()


async def test_a_connection_that_was_killed_is_opened_anew(client: Client, redis_server):
    own = await client.call("CLIENT", "ID")
    other = connect(redis_server.url, "other")
    await other.call("CLIENT", "KILL", "ID", own)
    assert isinstance(client._line, line.Line)
    await client._line.lost
    assert await client.call("CLIENT", "ID") != own
    await other.close()


async def test_scripts_that_redis_does_not_know_run_once_each(client: Client):
    count = script("return redis.call('INCR', KEYS[1])")
    assert await client.run(count, [(("k",), ())] * 3) == [1, 2, 3]
    await client.call("SCRIPT", "FLUSH")
    assert await client.run(count, [(("k",), ())] * 2) == [4, 5]


async def test_only_what_did_not_run_is_sent_again(talk):
    """Somebody else loads the script while ours is under way: the second ran, the others did not."""
    unknown = b"-NOSCRIPT No matching script.\r\n"
    talker = Talker(LET_IN, unknown + b":7\r\n" + unknown, b"+sha\r\n:8\r\n:9\r\n")
    client = await talk(talker)
    assert await client.run(script("return 1"), [(("k",), (arg,)) for arg in ("one", "two", "three")]) == [8, 7, 9]
    assert [data.count(b"EVALSHA") for data in talker.heard] == [0, 3, 2]
    assert b"two" not in talker.heard[-1]


async def test_a_redis_that_cannot_take_a_script_is_refused(talk):
    """What was asked behind it would overtake it."""
    broken = b"-ERR Error compiling script\r\n"
    client = await talk(Talker(b"+OK\r\n+PONG\r\n" + broken + b":7\r\n-NOPERM no\r\n"))
    client._loads = [line.packed(script("return").load())]
    with pytest.raises(StoreUnavailable, match="compiling"):
        await client.call("PING")


async def test_too_much_under_way_is_refused_at_once(client: Client, monkeypatch):
    await client.call("PING")
    monkeypatch.setattr(line, "REQUESTS_MAX", 2)
    outcomes = await asyncio.gather(*(client.call("PING") for _ in range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [bytes, bytes, StoreUnavailable]


async def test_a_closed_client_opens_nothing(client: Client):
    await client.close()
    with pytest.raises(StoreUnavailable):
        await client.call("PING")


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"-LOADING Redis is loading the dataset in memory\r\n" * 4,
        b"-NOAUTH Authentication required.\r\n" * 4,
        b"+OK\r\n" + b"-NOPERM no\r\n" * 3,
    ],
)
async def test_one_that_is_no_redis_or_does_not_let_us_in_is_refused(talk, said: bytes):
    client = await talk(Talker(said))
    with pytest.raises(StoreUnavailable):
        await client.call("PING")


async def test_replies_that_nobody_asked_for_break_the_connection(talk):
    client = await talk(Talker(LET_IN + b"+OK\r\n"))
    with pytest.raises(StoreUnavailable):
        await client.call("PING")


async def test_a_password_never_stands_in_an_error(tmp_path: Path):
    client = connect(f"unix://name:secret@{tmp_path}/nobody")
    with pytest.raises(StoreUnavailable) as caught:
        await client.call("PING")
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(parse_address("redis://name:secret@host:1/2"))


async def test_the_number_of_shards_is_fixed_at_the_first_start(redis_server):
    first = await open_store(redis_server.url, shards=8)
    second = await open_store(redis_server.url)
    assert second.shards == 8
    with pytest.raises(ConfigError, match="8 shards"):
        await open_store(redis_server.url, shards=16)
    await first.close()
    await second.close()


async def test_a_store_that_is_not_there_cannot_be_opened(tmp_path: Path):
    with pytest.raises(StoreUnavailable):
        await open_store(f"unix://{tmp_path}/nobody")


async def test_a_subscription_that_falls_silent_is_noticed_and_stands_up_again(relay: Relay, redis_server, monkeypatch):
    """A half-open connection: nothing is heard, and nobody says so."""
    monkeypatch.setattr(subscription, "FEED_PING_MS", 10)
    monkeypatch.setattr(subscription, "FEED_SILENT_MS", 40)
    monkeypatch.setattr(line, "CONNECT_TIMEOUT_MS", 50)
    assert limits.FEED_SILENT_MS <= 5_000
    heard: asyncio.Queue[str | None] = asyncio.Queue()
    subscribed = Subscription(parse_address(relay.url), "test", "hello")
    subscribed.on_message = lambda _channel, payload: heard.put_nowait(payload.decode())
    subscribed.on_blind = lambda: heard.put_nowait(None)
    running = asyncio.create_task(subscribed.run())
    await subscribed.follow("news")
    other = connect(redis_server.url, "other")
    await other.call("PUBLISH", "news", "one")
    assert await heard.get() == "one"
    relay.hang()
    await _until_down(subscribed)
    relay.flow()
    assert await heard.get() is None
    await other.call("PUBLISH", "news", "two")
    assert await heard.get() == "two"
    await other.close()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def _until_down(subscribed: Subscription) -> None:
    while subscribed._line is not None:
        await asyncio.sleep(0.005)


async def test_follow_without_redis_ends_in_an_error(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(subscription, "FOLLOW_TIMEOUT_MS", 30)
    subscribed = Subscription(parse_address(f"unix://{tmp_path}/nobody"), "test", "hello")
    running = asyncio.create_task(subscribed.run())
    with pytest.raises(StoreUnavailable):
        await subscribed.follow("news")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_waiting_for_a_subscription_that_is_ended_ends_too(tmp_path: Path):
    subscribed = Subscription(parse_address(f"unix://{tmp_path}/nobody"), "test", "hello")
    waiting = asyncio.ensure_future(subscribed.follow("news"))
    await asyncio.sleep(0)
    subscribed.unfollow("news")
    with pytest.raises(StoreUnavailable):
        await waiting


def pushed(kind: str, channel: str, last: bytes) -> bytes:
    words = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in (kind.encode(), channel.encode()))
    return b"*3\r\n" + words + last


class SlowToConfirm(Talker):
    """Confirms the first subscription to the news with its end, and the second only when it is pinged after that."""

    def answer(self, data: bytes) -> bytes:
        if b"SETNAME" in data:
            return LET_IN
        if b"UNSUBSCRIBE" in data:
            self._answers.append(pushed("subscribe", "news", b":2\r\n"))
            early = pushed("message", "hello", b"$5\r\nearly\r\n")
            return self._answers[0] + early + pushed("unsubscribe", "news", b":1\r\n")
        if b"PING" in data and self._answers:
            return self._answers.pop()
        return b"".join(pushed("subscribe", name, b":1\r\n") for name in ("first", "hello") if name.encode() in data)


async def test_the_confirmation_of_an_earlier_subscription_does_not_count(talk, tmp_path: Path, monkeypatch):
    """Followed, ended, followed again: between the first confirmation and the second Redis pushes nothing."""
    monkeypatch.setattr(subscription, "FEED_PING_MS", 20)
    await talk(SlowToConfirm())
    subscribed = Subscription(parse_address(f"unix://{tmp_path}/talker"), "test", "hello")
    seen: list[bool] = []
    subscribed.on_message = lambda _channel, _payload: seen.append("news" in subscribed._confirmed)
    running = asyncio.create_task(subscribed.run())
    await subscribed.follow("first")
    ended = asyncio.ensure_future(subscribed.follow("news"))
    await asyncio.sleep(0)
    subscribed.unfollow("news")
    await subscribed.follow("news")
    assert seen == [False]
    with pytest.raises(StoreUnavailable):
        await ended
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
