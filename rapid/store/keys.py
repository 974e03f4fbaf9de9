"""Names of everything we keep in Redis.

All keys of a shard carry its hash tag, so that every script stays in one slot of a Redis
Cluster (DESIGN decision 3). Keys of a gateway are tagged by its name; the few keys about all
processes stand alone.
"""

from __future__ import annotations

from typing import Final

from rapid.table.ports import shard_of

SHARDS: Final = "rapid:shards"
"""The number of shards, written at the first start: another number would lose every table."""
WORKERS: Final = "rapid:workers"
"""Beats of workers: name → Redis time in ms until which it counts as living."""
GATEWAYS: Final = "rapid:gateways"
"""Beats of gateways: name → Redis time in ms, negative since the gateway was taken for dead."""


def tag(shard: int) -> str:
    """Return the prefix that keeps a shard's keys in one slot."""
    return f"{{s{shard}}}"


def inbox(shard: int) -> str:
    """Stream: what is asked of the shard's tables."""
    return f"{{s{shard}}}:inbox"


def cursor(shard: int) -> str:
    """Text: up to which inbox id everything is decided."""
    return f"{{s{shard}}}:cursor"


def epoch(shard: int) -> str:
    """Number: the present epoch."""
    return f"{{s{shard}}}:epoch"


def run(shard: int) -> str:
    """Text: the run of Redis that handed out the present epoch; another one may have forgotten later ones."""
    return f"{{s{shard}}}:run"


def lease(shard: int) -> str:
    """Text with a time to live: the worker in charge."""
    return f"{{s{shard}}}:lease"


def holder(shard: int) -> str:
    """Text: the worker that took the shard last and has not given it up, its lease expired or not."""
    return f"{{s{shard}}}:holder"


def planned(shard: int) -> str:
    """Short-lived: the last owner has handed over as planned."""
    return f"{{s{shard}}}:planned"


def tables(shard: int) -> str:
    """Set: ids of the tables that are not closed."""
    return f"{{s{shard}}}:tables"


def rows(shard: int) -> str:
    """Hash: table → its row."""
    return f"{{s{shard}}}:rows"


def public(shard: int) -> str:
    """Sorted set: public tables by the time they were opened."""
    return f"{{s{shard}}}:public"


def log(table: str, shards: int) -> str:
    """Stream: the table's log."""
    return f"{{s{shard_of(table, shards)}}}:log:{table}"


def channel(table: str, shards: int) -> str:
    """Channel: what the table's gateways are pushed."""
    return f"{{s{shard_of(table, shards)}}}:feed:{table}"


def table_of(channel_name: str) -> str:
    """Return the table of a channel."""
    return channel_name.rpartition(":")[2]


def present(table: str, shards: int) -> str:
    """Hash: seat → `CONN GATEWAY`, its present connection.

    `SEAT opened` → `INBOX_ID CONN GATEWAY`: when that one was opened, by the id of its first `Connect`.
    """
    return f"{{s{shard_of(table, shards)}}}:present:{table}"


def watch(table: str, shards: int) -> str:
    """Hash: gateway → its number of spectators at the table."""
    return f"{{s{shard_of(table, shards)}}}:watch:{table}"


def held(shard: int, gateway: str) -> str:
    """Hash: `TABLE SEAT` → `ENTERED_US ENTRY`, what to post when the gateway dies."""
    return f"{{s{shard}}}:held:{gateway}"


def watched(shard: int, gateway: str) -> str:
    """Hash: table → time in µs at which the gateway noted its spectators."""
    return f"{{s{shard}}}:watched:{gateway}"


def answers(gateway: str) -> str:
    """Stream: answers to what the gateway asked."""
    return f"{{g:{gateway}}}:answers"


def hello(gateway: str) -> str:
    """Channel that the gateway's own subscription keeps, so that it can be asked whether it lives."""
    return f"{{g:{gateway}}}:hello"
