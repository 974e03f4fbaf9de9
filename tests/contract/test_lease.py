"""Leases keep owners apart; epochs only rise (DESIGN decision 5)."""

import time

import pytest

from rapid.store import keys
from tests.contract.bench import Bench, RedisBench
from tests.contract.samples import SHARD


async def test_a_shard_has_one_owner(bench: Bench):
    assert await bench.store.lease.acquire(SHARD, "w1") == 1
    assert await bench.owner.lease.acquire(SHARD, "w2") is None
    assert await bench.owner.lease.owners([SHARD, 1]) == {SHARD: "w1"}
    assert await bench.owner.lease.acquire(1, "w2") == 1


async def test_taking_ones_own_shard_again_raises_the_epoch(bench: Bench):
    """The answer to the first may have been lost."""
    assert await bench.store.lease.acquire(SHARD, "w1") == 1
    assert await bench.store.lease.acquire(SHARD, "w1") == 2


async def test_an_expired_lease_can_be_taken_with_a_higher_epoch(bench: Bench):
    assert await bench.store.lease.acquire(SHARD, "w1") == 1
    taken: list[int] = []

    async def is_taken() -> bool:
        epoch = await bench.owner.lease.acquire(SHARD, "w2")
        taken.extend([epoch] if epoch is not None else [])
        return epoch is not None

    await bench.until(is_taken)
    assert taken == [2]
    assert await bench.store.lease.renew([SHARD], "w1") == [False]
    assert await bench.store.lease.raise_epoch(SHARD, "w1", 9) is None
    await bench.store.lease.release(SHARD, "w1", planned=True)
    assert await bench.owner.lease.owners([SHARD]) == {SHARD: "w2"}
    assert not await bench.owner.lease.was_planned(SHARD)


async def test_a_renewed_lease_does_not_expire(bench: Bench):
    await bench.store.lease.acquire(SHARD, "w1")
    await bench.store.lease.acquire(1, "w1")

    async def is_other_free() -> bool:
        assert await bench.store.lease.renew([SHARD], "w1") == [True]
        return await bench.owner.lease.owners([1]) == {}

    await bench.until(is_other_free)
    assert await bench.store.lease.renew([SHARD, 2], "w1") == [True, False]
    assert await bench.owner.lease.acquire(SHARD, "w2") is None


async def test_a_lease_that_ran_out_is_renewed_while_nobody_has_taken_the_shard(bench: Bench):
    assert await bench.store.lease.acquire(SHARD, "w1") == 1

    async def is_free() -> bool:
        return await bench.owner.lease.owners([SHARD]) == {}

    await bench.until(is_free)
    assert await bench.store.lease.renew([SHARD, 1], "w2") == [False, False]
    assert await bench.store.lease.renew([SHARD, 1], "w1") == [True, False]
    assert await bench.owner.lease.acquire(SHARD, "w2") is None
    # Whoever gave a shard up has to take it again.
    await bench.store.lease.release(SHARD, "w1", planned=False)
    assert await bench.store.lease.renew([SHARD], "w1") == [False]


async def test_an_epoch_is_raised_and_never_lowered(bench: Bench):
    await bench.store.lease.acquire(SHARD, "w1")
    assert await bench.store.lease.raise_epoch(SHARD, "w1", 7) == 7
    assert await bench.store.lease.raise_epoch(SHARD, "w1", 3) == 7
    assert await bench.store.lease.raise_epoch(SHARD, "w2", 9) is None
    assert await bench.store.lease.raise_epoch(1, "w1", 9) is None
    assert await bench.store.lease.acquire(SHARD, "w1") == 8


async def test_a_planned_hand_over_is_found_once(bench: Bench):
    await bench.store.lease.acquire(SHARD, "w1")
    await bench.store.lease.release(SHARD, "w1", planned=True)
    assert await bench.owner.lease.acquire(SHARD, "w2") == 2
    assert await bench.owner.lease.was_planned(SHARD)
    assert not await bench.owner.lease.was_planned(SHARD)


async def test_an_unplanned_end_is_not_a_hand_over(bench: Bench):
    await bench.store.lease.acquire(SHARD, "w1")
    await bench.store.lease.release(SHARD, "w1", planned=True)
    await bench.owner.lease.acquire(SHARD, "w2")
    await bench.owner.lease.release(SHARD, "w2", planned=False)
    assert await bench.store.lease.acquire(SHARD, "w1") == 3
    assert not await bench.store.lease.was_planned(SHARD)


