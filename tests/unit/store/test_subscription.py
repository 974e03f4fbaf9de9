"""What is pushed on a subscription that stands again comes behind `blind` (DESIGN decision 6)."""

import asyncio

from rapid.store.address import parse_address
from rapid.store.subscription import Subscription


class Line:
    """A connection that confirms what it is asked to subscribe to, each channel with a push behind it."""

    def __init__(self, loop):
        self.is_up, self.lost, self.on_push = True, loop.create_future(), None

    def write(self, commands):
        for name, *channels in commands:
            for channel in channels if name == "SUBSCRIBE" else ():
                self.on_push([b"subscribe", channel.encode(), 1])
                self.on_push([b"message", channel.encode(), b"pushed"])

    def abort(self):
        self.is_up = False
        if not self.lost.done():
            self.lost.set_result(None)


async def test_what_a_new_connection_brings_before_it_stands_is_left_to_the_log(monkeypatch):
    """Redis may be another run by then, and what it pushes the story of another log."""
    lines, heard = [], []

    async def open_line(*_):
        lines.append(Line(asyncio.get_running_loop()))
        return lines[-1]

    monkeypatch.setattr("rapid.store.subscription.open_line", open_line)
    subscription = Subscription(parse_address("redis://127.0.0.1:1"), "test", "hello")
    subscription.on_message = lambda channel, _: heard.append(channel)
    subscription.on_blind = lambda: heard.append("blind")
    running = asyncio.create_task(subscription.run())
    await asyncio.sleep(0)
    await subscription.follow("table")
    heard.clear()
    lines[0].abort()
    while "blind" not in heard:
        await asyncio.sleep(0)
    lines[1].on_push([b"message", b"table", b"pushed"])
    assert heard == ["blind", "table"]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
