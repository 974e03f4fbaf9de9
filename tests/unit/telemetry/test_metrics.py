"""The figures that operators and dashboards rely on, by name."""

import pytest

from rapid.config import Limits
from rapid.telemetry.metrics import Metrics


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_names_as_operators_know_them():
    metrics = Metrics()
    metrics.intents["ok"] += 1
    metrics.intents["stale"] += 2
    metrics.open_tables.set(3)
    metrics.connections.labels("seat").inc()
    metrics.stream_length.labels("inbox", "17").set(5)
    metrics.epoch_takeovers.inc()
    metrics.viewers_cut["too_slow"] += 1
    assert value(metrics, "rapid_intents_total", result="ok") == 1
    assert value(metrics, "rapid_intents_total", result="stale") == 2
    assert value(metrics, "rapid_open_tables") == 3
    assert value(metrics, "rapid_connections", kind="seat") == 1
    assert value(metrics, "rapid_connections", kind="spectator") == 0
    assert value(metrics, "rapid_stream_length", kind="inbox", shard="17") == 5
    assert value(metrics, "rapid_epoch_takeovers_total") == 1
    assert value(metrics, "rapid_viewers_cut_total", why="too_slow") == 1


@pytest.mark.parametrize("seconds,bucket", [(0.0004, "0.0005"), (0.0009, "0.001"), (4.9, "5.0"), (6, "+Inf")])
def test_accept_latency_has_buckets_from_half_a_millisecond_to_five_seconds(seconds, bucket):
    metrics = Metrics()
    metrics.accept_latency.note(seconds)
    samples = [
        s for m in metrics.registry.collect() for s in m.samples if s.name == "rapid_accept_latency_seconds_bucket"
    ]
    first_full = next(sample.labels["le"] for sample in samples if sample.value)
    assert first_full == bucket


def test_every_limit_has_its_value_and_its_drops():
    metrics = Metrics(Limits(messages_burst=1))
    assert value(metrics, "rapid_limit", limit="messages_burst") == 1
    for name in Limits.__struct_fields__:
        assert value(metrics, "rapid_limit", limit=name) is not None
        assert value(metrics, "rapid_limit_hits_total", limit=name) == 0
    metrics.hit("messages_burst")
    assert value(metrics, "rapid_limit_hits_total", limit="messages_burst") == 1


def test_a_drop_for_no_known_limit_is_a_bug():
    with pytest.raises(AssertionError, match="patience"):
        Metrics().hit("patience")


def test_two_sets_do_not_mix():
    one, other = Metrics(), Metrics()
    one.epoch_takeovers.inc()
    assert value(other, "rapid_epoch_takeovers_total") == 0
    assert b"rapid_epoch_takeovers_total 1.0" in one.render()
    assert b"process_cpu_seconds_total" in one.render()
