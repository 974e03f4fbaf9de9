"""`rapid simulate` (PROTOCOL section 6): whole games of bots on the pure engine, in virtual time.

Nothing here but the seed is random: table id, secrets, waits and ways through the network
are drawn from it, so the same options give the same log byte for byte. Attempts race as at
a real table: a bot decides by what it sees when it moves, and its attempt arrives a while
later, when another may have been first. Now and then everybody is silent for longer than a
timer runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from rapid.bots.dice import Dice, between, digest_of
from rapid.bots.policy import choose
from rapid.bots.reaction import wait_ms
from rapid.bots.simulate_options import SimulateOptions, settings_for
from rapid.engine import events as ev
from rapid.engine.decide import Outcome, decide
from rapid.engine.intents import AnyIntent, Give, NextRound, OpenTable, Pass, Play, Start
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
SILENCE_CHANCE = 1 / 48
"""How often, for a trick state or an exchange, nobody looks at the table for `SILENCE_MS`."""
SILENCE_MS = (6_000, 32_000)
READ_LATE_MS = (0, 6)
"""How long behind a deadline the entry comes at which it fires (R9)."""
WAKING = (ev.TrickOpened, ev.Played, ev.ExchangeOpened)
"""What gives every bot something new to look at."""
START_MS, RESULTS_MS = 1_000, 4_000


class _Due(NamedTuple):
    """Something that is going to happen; `order` keeps equal times in the order they were planned."""

    at: int
    order: int
    seat: int
    intent: AnyIntent | None
    """What arrives; None: the seat's bot looks at the table, if `epoch` still holds."""
    epoch: int


def simulate(options: SimulateOptions) -> Iterator[str]:
    """Yield the lines of all games, without line ends: each game its header and its log.

    Raises:
        SimulateError: an option is out of range; before the first line.
    """
    settings = settings_for(options)
    return _lines(options, settings)


def _lines(options: SimulateOptions, settings: Settings) -> Iterator[str]:
    for number in range(1, options.games + 1):
        game = _Game(options.seed, number, settings)
        yield header_line(game.state.table)
        for decided in game.run():
            yield from event_lines(decided)


def table_id(seed: int, game: int) -> str:
    """Return the id of a simulated table."""
    digest = digest_of(SEED, seed, game, "table")
    return "".join(ID_CHARS[byte % len(ID_CHARS)] for byte in digest[:ID_LENGTH])


class _Game:
    """One table from `table_opened` to `game_ended`."""

    def __init__(self, seed: int, number: int, settings: Settings) -> None:
        self.state: State = blank(table_id(seed, number))
        self._settings = settings
        self._name = (SEED, seed, number)
        self._dice = Dice(*self._name, "dice")
        self._queue: list[_Due] = []
        self._planned = 0
        self._secrets = 0
        self._epoch = 0
        """Which trick state or exchange the bots have been told of last, counted."""

    def run(self) -> Iterator[Decided]:
        """Yield each decision that has events."""
        table, seats = self.state.table, self._settings.seats
        yield from self._decide(OpenTable(table=table, settings=self._settings, person=None, bots=seats), 0)
        self._plan(START_MS, 0, Start(seat=0))
        while self.state.phase != "final":
            yield from self._step()

    def _step(self) -> Iterator[Decided]:
        due = next_due(self.state)
        if self._queue and (due is None or self._queue[0].at < due):
            entry = heappop(self._queue)
            if entry.intent is not None:
                yield from self._decide(entry.intent, entry.at)
            elif entry.epoch == self._epoch:
                self._move(entry)
            return
        # R9: a deadline fires before whatever is stamped at or after it.
        assert due is not None, "a game goes on by itself or by its bots"
        at = due + between(self._dice, *READ_LATE_MS)
        if self._queue:
            at = min(at, self._queue[0].at)
        fired = fire_due(self.state, at)
        assert fired is not None, "what is due fires"
        yield self._taken(fired, at)

    def _decide(self, intent: AnyIntent, at: int) -> Iterator[Decided]:
        outcome = decide(self.state, intent, at, self._secret(intent))
        if outcome.events:
            yield self._taken(outcome, at)

    def _secret(self, intent: AnyIntent) -> str:
        if isinstance(intent, Play | Pass | Give):
            return ""
        self._secrets += 1
        return digest_of(*self._name, "secret", self._secrets).hex()

    def _taken(self, outcome: Outcome, at: int) -> Decided:
        seq = self.state.seq + 1
        self.state = outcome.state
        if self.state.phase == "results":
            self._plan(at + RESULTS_MS, self.state.host, NextRound(seat=self.state.host))
        elif any(isinstance(event, WAKING) for event in outcome.events):
            self._wake_all(at)
        return Decided(seq, at, outcome.events)

    def _plan(self, at: int, seat: int, intent: AnyIntent | None) -> None:
        self._planned += 1
        heappush(self._queue, _Due(at, self._planned, seat, intent, self._epoch))

    def _wake_all(self, at: int) -> None:
        """Every bot is going to look at what is new; what it was about to look at is past."""
        self._epoch += 1
        round_ = self.state.round
        if round_ is None:
            return
        dice = self._dice
        if dice.random() < SILENCE_CHANCE:
            at += between(dice, *SILENCE_MS)
        for seat in self.state.seats:
            if round_.holding >> seat.seat & 1:
                self._plan(at + wait_ms(seat.level, dice), seat.seat, None)

    def _move(self, entry: _Due) -> None:
        intent = choose(view_of(self.state, entry.seat), self._dice)
        if intent is not None:
            self._plan(entry.at + between(self._dice, *TRAVEL_MS), entry.seat, intent)
