"""Every limit and period of the store, with its name and unit."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True):
    """Periods in milliseconds of Redis time, sizes in entries. Tests shorten the periods."""

    lease_ms: int = 1_000
    """A shard whose owner has not renewed for so long is free; `RAPID_LEASE_MS`."""
    planned_ms: int = 2_000
    """How long the next owner may still find a planned hand-over."""
    worker_dead_ms: int = 1_000
    """A worker that has not beaten for so long is no longer counted: as long as a lease, so that there is room for
    its shards as soon as they are free."""
    gateway_dead_ms: int = 6_000
    """A gateway that has not beaten for so long has lost its connections."""
    gateway_forgotten_ms: int = 60_000
    """So long a dead gateway is reaped again and again, for what it may still have written."""
    log_kept_ms: int = 30 * 24 * 3_600_000
    """The log of a closed table can be read so long, then it expires; `RAPID_LOG_KEPT_DAYS`."""
    inbox_kept_ms: int = 60_000
    """Decided inbox entries are kept at least so long, for `Inbox.find`."""
    inbox_kept: int = 100
    """And at least so many of them. What has been dropped is still found in the log, if it was accepted."""
    inbox_trim_every_ms: int = 10_000
    """A shard's inbox is trimmed at most so often."""
    inbox_max: int = 500_000
    """A shard whose inbox is longer takes nothing more: nobody decides it."""
    answers_max: int = 10_000
    """Answers that a gateway has not read; older ones are dropped."""
    answers_kept_ms: int = 600_000
    """The answers of a gateway that is gone vanish after so long."""


DEFAULT_LIMITS = Limits()

COMMAND_TIMEOUT_MS = 2_000
"""A command that is not answered for so long breaks its connection."""
BLOCK_MARGIN_MS = 1_500
"""A blocking read gets so much longer than it asked to block."""
CONNECT_TIMEOUT_MS = 1_500
REQUESTS_MAX = 100_000
"""Commands under way on one connection."""
PIPE_MAX = 2_000
"""Commands of one call that are answered within `COMMAND_TIMEOUT_MS`; a longer call gets as much for each so many."""
FEED_QUEUE_MAX = 10_000
"""Deliveries a gateway has not taken; beyond it the feed forgets them and says `blind`."""
FEED_PING_MS = 1_000
"""A subscription is asked so often whether it lives."""
FEED_SILENT_MS = 3_000
"""A subscription that has said nothing for so long is broken."""
RECONNECT_FIRST_MS = 20
RECONNECT_LAST_MS = 1_000
FOLLOW_TIMEOUT_MS = 3_000
"""`follow` waits so long for the confirmation."""
CLOCK_EVERY_MS = 2_000
"""The clock is compared with that of Redis so often."""
