"""Presence: only the loss of a seat's present connection counts (DESIGN decision 8)."""

import itertools

import pytest

from rapid.engine.intents import Connect, Disconnect
from rapid.errors import SeatHeld, StoreUnavailable
from rapid.store import keys
from rapid.table.ports import Commit, Entered, id_order
from rapid.wire.records import Entry, pack_unmarked
from tests.contract.bench import SHARDS, Bench, MemoryBench, RedisBench
from tests.contract.samples import ELSEWHERE, FIRST, SECOND, SHARD, owned, record

LONG_AGO, NEVER_YET = "1-0", "99999999999999-0"
"""Ids of an inbox."""


async def posted(bench: Bench, shard: int = SHARD) -> list[Entry | None]:
    return [one.entry for one in await bench.owner.inbox.read({shard: "0-0"}, limit=99, block_ms=0)]


def found(seat: int, table: str = FIRST, since: int | None = None, mark: str | None = None) -> Entry:
    return Entry(table, Connect(seat), since=since, mark=mark)


def lost(seat: int, table: str = FIRST, since: int | None = None, mark: str | None = None) -> Entry:
    return Entry(table, Disconnect(seat), since=since, mark=mark)


async def entered_by_the_version_before(bench: Bench, seat: int, gateway: str, conn: int, since: int) -> None:
    """Which knows no mark."""
    entry = pack_unmarked(lost(seat, since=since))
    if isinstance(bench, MemoryBench):
        data = bench.store.world.data
        data.present[FIRST, seat] = (gateway, conn)
        data.held[gateway][FIRST, seat] = entry
    else:
        assert isinstance(bench, RedisBench)
        client = bench.owner._client
        await client.call("HSET", keys.present(FIRST, SHARDS), seat, f"{conn} {gateway}")
        await client.call("HSET", keys.held(SHARD, gateway), f"{FIRST} {seat}", b"1000 " + entry)


async def test_entering_and_leaving_are_posted_to_the_inbox(bench: Bench):
    assert (await bench.store.presence.enter(FIRST, 2, "g1", 1, 17)).before is None
    assert await bench.store.presence.leave(FIRST, 2, "g1", 1, 17)
    assert await posted(bench) == [found(2, since=17), lost(2, since=17)]


async def test_a_connection_leaves_once(bench: Bench):
    await bench.store.presence.enter(FIRST, 2, "g1", 1)
    assert await bench.store.presence.leave(FIRST, 2, "g1", 1)
    assert not await bench.store.presence.leave(FIRST, 2, "g1", 1)
    assert not await bench.store.presence.leave(FIRST, 3, "g1", 1)
    assert await posted(bench) == [found(2), lost(2)]


async def test_the_newest_connection_has_the_seat_and_learns_whom_it_replaced(bench: Bench):
    await bench.store.presence.enter(FIRST, 2, "g1", 1)
    assert (await bench.store.presence.enter(FIRST, 2, "g1", 5)).before == ("g1", 1)
    assert (await bench.owner.presence.enter(FIRST, 2, "g2", 3)).before == ("g1", 5)
    assert (await bench.store.presence.enter(FIRST, 1, "g1", 6)).before is None


async def test_who_enters_again_takes_nobodys_seat(bench: Bench):
    opened = (await bench.store.presence.enter(FIRST, 2, "g1", 1)).opened
    await bench.owner.presence.enter(FIRST, 2, "g2", 3)
    entered = await bench.store.presence.enter(FIRST, 2, "g1", 1, again=opened)
    assert entered == Entered(opened, ("g2", 3), is_elsewhere=True)
    await bench.store.presence.retire("g1")
    assert await posted(bench) == [found(2), found(2)]
    # Over one of the same gateway, and in an empty place, it counts.
    assert (await bench.owner.presence.enter(FIRST, 2, "g2", 4, again=LONG_AGO)).before == ("g2", 3)
    assert (await bench.owner.presence.enter(FIRST, 1, "g2", 5, again=LONG_AGO)).before is None
    assert await bench.owner.presence.leave(FIRST, 2, "g2", 4)
    assert await bench.owner.presence.leave(FIRST, 1, "g2", 5)


