"""`rapid simulate` (PROTOCOL section 6): whole games of bots on the pure engine, in virtual time.

Nothing here but the seed is random: table id, secrets, waits and ways through the network
are drawn from it, so the same options give the same log byte for byte. Attempts race as at
a real table: a bot decides by what it sees when it moves, and its attempt arrives a while
later, when another may have been first. Now and then everybody is silent for longer than a
timer runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from msgspec import structs

from rapid.bots.dice import Dice, between, digest_of
from rapid.bots.policy import choose
from rapid.bots.reaction import wait_ms
from rapid.bots.simulate_options import SimulateOptions, rounds_allowed, settings_for
from rapid.engine import events as ev
from rapid.engine.decide import Outcome, decide
from rapid.engine.intents import AddBot, AnyIntent, EndGame, Give, NextRound, OpenTable, Pass, Play, Start
from rapid.engine.notation import Decided, event_lines, header_line
from rapid.engine.state import State, blank
from rapid.engine.timers import fire_due, next_due
from rapid.engine.view import view_of
from rapid.rules.settings import Settings

SEED = "rapid simulate"
ID_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789"
ID_LENGTH = 16
TRAVEL_MS = (20, 220)
"""An attempt's way to the table: attempts closer than this race."""
SILENCE_CHANCE, SILENCE_MS = 1 / 40, (6_000, 20_000)
"""How often nobody looks at a trick state for so long: timers close tricks and open them."""
ABSENCE_CHANCE, ABSENCE_MS = 1 / 12, (20_000, 45_000)
"""How often a seat does not look at an exchange for so long: the server returns cards for some, or plays a turn."""
READ_LATE_MS = (0, 6)
"""How long behind a deadline the entry comes at which it fires (R9)."""
NEVER_MS = 1 << 62
MOVES = frozenset((Play, Pass, Give))
WAKING = frozenset((ev.TrickOpened, ev.TurnBegan, ev.Played, ev.ExchangeOpened))
"""What gives every bot something new to look at."""
START_MS, RESULTS_MS = 1_000, 4_000


class _Due(NamedTuple):
    """Something that is going to happen; `order` keeps equal times in the order they were planned."""

    at: int
    order: int
    seat: int
    intent: AnyIntent | None
    """What arrives; None: the seat's bot looks at the table."""


def simulate(options: SimulateOptions) -> Iterator[str]:
    """Yield the lines of all games, without line ends: each game its header and its log.

    Raises:
        SimulateError: an option is out of range; before the first line.
    """
    settings = settings_for(options)
    return _lines(options, settings)


def _lines(options: SimulateOptions, settings: Settings) -> Iterator[str]:
    for number in range(1, options.games + 1):
        game = Game(options.seed, number, settings, rounds_allowed=rounds_allowed(options))
        yield header_line(game.state.table)
        for decided in game.run():
            yield from event_lines(decided)


def table_id(seed: int, game: int) -> str:
    """Return the id of a simulated table."""
    digest = digest_of(SEED, seed, game, "table")
    return "".join(ID_CHARS[byte % len(ID_CHARS)] for byte in digest[:ID_LENGTH])


