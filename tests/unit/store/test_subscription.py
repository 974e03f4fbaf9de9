"""What is pushed on a subscription that stands again comes behind `blind` (DESIGN decision 6)."""

import asyncio

import pytest

from rapid.store.address import parse_address
from rapid.store.subscription import Subscription


class Line:
    """A connection that confirms what it is asked to subscribe to, each channel with a push behind it."""

    def __init__(self, loop, ident=("a run", 1)):
        self.is_up, self.lost, self.on_push, self.ident = True, loop.create_future(), None, ident

    def write(self, commands):
        for name, *channels in commands:
            for channel in channels if name == "SUBSCRIBE" else ():
                self.on_push([b"subscribe", channel.encode(), 1])
                self.on_push([b"message", channel.encode(), b"pushed"])

    def abort(self):
        self.is_up = False
        if not self.lost.done():
            self.lost.set_result(None)


@pytest.fixture
def lines(monkeypatch):
    """The connections that were opened, the last of them last."""
    lines = []

    async def open_line(*_):
        lines.append(Line(asyncio.get_running_loop()))
        return lines[-1]

    monkeypatch.setattr("rapid.store.subscription.open_line", open_line)
    return lines


@pytest.fixture
async def subscription(lines):
    """Stands, and follows a table."""
    subscription = Subscription(parse_address("redis://127.0.0.1:1"), "test", "hello")
    subscription.heard = []
    subscription.on_message = lambda channel, _: subscription.heard.append(channel)
    subscription.on_blind = lambda: subscription.heard.append("blind")
    running = asyncio.create_task(subscription.run())
    await asyncio.sleep(0)
    await subscription.follow("table")
    subscription.heard.clear()
    yield subscription
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def until_blind(subscription):
    async with asyncio.timeout(5):
        while "blind" not in subscription.heard:
            await asyncio.sleep(0)


async def test_what_a_new_connection_brings_before_it_stands_is_left_to_the_log(lines, subscription):
    """Redis may be another run by then, and what it pushes the story of another log."""
    lines[0].abort()
    await until_blind(subscription)
    lines[1].on_push([b"message", b"table", b"pushed"])
    assert subscription.heard == ["blind", "table"]


@pytest.mark.parametrize("ident, run", [(("a run", 1), "another run"), (("a run", 1), None), (None, "a run")])
async def test_a_connection_to_another_run_is_left(lines, subscription, ident, run):
    lines[0].ident = ident
    subscription.leave_other_runs(run)
    assert not lines[0].is_up
    await until_blind(subscription)
    assert subscription.heard == ["blind"]


async def test_a_connection_to_this_run_is_kept(lines, subscription):
    subscription.leave_other_runs("a run")
    assert lines[0].is_up
