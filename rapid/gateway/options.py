"""What a gateway can be told, and its periods; the limits on clients are `rapid.config.Limits`."""

from __future__ import annotations

from msgspec import Struct

from rapid.config import Limits
from rapid.wire.bucket import Rate
from rapid.wire.session import Limits as SessionLimits


class GatewayOptions(Struct, frozen=True, kw_only=True):
    """Periods in milliseconds unless the name says otherwise. Tests shorten them."""

    limits: Limits = Limits()
    dev: bool = False
    origins: tuple[str, ...] = ()
    """Further origins whose pages may connect (PROTOCOL 3)."""
    decision_timeout_ms: int = 10_000
    """An HTTP request waits so long for the table's authority, then answers 503."""
    hello_hold_ms: int = 5_000
    """A hello waits so long for a Redis that is away, then the client is told to come back."""
    close_grace_ms: int = 2_000
    """A client that does not answer a close is cut off after so long."""
    hand_over_ms: int = 1_000
    """At the end our seats may be opened on another gateway for so long, before they are lost connections."""
    heartbeat_ms: int = 20_000
    """Silent connections are probed so often."""
    check_every_ms: int = 1_000
    """Beat, presence counts, and a look at the tails of all followed logs (DESIGN decision 6)."""
    probe_every_ms: int = 250
    """While Redis is away it is asked so often."""
    cut_off_ms: int = 3_000
    """When Redis has not even refused for so long, clients are told to come back, to another gateway if they can."""
    table_idle_ms: int = 60_000
    """A table nobody watches is forgotten after so long."""
    history_records: int = 32
    """Decisions kept in each table for clients that come back with `since`; older ones get a view."""
    read_page: int = 500
    """Log entries read and folded between two turns of the loop."""
    asks_per_connection_max: int = 256
    """Undecided intents of one connection; more are refused as `unavailable`."""
    body_max_bytes: int = 16_384
    """Of an HTTP request."""

    def session_limits(self) -> SessionLimits:
        """Return what one connection may send."""
        limits = self.limits
        return SessionLimits(
            messages=Rate(limits.messages_per_second, limits.messages_burst),
            intents=Rate(limits.intents_per_second, limits.intents_burst),
            reactions=Rate(limits.reactions_per_second, max(1.0, limits.reactions_per_second)),
            hello_s=limits.hello_timeout_ms / 1000,
        )
