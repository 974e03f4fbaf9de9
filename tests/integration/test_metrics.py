"""What operators see of a gateway and a worker: each figure moves when the thing happens, and holds nothing hidden."""

import asyncio
import re

import pytest

from rapid.config import Limits
from rapid.engine.intents import Pass
from rapid.wire.close import ENDINGS
from tests.integration.gateway_bench import served_by
from tests.integration.metrics_bench import Shown, shown_at, shown_of_a_game

UNITS = ("_seconds", "_bytes", "_entries", "_ratio")
PLAIN_LABELS = {"result", "type", "why", "kind", "shard", "call", "queue", "limit", "le"}
SHARDS = 64


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return asyncio.run(shown_of_a_game(tmp_path_factory.mktemp("metrics")))


def grew(pair, name, **labels):
    before, behind = pair
    missing = name not in before.names
    return behind.total(name, **labels) - (0 if missing else before.total(name, **labels))


GATEWAY_MOVES = [
    ("rapid_intents_total", {"result": "ok"}),
    ("rapid_intents_total", {"result": "wrong_phase"}),
    ("rapid_accept_latency_seconds_count", {}),
    ("rapid_accept_latency_seconds_sum", {}),
    ("rapid_commit_to_sent_seconds_count", {}),
    ("rapid_commit_to_sent_seconds_sum", {}),
    ("rapid_redis_round_trip_seconds_count", {"call": "post"}),
    ("rapid_redis_round_trip_seconds_count", {"call": "ping"}),
    ("rapid_loop_lag_seconds_count", {}),
    ("rapid_sent_bytes_total", {}),
    ("rapid_connections", {"kind": "seat"}),
    ("rapid_connections", {"kind": "spectator"}),
    ("rapid_followed_tables", {}),
    ("process_cpu_seconds_total", {}),
]
WORKER_MOVES = [
    ("rapid_events_total", {"type": "played"}),
    ("rapid_events_total", {"type": "game_ended"}),
    ("rapid_stamp_to_commit_seconds_count", {}),
    ("rapid_batch_entries_count", {}),
    ("rapid_redis_round_trip_seconds_count", {"call": "commit"}),
    ("rapid_shard_entries_total", {}),
    ("rapid_loop_lag_seconds_count", {}),
    ("rapid_stream_length", {"kind": "inbox"}),
    ("rapid_open_tables", {}),
    ("rapid_shard_tables", {}),
]


@pytest.mark.parametrize("name,labels", GATEWAY_MOVES)
def test_a_game_moves_what_the_gateway_shows(told, name, labels):
    assert grew(told.gateway, name, **labels) > 0


@pytest.mark.parametrize("name,labels", WORKER_MOVES)
def test_a_game_moves_what_the_worker_shows(told, name, labels):
    assert grew(told.worker, name, **labels) > 0


def test_figures_that_are_one_agree(told):
    gateway, worker = told.gateway[1], told.worker[1]
    assert gateway.total("rapid_connections", kind="seat") == 1
    assert gateway.total("rapid_connections", kind="spectator") == 1
    assert worker.total("rapid_served_shards") == worker.total("rapid_shards") == SHARDS
    assert worker.total("rapid_shard_tables") == 1
    assert gateway.total("rapid_shards") == SHARDS
    assert gateway.total("rapid_redis_up") == worker.total("rapid_redis_up") == 1
    # Every commit has a stamp and one event at least; every commit of a batch is written with it.
    commits = worker.total("rapid_stamp_to_commit_seconds_count")
    assert commits <= worker.total("rapid_events_total")
    assert worker.total("rapid_redis_round_trip_seconds_count", call="commit") <= commits
    assert worker.total("rapid_shard_entries_total") == worker.total("rapid_batch_entries_sum")
    # What was pushed here was committed there.
    assert gateway.total("rapid_accept_latency_seconds_count") <= commits + SHARDS


def test_nothing_hidden_and_nobodys_name_is_shown(told):
    for shown in (*told.gateway, *told.worker):
        for secret in told.secrets:
            assert secret not in shown.text


def test_labels_take_few_values_known_beforehand(told):
    for shown in (*told.gateway, *told.worker):
        ours = [sample for sample in shown.samples if sample.name.startswith("rapid_")]
        assert {label for sample in ours for label in sample.labels} <= PLAIN_LABELS
        assert all(re.fullmatch(r"[a-z_]+|\d{1,3}|[\d.]+|\+Inf", v) for s in ours for v in s.labels.values())
        assert len(shown.values_of("shard")) <= SHARDS
        assert shown.values_of("limit") <= set(Limits.__struct_fields__)
        assert len(ours) < 700


