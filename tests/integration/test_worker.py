"""A worker on a real Redis: races, timers, bots, hand-overs, an outage of Redis (DESIGN decisions 2-5, 10)."""

import asyncio

from rapid.engine.intents import CloseTable, Connect, Disconnect, Play, Tick
from rapid.errors import StoreUnavailable
from rapid.store import keys
from rapid.table.ports import shard_of
from rapid.wire.records import Entry, pack_record
from tests.integration.worker_bench import POLL_SECONDS, TABLE, Bench, bench_on, moves_of, worker_on


async def until_ready(*workers):
    async with asyncio.timeout(10):
        for worker in workers:
            await worker.supervisor.ready.wait()


async def until(holds):
    async with asyncio.timeout(15):
        while not holds():
            await asyncio.sleep(POLL_SECONDS)


async def test_a_race_has_one_winner_and_every_attempt_its_answer(redis_url):
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1"):
        await bench.open()
        while not await bench.events("round_ended"):
            await bench.race()
        await bench.until_all_answered()
        await bench.judge()
        assert len(await bench.events("race_lost")) > 10


async def test_a_table_is_listed_as_soon_as_its_opening_is_in_the_log_and_gone_once_closed(redis_url):
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1"):
        await bench.open(visibility="public")
        row = await bench.store.listing.row(TABLE)
        assert (row.phase, row.people, row.bots, row.round) == ("playing", 4, 0, 1)
        await bench.ask(CloseTable())
        closed = await bench.until_event("table_closed")
        assert closed[0].why == "operator"
        assert await bench.store.listing.row(TABLE) is None
        await bench.ask(Connect(0), Play(0, 1, ("3S",)))
        await bench.until_all_answered()
        assert [answer.refusal.why for answer in bench.refused] == ["no_table", "no_table"]


async def test_R7_the_worker_sees_to_it_that_the_timer_fires(redis_url):
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1"):
        await bench.open(race_seconds=0.3)
        await bench.until_event("played", 1)
        closed = (await bench.until_event("trick_closed", 1))[0]
        assert closed.why == "timer"
        await bench.judge()


async def test_bots_and_a_standin_play_a_whole_game(redis_url):
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1"):
        await bench.open(persons=1, bots=3, rounds=1, bot_delay_ms=1, standin_grace_seconds=0)
        await bench.ask(Disconnect(0))
        ended = await bench.until_event("game_ended")
        assert ended[0].why == "rounds"
        await bench.judge()
        assert {event.by for event in await bench.events("played")} >= {"bot", "standin"}


async def test_a_fresh_worker_has_all_shards_in_well_under_a_second(redis_url):
    async with worker_on(redis_url, "w1") as worker:
        started = asyncio.get_running_loop().time()
        await until_ready(worker)
        assert len(worker.runner.charge.shards) == 64
        assert asyncio.get_running_loop().time() - started < 1.0


async def test_workers_share_the_shards_and_take_those_of_who_has_gone(redis_url):
    async with worker_on(redis_url, "w1") as one:
        await until_ready(one)
        async with worker_on(redis_url, "w2") as two:
            await until(lambda: len(one.runner.charge.shards) == 32 == len(two.runner.charge.shards))
            await until_ready(one, two)
            async with worker_on(redis_url, "w3") as three:
                await until(lambda: len(three.runner.charge.shards) >= 20)
                shares = [set(worker.runner.charge.shards) for worker in (one, two, three)]
                assert max(map(len, shares)) <= 22
                assert set().union(*shares) == set(range(64))
                await until_ready(one, two, three)
        await until(lambda: len(one.runner.charge.shards) == 64)


async def test_R9_a_planned_hand_over_in_a_trick_keeps_the_deadline(redis_url):
    async with bench_on(redis_url) as bench:
        async with worker_on(redis_url, "w1"):
            await bench.open(race_seconds=20)
            await bench.race()
            before = await bench.state()
        async with worker_on(redis_url, "w2"):
            (resumed,) = await bench.until_event("resumed")
            assert resumed.deadline == before.deadline
            await bench.race()
            await bench.until_all_answered()
            await bench.judge()


async def test_R9_an_owner_that_just_vanished_hands_over_a_deadline_that_starts_anew(redis_url):
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1") as worker:
        await bench.open(race_seconds=20)
        await bench.race()
        before = await bench.state()
        # Its lease is another's all at once, as after a stall that was too long.
        shard = shard_of(TABLE, 64)
        await bench.store.lease.release(shard, worker.name, planned=False)
        epoch = await bench.store.lease.acquire(shard, "thief")
        await bench.race_posts()
        await until(lambda: shard not in worker.runner.charge.owned)
        assert epoch is not None
        await bench.store.lease.release(shard, "thief", planned=False)
        (resumed,) = await bench.until_event("resumed")
        assert resumed.deadline == resumed_at(await bench.records()) + 20_000
        assert resumed.deadline > before.deadline
        await bench.until_all_answered()
        await bench.judge()


def resumed_at(records):
    return next(r.at for r in records if r.events[0].__struct_config__.tag == "resumed")


async def test_backlog_that_came_while_nobody_was_in_charge_is_decided_in_order_behind_resumed(redis_url):
    async with bench_on(redis_url) as bench:
        async with worker_on(redis_url, "w1"):
            await bench.open(race_seconds=1)
            await bench.race()
            await bench.until_all_answered()
        state = await bench.state()
        moves = moves_of(state)
        await bench.ask(*moves)
        # Long behind the deadline, by the clock of the streams: nobody was there to fire it.
        while await bench.store.clock.read_ms() <= state.deadline + 200:
            await asyncio.sleep(POLL_SECONDS)
        await bench.ask(*moves)
        async with worker_on(redis_url, "w2"):
            await bench.until_all_answered()
            kinds = [e.__struct_config__.tag for r in await bench.records() for e in r.events]
            behind = kinds[len(kinds) - kinds[::-1].index("resumed") :]
            assert behind[0] in {"played", "passed"}
            await bench.judge()


