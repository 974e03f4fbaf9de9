"""What scenarios share: the system under load and the plan of its clients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from loadtests.generator.plan import Plan
from loadtests.options import Options
from loadtests.under_test.measured import Target
from loadtests.under_test.own import RAISED, own_server

RACE_SECONDS: Final = 60
"""The most there is: what is measured is intents, not timers."""


@contextmanager
def target_of(
    options: Options, *, has_watch_gateway: bool = False, settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Target]:
    """Give the server that is named, or one of our own, with these settings on top."""
    if options.url is not None:
        parts = urlsplit(options.url)
        yield Target(parts.hostname or "127.0.0.1", parts.port or 80, {})
        return
    limits = {**(RAISED if options.limits == "raised" else {}), **settings}
    with own_server(
        is_split=options.split, fsync=options.fsync, limits=limits, has_watch_gateway=has_watch_gateway
    ) as target:
        yield target


def grown_kb(
    before: Mapping[str, int | None], after: Mapping[str, int | None], names: Iterable[str]
) -> dict[str, int | None]:
    """Return by how much processes have become larger; None: one of them is gone."""
    found = {name: (before.get(name), after.get(name)) for name in names}
    return {name: None if a is None or b is None else b - a for name, (a, b) in found.items()}


def plan_for(options: Options, target: Target) -> Plan:
    """Return what the generators are to do."""
    return Plan(
        host=target.host,
        port=target.port,
        tables=options.tables,
        seats=options.seats,
        contention=options.contention,
        codec=options.codec,
        seed=options.seed,
        is_human=options.reaction == "human",
        settings={"seats": options.seats, "race_seconds": RACE_SECONDS, "rounds": "unlimited"},
        idle=options.idle,
        watchers=options.watchers,
        watch_port=target.watch_port or target.port,
        slow=options.slow,
        pids=dict(target.pids),
    )
