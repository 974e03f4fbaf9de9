"""Who has lost their seat in a log that is read from its beginning, and why."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UnsetType

from rapid.engine.events import AnyEvent, Leaving, SeatFreed, SeatTaken, TableClosed
from rapid.wire.close import LEFT, REMOVED, Ending


def ending_of(event: Leaving | SeatFreed) -> Ending:
    """Return how the connection of who has lost the seat so is ended (PROTOCOL 3.2)."""
    return LEFT if event.why == "left" else REMOVED


class Losses:
    """By the hash of a token: it has one seat, once."""

    def __init__(self) -> None:
        self.is_closed = False
        """Whether the table has been closed."""
        self._holders: dict[int, str | UnsetType] = {}
        self._why: dict[str, Ending] = {}

    def take(self, events: Iterable[AnyEvent]) -> None:
        """Follow a decision."""
        for event in events:
            if isinstance(event, SeatTaken):
                self._holders[event.seat] = event.token_hash
            elif isinstance(event, Leaving | SeatFreed):
                token_hash = self._holders.pop(event.seat, None)
                if isinstance(token_hash, str):
                    self._why[token_hash] = ending_of(event)
            elif isinstance(event, TableClosed):
                self.is_closed = True

    def why(self, token_hash: str | None) -> Ending | None:
        """Return how this token's holder is ended, None if they have lost no seat."""
        return None if token_hash is None else self._why.get(token_hash)