def test_a_series_is_there_before_its_first_increase(told):
    """One that appears with it hides it from `rate()`."""
    gateway, worker = told.gateway[0], told.worker[0]
    assert gateway.total("rapid_viewers_cut_total", why="too_slow") == 0
    assert {s.labels["why"] for s in gateway.samples if s.name == "rapid_viewers_cut_total"} >= {e.why for e in ENDINGS}
    for result in ("ok", "stale", "too_weak", "malformed", "rate_limited", "unavailable"):
        assert gateway.total("rapid_intents_total", result=result) == 0
    assert worker.total("rapid_events_total", type="race_lost") == 0
    assert worker.total("rapid_shard_entries_total") == 0


def test_every_figure_says_what_it_is_and_in_what_unit(told):
    for shown in (told.gateway[1], told.worker[1]):
        for family, words in shown.help.items():
            assert len(words.split()) >= 3, family
            if family.startswith("rapid_") and shown.kinds[family] == "histogram":
                assert family.endswith(UNITS), family


# What no short game of a healthy server brings about


async def test_a_reader_that_stops_reading_is_counted(redis_url):
    async with served_by(redis_url, {"viewer_buffer_max_bytes": 20_000}) as server:
        opened = await server.open()
        slow, _ = await server.join(opened["table"])
        transport = slow.socket._response.connection.transport
        transport.pause_reading()
        (viewer,) = server.gateway.viewers.values()
        # What the kernel takes on both sides is much more than our limit.
        flood = b"\x82\x7e\xff\xff" + b"\x00" * 65_535
        async with asyncio.timeout(20):
            while viewer.ending is None:
                viewer.send(flood)
                await asyncio.sleep(0)
        shown = await shown_at(server.http, server.url + "/metrics")
        transport.abort()
    assert shown.total("rapid_viewers_cut_total", why="too_slow") == 1
    assert shown.total("rapid_limit_hits_total", limit="viewer_buffer_max_bytes") == 1
    assert shown.total("rapid_sent_bytes_total") > 20_000


async def test_intents_that_wait_for_their_decision_are_shown(redis_url):
    """None of them has been posted yet."""
    async with served_by(redis_url) as server:
        for n in range(3):
            server.gateway.asks.ask("abcdefghij", Pass(n, 1), lambda _seq, _why: None)
        shown = Shown(server.gateway.metrics.render().decode())
        assert shown.total("rapid_queue_depth", queue="intents") == 3


async def test_sockets_that_wait_for_their_turn_are_shown(redis_url):
    async with served_by(redis_url) as server:
        opened = await server.open()
        for _ in range(3):
            await server.join(opened["table"])
        table = server.gateway.hub.tables[opened["table"]]
        table.announce(77)
        shown = Shown(server.gateway.metrics.render().decode())
        assert shown.total("rapid_queue_depth", queue="fan_out_sockets") == 3


async def test_bytes_out_are_those_that_a_viewer_gets(redis_url):
    async with served_by(redis_url) as server:
        opened = await server.open()
        client, _ = await server.join(opened["table"], opened["token"])
        await client.ask("react", emoji="👍")
        before = server.gateway.metrics.sent_bytes.n
        table = server.gateway.hub.tables[opened["table"]]
        viewer = table.seats[0]
        viewer.send(b"\x82\x01\xc0")
        assert server.gateway.metrics.sent_bytes.n == before + 3


async def test_a_redis_that_is_away_is_shown_and_no_trip_to_it_counted(redis_server):
    async with served_by(redis_server.url) as server:
        await server.open()
        await redis_server.stop()
        async with asyncio.timeout(20):
            while server.gateway.health.is_up:
                await asyncio.sleep(0.01)
        trips = Shown(server.gateway.metrics.render().decode())
        assert trips.total("rapid_redis_up") == 0
        await server.gateway.health.probe()
        again = Shown(server.gateway.metrics.render().decode())
        assert again.total("rapid_redis_round_trip_seconds_count", call="ping") == trips.total(
            "rapid_redis_round_trip_seconds_count", call="ping"
        )
        await redis_server.start()


@pytest.mark.parametrize(
    "limits,message,result",
    [
        ({}, {"t": "play", "on": "x", "cards": []}, "malformed"),
        ({"intents_burst": 1, "intents_per_second": 0.001}, {"t": "pass", "on": 1}, "rate_limited"),
        ({}, {"t": "pass", "on": 1}, "wrong_phase"),
    ],
)
async def test_what_is_refused_is_counted_whoever_refuses_it(redis_url, limits, message, result):
    async with served_by(redis_url, limits) as server:
        opened = await server.open()
        client, _ = await server.join(opened["table"], opened["token"])
        for number in (1, 2):
            await client.send({**message, "id": number})
            reply = await client.until("reply", id=number)
        shown = Shown(server.gateway.metrics.render().decode())
    assert reply["why"] == result
    assert shown.total("rapid_intents_total", result=result) == (1 if result == "rate_limited" else 2)
