"""The logs of the tables that were played on: as `rapid export` gives them, else as everybody may read them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from loadtests.generator.http import Api
from rapid.engine.notation import Decided, log_lines
from rapid.store.redis_store import RedisStore, open_store
from rapid.table.ports import FIRST_ID

PAGE: Final = 500


def exported(redis_url: str, tables: Sequence[str]) -> list[list[str]]:
    """Return each table's lines, header first, out of Redis."""

    async def read() -> list[list[str]]:
        store = await open_store(redis_url)
        try:
            return [await _lines(store, table) for table in tables]
        finally:
            await store.close()

    return asyncio.run(read())


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


def shown(host: str, port: int, tables: Sequence[str]) -> list[list[str]]:
    """Return each table's lines over HTTP."""
    api = Api(host, port)
    return [api.get(f"/api/tables/{table}/log").decode().splitlines() for table in tables]
