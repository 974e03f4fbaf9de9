"""One authority, fed by hand with made-up stamps."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from rapid.cards.cardset import card_names
from rapid.engine.intents import AnyIntent, Connect, Newcomer, OpenTable, Pass, Play, Start
from rapid.engine.state import State
from rapid.rules.presets import PRESIDENT
from rapid.rules.settings import default_settings
from rapid.table.authority import Authority, Effects, newcomer
from rapid.table.ports import Commit
from rapid.wire.records import Ask, Entry
from tests.unit.table import folding

TABLE = "table00000001"
START_MS = 1_000_000
SECRET = "5e" * 32
RACE_MS = 10_000


class Desk:
    """An authority and the log it has written."""

    def __init__(self, authority: Authority | None = None) -> None:
        self.authority = authority or newcomer(TABLE, 1)
        self.log: list[Commit] = []
        self._refs = 0
        self._numbers: dict[int, int] = {}

    @property
    def state(self) -> State:
        return self.authority.state

    def id_at(self, at: int) -> str:
        """The next id that Redis would give at this millisecond."""
        self._numbers[at] = self._numbers.get(at, -1) + 1
        return f"{at}-{self._numbers[at]}"

    def ask(self, intent: AnyIntent, *, since: int | None = None, mark: str | None = None) -> Entry:
        self._refs += 1
        return Entry(TABLE, intent, Ask("gateway", self._refs), since, mark=mark)

    def decide(self, entry_id: str, entry: Entry) -> Effects:
        """Decide without settling."""
        effects = self.authority.decide(entry_id, entry, SECRET)
        self.log += effects.commits
        return effects

    def do(self, intent: AnyIntent, at: int, *, since: int | None = None, mark: str | None = None) -> Effects:
        """Decide and settle, as after a durable batch of one."""
        effects = self.decide(self.id_at(at), self.ask(intent, since=since, mark=mark))
        self.authority.settle()
        return effects

    def recovered(self, *, epoch: int = 2, shard_cursor: str = "0-0") -> Desk:
        """What another authority makes of the log, before it has resumed."""
        past = folding.past_of(TABLE, self.log, shard_cursor)
        desk = Desk(Authority(epoch, past))
        desk.log, desk._refs = list(self.log), self._refs
        desk._numbers = dict(self._numbers)
        return desk

    def resume(self, at: int, *, keeps_deadline: bool = False) -> Effects:
        effects = self.authority.resume(at, keeps_deadline=keeps_deadline)
        self.authority.settle()
        self.log += effects.commits
        return effects


def open_table(*, bots: int = 3, **settings: Any) -> Desk:
    """A table in the lobby; the host is connected."""
    desk = Desk()
    complete = structs.replace(default_settings(PRESIDENT), **settings)
    desk.do(OpenTable(TABLE, complete, Newcomer("Ann", "hash"), bots), START_MS)
    desk.do(Connect(0), START_MS)
    return desk


def playing(**settings: Any) -> Desk:
    """A game whose first trick opened at `START_MS`: its deadline is `START_MS + RACE_MS`."""
    desk = open_table(**settings)
    desk.do(Start(0), START_MS)
    assert desk.state.deadline == START_MS + RACE_MS
    return desk


def hand_of(desk: Desk, seat: int) -> tuple[str, ...]:
    assert desk.state.round is not None
    return card_names(desk.state.rules.deck, desk.state.round.hands[seat])


def weakest(desk: Desk, seat: int, *, by: str) -> Play:
    """A single of the seat's weakest card, on the present state."""
    assert desk.state.trick is not None
    return Play(seat, desk.state.trick.state, hand_of(desk, seat)[:1], by)


def passes(desk: Desk, seat: int, *, by: str) -> Pass:
    assert desk.state.trick is not None
    return Pass(seat, desk.state.trick.state, by)


def types_of(effects: Effects) -> list[list[str]]:
    """The types of events, a list a commit."""
    return [[event.__struct_config__.tag for event in commit.record.events] for commit in effects.commits]
