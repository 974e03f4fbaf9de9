"""Typed lines: none is lost, and nothing ever waits for one that was taken already."""

import asyncio
import os

import pytest

from rapid_terminal.lines import Lines


@pytest.fixture
def pipe():
    near, far = os.pipe()
    # A read that would wait for ever says so instead: BlockingIOError.
    os.set_blocking(near, False)
    with os.fdopen(near) as source:
        yield source, far
    os.close(far)


async def test_what_was_drained_is_not_read_a_second_time(pipe, monkeypatch):
    """The loop may call for a line that the screen has drained in the same turn."""
    source, far = pipe
    loop, called = asyncio.get_running_loop(), []
    monkeypatch.setattr(loop, "add_reader", lambda _fd, callback: called.append(callback))
    monkeypatch.setattr(loop, "remove_reader", lambda _fd: None)
    lines = Lines(source, lambda: "seen")
    lines.start()
    [is_readable] = called
    os.write(far, b"one\n")
    lines.drain()
    is_readable()
    os.write(far, b"two\nthr")
    is_readable()
    lines.drain()
    os.write(far, b"ee\n")
    is_readable()
    async with asyncio.timeout(5):
        assert [await lines.get() for _ in range(3)] == [("one", "seen"), ("two", "seen"), ("three", "seen")]
