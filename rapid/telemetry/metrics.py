"""The figures of one server process, for `/metrics`. Every limit has its value, its present use and its drops here."""

from __future__ import annotations

from typing import Final, Literal

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from rapid.config import Limits

# From half a millisecond to five seconds.
LATENCY_BUCKETS_SECONDS: Final = (
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
)  # fmt: skip
BATCH_BUCKETS_ENTRIES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

ConnectionKind = Literal["seat", "spectator"]
CONNECTION_KINDS: Final[tuple[ConnectionKind, ...]] = ("seat", "spectator")
CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


class Metrics:
    """One set of figures with a registry of its own, so that a process, or a test, can have several."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)

        # The game.
        self.intents = Counter(
            "rapid_intents", "Attempts by result: ok, or why they were refused", ["result"], registry=registry
        )
        self.events = Counter("rapid_events", "Events committed, by type", ["type"], registry=registry)
        self.accept_latency_seconds = Histogram(
            "rapid_accept_latency_seconds",
            "From the stamp of an entry to its events being sent to the viewers",
            buckets=LATENCY_BUCKETS_SECONDS,
            registry=registry,
        )
        self.batch_entries = Histogram(
            "rapid_batch_entries",
            "Inbox entries decided and committed together",
            buckets=BATCH_BUCKETS_ENTRIES,
            registry=registry,
        )
        self.open_tables = Gauge("rapid_open_tables", "Tables that this worker serves", registry=registry)
        self.quarantined_tables = Gauge(
            "rapid_quarantined_tables",
            "Tables that this worker has set aside, for a log it cannot read or a fault of its own",
            registry=registry,
        )
        self.log_corrupt = Counter(
            "rapid_log_corrupt", "Times a log could not be read by this gateway", registry=registry
        )
        self.followed_tables = Gauge(
            "rapid_followed_tables", "Tables that this gateway keeps folded for viewers", registry=registry
        )

        # Redis.
        self.redis_up = Gauge("rapid_redis_up", "1 while Redis answers, else 0", registry=registry)
        self.stream_length = Gauge(
            "rapid_stream_length", "Entries in the streams of a shard", ["kind", "shard"], registry=registry
        )
        self.epoch_takeovers = Counter(
            "rapid_epoch_takeovers", "Times this process took shards over with a raised epoch", registry=registry
        )
        self.fenced = Counter(
            "rapid_fenced_commits", "Commits that Redis refused for a newer epoch's sake", registry=registry
        )
        self.stamp_ahead_seconds = Gauge(
            "rapid_stamp_ahead_seconds",
            "How far the newest stamp of an inbox is ahead of Redis' clock, which was set back then",
            registry=registry,
        )
        self.log_gaps = Counter(
            "rapid_log_gaps", "Times a push was missing and the gap was read from the log", registry=registry
        )

        # Viewers.
        self.connections = Gauge("rapid_connections", "Open WebSockets", ["kind"], registry=registry)
        self.viewers_cut = Counter(
            "rapid_viewers_cut", "Viewers the server cut off, by the reason said", ["why"], registry=registry
        )
        self.viewer_buffer_bytes = Gauge(
            "rapid_viewer_buffer_largest_bytes", "What waits for the slowest viewer", registry=registry
        )

        # Limits.
        self.limit = Gauge("rapid_limit", "The limits in force; the unit is in the name", ["limit"], registry=registry)
        self.limit_hits = Counter(
            "rapid_limit_hits", "What was refused or dropped for a limit's sake", ["limit"], registry=registry
        )
        self._show_from_the_start(limits or Limits())

    def _show_from_the_start(self, limits: Limits) -> None:
        """A series that appears with its first increase hides that increase from `rate()`."""
        for kind in CONNECTION_KINDS:
            self.connections.labels(kind)
        for name in limits.__struct_fields__:
            self.limit.labels(name).set(getattr(limits, name))
            self.limit_hits.labels(name)

    def hit(self, limit: str) -> None:
        """Count a drop; `limit` is the field's name in `config.Limits`."""
        assert limit in Limits.__struct_fields__, limit
        self.limit_hits.labels(limit).inc()

    def render(self) -> bytes:
        """Return all figures in Prometheus' text format; `CONTENT_TYPE` goes with it."""
        return generate_latest(self.registry)