async def test_a_planned_hand_over_is_forgotten_after_a_moment(bench: Bench):
    await bench.store.lease.acquire(1, "w1")
    for shard in (SHARD, 2):
        await bench.store.lease.acquire(shard, "w1")
        await bench.store.lease.release(shard, "w1", planned=True)

    async def is_moment_over() -> bool:
        # Taken after the notes, with the same time to live.
        return await bench.owner.lease.owners([1]) == {}

    await bench.store.lease.acquire(1, "w1")
    await bench.until(is_moment_over)
    assert not await bench.owner.lease.was_planned(SHARD)


async def test_only_the_owner_gives_a_shard_up(bench: Bench):
    await bench.store.lease.acquire(SHARD, "w1")
    await bench.owner.lease.release(SHARD, "w2", planned=True)
    assert await bench.owner.lease.acquire(SHARD, "w2") is None
    assert not await bench.owner.lease.was_planned(SHARD)


async def test_living_workers_are_known_by_their_beats(bench: Bench):
    assert await bench.store.lease.beat("w2") == ["w2"]
    assert await bench.owner.lease.beat("w1") == ["w1", "w2"]

    async def is_alone() -> bool:
        return await bench.store.lease.beat("w2") == ["w2"]

    await bench.until(is_alone)
    await bench.owner.lease.beat("w1")
    await bench.owner.lease.retire("w1")
    assert await bench.store.lease.beat("w2") == ["w2"]


async def test_behind_a_restart_no_epoch_is_handed_out_that_a_run_before_may_have_had(bench: Bench):
    """What this run holds may be without its tail: in it the epoch was higher, and its owner may live on."""
    for _ in range(2):
        assert await bench.store.lease.acquire(SHARD, "w1") is not None
        before_ms = await bench.store.clock.read_ms()
        await bench.restart()
        epoch = await bench.store.lease.acquire(SHARD, "w1")
        assert epoch is not None
        assert epoch >= before_ms


async def test_behind_a_restart_an_epoch_that_is_raised_is_a_new_one_too(bench: Bench):
    before = await bench.store.lease.acquire(SHARD, "w1")
    before_ms = await bench.store.clock.read_ms()
    await bench.restart()
    epoch = None
    while epoch is None:  # on a busy machine the lease may run out in between
        assert await bench.store.lease.renew([SHARD], "w1") == [True]
        epoch = await bench.store.lease.raise_epoch(SHARD, "w1", before)
    assert epoch >= before_ms
    assert await bench.store.lease.acquire(SHARD, "w1") == epoch + 1


async def test_whether_an_epoch_is_the_present_one(bench: Bench):
    epoch = await bench.store.lease.acquire(SHARD, "w1")
    assert epoch is not None
    assert await bench.store.lease.in_charge({}) == {}
    assert await bench.store.lease.in_charge({SHARD: epoch, 1: 1}) == {SHARD: True, 1: False}
    assert await bench.store.lease.raise_epoch(SHARD, "w1", epoch + 1) == epoch + 1
    assert await bench.owner.lease.in_charge({SHARD: epoch}) == {SHARD: False}


@pytest.mark.parametrize(
    "text", ["18446744073709551616", "9007199254740992", "-9223372036854775808", "1e300", "inf", "nan", "junk", ""]
)
async def test_an_epoch_that_no_owner_can_have_had_is_left_for_one_from_the_time(real_bench: RedisBench, text: str):
    """Whatever has written it: the shard can be taken, raised and owned as before."""
    lease, call = real_bench.store.lease, real_bench.store._client.call
    await call("SET", keys.epoch(SHARD), text)
    epoch = await lease.acquire(SHARD, "w1")
    assert epoch == pytest.approx(time.time() * 1000, abs=60_000)
    assert await lease.in_charge({SHARD: epoch}) == {SHARD: True}
    assert await lease.acquire(SHARD, "w1") == epoch + 1
    await call("SET", keys.epoch(SHARD), text)
    assert await lease.in_charge({SHARD: epoch + 1}) == {SHARD: False}
    raised = await lease.raise_epoch(SHARD, "w1", epoch + 2)
    assert raised == pytest.approx(time.time() * 1000, abs=60_000)
    assert raised >= epoch + 2
    assert await lease.raise_epoch(SHARD, "w1", raised + 1) == raised + 1
