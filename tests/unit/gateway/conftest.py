"""A gateway over the twin, for every test here that asks for `bench`."""

import pytest

from tests.unit.gateway.hub_bench import Bench


@pytest.fixture
async def bench():
    made = Bench(history_records=50, read_page=2)
    await made.start()
    made.story.opened().seated()
    await made.commit(*made.story.entries)
    yield made
    await made.stop()
