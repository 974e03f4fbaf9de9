"""The network between a process and Redis: one connection after the other, each first in, first out, none of them safe.

What is lost on a TCP connection is lost with it: a request that does not arrive or a reply that
does not come back looks the same to who waits for it (`StoreUnavailable`, effect unknown).
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rapid.errors import StoreUnavailable
from rapid.store.memory.world import Data, Link
from tests.simulation.loop import VirtualLoop

if TYPE_CHECKING:
    from tests.simulation.redis_model import SimWorld

BEHIND_S = 1e-6
"""Two things on one connection never arrive at the same moment."""
TIMEOUT_S = 2.0
"""A request whose answer does not come is given up after so long at the latest."""


@dataclass
class Weather:
    """How the network is just now: chances of one request, push or frame, and delays in seconds."""

    delay_s: tuple[float, float] = (0.0002, 0.003)
    slow: float = 0.0
    """How often something takes `slow_s` instead."""
    slow_s: tuple[float, float] = (0.02, 0.4)
    request_lost: float = 0.0
    reply_lost: float = 0.0
    push_lost: float = 0.0
    push_doubled: float = 0.0
    push_reordered: float = 0.0
    answer_doubled: float = 0.0


CALM = Weather()


class Net:
    """The weather, the dice, and what has happened."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.weather = CALM
        self.counts: Counter[str] = Counter()
        self.on_fault = lambda _kind: None

    def delay_s(self) -> float:
        """Draw how long something is on its way."""
        weather, dice = self.weather, self.dice
        if weather.slow and dice.random() < weather.slow:
            self.note("delay")
            low, high = weather.slow_s
        else:
            low, high = weather.delay_s
        return low + (high - low) * dice.random()

    def happens(self, kind: str, chance: float) -> bool:
        """Draw whether a fault happens, and count it."""
        if not chance or self.dice.random() >= chance:
            return False
        self.note(kind)
        return True

    def note(self, kind: str) -> None:
        """Count a fault."""
        self.counts[kind] += 1
        self.on_fault(kind)


class SimLink(Link):
    """One connection of a process; `call` is what every port's call goes through."""

    world: SimWorld

    def __init__(self, world: SimWorld) -> None:
        super().__init__(world)
        self.net = world.net
        self.flying: dict[asyncio.Future[Any], None] = {}
        self._last_s = 0.0

    @asynccontextmanager
    async def call(self) -> AsyncIterator[Data]:
        """Travel there, take effect, travel back."""
        await self.depart()
        self.meet_run()
        yield self.world.data
        if self._answers_to_lose:
            self._answers_to_lose -= 1
            raise StoreUnavailable("the answer was lost")
        await self._travel("reply_lost", self.net.weather.reply_lost)

    async def depart(self) -> None:
        """Travel there: a call that waits at Redis is made in parts.

        On a calm day every other request is there at once, its way being counted with that of the reply.
        """
        net = self.net
        is_calm = net.weather is CALM and not self.is_cut and not self.world.is_down
        if is_calm and self._last_s < asyncio.get_running_loop().time() and net.dice.random() < 0.7:
            return
        await self._travel("request_lost", self.net.weather.request_lost)

    async def arrive(self) -> None:
        """Travel back."""
        await self._travel("reply_lost", self.net.weather.reply_lost)

    async def do(self, work: Callable[[Data], Any]) -> Any:
        """A call that is written in one go: it takes effect when it arrives, whatever has become of its sender."""
        loop, net = asyncio.get_running_loop(), self.net
        if self.is_cut or self.world.is_down:
            await asyncio.sleep(net.delay_s())
            raise StoreUnavailable("the store is away")
        future: asyncio.Future[Any] = loop.create_future()
        if net.happens("request_lost", net.weather.request_lost):
            call_at(loop, loop.time() + net.dice.random() * TIMEOUT_S, _lose, future, self)
        else:
            self._last_s = at = max(loop.time() + net.delay_s(), self._last_s + BEHIND_S)
            call_at(loop, at, self._work, work, future)
        result = await self.fly(future)
        self.meet_run()
        return result

    def _work(self, work: Callable[[Data], Any], future: asyncio.Future[Any]) -> None:
        if future.done():
            return  # its connection broke
        loop, net = asyncio.get_running_loop(), self.net
        try:
            result = work(self.world.data)
        except StoreUnavailable as error:
            future.set_exception(error)
            return
        if self._answers_to_lose:
            self._answers_to_lose -= 1
            future.set_exception(StoreUnavailable("the answer was lost"))
        elif net.happens("reply_lost", net.weather.reply_lost):
            call_at(loop, loop.time() + net.dice.random() * TIMEOUT_S, _lose, future, self)
        else:
            self._last_s = at = max(loop.time() + net.delay_s(), self._last_s + BEHIND_S)
            call_at(loop, at, _land, future, result)

    def break_off(self) -> None:
        """Fault: all that is under way is lost; the next call makes a new connection."""
        self._last_s = 0.0
        flying, self.flying = self.flying, {}
        for future in flying:
            if not future.done():
                future.set_exception(StoreUnavailable("the connection broke"))

    def cut(self) -> None:
        """Fault: nothing goes through until `mend`."""
        super().cut()
        self.break_off()

    async def fly(self, future: asyncio.Future[Any]) -> Any:
        """Wait for something that breaks with this connection."""
        self.flying[future] = None
        try:
            return await future
        finally:
            self.flying.pop(future, None)

    async def _travel(self, loss: str, chance: float) -> None:
        loop = asyncio.get_running_loop()
        if self.is_cut or self.world.is_down:
            await asyncio.sleep(self.net.delay_s())
            raise StoreUnavailable("the store is away")
        at = max(loop.time() + self.net.delay_s(), self._last_s + BEHIND_S)
        future = loop.create_future()
        if self.net.happens(loss, chance):
            at = loop.time() + self.net.dice.random() * TIMEOUT_S
            call_at(loop, at, _lose, future, self)
        else:
            self._last_s = at
            call_at(loop, at, _land, future)
        await self.fly(future)
        if self.is_cut or self.world.is_down:
            raise StoreUnavailable("the store is away")


def call_at(loop: asyncio.AbstractEventLoop, at: float, callback: Callable[..., None], *args: Any) -> None:
    """Call in no process: the network goes on while a process is stopped or dead.

    The contract suite has a loop of asyncio's own.
    """
    if isinstance(loop, VirtualLoop):
        loop.outside_at(at, callback, *args)
    else:
        loop.call_at(at, callback, *args)


def _land(future: asyncio.Future[Any], result: Any = None) -> None:
    if not future.done():
        future.set_result(result)


def _lose(future: asyncio.Future[Any], link: SimLink) -> None:
    """Half of the time the connection goes with it, and all that is on it."""
    if not future.done():
        future.set_exception(StoreUnavailable("no answer in time"))
        if link.net.dice.random() < 0.5:
            link.break_off()
