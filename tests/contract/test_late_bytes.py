"""What a connection was given up with never takes effect behind one's back: a network may deliver it much later."""

import asyncio

from rapid.engine.intents import Connect, Disconnect
from rapid.errors import StoreUnavailable
from tests.contract.bench import RedisBench
from tests.contract.samples import FIRST, SHARD, entry


async def given_up(bench: RedisBench, *asked):
    """Ask over a network that holds everything back, until it is given up; other connections get through then."""
    await bench.store.ready()
    bench.relay.hold_back()
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes), outcomes


async def test_what_was_posted_and_given_up_is_not_posted_later(real_bench: RedisBench):
    await given_up(real_bench, real_bench.store.inbox.post([entry(1)]))
    (two,) = await real_bench.store.inbox.post([entry(2)])
    await real_bench.relay.let_go()
    (three,) = await real_bench.owner.inbox.post([entry(3)])
    posted = await real_bench.owner.inbox.read({SHARD: "0-0"}, limit=9, block_ms=0)
    assert [one.id for one in posted] == [two, three]


async def test_who_has_left_does_not_enter_later(real_bench: RedisBench):
    """A seat held by nobody would have no stand-in, and its table would never be idle."""
    await real_bench.store.presence.enter(FIRST, 1, "g1", 9)  # Redis knows the script
    await given_up(real_bench, real_bench.store.presence.enter(FIRST, 0, "g1", 5))
    assert not await real_bench.store.presence.leave(FIRST, 0, "g1", 5)
    await real_bench.relay.let_go()
    assert (await real_bench.owner.presence.enter(FIRST, 0, "g2", 6)).before is None
    posted = await real_bench.owner.inbox.read({SHARD: "0-0"}, limit=9, block_ms=0)
    assert [one.entry.intent for one in posted] == [Connect(1), Connect(0)]
    assert Disconnect(0) not in [one.entry.intent for one in posted]
