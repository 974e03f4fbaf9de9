"""A system under load: where it listens, and its processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


class Target(Struct, frozen=True):
    """Where clients connect, and what serves them by its part: gateway, worker, redis."""

    host: str
    port: int
    pids: Mapping[str, int]
    redis_url: str | None = None
    watch_port: int = 0
    """Of a gateway for spectators alone; 0: there is none."""


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of all threads of a process."""
    used_ns = 0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            used_ns += int((task / "schedstat").read_text().split()[0])
    except OSError:
        return 0.0  # gone: whoever asks has noticed, or will
    return used_ns / 1e9


def resident_kb(pid: int) -> int:
    """Return how much of a process is in memory."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_KB
    except OSError:
        return 0  # gone, as above
