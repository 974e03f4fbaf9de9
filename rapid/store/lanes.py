"""Blocking reads of the inboxes, over several connections with some shards each (DESIGN decision 11).

What one XREAD costs, here and in Redis, grows with the streams it names, and at moderate loads it is paid for a single
entry. A connection for each shard would cost two system calls an entry instead, whatever comes together. Between the
two, a few lanes are cheap in both; what is ready on any of them is taken at once.
An XREAD is kept as it crosses the line: of the next one only the places that have moved are packed anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress, repeat
from operator import ne
from typing import Generic, TypeVar

from rapid.errors import StoreUnavailable
from rapid.store.connection import Client, checked
from rapid.store.line import Reply, Word, packed_word

LANES = 3

Row = TypeVar("Row")


class _Lane:
    """One connection. A read stays under way, over calls of `Lanes.read`, until Redis answers it."""

    __slots__ = ("_head", "_how", "_names", "_places", "answer", "asked", "client", "is_read", "turn")

    def __init__(self, client: Client, names: Mapping[int, bytes]) -> None:
        """`names`: its streams, by number of their shard."""
        self.client = client
        self.is_read = False
        self.turn = 0
        """Counts the reads, so that the answer to one that was broken off is told from that to the next."""
        self.answer: list[Reply] | StoreUnavailable | None = None
        self.asked: dict[int, str | None] = dict.fromkeys(names)
        """Where each shard is read from, None if it is not."""
        self._names = names
        self._places: dict[int, bytes] = dict.fromkeys(names, b"")
        """The same, packed."""
        self._head = b""
        """The command up to them; empty if it has to be made anew."""
        self._how = (0, 0)

    def command(self, after: Mapping[int, str], limit: int, block_ms: int) -> bytes:
        """Return the XREAD behind `after`; empty if none of the lane's shards is there."""
        moved = list(compress(self.asked, map(ne, map(after.get, self.asked), self.asked.values())))
        for shard in moved:
            place, before = after.get(shard), self.asked[shard]
            self.asked[shard] = place
            self._places[shard] = b"" if place is None else packed_word(place)
            if place is None or before is None:
                self._head = b""
        if not self._head or self._how != (limit, block_ms):
            names = [self._names[shard] for shard, place in self.asked.items() if place is not None]
            if not names:
                return b""
            self._how = (limit, block_ms)
            self._head = _head_of(names, limit, block_ms)
        return b"".join((self._head, *self._places.values()))


class Lanes(Generic[Row]):
    """A shard is always read on the same lane."""

    def __init__(self, clients: Sequence[Client], names: Sequence[bytes], row: Callable[[int, Reply], Row]) -> None:
        """`names`: the streams, by number of their shard; `row` makes what is read of a shard and an entry."""
        lanes, shards = len(clients), len(names)
        self._lanes = [
            _Lane(client, {shard: names[shard] for shard in range(n, shards, lanes)})
            for n, client in enumerate(clients)
        ]
        self._row = row
        self._shard_of = {name: shard for shard, name in enumerate(names)}
        self._ready: list[_Lane] = []
        self._waiting: asyncio.Future[None] | None = None

    async def read(self, after: Mapping[int, str], *, limit: int, block_ms: int) -> list[Row]:
        """Wait for the first answer and return the entries of all that are there; `StoreUnavailable`.

        A shard that is read already, but from elsewhere, is read from `after` as soon as its lane has been answered.
        """
        for lane in self._lanes:
            if not lane.is_read:
                self._ask(lane, after, limit, block_ms)
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

    def _ask(self, lane: _Lane, after: Mapping[int, str], limit: int, block_ms: int) -> None:
        command = lane.command(after, limit, block_ms)
        if command:
            lane.is_read = True
            lane.turn += 1
            lane.client.start((command,), partial(self._answered, lane, lane.turn), block_ms=block_ms)

    def _answered(self, lane: _Lane, turn: int, answer: list[Reply] | StoreUnavailable) -> None:
        """Redis has answered, or will not."""
        if not lane.is_read or lane.turn != turn:
            return  # broken off
        lane.answer = answer
        self._ready.append(lane)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _take(self, after: Mapping[int, str]) -> list[Row]:
        ready, self._ready = self._ready, []
        for lane in ready:
            lane.is_read = False
        rows: list[Row] = []
        for lane in ready:
            answer, asked = lane.answer, lane.asked
            if not isinstance(answer, list):
                raise answer or StoreUnavailable("no answer")
            for stream, entries in checked(answer[0]) or ():
                shard = self._shard_of[stream]
                # A shard that has been taken anew since then goes on from another place.
                if after.get(shard) == asked[shard]:
                    rows += map(self._row, repeat(shard), entries)
        return rows

    def _break_off(self) -> None:
        """Nobody reads any more: a blocked connection is of no use."""
        for lane in self._lanes:
            if lane.is_read:
                lane.is_read = False
                lane.client.abort()
        self._ready.clear()


def _head_of(names: Sequence[bytes], limit: int, block_ms: int) -> bytes:
    """Return the command up to the places, one for each name."""
    words: tuple[Word, ...] = ("XREAD", "COUNT", limit, "BLOCK", block_ms, "STREAMS", *names)
    return b"*%d\r\n" % (len(words) + len(names)) + b"".join(map(packed_word, words))
