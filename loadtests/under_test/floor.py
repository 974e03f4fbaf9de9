"""The floor, on a Redis of its own that is set up as the server's is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loadtests.under_test.children import Child
from loadtests.under_test.measured import Target
from loadtests.under_test.own import HOST, redis_in
from rapid.config import Fsync


@contextmanager
def floor(*, tables: int, fsync: Fsync, decide_us: float) -> Iterator[Target]:
    """Run it for the time of the block; its one process counts as the gateway."""
    with tempfile.TemporaryDirectory(prefix="rapid-floor-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with redis_in(folder / "data", fsync) as redis:
            socket = redis.url.removeprefix("unix://")
            options = ("--redis", socket, "--tables", str(tables), "--decide-us", str(decide_us))
            child = Child(folder, {}, "loadtests.floor", *options)
            try:
                assert redis.pid is not None
                yield Target(HOST, child.port(), {"redis": redis.pid, "gateway": child.pid})
            finally:
                child.end()
