"""The floor's decider: reads what has come, makes an event of each intent, appends and publishes the whole batch."""

from __future__ import annotations

import time
from typing import Any, Final

import msgspec
from msgspec import Struct

from loadtests.floor.client import Client, Word
from loadtests.floor.gateway import HEAD, INBOX

FENCE: Final = "1"
APPEND: Final = """
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return redis.error_reply('FENCED') end
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', '1000', '*', 'd', ARGV[2])
redis.call('PUBLISH', KEYS[3], ARGV[2])
return id
"""


class Intent(Struct):
    """About as long as a play of ours."""

    t: str
    ts: int
    seq: int
    stack: int
    card: int
    hand: int
    k: str


class Event(Struct):
    """About as long as a `played` of ours."""

    ts: int
    t: str
    table: int
    seq: int
    player: int
    cseq: int
    stack: int
    card: int
    ok: bool
    h: str


FILL: Final = "0123456789abcdef0123456789abcdef"
_read = msgspec.msgpack.Decoder(Intent).decode
_pack = msgspec.msgpack.Encoder().encode


class Worker:
    """All tables; `decide_us`: busy time for each decision, in the place of rules."""

    def __init__(self, redis: Client, tables: int, decide_us: float) -> None:
        self._redis = redis
        self._seq = [0] * tables
        self._decide_s = decide_us / 1e6
        self._script: Word = b""

    async def prepare(self) -> None:
        """Set the fences and load the script."""
        await self._redis.batch([("SET", f"ep:{table}", FENCE) for table in range(len(self._seq))])
        self._script = await self._redis.command("SCRIPT", "LOAD", APPEND)

    async def run(self, inbox: Client) -> None:
        """Decide until cancelled."""
        last: Word = "0"
        while True:
            found = await inbox.command("XREAD", "COUNT", "500", "BLOCK", "0", "STREAMS", INBOX, last)
            commands = []
            entries = found[0][1]
            last = entries[-1][0]
            for _, fields in entries:
                table, seat = HEAD.unpack_from(fields[1])
                event = self._decide(table, seat, fields[1][HEAD.size :])
                commands.append(
                    ("EVALSHA", self._script, "3", f"ev:{table}", f"ep:{table}", f"ch:{table}", FENCE, event)
                )
            replies: list[Any] = await self._redis.batch(commands)
            if isinstance(replies[0], Exception):
                raise replies[0]

    def _decide(self, table: int, seat: int, raw: bytes) -> bytes:
        intent = _read(raw)
        self._seq[table] += 1
        if self._decide_s:
            end_s = time.perf_counter() + self._decide_s
            while time.perf_counter() < end_s:
                pass
        event = Event(
            intent.ts, "played", table, self._seq[table], seat, intent.seq, intent.stack, intent.card, ok=True, h=FILL
        )
        return _pack(event)
