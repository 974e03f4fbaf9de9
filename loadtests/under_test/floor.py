"""The floor, on a Redis of its own that is set up as the server's is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from loadtests.stopping import held_back
from loadtests.under_test.children import Child, own_folder
from loadtests.under_test.measured import Target
from loadtests.under_test.own import HOST, redis_in
from rapid.config import Fsync


@contextmanager
def floor(*, tables: int, fsync: Fsync, decide_us: float) -> Iterator[Target]:
    """Run it for the time of the block; its one process counts as the gateway."""
    with ExitStack() as parts:
        folder = parts.enter_context(own_folder("rapid-floor-"))
        redis = parts.enter_context(redis_in(folder / "data", fsync))
        socket = redis.url.removeprefix("unix://")
        options = ("--redis", socket, "--tables", str(tables), "--decide-us", str(decide_us))
        with held_back():
            child = Child(folder, {}, "loadtests.floor", *options)
            parts.callback(child.end)
        assert redis.pid is not None
        yield Target(HOST, child.port(), {"redis": redis.pid, "gateway": child.pid})