async def test_a_redelivered_backlog_is_not_applied_twice(redis_url):
    """The cursor in Redis may lag by a second of entries: all of them come again to the next owner."""
    async with bench_on(redis_url) as bench:
        async with worker_on(redis_url, "w1"):
            await bench.open()
            for _ in range(4):
                await bench.race()
            await bench.until_all_answered()
            before = await bench.records()
        shard = shard_of(TABLE, 64)
        async with worker_on(redis_url, "w2") as worker:
            await until_ready(worker)
            epoch = worker.runner.charge.shards[shard].epoch
        # A cursor that was never noted at all.
        await bench.store.inbox.set_cursor(shard, epoch, "0-0")
        async with worker_on(redis_url, "w3") as worker:
            await until_ready(worker)
            await bench.store.inbox.post([Entry(TABLE, Tick())])
            await bench.until_event("resumed", 2)
            await bench.race()
            await bench.until_all_answered()
            await bench.judge()
            assert (await bench.records())[: len(before)] == before


async def test_G6_a_standin_ends_when_the_person_is_back_and_the_person_plays(redis_url):
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1"):
        await bench.open(standin_grace_seconds=0, bot_delay_ms=60_000, race_seconds=60)
        await bench.ask(Disconnect(1))
        await bench.until_event("standin_started")
        await bench.ask(Connect(1))
        await bench.until_event("standin_ended")
        await bench.race()
        await bench.until_all_answered()
        await bench.judge()
        assert {e.by for e in await bench.events("played")} == {"person"}


async def test_Redis_restarted_in_a_trick(redis_server):
    async with bench_on(redis_server.url) as bench, worker_on(redis_server.url, "w1"):
        await bench.open()
        racing = asyncio.create_task(race_on(bench))
        await bench.until_event("played", 3)
        await redis_server.restart()
        await bench.until_event("resumed")
        played = len(await bench.events("played"))
        await bench.until_event("played", played + 3)
        racing.cancel()
        await asyncio.gather(racing, return_exceptions=True)
        await bench.until_all_answered()
        await bench.judge()


async def test_Redis_killed_in_a_trick_and_away_for_a_while(redis_server):
    async with bench_on(redis_server.url) as bench, worker_on(redis_server.url, "w1") as worker:
        await bench.open()
        await until_ready(worker)
        racing = asyncio.create_task(race_on(bench))
        await bench.until_event("played", 3)
        await redis_server.kill()
        await until(lambda: not worker.is_ready)
        await redis_server.start()
        await bench.until_event("resumed")
        played = len(await bench.events("played"))
        await bench.until_event("played", played + 3)
        racing.cancel()
        await asyncio.gather(racing, return_exceptions=True)
        await until_ready(worker)
        await bench.until_all_answered()
        await bench.judge()


async def race_on(bench: Bench) -> None:
    while True:
        try:
            await bench.race_posts()
        except StoreUnavailable:
            await asyncio.sleep(POLL_SECONDS)


async def test_a_corrupt_log_sets_its_table_aside_and_the_others_go_on(redis_url):
    async with bench_on(redis_url) as bench:
        shard = shard_of(TABLE, 64)
        other = next(f"table{n:07}" for n in range(2, 10_000) if shard_of(f"table{n:07}", 64) == shard)
        neighbour = Bench(bench.store, other)
        async with worker_on(redis_url, "w1") as worker:
            await bench.open()
            await neighbour.open()
            epoch = worker.runner.charge.shards[shard].epoch
            last = (await bench.store.log.tail([TABLE]))[TABLE]
        # An entry that no authority writes: a decision that stands there twice.
        await bench.store._client.call("XADD", keys.log(TABLE, 64), f"{epoch}-999", "r", pack_record(last.record))
        async with worker_on(redis_url, "w2") as worker:
            await until_ready(worker)
            assert worker.runner.charge.shards[shard].aside == {TABLE}
            await bench.ask(Connect(0), Play(0, 1, ("3S",)))
            await neighbour.race()
            await neighbour.until_all_answered()
            await neighbour.judge()
            await until(lambda: len(bench.refused) >= 2)
            assert {answer.refusal.why for answer in bench.refused} == {"unavailable"}
        await neighbour.close()


async def test_a_log_that_is_gone_sets_its_table_aside_and_the_others_go_on(redis_url):
    """Whoever deleted it: the commit is refused, the shard taken anew, and nobody else's table waits for this one."""
    async with bench_on(redis_url) as bench, worker_on(redis_url, "w1") as worker:
        shard = shard_of(TABLE, 64)
        other = next(f"table{n:07}" for n in range(2, 10_000) if shard_of(f"table{n:07}", 64) == shard)
        neighbour = Bench(bench.store, other)
        await bench.open()
        await neighbour.open()
        await neighbour.until_all_answered()
        state = await bench.state()
        await bench.store._client.call("DEL", keys.log(TABLE, 64))
        await bench.ask(*moves_of(state))
        await neighbour.until_event("resumed")
        assert worker.runner.charge.shards[shard].aside == {TABLE}
        await bench.ask(Connect(0))
        await neighbour.race()
        await neighbour.until_all_answered()
        await neighbour.judge()
        await until(lambda: bench.refused)
        assert {answer.refusal.why for answer in bench.refused} == {"unavailable"}
        await neighbour.close()
