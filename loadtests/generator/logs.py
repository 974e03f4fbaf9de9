"""The logs of the tables that were played on: as `rapid export` gives them, else as everybody may read them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http.client import HTTPException
from typing import Final

from msgspec import Struct

from loadtests.generator.http import Api
from loadtests.generator.table import shortened
from rapid.engine.notation import Decided, log_lines
from rapid.errors import RapidError
from rapid.store.redis_store import RedisStore, open_store
from rapid.table.ports import FIRST_ID

PAGE: Final = 500


class Read(Struct, frozen=True):
    """Each table's lines, header first; None: they cannot be had, and why."""

    lines: list[list[str] | None]
    faults: list[str]


def exported(redis_url: str, tables: Sequence[str]) -> Read:
    """Read them out of Redis."""

    async def read() -> list[list[str] | None]:
        store = await open_store(redis_url)
        try:
            return [await _lines(store, table) for table in tables]
        finally:
            await store.close()

    try:
        return Read(asyncio.run(read()), [])
    except RapidError as error:
        return Read([None] * len(tables), [f"the logs cannot be read: {error}"])


async def _lines(store: RedisStore, table: str) -> list[str]:
    decided: list[Decided] = []
    after = FIRST_ID
    while True:
        entries = await store.log.read(table, after, limit=PAGE)
        for entry in entries:
            after = entry.id
            if entry.record is not None:
                decided.append(Decided(entry.record.seq, entry.record.at, entry.record.events))
        if len(entries) < PAGE:
            return list(log_lines(table, decided))


def shown(host: str, port: int, tables: Sequence[str]) -> Read:
    """Read them over HTTP, where there is none of a table at which no game has ended."""
    lines: list[list[str] | None] = []
    faults = []
    for table in tables:
        try:
            lines.append(Api(host, port).get(f"/api/tables/{table}/log").decode().splitlines())
        except (OSError, HTTPException, RuntimeError) as error:
            lines.append(None)
            faults.append(f"table {table}: its log cannot be read: {error}")
    return Read(lines, shortened(faults))
