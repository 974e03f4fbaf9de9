"""A bounded queue of deliveries to one gateway."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from rapid.table.ports import Delivery

Taker = Callable[[Delivery], None]
HANDED_PER_TURN = 32
"""Deliveries handed over within one reading of the loop's clock; those behind them wait for `take`."""


class Merge:
    """Keeps at most `most` deliveries. Beyond that pushes and notes are forgotten and `blind` says so.

    Answers are never forgotten here: their number is bounded by what the gateway asks.
    """

    def __init__(self, most: int) -> None:
        self.forgotten = 0
        """How many pushes and notes were dropped, a counter."""
        self._most = most
        self._taker: Taker | None = None
        self._turn_s = 0.0
        self._handed = 0
        self._waiting: deque[Delivery] = deque()
        self._there = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def hand_to(self, taker: Taker) -> None:
        """From now on call this, at once, with what comes while nothing waits; in its order with what is taken."""
        self._taker = taker

    def put(self, delivery: Delivery) -> None:
        """Add a delivery."""
        if self._taker is not None and not self._waiting and self._may_hand():
            self._taker(delivery)
            return
        self._waiting.append(delivery)
        if len(self._waiting) > self._most and delivery.answers is None:
            self.forget()
        self._there.set()

    def forget(self) -> None:
        """Forget the pushes and notes that wait; where there are any, `blind` says so."""
        answers = [waiting for waiting in self._waiting if waiting.answers is not None]
        forgotten = len(self._waiting) - len(answers)
        if forgotten:
            self.forgotten += forgotten
            self._waiting = deque([*answers, Delivery(blind=True)])

    def _may_hand(self) -> bool:
        """Only some in a row: the loop has other work too."""
        now_s = asyncio.get_running_loop().time()
        if now_s != self._turn_s:
            self._turn_s, self._handed = now_s, 0
        self._handed += 1
        return self._handed <= HANDED_PER_TURN

    async def take(self) -> Delivery:
        """Wait for the next delivery."""
        while not self._waiting:
            self._there.clear()
            await self._there.wait()
        return self._waiting.popleft()
