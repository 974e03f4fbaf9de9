"""People come and go: connections are lost and made again, now and then all at once, and tables follow on tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from msgspec import Struct

from loadtests.generator.http import Api, Opened
from loadtests.generator.loop import now_s
from loadtests.generator.plan import Plan
from loadtests.generator.race import PART_SECONDS, NotReady, Races
from loadtests.generator.race_table import RaceTable
from loadtests.generator.viewer import Player

DROPS_PER_TABLE_SECOND: Final = 0.2
AWAY_SECONDS: Final = (0.0, 1.0)
STORM_SECONDS: Final = 4.0
"""So often everybody loses the connection at the same moment, and everybody is back at once."""
LIFE_SECONDS: Final = 6.0
"""A table is played on for so long; then one leaves in the middle of a round, and it ends with that round."""
TURN_SECONDS: Final = 0.01
LOST_SECONDS: Final = 2.0
"""An intent of whose event nobody has heard so long after everybody is back was lost with its connection."""
AT_ONCE: Final = 4
OPEN_SECONDS: Final = 30.0


class Done(Struct, kw_only=True):
    """What has happened."""

    drops: int = 0
    storms: int = 0
    tables: int = 0
    """Lived from their opening to their end."""
    left: int = 0
    lost: int = 0
    """Intents that were on a connection when we cut it, and came to nothing."""


class Churn:
    """`turn` is called as often as the loop turns, `end` behind it all."""

    def __init__(self, races: Races, plan: Plan, rng: random.Random) -> None:
        self.done = Done()
        self._races = races
        self._plan = plan
        self._rng = rng
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._failed: list[str] = []
        self._opening: list[tuple[RaceTable, Future[Opened]]] = []
        self._coming: list[RaceTable] = []
        self._ending: list[RaceTable] = []
        self._away: list[tuple[float, Player]] = []
        self._parting: list[tuple[float, float, Player]] = []
        now = now_s()
        self._turn_s = self._drop_s = now
        self._storm_s = now + STORM_SECONDS
        self._ends = {table: now + rng.uniform(0.3, 1) * LIFE_SECONDS for table in races.racing}
        self._back_s: dict[RaceTable, float] = {}
        """When somebody was away last."""

    def turn(self, now: float) -> None:
        """Do what is due."""
        if now < self._turn_s:
            return
        self._turn_s = now + TURN_SECONDS
        self._part(now)
        self._come_back(now)
        if now >= self._storm_s:
            self._storm_s = now + STORM_SECONDS
            self._storm(now)
        if now >= self._drop_s:
            self._drop_s = now + 1 / (DROPS_PER_TABLE_SECOND * len(self._races.racing))
            if there := list(self._players()):
                self._drop(self._rng.choice(there), now, now + self._rng.uniform(*AWAY_SECONDS))
        self._look_after(now)
        for table, end_s in list(self._ends.items()):
            is_there = not (table.is_cut_off or table.is_busy or table.is_away)
            if now >= end_s and is_there and table.fold.phase == "playing":
                self._let_end(table)
        self._replace(now)

    def end(self) -> list[str]:
        """Let everybody come back, and what is opening be played at; return where that was waited for in vain."""
        races = self._races
        races.turn_until(lambda: self._part(now_s()), 2 * PART_SECONDS)
        self._come_back(float("inf"))
        faults = races.settle(self._known(), lambda table: not table.is_away, "somebody does not come back")
        if not races.turn_until(lambda: all(opening.done() for _, opening in self._opening), OPEN_SECONDS):
            self._failed.append("a table does not open")
        self._replace(now_s())
        faults += races.settle(self._known(), self._is_calm, "does not start, or does not come to its end")
        self._pool.shutdown(wait=False, cancel_futures=True)
        return faults + self._failed

    def _is_calm(self, table: RaceTable) -> bool:
        now = now_s()
        self._look_after(now)
        self._replace(now)
        return not (table.is_busy or table in self._coming or table in self._ending)

    def _known(self) -> list[RaceTable]:
        return list(dict.fromkeys((*self._races.racing, *self._ending, *self._coming)))

    def _players(self) -> Iterator[Player]:
        for table in self._races.racing:
            if table.is_cut_off:
                continue  # it is left as it is: whoever came back there would be cut off again
            yield from (
                player
                for player in table.players
                if player.is_welcome and not player.is_gone and player.links[-1].must_seq is None
            )

    def _drop(self, player: Player, now: float, back_s: float) -> None:
        """At once, unless others at the table are ahead: what it is behind by is on its way, or it is lost.

        Else the return would fetch what was never sent, and nobody would know.
        """
        player.must_have(player.table.newest_seq)
        self._parting.append((now + PART_SECONDS, back_s, player))
        self._part(now)

    def _part(self, now: float) -> bool:
        """Cut whom we may; return whether that is all."""
        parting, self._parting = self._parting, []
        for by_s, back_s, player in parting:
            if now < by_s and not player.has_all:
                self._parting.append((by_s, back_s, player))
                continue
            player.table.cut(player, now)
            self._away.append((back_s, player))
            self.done.drops += 1
        return not self._parting

    def _storm(self, now: float) -> None:
        self.done.storms += 1
        for player in list(self._players()):
            self._drop(player, now, now)

    def _come_back(self, now: float) -> None:
        away, self._away = self._away, []
        for back_s, player in away:
            if now >= back_s:
                player.connect()
            else:
                self._away.append((back_s, player))

    def _let_end(self, table: RaceTable) -> None:
        """One leaves; the others play the round to its end while a new table opens in this one's place."""
        del self._ends[table]
        opening = self._pool.submit(self._open)
        self._opening.append((table, opening))
        self._ending.append(table)
        table.leave(table.players[-1])
        self.done.left += 1
        table.is_finishing = table.is_paused = True
        table.backlog.clear()
        table.hurry()

    def _open(self) -> Opened:
        api = Api(self._plan.host, self._plan.port)
        return api.open_table(self._plan.seats, self._plan.settings)

    def _replace(self, now: float) -> None:
        """Seat people at new tables and start their games; leave those that are over."""
        for table, opening in list(self._opening):
            if opening.done():
                self._opening.remove((table, opening))
                error = opening.exception()
                if error is not None:
                    self._failed.append(f"a table does not open: {error}")
                    continue
                try:
                    new = self._races.seat(opening.result())
                except NotReady as not_ready:
                    self._failed.append(f"nobody can sit down at a new table: {not_ready}")
                    continue
                self._coming.append(new)
                self._races.played.append(table)
                self._races.racing[self._races.racing.index(table)] = new
        for table in list(self._coming):
            if table.is_all_there and not table.is_hurried:
                table.hurry()
            if table.fold.phase in {"playing", "exchange"}:
                table.is_hurried = False
                self._coming.remove(table)
                self._ends[table] = now + LIFE_SECONDS
        for table in [table for table in self._ending if table.is_over]:
            self._ending.remove(table)
            self._leave_all(table)

    def _leave_all(self, table: RaceTable) -> None:
        """Nobody sits there any more: the table closes."""
        table.is_hurried = False
        self.done.tables += 1
        for player in table.players[::-1]:
            if not player.is_gone:
                table.leave(player)
                self.done.left += 1

    def _look_after(self, now: float) -> None:
        """Hold tables where somebody is away; let those go on where everybody is back and nothing is on its way."""
        for table in self._known():
            if table.is_away:
                table.hold(now)
                self._back_s[table] = now
            elif table.held_since_s is None:
                continue
            elif not table.is_busy:
                table.go_on(now)
            elif now - max(table.held_since_s, self._back_s.get(table, 0.0)) > LOST_SECONDS:
                table.withdraw(now)
                self.done.lost += 1