async def test_the_late_close_of_an_old_socket_changes_nothing(bench: Bench):
    await bench.store.presence.enter(FIRST, 2, "g1", 1)
    await bench.owner.presence.enter(FIRST, 2, "g2", 1)
    assert not await bench.store.presence.leave(FIRST, 2, "g1", 1)
    assert await posted(bench) == [found(2), found(2)]
    await bench.store.presence.retire("g1")
    assert await posted(bench) == [found(2), found(2)]
    assert await bench.owner.presence.leave(FIRST, 2, "g2", 1)


async def test_the_late_close_in_the_same_gateway_changes_nothing(bench: Bench):
    await bench.store.presence.enter(FIRST, 2, "g1", 1)
    await bench.store.presence.enter(FIRST, 2, "g1", 2)
    assert not await bench.store.presence.leave(FIRST, 2, "g1", 1)
    # The seat is still answered for: it is lost when the gateway is.
    await bench.store.presence.retire("g1")
    assert await posted(bench) == [found(2), found(2), lost(2)]


async def test_two_connections_do_not_throw_each_other_out_for_ever(bench: Bench):
    await bench.store.presence.enter(FIRST, 2, "g1", 1)
    await bench.owner.presence.enter(FIRST, 2, "g2", 2)
    assert not await bench.store.presence.leave(FIRST, 2, "g1", 1)
    assert (await bench.owner.presence.enter(FIRST, 2, "g2", 2)).before is None


@pytest.mark.parametrize("gateway", ["g1", "g2"])
async def test_whoever_another_holder_of_the_chair_replaces_is_gone(bench: Bench, gateway: str):
    """A lost tail brings a former holder's connection back, which nobody will close a second time."""
    await bench.store.presence.enter(FIRST, 2, "g1", 1, 17)
    assert (await bench.owner.presence.enter(FIRST, 2, gateway, 5, 40, over=("g1", 1))).before == ("g1", 1)
    assert (await bench.owner.presence.enter(FIRST, 2, gateway, 6, 40)).before == (gateway, 5)
    assert (await bench.owner.presence.enter(FIRST, 2, gateway, 6, 40)).before is None
    assert await posted(bench) == [found(2, since=17), lost(2, since=17), *[found(2, since=40)] * 2]


@pytest.mark.parametrize("gateway", ["g1", "g2"])
async def test_two_holders_with_the_same_seq_are_told_apart_by_their_marks(bench: Bench, gateway: str):
    """One sat down in a tail that Redis lost, the other behind it."""
    await bench.store.presence.enter(FIRST, 2, "g1", 1, 7, "eve")
    with pytest.raises(SeatHeld):
        await bench.owner.presence.enter(FIRST, 2, gateway, 5, 7, "dan")
    with pytest.raises(SeatHeld):
        await bench.owner.presence.enter(FIRST, 2, "g2", 5, 7, "dan", again=NEVER_YET)
    assert (await bench.owner.presence.enter(FIRST, 2, gateway, 6, 7, "eve")).before == ("g1", 1)
    assert await bench.owner.presence.leave(FIRST, 2, gateway, 6, 7, "eve")
    assert await posted(bench) == [*[found(2, since=7, mark="eve")] * 2, lost(2, since=7, mark="eve")]


@pytest.mark.parametrize("gateway", ["g1", "g2"])
@pytest.mark.parametrize("since", [7, 8])
async def test_a_holder_whom_the_version_before_has_entered_is_known_by_its_seq(bench: Bench, gateway: str, since: int):
    """Its gateways go as a release is rolled out, and nobody who comes back here has been away."""
    await entered_by_the_version_before(bench, 2, "g1", 1, 7)
    if since == 7:
        assert (await bench.store.presence.enter(FIRST, 2, gateway, 5, since, "eve")).before == ("g1", 1)
        assert await posted(bench) == [found(2, since=7, mark="eve")]
    else:
        with pytest.raises(SeatHeld):
            await bench.store.presence.enter(FIRST, 2, gateway, 5, since, "eve")


