"""A bounded queue of deliveries to one gateway."""

from __future__ import annotations

import asyncio
from collections import deque

from rapid.table.ports import Delivery


class Merge:
    """Keeps at most `most` deliveries. Beyond that pushes and notes are forgotten and `blind` says so.

    Answers are never forgotten here: their number is bounded by what the gateway asks.
    """

    def __init__(self, most: int) -> None:
        self.forgotten = 0
        """How many pushes and notes were dropped, a counter."""
        self._most = most
        self._waiting: deque[Delivery] = deque()
        self._there = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, delivery: Delivery) -> None:
        """Add a delivery."""
        self._waiting.append(delivery)
        if len(self._waiting) > self._most and delivery.answers is None:
            answers = [waiting for waiting in self._waiting if waiting.answers is not None]
            self.forgotten += len(self._waiting) - len(answers)
            self._waiting = deque([*answers, Delivery(blind=True)])
        self._there.set()

    async def take(self) -> Delivery:
        """Wait for the next delivery."""
        while not self._waiting:
            self._there.clear()
            await self._there.wait()
        return self._waiting.popleft()
