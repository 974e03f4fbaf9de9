"""How many tables one address may open, and how many there may be. What is kept about addresses is bounded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rapid.wire.bucket import Bucket, Rate

ADDRESSES_MAX: Final = 10_000
"""The one heard of longest ago is forgotten first: it starts anew with a full bucket."""


class PerAddress:
    """A bucket for each address."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def wait_s(self, address: str, now_s: float) -> float:
        """Take one for this address and return 0; if there is none return in how many seconds there is."""
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(self._rate, now_s)
            if len(self._buckets) > ADDRESSES_MAX:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(address)
        return 0.0 if bucket.take(now_s) else bucket.wait_s()


class Openings:
    """Tables that this gateway is opening: what counts the open ones has not seen them all yet."""

    def __init__(self) -> None:
        self.begun = self.ended = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Open one within this."""
        self.begun += 1
        try:
            yield
        finally:
            self.ended += 1
