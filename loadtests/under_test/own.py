"""This server, started as an operator would, on a Redis and a folder of its own."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from loadtests.under_test.measured import Target
from rapid.config import Fsync
from rapid.store.embedded import EmbeddedRedis

HOST: Final = "127.0.0.1"
ROOT: Final = Path(__file__).parents[2]
PATHS: Final = os.pathsep.join(map(str, (ROOT, ROOT / "clients/python", ROOT / "clients/terminal")))
READY_SECONDS: Final = 60.0
END_SECONDS: Final = 30.0
# All clients of a load test come from one address, and play faster than people can.
RAISED: Final = {
    "MESSAGES_PER_SECOND": "100000",
    "MESSAGES_BURST": "100000",
    "INTENTS_PER_SECOND": "100000",
    "INTENTS_BURST": "100000",
    "TABLES_PER_ADDRESS_BURST": "1000000",
    "TABLES_PER_ADDRESS_PER_MINUTE": "1000000",
    "CONNECTIONS_MAX": "1000000",
    "TABLES_MAX": "1000000",
}


@contextmanager
def own_server(
    *, is_split: bool, fsync: Fsync, limits: Mapping[str, str] = RAISED, has_watch_gateway: bool = False
) -> Iterator[Target]:
    """`rapid serve`, or gateway and worker by themselves; ended with the block.

    `has_watch_gateway`: one more gateway, for spectators alone.
    """
    with tempfile.TemporaryDirectory(prefix="rapid-load-", ignore_cleanup_errors=True) as folder:
        redis = EmbeddedRedis(Path(folder) / "data", fsync=fsync)
        asyncio.run(redis.start())
        children: dict[str, subprocess.Popen[str]] = {}
        try:
            common = ("--redis", redis.url, "--log-level", "warning")
            listen = (*common, "--dev", "--host", HOST, "--port", "0")
            if is_split:
                children["worker"] = _start(folder, limits, "worker", *common)
                _ready(children["worker"], folder)
            children["gateway"] = _start(folder, limits, "gateway" if is_split else "serve", *listen)
            port = _ready(children["gateway"], folder)
            watch_port = 0
            if has_watch_gateway:
                children["watch_gateway"] = _start(folder, limits, "gateway", *listen)
                watch_port = _ready(children["watch_gateway"], folder)
            assert redis.pid is not None
            pids = {**{name: child.pid for name, child in children.items()}, "redis": redis.pid}
            yield Target(HOST, port, pids, redis.url, watch_port)
        finally:
            for child in reversed(children.values()):
                _end(child)
            asyncio.run(redis.stop())


def _start(folder: str, limits: Mapping[str, str], *arguments: str) -> subprocess.Popen[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RAPID_")}
    environ |= {f"RAPID_{name}": value for name, value in limits.items()}
    with (Path(folder) / f"{arguments[0]}.log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603  our own command line
            (sys.executable, "-m", "rapid", *arguments),
            cwd=ROOT,
            env={**environ, "PYTHONPATH": PATHS},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )


def _ready(child: subprocess.Popen[str], folder: str) -> int:
    """Wait for the line that says so; return the port, 0 where there is none."""
    assert child.stdout is not None
    if not select.select([child.stdout], [], [], READY_SECONDS)[0]:
        raise RuntimeError("the server does not get ready")
    line = child.stdout.readline()
    if "is ready" not in line:
        logs = "\n".join(log.read_text(errors="replace")[-2000:] for log in Path(folder).glob("*.log"))
        raise RuntimeError(f"the server did not start: {line}{logs}")
    _, _, port = line.strip().rstrip("/").rpartition(":")
    return int(port) if port.isdecimal() else 0


def _end(child: subprocess.Popen[str]) -> None:
    child.terminate()
    with suppress(subprocess.TimeoutExpired):
        child.wait(END_SECONDS)
        return
    child.kill()
    child.wait()
