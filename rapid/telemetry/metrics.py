"""The figures of one server process, for `/metrics`. Every limit has its value, its present use and its drops here.

No label holds a table, a seat, a name or a token: their values are codes of ours, kinds, and numbers of shards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from rapid.config import Limits
from rapid.telemetry.figures import Figures

# From half a millisecond to five seconds.
LATENCY_BUCKETS_SECONDS: Final = (
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
)  # fmt: skip
# What happens within this process, or between it and Redis next door, is over sooner.
SHORT_BUCKETS_SECONDS: Final = (
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
)  # fmt: skip
BATCH_BUCKETS_ENTRIES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

ConnectionKind = Literal["seat", "spectator"]
CONNECTION_KINDS: Final[tuple[ConnectionKind, ...]] = ("seat", "spectator")
QUEUES: Final = ("intents", "deliveries", "fan_out_sockets")
ROUND_TRIPS: Final = ("post", "commit", "ping")
OK: Final = "ok"
CONTENT_TYPE: Final = CONTENT_TYPE_LATEST

# When a series began is known to whoever keeps it; saying so doubles what is sent.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """One set of figures with a registry of its own, so that a process, or a test, can have several.

    What is counted for every intent, event or frame is a plain number of `Figures`.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.registry = CollectorRegistry()
        self._figures = Figures()
        self._before_render: list[Callable[[], None]] = []
        for collector in (ProcessCollector(registry=None), PlatformCollector(registry=None), self._figures):
            self.registry.register(collector)
        self._add_game()
        self._add_worker()
        self._add_redis()
        self._add_viewers()
        self._add_process()
        self._add_limits(limits or Limits())

    def _add_game(self) -> None:
        self.intents = self._figures.counts(
            "rapid_intents",
            "What this gateway was asked and answered: ok (seats taken over HTTP too), or why it was refused",
            "result",
            [OK],
        )
        self.events = self._figures.counts("rapid_events", "Events committed by this worker, by type", "type")
        self.accept_latency = self._figures.spread(
            "rapid_accept_latency_seconds",
            "From the stamp of an intent in Redis to its events being written to the viewers of this gateway",
            LATENCY_BUCKETS_SECONDS,
        )
        self.stamp_to_commit = self._figures.spread(
            "rapid_stamp_to_commit_seconds",
            "From the stamp of an intent in Redis to its decision being durable, as its worker sees it",
            LATENCY_BUCKETS_SECONDS,
        )
        self.commit_to_sent = self._figures.spread(
            "rapid_commit_to_sent_seconds",
            "From a commit's push reaching this gateway to its events being written to the table's seats",
            SHORT_BUCKETS_SECONDS,
        )

    def _add_worker(self) -> None:
        self.batch_entries = self._figures.spread(
            "rapid_batch_entries",
            "Inbox entries decided and committed together: what had gathered since the batch before",
            BATCH_BUCKETS_ENTRIES,
        )
        self.shard_entries = self._figures.counts(
            "rapid_shard_entries", "Inbox entries that this worker decided, by shard", "shard"
        )
        self.shard_tables = self._gauge("rapid_shard_tables", "Open tables of each shard this worker serves", "shard")
        self.served_shards = self._gauge("rapid_served_shards", "Shards that this worker serves")
        self.open_tables = self._gauge("rapid_open_tables", "Tables that this worker serves")
        self.quarantined_tables = self._gauge(
            "rapid_quarantined_tables",
            "Tables that this worker has set aside, for a log it cannot read or a fault of its own",
        )
        self.epoch_takeovers = self._counter(
            "rapid_epoch_takeovers", "Times this process took shards over with a raised epoch"
        )
        self.fenced = self._counter("rapid_fenced_commits", "Commits that Redis refused for a newer epoch's sake")

    def _add_redis(self) -> None:
        self.redis_up = self._gauge("rapid_redis_up", "1 while Redis answers, else 0")
        self.shards = self._gauge("rapid_shards", "Shards that the tables of this Redis are hashed into")
        self.round_trips = self._figures.spreads(
            "rapid_redis_round_trip_seconds",
            "From a write of commands to the last of their replies, by what was asked of Redis",
            SHORT_BUCKETS_SECONDS,
            "call",
            ROUND_TRIPS,
        )
        self.stream_length = self._gauge("rapid_stream_length", "Entries in the streams of a shard", "kind", "shard")
        self.stamp_ahead_seconds = self._gauge(
            "rapid_stamp_ahead_seconds",
            "How far the newest stamp of an inbox is ahead of Redis' clock, which was set back then",
        )
        self.log_gaps = self._counter("rapid_log_gaps", "Times a push was missing and the gap was read from the log")
        self.log_corrupt = self._counter("rapid_log_corrupt", "Times a log could not be read by this gateway")

    def _add_viewers(self) -> None:
        self.connections = self._gauge("rapid_connections", "Open WebSockets at tables of this gateway", "kind")
        for kind in CONNECTION_KINDS:
            self.connections.labels(kind)
        self.followed_tables = self._gauge("rapid_followed_tables", "Tables that this gateway keeps folded for viewers")
        self.viewers_cut = self._figures.counts(
            "rapid_viewers_cut",
            "Viewers the server ended, by the reason said; too_slow: a reader that had stopped reading",
            "why",
        )
        self.viewer_buffer_bytes = self._gauge(
            "rapid_viewer_buffer_largest_bytes", "What waits for the slowest viewer, spectators too"
        )
        self.sent_bytes = self._figures.count(
            "rapid_sent_bytes", "Bytes of WebSocket frames handed to the sockets of viewers"
        )

    def _add_process(self) -> None:
        self.loop_lag = self._figures.spread(
            "rapid_loop_lag_seconds",
            "How much later than asked the event loop of this process ran a timer, asked 20 times a second",
            SHORT_BUCKETS_SECONDS,
        )
        self.queues = self._gauge(
            "rapid_queue_depth",
            "What waits in this gateway: intents for their decision, deliveries of Redis, sockets of spectators",
            "queue",
        )
        for queue in QUEUES:
            self.queues.labels(queue)

    def _add_limits(self, limits: Limits) -> None:
        """A series that appears with its first increase hides that increase from `rate()`."""
        self.limit = self._gauge("rapid_limit", "The limits in force; the unit is in the name", "limit")
        for name in limits.__struct_fields__:
            self.limit.labels(name).set(getattr(limits, name))
        self.limit_hits = self._figures.counts(
            "rapid_limit_hits", "What was refused or dropped for a limit's sake", "limit", limits.__struct_fields__
        )

    def _gauge(self, name: str, words: str, *labels: str) -> Gauge:
        return Gauge(name, words, labels, registry=self.registry)

    def _counter(self, name: str, words: str) -> Counter:
        return Counter(name, words, registry=self.registry)

    def hit(self, limit: str) -> None:
        """Count a drop; `limit` is the field's name in `config.Limits`."""
        assert limit in Limits.__struct_fields__, limit
        self.limit_hits[limit] += 1

    def before_render(self, look: Callable[[], None]) -> None:
        """Let `look` set gauges that are worth a walk only when somebody asks."""
        self._before_render.append(look)

    def render(self) -> bytes:
        """Return all figures in Prometheus' text format; `CONTENT_TYPE` goes with it."""
        for look in self._before_render:
            look()
        return generate_latest(self.registry)
