"""Blocking reads of the inboxes, over several connections with some shards each (DESIGN decision 11).

What one XREAD costs, here and in Redis, grows with the streams it names, and at moderate loads it is paid for a single
entry. A connection for each shard would cost two system calls an entry instead, whatever comes together. Between the
two, a few lanes are cheap in both; what is ready on any of them is taken at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from rapid.errors import StoreUnavailable
from rapid.store.connection import Client, checked
from rapid.store.line import Command, Reply

LANES = 3
Row = tuple[int, Reply]
"""A shard, and an entry of its stream."""


class _Reading:
    """One XREAD, and what came of it."""

    __slots__ = ("answer", "lane", "tell")

    def __init__(self, lane: _Lane, tell: Callable[[_Reading], None]) -> None:
        self.lane = lane
        self.tell = tell
        self.answer: list[Reply] | StoreUnavailable | None = None

    def done(self, answer: list[Reply] | StoreUnavailable) -> None:
        """Redis has answered, or will not."""
        self.answer = answer
        self.tell(self)


class _Lane:
    """One connection. A read stays under way, over calls of `Lanes.read`, until Redis answers it."""

    __slots__ = ("asked", "client", "reading", "shards")

    def __init__(self, client: Client, shards: Sequence[int]) -> None:
        self.client = client
        self.shards = shards
        self.asked: dict[int, str] = {}
        """The shards that are being read, with where from."""
        self.reading: _Reading | None = None


class Lanes:
    """A shard is always read on the same lane."""

    def __init__(self, clients: Sequence[Client], names: Sequence[bytes]) -> None:
        """`names`: the streams, by number of their shard."""
        lanes, shards = len(clients), len(names)
        self._lanes = [_Lane(client, range(n, shards, lanes)) for n, client in enumerate(clients)]
        self._names = names
        self._shard_of = {name: shard for shard, name in enumerate(names)}
        self._ready: list[_Lane] = []
        self._waiting: asyncio.Future[None] | None = None

    async def read(self, after: Mapping[int, str], *, limit: int, block_ms: int) -> list[Row]:
        """Wait for the first answer and return the entries of all that are there; `StoreUnavailable`.

        A shard that is read already, but from elsewhere, is read from `after` as soon as its lane has been answered.
        """
        self._ask(after, limit, block_ms)
        if not self._ready:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            except asyncio.CancelledError:
                self._break_off()
                raise
            finally:
                self._waiting = None
        return self._take(after)

    def _ask(self, after: Mapping[int, str], limit: int, block_ms: int) -> None:
        for lane in self._lanes:
            if lane.reading is None:
                asked = {shard: after[shard] for shard in lane.shards if shard in after}
                if asked:
                    names = map(self._names.__getitem__, asked)
                    command: Command = ("XREAD", "COUNT", limit, "BLOCK", block_ms, "STREAMS", *names, *asked.values())
                    lane.asked = asked
                    lane.reading = _Reading(lane, self._answered)
                    lane.client.start((command,), lane.reading.done, block_ms=block_ms)

    def _answered(self, reading: _Reading) -> None:
        if reading.lane.reading is not reading:
            return  # broken off
        self._ready.append(reading.lane)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _take(self, after: Mapping[int, str]) -> list[Row]:
        ready, self._ready = self._ready, []
        answers = []
        for lane in ready:
            assert lane.reading is not None
            answers.append((lane.asked, lane.reading.answer))
            lane.reading = None
        rows: list[Row] = []
        for asked, answer in answers:
            if not isinstance(answer, list):
                raise answer or StoreUnavailable("no answer")
            for stream, entries in checked(answer[0]) or ():
                shard = self._shard_of[stream]
                # A shard that has been taken anew since then goes on from another place.
                if after.get(shard) == asked[shard]:
                    rows += [(shard, entry) for entry in entries]
        return rows

    def _break_off(self) -> None:
        """Nobody reads any more: a blocked connection is of no use."""
        for lane in self._lanes:
            if lane.reading is not None:
                lane.reading = None
                lane.client.abort()
        self._ready.clear()
