"""A Pub/Sub connection that stands up again by itself, and says that it had fallen (DESIGN decision 6)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable

from rapid.errors import StoreUnavailable
from rapid.store.address import Address
from rapid.store.limits import (
    FEED_PING_MS,
    FEED_SILENT_MS,
    FOLLOW_TIMEOUT_MS,
    RECONNECT_FIRST_MS,
    RECONNECT_LAST_MS,
)
from rapid.store.line import Line, Reply, open_line

SUBSCRIBE_MAX = 1_000
"""Channels named in one command."""


def _ignore_message(channel: str, payload: bytes) -> None:
    """Until the owner has said what to do with messages."""


def _ignore_blind() -> None:
    """Until the owner has said what to do when something was missed."""


class Subscription:
    """Channels followed over one connection; `hello` is a channel of its own, so that it may always be pinged."""

    def __init__(self, address: Address, name: str, hello: str) -> None:
        self.on_message: Callable[[str, bytes], None] = _ignore_message
        self.on_blind: Callable[[], None] = _ignore_blind
        self._address = address
        self._name = name
        self._hello = hello
        self._wanted: set[str] = {hello}
        # Confirmations still to come, by channel: those of SUBSCRIBEs before an UNSUBSCRIBE must not count.
        self._owed: Counter[str] = Counter()
        self._confirmed: set[str] = set()
        self._waiters: dict[str, asyncio.Future[None]] = {}
        self._line: Line | None = None
        self._heard_at = 0.0
        self._is_deaf = False
        """What comes before `on_blind` may be of another run's story, and is read from the log behind it."""

    async def follow(self, channel: str) -> None:
        """Subscribe; return once Redis has confirmed, `StoreUnavailable` if it does not in time."""
        if channel in self._confirmed:
            return
        self._wanted.add(channel)
        waiter = self._waiters.get(channel)
        if waiter is None:
            waiter = self._waiters[channel] = asyncio.get_running_loop().create_future()
            self._subscribe([channel])
        try:
            async with asyncio.timeout(FOLLOW_TIMEOUT_MS / 1000):
                await asyncio.shield(waiter)
        except TimeoutError as error:
            self.unfollow(channel)
            raise StoreUnavailable("Redis has not confirmed the subscription") from error

    def unfollow(self, channel: str) -> None:
        """End that; whoever still waits for the confirmation is told that there will be none."""
        self._wanted.discard(channel)
        self._confirmed.discard(channel)
        waiter = self._waiters.pop(channel, None)
        if waiter is not None and not waiter.done():
            waiter.set_exception(StoreUnavailable("the subscription was ended"))
            waiter.exception()  # nobody may be waiting
        if self._line is not None and self._line.is_up:
            self._line.write([("UNSUBSCRIBE", channel)])

    def leave_other_runs(self, run: str | None) -> None:
        """Redis is this run: a connection to another hears nothing more, and stands up again."""
        line = self._line
        if line is not None and (line.ident is None or line.ident[0] != run):
            line.abort()

    async def run(self) -> None:
        """Keep the connection up, without end."""
        try:
            await self._keep_up()
        finally:
            line = self._line
            self._drop()
            if line is not None:
                await line.lost

    async def _keep_up(self) -> None:
        pause_ms, is_first = RECONNECT_FIRST_MS, True
        while True:
            self._is_deaf = not is_first
            try:
                await self._stand_up()
            except StoreUnavailable:
                await asyncio.sleep(pause_ms / 1000)
                pause_ms = min(pause_ms * 2, RECONNECT_LAST_MS)
                continue
            self._is_deaf = False
            if not is_first:
                # Only now: whoever reads the log on hearing this misses nothing that comes later.
                self.on_blind()
            pause_ms, is_first = RECONNECT_FIRST_MS, False
            await self._watch_over()

    async def _stand_up(self) -> None:
        """Connect, subscribe to all that is wanted, and wait until all is confirmed."""
        self._drop()
        line = await open_line(self._address, self._name)
        line.on_push = self._pushed
        self._line = line
        confirmed = self._waiters[self._hello] = asyncio.get_running_loop().create_future()
        # `hello` last: replies come in order.
        self._subscribe([*(self._wanted - {self._hello}), self._hello])
        await asyncio.wait((confirmed, line.lost), timeout=FOLLOW_TIMEOUT_MS / 1000, return_when="FIRST_COMPLETED")
        if not confirmed.done():
            self._drop()
            raise StoreUnavailable("Redis has not confirmed the subscriptions")

    async def _watch_over(self) -> None:
        """Return when the connection is gone, or has said nothing for too long."""
        line = self._line
        assert line is not None
        loop = asyncio.get_running_loop()
        self._heard_at = loop.time()
        while not line.lost.done() and loop.time() - self._heard_at < FEED_SILENT_MS / 1000:
            line.write([("PING",)])
            await asyncio.wait((line.lost,), timeout=FEED_PING_MS / 1000)

    def _drop(self) -> None:
        """Forget the connection and all that was confirmed over it."""
        if self._line is not None:
            self._line.on_push = None
            self._line.abort()
            self._line = None
        self._owed.clear()
        self._confirmed.clear()
        self._waiters.pop(self._hello, None)

    def _subscribe(self, channels: Iterable[str]) -> None:
        line = self._line
        if line is None or not line.is_up:
            return  # standing up again subscribes to all that is wanted
        names = list(channels)
        self._owed.update(names)
        line.write([("SUBSCRIBE", *names[i : i + SUBSCRIBE_MAX]) for i in range(0, len(names), SUBSCRIBE_MAX)])

    def _pushed(self, reply: Reply) -> None:
        self._heard_at = asyncio.get_running_loop().time()
        if not isinstance(reply, list) or len(reply) != 3:
            return  # the answer to a PING
        kind, channel, payload = reply
        if kind == b"message":
            if self._is_deaf:
                return
            self.on_message(channel.decode(), payload)
        elif kind == b"subscribe":
            self._confirm(channel.decode())

    def _confirm(self, channel: str) -> None:
        self._owed[channel] -= 1
        if self._owed[channel] > 0:
            return
        del self._owed[channel]
        if channel not in self._wanted:
            return
        self._confirmed.add(channel)
        waiter = self._waiters.pop(channel, None)
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
