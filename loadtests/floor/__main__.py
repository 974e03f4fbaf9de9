"""Serve the floor: `python -m loadtests.floor --redis SOCKET [--tables N] [--decide-us US]`; prints its port."""

from __future__ import annotations

import argparse
import asyncio

import uvloop

from loadtests.floor.client import Client
from loadtests.floor.gateway import Gateway
from loadtests.floor.worker import Worker

HOST = "127.0.0.1"


async def serve(redis: str, tables: int, decide_us: float) -> None:
    """Serve until ended; raises what ends the worker."""
    worker = Worker(await Client.connect(redis), tables, decide_us)
    await worker.prepare()
    deciding = asyncio.create_task(worker.run(await Client.connect(redis)))
    gateway = Gateway(await Client.connect(redis), await Client.connect(redis), tables)
    print(f"floor is ready: {HOST}:{await gateway.start(HOST)}", flush=True)
    await deciding


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m loadtests.floor", description=__doc__)
    parser.add_argument("--redis", required=True, metavar="SOCKET", help="path of the unix socket of an empty Redis")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--decide-us", type=float, default=0.0)
    given = parser.parse_args()
    uvloop.run(serve(given.redis, given.tables, given.decide_us))


if __name__ == "__main__":
    main()