async def test_the_mark_is_in_what_is_posted_for_a_gateway_that_has_gone(bench: Bench):
    await bench.store.presence.beat("g1")
    await bench.store.presence.enter(FIRST, 2, "g1", 1, 7, "eve")
    await bench.store.presence.retire("g1")
    assert await posted(bench) == [found(2, since=7, mark="eve"), lost(2, since=7, mark="eve")]


@pytest.mark.parametrize("gateway", ["g1", "g2"])
@pytest.mark.parametrize("over", [None, ("g1", 9), ("g2", 1)])
async def test_another_holders_connection_is_left_alone(bench: Bench, gateway: str, over: tuple[str, int] | None):
    """Whose token is void, where that is not known yet, changes nothing; `over` is for the one that was told of."""
    await bench.store.presence.enter(FIRST, 2, "g1", 1, 40)
    with pytest.raises(SeatHeld) as held:
        await bench.owner.presence.enter(FIRST, 2, gateway, 5, 17, over=over)
    assert held.value.before == ("g1", 1)
    assert (await bench.owner.presence.enter(FIRST, 2, "g1", 1, 40)).before is None
    assert await bench.owner.presence.leave(FIRST, 2, gateway, 5, 17) is False
    assert await posted(bench) == [found(2, since=40)]


async def test_entering_again_puts_another_holder_out_whom_a_lost_tail_has_brought_back(bench: Bench):
    await bench.store.presence.enter(FIRST, 2, "g1", 1, 17)
    assert (await bench.owner.presence.enter(FIRST, 2, "g1", 5, 40, again=LONG_AGO)).before == ("g1", 1)
    assert await posted(bench) == [found(2, since=17), lost(2, since=17), found(2, since=40)]


async def test_entering_again_leaves_another_holders_connection_elsewhere_alone(bench: Bench):
    """Which of the two holds the chair the log says: nobody is told here that it was opened later."""
    await bench.store.presence.enter(FIRST, 2, "g1", 1, 17)
    with pytest.raises(SeatHeld):
        await bench.owner.presence.enter(FIRST, 2, "g2", 5, 40, again=NEVER_YET)
    assert (await bench.owner.presence.enter(FIRST, 2, "g2", 5, 17, again=LONG_AGO)).is_elsewhere
    assert await posted(bench) == [found(2, since=17)]


async def test_a_connection_is_opened_once_later_than_all_before_it(bench: Bench):
    first = await bench.store.presence.enter(FIRST, 2, "g1", 1)
    assert await bench.store.presence.enter(FIRST, 2, "g1", 1) == Entered(first.opened)
    assert await bench.store.presence.enter(FIRST, 2, "g1", 1, again=first.opened) == Entered(first.opened)
    second = await bench.owner.presence.enter(FIRST, 2, "g2", 1)
    assert await bench.owner.presence.leave(FIRST, 2, "g2", 1)
    third = await bench.store.presence.enter(FIRST, 2, "g1", 2)
    opened = [first.opened, second.opened, third.opened]
    assert sorted(opened, key=id_order) == opened
    assert len(set(opened)) == 3
    # Entered once more in an empty place: it is no newer for that.
    assert await bench.store.presence.leave(FIRST, 2, "g1", 2)
    assert await bench.store.presence.enter(FIRST, 2, "g1", 1, again=first.opened) == Entered(first.opened)
    assert await bench.owner.presence.enter(FIRST, 2, "g2", 1, again=second.opened) == Entered(second.opened, ("g1", 1))


