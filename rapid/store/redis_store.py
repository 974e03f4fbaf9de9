"""All ports over one Redis, bundled and started."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from rapid.errors import ConfigError, StoreSilent, StoreUnavailable
from rapid.store import inbox, keys, lease, log, presence
from rapid.store.address import Address, parse_address
from rapid.store.clock import RedisClock
from rapid.store.connection import Client
from rapid.store.feed import RedisFeed
from rapid.store.inbox import RedisInbox
from rapid.store.lanes import LANES
from rapid.store.lease import RedisLease
from rapid.store.limits import CLOCK_EVERY_MS, DEFAULT_LIMITS, Limits
from rapid.store.listing import RedisListing
from rapid.store.log import RedisLog
from rapid.store.presence import RedisPresence
from rapid.store.subscription import Subscription
from rapid.table.ports import SHARDS_DEFAULT

SCRIPTS = (*inbox.SCRIPTS, *lease.SCRIPTS, *log.SCRIPTS, *presence.SCRIPTS)
FIRST_SAMPLES = 5
"""The clock is compared so often before the store is used."""


class RedisStore:
    """`Store` over Redis: one pipelined connection for all that does not block, and one for each reader that does."""

    def __init__(self, address: Address, client: Client, shards: int, limits: Limits) -> None:
        self.shards = shards
        self.is_silent = False
        self._address = address
        self._client = client
        self._readers = [Client(self._address, "rapid:inbox") for _ in range(min(LANES, shards))]
        self._feeds: list[RedisFeed] = []
        self._keeping: asyncio.Task[None] | None = None
        self.inbox = RedisInbox(self._client, self._readers, shards, limits)
        self.log = RedisLog(self._client, shards, limits)
        self.lease = RedisLease(self._client, limits)
        self.presence = RedisPresence(self._client, shards, limits)
        self.listing = RedisListing(self._client, shards)
        self.clock = RedisClock(self._client)

    def feed(self, gateway: str) -> RedisFeed:
        """Return the feed of a gateway, with connections of its own."""
        subscription = Subscription(self._address, "rapid:feed", keys.hello(gateway))
        answers = Client(self._address, "rapid:answers")
        feed = RedisFeed(gateway, self._client, answers, subscription, self.shards)
        self._feeds.append(feed)
        return feed

    async def ready(self) -> bool:
        """Whether Redis answers now."""
        try:
            answer = await self._client.call("PING")
        except StoreUnavailable as error:
            self.is_silent = isinstance(error, StoreSilent)
            return False
        self.is_silent = False
        return bool(answer == b"PONG")

    async def run_id(self) -> str:
        """Return the name of the present run of Redis; another one may have lost an unsynced tail (DESIGN 5)."""
        return await self._client.run_id()

    async def start(self) -> None:
        """Learn the clock and keep learning it."""
        for _ in range(FIRST_SAMPLES):
            await self.clock.read_ms()
        self._keeping = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """End all connections."""
        if self._keeping is not None:
            self._keeping.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeping
        for feed in self._feeds:
            await feed.close()
        await self._client.close()
        for reader in self._readers:
            await reader.close()

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(CLOCK_EVERY_MS / 1000)
            with suppress(StoreUnavailable):
                await self.clock.read_ms()
                await self.inbox.lengths()


async def open_store(url: str, *, shards: int | None = None, limits: Limits = DEFAULT_LIMITS) -> RedisStore:
    """Open the store at `redis://`, `rediss://` or `unix://`.

    The number of shards is fixed at the first start; None takes what was fixed then.
    `StoreUnavailable` if Redis does not answer, `ConfigError` if `shards` is another number.
    """
    address = parse_address(url)
    client = Client(address, "rapid", SCRIPTS)
    try:
        store = RedisStore(address, client, await fixed_shards(client, shards), limits)
        await store.start()
    except BaseException:
        await client.close()
        raise
    return store


async def fixed_shards(client: Client, shards: int | None) -> int:
    """Return the number of shards, which is fixed now if it was not; `ConfigError` if it is another than `shards`."""
    await client.call("SET", keys.SHARDS, SHARDS_DEFAULT if shards is None else shards, "NX")
    fixed = int(await client.call("GET", keys.SHARDS))
    if shards is not None and shards != fixed:
        raise ConfigError(f"this Redis holds tables in {fixed} shards and cannot be served with {shards}")
    return fixed
