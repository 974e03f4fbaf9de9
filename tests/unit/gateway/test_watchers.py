"""How many watch: told after `welcome` and on change, so that whoever is there knows it in the end (PROTOCOL 3.2)."""

import contextlib
import itertools

import pytest

from rapid.wire.close import LEFT
from tests.unit.gateway.hub_bench import connected

STEPS = ("one comes", "one goes", "another comes", "ada comes", "look")
ORDERS = [order for order in itertools.permutations(STEPS) if order.index("one comes") < order.index("one goes")]


def told(person):
    return [message["spectators"] for message in person.pipe.messages() if message["t"] == "presence"]


async def look(bench):
    await bench.gateway.hub.check()
    await bench.settle()


@pytest.mark.parametrize("order", ORDERS, ids=", ".join)
async def test_whoever_is_there_knows_in_the_end_how_many_watch(bench, order):
    async with contextlib.AsyncExitStack() as stack:
        there = {"cy": await stack.enter_async_context(connected(bench, "cy"))}
        await look(bench)
        for step in order:
            who, does = (*step.split(), "")[:2]
            if does == "comes":
                there[who] = await stack.enter_async_context(connected(bench, "ada" if who == "ada" else None))
            elif does == "goes":
                there.pop(who).viewer.end(LEFT)
            else:
                await look(bench)
        await look(bench)
        assert await bench.store.presence.spectators([bench.story.state.table]) == [1]
        assert {who: told(person)[-1] for who, person in there.items()} == dict.fromkeys(there, 1)
        before = {who: told(person) for who, person in there.items()}
        await look(bench)
        assert {who: told(person) for who, person in there.items()} == before


@pytest.mark.parametrize("comes", ["ada", None])
async def test_who_came_while_another_watched_hears_how_many_are_left(bench, comes):
    async with connected(bench, "cy"), connected(bench) as watcher, connected(bench, comes) as late:
        watcher.viewer.end(LEFT)
        await look(bench)
        assert told(late)[-1] == (0 if comes else 1)
