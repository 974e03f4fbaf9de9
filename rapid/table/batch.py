"""Deciding a batch: all that is ready, before any of it is written (DESIGN decision 11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rapid.engine.intents import DEALS
from rapid.engine.refusals import NO_TABLE, UNAVAILABLE, Refusal
from rapid.table.authority import Authority, Effects, newcomer
from rapid.table.drivers import mover_of
from rapid.table.faults import log_fault
from rapid.table.ports import Commit, Posted, id_order
from rapid.table.shard import Shard
from rapid.telemetry.logs import get_logger
from rapid.wire.records import Answer, Entry

NONE_CLOSED: Mapping[str, str] = MappingProxyType({})

_log = get_logger(__name__)


class Batch:
    """What came of the entries read in one go; nothing of it is durable yet."""

    def __init__(self, shards: Mapping[int, Shard], draw_secret: Callable[[], str], now_ms: int = 0) -> None:
        """Decide for these shards; `draw_secret` gives 64 fresh hex digits (PROTOCOL 5).

        `now_ms`, on the clock of the streams, is for those who wait no longer, and for no decision of the game.
        """
        self._now_ms = now_ms
        self._shards = shards
        self._draw_secret = draw_secret
        self.cursors: dict[int, str] = {}
        """How far each shard's inbox is decided with this batch."""
        self.commits: list[Commit] = []
        self.commit_shards: list[int] = []
        """The shard of each commit."""
        self.answers: list[tuple[int, Answer]] = []
        """With the shard each comes from: what hangs on a commit that failed is not sent."""
        self.refused: dict[str, tuple[int, Authority]] = {}
        """Tables of which something was refused, as far as they are known here."""
        self.touched: dict[str, tuple[int, Authority]] = {}
        self.bots_refused: list[tuple[int, str, int]] = []
        self.put_aside: list[str] = []

    def decide(self, posted: Posted, closed: Mapping[str, str] = NONE_CLOSED) -> None:
        """Decide one entry behind those before; `closed`: closed tables, with the last entry they decided."""
        shard = self._shards[posted.shard]
        self.cursors[posted.shard] = posted.id
        entry = posted.entry
        if entry is None:
            _log.error("entry_unreadable", shard=posted.shard, id=posted.id)
            if posted.ask is not None:
                self.answers.append((shard.number, Answer(posted.ask, 0, Refusal(UNAVAILABLE))))
        elif entry.table in shard.aside:
            self._refuse(shard, entry, UNAVAILABLE)
        elif entry.table in shard.tables or entry.table not in closed:
            self._decide(shard, posted.id, entry)
        elif id_order(posted.id) > id_order(closed[entry.table]):
            self._refuse(shard, entry, NO_TABLE)

    def unproven(self) -> dict[str, tuple[int, str | None]]:
        """Return what stands last in the logs of those tables of which something is refused and nothing written.

        A commit goes through only if what it stands on is the log's end; a refusal has no such proof of its own.
        """
        written = {commit.table for commit in self.commits}
        return {
            table: (number, authority.last_id)
            for table, (number, authority) in self.refused.items()
            if table not in written
        }

    def forget(self, shards: set[int]) -> None:
        """Leave out all that came of these shards: it did not become durable."""
        if not shards:
            return
        for number in shards:
            self.cursors.pop(number, None)
        kept = [pair for pair in zip(self.commit_shards, self.commits, strict=True) if pair[0] not in shards]
        self.commit_shards, self.commits = [number for number, _ in kept], [commit for _, commit in kept]
        self.answers = [one for one in self.answers if one[0] not in shards]
        self.touched = {table: one for table, one in self.touched.items() if one[0] not in shards}
        self.bots_refused = [one for one in self.bots_refused if one[0] not in shards]

    def _decide(self, shard: Shard, entry_id: str, entry: Entry) -> None:
        authority = shard.tables.get(entry.table)
        if authority is None:
            authority = newcomer(entry.table, shard.epoch)
        secret = self._draw_secret() if isinstance(entry.intent, DEALS) else ""
        try:
            effects = authority.decide(entry_id, entry, secret, now_ms=self._now_ms)
        except Exception as error:  # noqa: BLE001  # a fault of ours at one table must not stop the others
            log_fault(
                "table_set_aside", error, table=entry.table, epoch=shard.epoch, intent=type(entry.intent).__name__
            )
            shard.set_aside(entry.table)
            self.touched.pop(entry.table, None)
            self.put_aside.append(entry.table)
            self._refuse(shard, entry, UNAVAILABLE)
            return
        if effects.fault is not None:
            intent = type(entry.intent).__name__
            log_fault("entry_failed", effects.fault, table=entry.table, epoch=shard.epoch, intent=intent)
        self._collect(shard, authority, entry, effects)

    def _collect(self, shard: Shard, authority: Authority, entry: Entry, effects: Effects) -> None:
        if effects.commits:
            shard.tables[entry.table] = authority
            self.commits += effects.commits
            self.commit_shards += [shard.number] * len(effects.commits)
        # A tick that came to nothing has to be looked at too: the timer is armed anew.
        if entry.table in shard.tables:
            self.touched[entry.table] = (shard.number, authority)
        if effects.answer is not None:
            self.answers.append((shard.number, effects.answer))
            self.refused[entry.table] = (shard.number, authority)
        if effects.refused and (seat := mover_of(entry)) is not None:
            self.bots_refused.append((shard.number, entry.table, seat))

    def _refuse(self, shard: Shard, entry: Entry, why: str) -> None:
        if entry.ask is not None:
            self.answers.append((shard.number, Answer(entry.ask, 0, Refusal(why))))