@pytest.mark.parametrize(
    "stands, enters, who",
    [
        ("5-1", "5-2", "enters"),
        ("5-9", "5-10", "enters"),
        ("9-0", "10-0", "enters"),
        ("9-5", "10-1", "enters"),
        ("5-2", "5-1", "stands"),
        ("10-0", "9-1", "stands"),
        ("5-1", "5-1", "stands"),
        (None, "5-1", "stands"),
    ],
)
async def test_of_two_connections_at_two_gateways_that_which_was_opened_later_has_the_seat(
    bench: Bench, stands: str | None, enters: str, who: str
):
    """Redis has lost its tail, and what it knows of them. At the same moment, or at none: the one that stands there."""
    if stands is None:
        await entered_by_the_version_before(bench, 2, "g1", 1, 4)
    else:
        await bench.store.presence.enter(FIRST, 2, "g1", 1, 4, again=stands)
    before = await posted(bench)
    entered = await bench.owner.presence.enter(FIRST, 2, "g2", 5, 4, again=enters)
    assert entered == Entered(enters, ("g1", 1), is_elsewhere=who == "stands")
    assert await posted(bench) == [*before, *([found(2, since=4)] if who == "enters" else [])]
    assert await bench.store.presence.leave(FIRST, 2, "g1", 1, 4) is (who == "stands")
    assert await bench.owner.presence.leave(FIRST, 2, "g2", 5, 4) is (who == "enters")


async def test_who_comes_anew_is_later_than_whom_they_replace_though_the_clock_was_set_back(bench: Bench):
    """And the ids with that time were lost."""
    await bench.store.presence.enter(FIRST, 2, "g1", 1, again=NEVER_YET)
    assert await bench.owner.presence.enter(FIRST, 2, "g2", 5) == Entered(NEVER_YET, ("g1", 1))
    assert (await bench.store.presence.enter(FIRST, 2, "g1", 1, again=NEVER_YET)).is_elsewhere


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("present", [None, 0, 1, 2])
@pytest.mark.parametrize("gateways", ["abc", "aab", "aba", "abb"])
async def test_whoever_enters_again_first_the_newest_tab_has_the_seat(
    bench: Bench, order: tuple[int, ...], present: int | None, gateways: str
):
    """Three tabs, and what Redis has kept; of one gateway's own only the newest enters again, as it knows by itself."""
    if present is not None:
        await bench.store.presence.enter(FIRST, 2, gateways[present], present, again=f"5-{present}")
    for tab in order:
        if gateways[tab] not in gateways[tab + 1 :]:
            await bench.store.presence.enter(FIRST, 2, gateways[tab], tab, again=f"5-{tab}")
    assert not await bench.store.presence.leave(FIRST, 2, gateways[0], 0)
    assert not await bench.store.presence.leave(FIRST, 2, gateways[1], 1)
    assert await bench.store.presence.leave(FIRST, 2, gateways[2], 2)


async def test_entering_twice_posts_once(bench: Bench):
    """The answer may have been lost."""
    await bench.store.presence.enter(FIRST, 0, "g1", 9)  # Redis knows the script
    bench.lose_answer()
    with pytest.raises(StoreUnavailable):
        await bench.store.presence.enter(FIRST, 2, "g1", 1, 4)
    assert (await bench.store.presence.enter(FIRST, 2, "g1", 1, 4)).before is None
    assert await posted(bench) == [found(0), found(2, since=4)]


async def test_the_seats_of_a_gateway_that_ends_in_order_are_lost_at_once(bench: Bench):
    await bench.store.presence.beat("g1")
    await bench.store.presence.enter(FIRST, 2, "g1", 1, 3)
    await bench.store.presence.enter(ELSEWHERE, 0, "g1", 2)
    await bench.store.presence.enter(SECOND, 1, "g2", 1)
    await bench.store.presence.retire("g1")
    assert await posted(bench) == [found(2, since=3), found(1, SECOND), lost(2, since=3)]
    assert await posted(bench, 1) == [found(0, ELSEWHERE), lost(0, ELSEWHERE)]
    assert await bench.store.presence.reap() == []


