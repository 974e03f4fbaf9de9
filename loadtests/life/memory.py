"""How much memory a process and a Redis hold, in kB."""

from __future__ import annotations

import asyncio
from pathlib import Path

import redis.asyncio
from msgspec import Struct

KB = 1024


class Held(Struct, frozen=True):
    """Of one process; `used_kb` is what Redis itself counts.

    Resident size, not the proportional one: that changes when anybody else who runs the same programs comes or goes.
    """

    name: str
    rss_kb: int
    used_kb: int | None = None

    @property
    def figures(self) -> dict[str, int]:
        """The figures that must not grow, by their name."""
        found = {f"{self.name} RSS": self.rss_kb}
        return found if self.used_kb is None else {**found, f"{self.name} used_memory": self.used_kb}


def held_by(name: str, pid: int) -> Held:
    """Read what the kernel says of a process."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    sizes = {row.split(":")[0]: int(row.split()[1]) for row in rows[1:]}
    return Held(name, sizes["Rss"])


async def held_by_redis(url: str, pid: int) -> Held:
    """Read it of Redis, from outside and inside, once it has given back what it holds in reserve."""
    client = redis.asyncio.Redis.from_url(url)
    try:
        await client.memory_purge()
        await asyncio.sleep(1)
        used = int((await client.info("memory"))["used_memory"])
    finally:
        await client.aclose()
    outside = held_by("redis", pid)
    return Held("redis", outside.rss_kb, used // KB)
