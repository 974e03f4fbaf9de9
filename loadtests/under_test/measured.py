"""A system under load: where it listens, and its processes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final

from msgspec import Struct

from loadtests.generator.http import answer_of

PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024
METRICS_SECONDS: Final = 5.0


class Target(Struct, frozen=True):
    """Where clients connect, and what serves them by its part: gateway, worker, redis."""

    host: str
    port: int
    pids: Mapping[str, int]
    redis_url: str | None = None
    watch_port: int = 0
    """Of a gateway for spectators alone; 0: there is none."""


def cut_readers(target: Target) -> int | None:
    """Return how many viewers it has ended with `too_slow` (4008) by its own metrics; None: it does not say.

    One that does not read does not read the code either.
    """
    cut = 0
    for port in {target.port, target.watch_port or target.port}:
        http = HTTPConnection(target.host, port, timeout=METRICS_SECONDS)
        try:
            answer, text = answer_of(http, METRICS_SECONDS, "GET", "/metrics")
        except (OSError, HTTPException):
            return None
        finally:
            http.close()
        if answer.status != HTTPStatus.OK:
            return None
        cut += sum(int(float(count)) for count in _TOO_SLOW.findall(text.decode(errors="replace")))
    return cut


_TOO_SLOW: Final = re.compile(r'^rapid_viewers_cut_total\{why="too_slow"\} (\S+)$', re.MULTILINE)


def cpu_s(pid: int) -> float | None:
    """Return the CPU seconds of all threads of a process; None: it is gone."""
    used_ns = 0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            used_ns += int((task / "schedstat").read_text().split()[0])
    except OSError:
        return None
    # Of one that has ended and that nobody has waited for the threads' times are gone already.
    return used_ns / 1e9 if resident_kb(pid) is not None else None


def resident_kb(pid: int) -> int | None:
    """Return how much of a process is in memory; None: it is gone."""
    try:
        kb = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_KB
    except OSError:
        return None
    return kb or None
