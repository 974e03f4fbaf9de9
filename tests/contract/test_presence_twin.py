"""Entering and leaving, whatever Redis holds: the twin in memory does what the scripts do."""

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from rapid.engine.intents import Disconnect
from rapid.errors import SeatHeld
from rapid.store import Store, keys
from rapid.store.memory.store import MemoryStore
from rapid.wire.records import Entry, pack_entry, pack_unmarked
from tests.contract.bench import SHARDS, MemoryBench, RedisBench
from tests.contract.samples import FIRST, SHARD

SEAT, PLACE, OPENED = 2, f"{FIRST} 2", "5-5"
GATEWAYS = ("g1", "g2")
OURS = Entry(FIRST, Disconnect(SEAT), since=7, mark="eve")
PRESENT = [None, ("g1", 1), ("g1", 2), ("g2", 1)]
"""Ours is the first of `g1`."""
HELD = [
    None,
    pack_entry(OURS),
    pack_unmarked(OURS),
    pack_entry(Entry(FIRST, Disconnect(SEAT), since=7, mark="dan")),
    pack_entry(Entry(FIRST, Disconnect(SEAT), since=4, mark="eve")),
]
Connection = tuple[str, int] | None
Kept = tuple[Connection, Connection, bytes | None, bytes | None]
"""The present connection, the one whose opening is known, and what the two gateways hold."""
CASES: list[Kept] = [
    (present, of, one, two)
    for present, one, two in itertools.product(PRESENT, HELD, HELD)
    for of in dict.fromkeys((None, present, ("g2", 9)))
]


async def real(bench: RedisBench, kept: Kept) -> None:
    client, present = bench.owner._client, keys.present(FIRST, SHARDS)
    await client.call("DEL", present, keys.inbox(SHARD), *(keys.held(SHARD, gateway) for gateway in GATEWAYS))
    if kept[0] is not None:
        await client.call("HSET", present, SEAT, _written(kept[0]))
    if kept[1] is not None:
        await client.call("HSET", present, f"{SEAT} opened", f"{OPENED} {_written(kept[1])}")
    for gateway, held in zip(GATEWAYS, kept[2:], strict=True):
        if held is not None:
            await client.call("HSET", keys.held(SHARD, gateway), PLACE, b"1000 " + held)


async def of_real(bench: RedisBench) -> Any:
    client = bench.owner._client
    flat = await client.call("HGETALL", keys.present(FIRST, SHARDS))
    found = dict(zip(flat[::2], flat[1::2], strict=True))
    opened = found.get(f"{SEAT} opened".encode(), b"").decode()
    held = [await client.call("HGET", keys.held(SHARD, gateway), PLACE) for gateway in GATEWAYS]
    posted = [row[1][1] for row in await client.call("XRANGE", keys.inbox(SHARD), "-", "+")]
    present = found.get(str(SEAT).encode(), b"").decode()
    return present, _plain(opened), [one and one.partition(b" ")[2] for one in held], posted


def twin(store: MemoryStore, kept: Kept) -> None:
    data = store.world.data
    for held in (data.present, data.opened, data.held, data.inboxes):
        held.clear()
    if kept[0] is not None:
        data.present[FIRST, SEAT] = kept[0]
    if kept[1] is not None:
        data.opened[FIRST, SEAT] = OPENED, kept[1]
    for gateway, entry in zip(GATEWAYS, kept[2:], strict=True):
        if entry is not None:
            data.held[gateway][FIRST, SEAT] = entry


def of_twin(store: MemoryStore) -> Any:
    data = store.world.data
    present, opened = data.present.get((FIRST, SEAT)), data.opened.get((FIRST, SEAT))
    held = [data.held[gateway].get((FIRST, SEAT)) for gateway in GATEWAYS]
    posted = [entry for _, entry in data.inboxes[SHARD].entries]
    known = " " if opened is None else _plain(f"{opened[0]} {_written(opened[1])}")
    return "" if present is None else _written(present), known, held, posted


def _written(connection: tuple[str, int]) -> str:
    return f"{connection[1]} {connection[0]}"


def _plain(opened: str) -> str:
    """A time that is none of ours is that of the call."""
    entry_id, _, of = opened.partition(" ")
    return f"{entry_id if entry_id.startswith('5-') or not of else 'now'} {of}"


async def outcome(asked: Awaitable[Any]) -> Any:
    try:
        entered = await asked
    except SeatHeld as held:
        return "held", held.before
    if isinstance(entered, bool):
        return entered
    return _plain(f"{entered.opened} of"), entered.before, entered.is_elsewhere


async def judge(bench: RedisBench, ask: Callable[[Store, Kept], Awaitable[Any]]) -> None:
    memory = MemoryBench().store
    for kept in CASES:
        await real(bench, kept)
        twin(memory, kept)
        said = await outcome(ask(bench.store, kept)), await outcome(ask(memory, kept))
        assert said[0] == said[1], kept
        assert await of_real(bench) == of_twin(memory), kept


@pytest.mark.parametrize("again", [None, "5-4", "5-5", "5-6"])
@pytest.mark.parametrize("is_over", [False, True])
async def test_entering_is_the_same(real_bench: RedisBench, again: str | None, is_over: bool):
    def enter(store: Store, kept: Kept) -> Awaitable[Any]:
        over = kept[0] if is_over else None
        return store.presence.enter(FIRST, SEAT, "g1", 1, 7, "eve", again=again, over=over)

    await judge(real_bench, enter)


async def test_leaving_is_the_same(real_bench: RedisBench):
    """Also of a present connection whose gateway does not answer for the seat."""
    await judge(real_bench, lambda store, _: store.presence.leave(FIRST, SEAT, "g1", 1, 7, "eve"))


async def test_going_is_the_same(real_bench: RedisBench):
    await judge(real_bench, lambda store, _: gone(store))


async def gone(store: Store) -> bool:
    await store.presence.retire("g1")
    return True