async def test_the_seats_of_a_gateway_that_beats_no_more_are_lost(bench: Bench):
    await bench.owner.presence.beat("g1")
    await bench.owner.presence.enter(FIRST, 2, "g1", 1, 3)
    await bench.owner.presence.enter(FIRST, 4, "g1", 2)
    await bench.store.presence.enter(FIRST, 4, "g2", 1)
    dead: list[str] = []

    async def is_dead() -> bool:
        assert await bench.store.presence.beat("g2")
        dead.extend(await bench.store.presence.reap())
        return bool(dead)

    await bench.until(is_dead)
    assert dead == ["g1"]
    assert await posted(bench) == [found(2, since=3), found(4), found(4), lost(2, since=3)]
    assert await bench.store.presence.reap() == []
    assert len(await posted(bench)) == 4


async def until_dead(bench: Bench, gateway: str) -> None:
    async def is_dead() -> bool:
        return gateway in await bench.store.presence.reap()

    await bench.until(is_dead)


async def test_a_gateway_that_was_only_slow_is_told_so_and_enters_again(bench: Bench):
    await bench.owner.presence.beat("g1")
    await bench.owner.presence.enter(FIRST, 2, "g1", 1)
    await until_dead(bench, "g1")
    assert not await bench.owner.presence.beat("g1")
    assert (await bench.owner.presence.enter(FIRST, 2, "g1", 1)).before is None
    assert await bench.owner.presence.beat("g1")
    assert await bench.store.presence.reap() == []
    assert await posted(bench) == [found(2), lost(2), found(2)]


async def test_a_gateway_that_writes_after_its_death_leaves_no_seat_behind(bench: Bench):
    await bench.owner.presence.beat("g1")
    await until_dead(bench, "g1")
    await bench.owner.presence.enter(FIRST, 2, "g1", 1)
    assert await bench.store.presence.reap() == []
    assert await posted(bench) == [found(2), lost(2)]


async def test_the_first_beat_of_a_gateway_is_fine(bench: Bench):
    assert await bench.store.presence.beat("g1")
    assert await bench.store.presence.beat("g1")


async def test_spectators_are_counted_over_living_gateways(bench: Bench):
    await bench.store.presence.beat("g1")
    await bench.owner.presence.beat("g2")
    await bench.store.presence.watch(FIRST, "g1", 3)
    await bench.owner.presence.watch(FIRST, "g2", 4)
    await bench.owner.presence.watch(ELSEWHERE, "g2", 5)
    assert await bench.store.presence.spectators([FIRST, SECOND, ELSEWHERE]) == [7, 0, 5]
    await bench.store.presence.watch(FIRST, "g1", 1)
    await bench.owner.presence.watch(ELSEWHERE, "g2", 0)
    assert await bench.store.presence.spectators([FIRST, ELSEWHERE]) == [5, 0]
    assert await bench.store.presence.spectators([]) == []


async def test_spectators_of_a_dead_gateway_do_not_count_until_it_watches_again(bench: Bench):
    await bench.owner.presence.beat("g1")
    await bench.owner.presence.watch(FIRST, "g1", 3)
    await until_dead(bench, "g1")
    assert await bench.store.presence.spectators([FIRST]) == [0]
    assert not await bench.owner.presence.beat("g1")
    assert await bench.store.presence.spectators([FIRST]) == [0]
    await bench.owner.presence.watch(FIRST, "g1", 2)
    assert await bench.store.presence.reap() == []
    assert await bench.store.presence.spectators([FIRST]) == [2]


async def test_spectators_of_a_gateway_that_ended_do_not_count(bench: Bench):
    await bench.store.presence.beat("g1")
    await bench.store.presence.watch(FIRST, "g1", 3)
    await bench.store.presence.retire("g1")
    assert await bench.owner.presence.spectators([FIRST]) == [0]


async def test_a_closed_table_has_nobody_present(bench: Bench):
    epoch = await owned(bench.store, FIRST)
    await bench.store.presence.beat("g1")
    await bench.store.presence.enter(FIRST, 2, "g1", 1)
    await bench.store.presence.watch(FIRST, "g1", 3)
    await bench.store.log.commit([Commit(FIRST, epoch, 2, record(2), closes=True)])
    assert await bench.store.presence.spectators([FIRST]) == [0]
    await bench.store.presence.retire("g1")
    assert await posted(bench) == [found(2)]
