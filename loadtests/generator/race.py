"""All tables of one generator on this server: opened, seated, started, watched, played to their end."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from loadtests.generator.http import Opened, open_tables
from loadtests.generator.loop import Loop, now_s
from loadtests.generator.plan import Plan, Stopped, cut_off_for_asking
from loadtests.generator.race_table import RaceTable
from loadtests.generator.recorder import Recorder
from loadtests.generator.table import settle
from loadtests.generator.viewer import Player, Viewer, Watcher
from loadtests.generator.wire import WIRES

PATIENCE_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 1.0
"""So often it is looked whether there is still something to wait for."""
CONNECTING_MAX: Final = 100
"""Handshakes at once: a listening socket's queue is bounded."""
INTENTS_A_ROUND: Final = 60
"""About so many are made of one: plays, passes, salts, returns, and the next deal."""
OTHERWISE: Final = "a connection is not answered"


class NotReady(Exception):
    """The server did not do what every load needs before it begins, or does not come to its end."""


class Races:
    """The tables of one generator: those that race, and those at rest."""

    def __init__(self, loop: Loop, recorder: Recorder, plan: Plan) -> None:
        self.racing: list[RaceTable] = []
        self.resting: list[RaceTable] = []
        self.played: list[RaceTable] = []
        """Tables that others have taken the place of."""
        self.slow: list[Watcher] = []
        self._stopped_s = 0.0
        self._loop = loop
        self._recorder = recorder
        self._plan = plan
        self._rng = random.Random(plan.seed + plan.first)  # noqa: S311  which seat moves, not which cards it has
        self._connecting: list[Player | Watcher] = []

    @property
    def all(self) -> Sequence[RaceTable]:
        """All tables."""
        return [*self.racing, *self.resting, *self.played]

    @property
    def cut_off(self) -> int:
        """How many connections of seats the server has closed for asking too often."""
        return sum(player.is_cut_off for table in self.all for player in table.players)

    def open(self) -> list[str]:
        """Open tables, connect every seat, start the games; ready when cards are dealt. Return where that is not so."""
        plan = self._plan
        opened = open_tables(plan.host, plan.port, plan.tables + plan.idle, plan.seats, plan.settings)
        tables = [self.seat(one) for one in opened]
        self.racing, self.resting = tables[: plan.tables], tables[plan.tables :]
        self.until(lambda: all(table.is_all_there for table in tables), "not every seat is welcomed")
        return self.start(self.racing) + self._scatter(self.racing)

    def seat(self, opened: Opened) -> RaceTable:
        """Connect all seats of a table."""
        plan, wire = self._plan, WIRES[self._plan.codec]
        table = RaceTable(self._loop, self._recorder, wire, opened.table, self._rng, plan.contention)
        where = (plan.host, plan.port)
        table.seat([Player(table, number, where, token) for number, token in enumerate(opened.tokens)])
        for player in table.players:
            player.connect()
            self._wait_for_room(player)
        return table

    def start(self, tables: Sequence[RaceTable]) -> list[str]:
        """Start the games of tables whose seats are all there."""
        for table in tables:
            table.hurry()
        faults = self.settle(tables, lambda table: table.fold.phase in {"playing", "exchange"}, "a game does not start")
        for table in tables:
            table.is_hurried = False
        started = [table for table in tables if not table.is_stuck]
        return faults + self.settle(started, lambda table: not table.is_busy, "a first intent is not answered")

    def _scatter(self, tables: Sequence[RaceTable]) -> list[str]:
        """Play on to different places of a round: a hundred tables of strangers do not deal at the same moment."""
        tables = [table for table in tables if not table.is_stuck]
        for table in tables:
            table.go_ahead(self._rng.randrange(INTENTS_A_ROUND))
        return self.settle(tables, lambda table: not table.is_busy, "an intent is not answered")

    def watch(self) -> None:
        """Connect the spectators of each table."""
        plan = self._plan
        for table in self.racing:
            for number in range(1, plan.watchers + 1):
                self._watch(table, -number)
        self.until(
            lambda: all(one.is_welcome for table in self.racing for one in table.watchers),
            "a spectator is not welcomed",
        )

    def unwatch(self) -> None:
        """Disconnect them."""
        self.part_with([watcher for table in self.racing for watcher in table.watchers])

    def part_with(self, viewers: Sequence[Viewer]) -> None:
        """Hang up on them, once each has what anybody at its table has now: what it does not have by then is lost."""
        self._wait_for_newest(viewers)
        for viewer in viewers:
            viewer.connection.close()

    def _wait_for_newest(self, viewers: Sequence[Viewer]) -> None:
        newest = {table: table.newest_seq for table in {viewer.table for viewer in viewers}}
        for viewer in viewers:
            viewer.must_have(newest[viewer.table])
        self._loop.until(lambda: all(viewer.has_all for viewer in viewers), PART_SECONDS)

    def stop_reading(self) -> None:
        """Connect spectators, over all tables in turn, that read their welcome and nothing more."""
        for number in range(self._plan.slow):
            table = self.racing[number % len(self.racing)]
            self.slow.append(self._watch(table, -1_000_000 - number, is_small=True))
        self.until(lambda: all(one.is_welcome for one in self.slow), "a spectator is not welcomed")
        self._stopped_s = now_s()
        for one in self.slow:
            one.connection.stop_reading()

    def read_on(self) -> Stopped:
        """Let them read what there is, and hang up; return what became of them."""
        slow = self.slow
        due_bytes = min((one.table.bytes_since(self._stopped_s) for one in slow), default=0)
        newest = {one.table: one.table.newest_seq for one in slow}
        for one in slow:
            # Whoever was not cut off has missed nothing.
            one.must_have(newest[one.table])
            one.connection.read_on()
        self._loop.until(lambda: all(one.has_all for one in slow), READ_ON_SECONDS)
        ended = sum(one.connection.is_cut for one in slow)
        for one in slow:
            if one.connection.is_cut:
                one.links[-1].must_seq = None
            one.connection.close()
        self.slow = []
        return Stopped(readers=len(slow), ended=ended, due_bytes=due_bytes)

    def finish(self) -> list[str]:
        """Play every round to its end and end the game; return at which tables that was waited for in vain."""
        tables = [*self.racing, *self.played]
        for table in tables:
            if table.is_cut_off:
                continue
            table.is_finishing = True
            table.backlog.clear()
            if not table.is_over:
                table.hurry()
        going_on = [table for table in tables if not table.is_stuck]
        faults = self.settle(going_on, lambda table: table.is_over, "does not come to its end")
        answered = [table for table in self.all if not table.is_stuck]
        return faults + self.settle(answered, lambda table: table.is_answered, "a reply is missing")

    def disclose(self) -> list[str]:
        """Let every log be shown to everybody, which takes a game that has ended: a table that is left has none open.

        Return at which tables that was in vain.
        """
        tables = [table for table in self.all if not table.is_over and not table.is_cut_off]
        idle = [table for table in tables if table.fold.phase == "lobby"]
        faults = self.start(idle)
        self._wait_for_newest([player for table in tables for player in table.players])
        for table in tables:
            table.is_hurried = False
            table.backlog.clear()
            for player in table.players[::-1]:
                if not player.is_gone:
                    table.leave(player)
        return faults + self.settle(tables, lambda table: table.fold.phase == "closed", "it does not close")

    def settle(self, tables: Sequence[RaceTable], holds: Callable[[RaceTable], bool], otherwise: str) -> list[str]:
        """Wait until it holds at all; return at which tables that was in vain."""
        return settle(self._loop, tables, holds, otherwise)

    def _watch(self, table: RaceTable, number: int, *, is_small: bool = False) -> Watcher:
        watcher = Watcher(table, number, (self._plan.host, self._plan.watch_port or self._plan.port))
        watcher.connect(is_small=is_small)
        table.watchers.append(watcher)
        self._wait_for_room(watcher)
        return watcher

    def _wait_for_room(self, viewer: Player | Watcher) -> None:
        self._connecting.append(viewer)
        if len(self._connecting) >= CONNECTING_MAX:
            self.until(lambda: all(one.connection.is_settled for one in self._connecting), OTHERWISE)
            self._connecting.clear()

    def turn_until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Wait for so long; return whether it holds."""
        return self._loop.until(holds, seconds)

    def until(self, holds: Callable[[], bool], otherwise: str) -> None:
        """Wait until it holds; `NotReady` if it does not."""

        def refused() -> str | None:
            return next((why for one in self._connecting if (why := one.connection.refused) is not None), None)

        end_s = now_s() + PATIENCE_SECONDS
        while not self._loop.until(lambda: refused() is not None or holds(), LOOK_SECONDS):
            why = self._loop.gone or (cut_off_for_asking(self.cut_off) if self.cut_off else None)
            if why is not None:
                raise NotReady(why)
            if now_s() >= end_s:
                raise NotReady("\n".join([otherwise, *(table.described() for table in self.all)]))
        if (why := refused()) is not None:
            raise NotReady(why)


READ_ON_SECONDS: Final = 4.0
PART_SECONDS: Final = 2.0
"""What one has been told of reaches all others at a table within milliseconds."""