class Game:
    """One table from `table_opened` to `game_ended`."""

    def __init__(
        self,
        seed: int,
        number: int,
        settings: Settings,
        levels: Sequence[str] = (),
        waits_as: str | None = None,
        *,
        rounds_allowed: int | None = None,
    ) -> None:
        """`levels` by seat, without: that of the settings; `waits_as`: the level whose waiting time all have.

        `rounds_allowed`: after so many the host ends a game that has not ended by itself.
        """
        self.state: State = blank(table_id(seed, number))
        self._settings = settings
        self._levels, self._waits_as = levels, waits_as
        self._rounds_allowed = rounds_allowed
        self._name = (SEED, seed, number)
        self._dice = Dice(*self._name, "dice")
        self._planned = 0
        self._secrets = 0
        self._arriving: list[_Due] = []
        """A heap of what is on its way to the table."""
        self._looking: list[_Due] = []
        """Which bots are going to look, the next one last; all at the present trick state or exchange."""

    def run(self) -> Iterator[Decided]:
        """Yield each decision that has events."""
        for intent in self._seating():
            decided = self._decide(intent, 0)
            assert decided is not None, "bots sit down"
            yield decided
        self._send(START_MS, 0, Start(seat=0))
        while (following := self._next()) is not None:
            yield following

    def _seating(self) -> Iterator[AnyIntent]:
        table, settings, levels = self.state.table, self._settings, self._levels
        if not levels:
            yield OpenTable(table=table, settings=settings, person=None, bots=settings.seats)
            return
        yield OpenTable(table=table, settings=structs.replace(settings, bot_level=levels[0]), person=None, bots=1)
        for level in levels[1:]:
            yield AddBot(seat=0, level=level)

    def _next(self) -> Decided | None:
        """Return the next decision that has events, None behind the game's end."""
        while self.state.phase != "final":
            at, is_look = self._soonest()
            due = next_due(self.state)
            # R9: a deadline fires before whatever is stamped at or after it.
            if due is not None and due <= at:
                return self._fire(min(at, due + between(self._dice, *READ_LATE_MS)))
            if is_look:
                self._look(self._looking.pop())
                continue
            entry = heappop(self._arriving)
            assert entry.intent is not None
            decided = self._decide(entry.intent, entry.at)
            if decided is not None:
                return decided
        return None

    def _soonest(self) -> tuple[int, bool]:
        """Return when the next bot looks or the next attempt arrives, and whether it is a look."""
        looking, arriving = self._looking, self._arriving
        if looking and (not arriving or looking[-1] < arriving[0]):
            return looking[-1].at, True
        return (arriving[0].at, False) if arriving else (NEVER_MS, False)

    def _fire(self, at: int) -> Decided:
        fired = fire_due(self.state, at)
        assert fired is not None, "what is due fires"
        return self._taken(fired, at)

    def _decide(self, intent: AnyIntent, at: int) -> Decided | None:
        secret = "" if type(intent) in MOVES else self._secret()
        outcome = decide(self.state, intent, at, secret)
        return self._taken(outcome, at) if outcome.events else None

    def _secret(self) -> str:
        self._secrets += 1
        return digest_of(*self._name, "secret", self._secrets).hex()

    def _taken(self, outcome: Outcome, at: int) -> Decided:
        seq = self.state.seq + 1
        self.state = outcome.state
        if self.state.phase == "results":
            self._looking.clear()
            self._send(at + RESULTS_MS, self.state.host, self._behind_results())
        elif self.state.round is not None and any(type(event) in WAKING for event in outcome.events):
            self._wake_all(at)
        return Decided(seq, at, outcome.events)

    def _behind_results(self) -> AnyIntent:
        """What the host picks between two rounds (G2)."""
        host, played = self.state.host, self.state.rounds_played
        if self._rounds_allowed is not None and played >= self._rounds_allowed:
            return EndGame(seat=host)
        return NextRound(seat=host)

    def _due(self, at: int, seat: int, intent: AnyIntent | None) -> _Due:
        self._planned += 1
        return _Due(at, self._planned, seat, intent)

    def _send(self, at: int, seat: int, intent: AnyIntent) -> None:
        heappush(self._arriving, self._due(at, seat, intent))

    def _wake_all(self, at: int) -> None:
        """Every bot is going to look at what is new; what it was about to look at is past."""
        round_, trick, dice = self.state.round, self.state.trick, self._dice
        assert round_ is not None
        turn = trick.turn if trick else None
        if trick is not None and dice.random() < SILENCE_CHANCE:
            at += between(dice, *(SILENCE_MS if turn is None else ABSENCE_MS))
        may_act = round_.holding & ~(trick.passed if trick else 0) if turn is None else 1 << turn
        self._looking = [
            self._due(at + self._wait_ms(self._waits_as or seat.level), seat.seat, None)
            for seat in self.state.seats
            if may_act >> seat.seat & 1
        ]
        self._looking.sort(reverse=True)

    def _wait_ms(self, level: str | None) -> int:
        dice = self._dice
        is_absent = self.state.exchange is not None and dice.random() < ABSENCE_CHANCE
        return wait_ms(level, dice) + (between(dice, *ABSENCE_MS) if is_absent else 0)

    def _look(self, due: _Due) -> None:
        intent = choose(view_of(self.state, due.seat), self._dice)
        if intent is not None:
            self._send(due.at + between(self._dice, *TRAVEL_MS), due.seat, intent)
