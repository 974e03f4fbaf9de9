"""Driving bots: who they move for, when, and that a plan dies with what it was made for (RULES 8, G6).

A plan belongs to one trick state or exchange and to one controller. When either changes it
is dropped, so a planned move dies the moment the person is back; what slips through, on its
way already, is refused by `decide` (`not_in_charge`). Attempts go through the inbox like
anyone's and can lose the race.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass

from msgspec import UNSET, structs

from rapid.bots.policy import choose
from rapid.bots.reaction import wait_ms
from rapid.engine.intents import Give, Pass, Play
from rapid.engine.state import Seat, State
from rapid.engine.view import view_of
from rapid.table.faults import log_fault
from rapid.table.ports import Clock
from rapid.wire.records import Entry

Occasion = tuple[str, int, int, str]
"""What a plan is made for: kind, deal, trick state (or what is owed), controller."""

REFUSED_WAIT_MS = 100
REFUSED_WAIT_MAX_MS = 5_000
"""Between attempts that were refused though nothing changed: doubling from the first to the second."""


@dataclass(slots=True)
class Plan:
    """One seat's next attempt; `handle` None while nothing is planned for this occasion."""

    occasion: Occasion
    handle: asyncio.TimerHandle | None = None
    refusals: int = 0


class Drivers:
    """All bots and stand-ins of a worker's tables."""

    def __init__(self, clock: Clock, post: Callable[[Entry], None], rng: random.Random) -> None:
        """Attempts go to `post`; waiting times and choices are drawn from `rng`."""
        self._clock = clock
        self._post = post
        self._rng = rng
        self._states: dict[str, State] = {}
        self._plans: dict[str, dict[int, Plan]] = {}

    def follow(self, state: State) -> None:
        """Plan anew behind a decision that is durable."""
        before = self._states.get(state.table)
        self._states[state.table] = state
        plans = self._plans.get(state.table)
        if plans is None:
            if before is not None and before.seats is state.seats:
                return  # still persons alone
            if all(seat.controller == "person" for seat in state.seats):
                return
            plans = self._plans[state.table] = {}
        for gone in plans.keys() - {seat.seat for seat in state.seats}:
            _cancel(plans.pop(gone))
        for seat in state.seats:
            self._follow_seat(state, seat, plans)

    def refused(self, table: str, seat: int) -> None:
        """An attempt came to nothing: if its occasion still stands, there will be another."""
        state, plan = self._states.get(table), self._plans.get(table, {}).get(seat)
        if state is None or plan is None or plan.handle is not None:
            return
        plan.refusals += 1
        least_ms = min(REFUSED_WAIT_MAX_MS, REFUSED_WAIT_MS << min(plan.refusals - 1, 10))
        self._schedule(state, seat, plan, least_ms=least_ms)

    def drop(self, table: str) -> None:
        """The table is ours no longer."""
        self._states.pop(table, None)
        for plan in self._plans.pop(table, {}).values():
            _cancel(plan)

    def stop(self) -> None:
        """Drop all."""
        for table in list(self._states):
            self.drop(table)

    def _follow_seat(self, state: State, seat: Seat, plans: dict[int, Plan]) -> None:
        occasion = occasion_of(state, seat)
        known = plans.get(seat.seat)
        if known is not None:
            if known.occasion == occasion:
                return
            _cancel(plans.pop(seat.seat))
        if occasion is not None:
            plan = plans[seat.seat] = Plan(occasion)
            self._schedule(state, seat.seat, plan)

    def _schedule(self, state: State, seat: int, plan: Plan, *, least_ms: int = 0) -> None:
        delay_ms = max(least_ms, self._waiting_ms(state, seat))
        if not least_ms:
            # What the bot saw happened at the stamp of the streams, a little before we got here.
            delay_ms = max(0, delay_ms - max(0, self._clock.now_ms() - state.at))
        loop = asyncio.get_running_loop()
        plan.handle = loop.call_later(delay_ms / 1000, self._act, state.table, seat, plan)

    def _waiting_ms(self, state: State, seat: int) -> int:
        if state.settings.bot_delay_ms is not UNSET:
            return int(state.settings.bot_delay_ms)
        taken = state.seat_at(seat)
        return wait_ms(taken.level if taken else None, self._rng)

    def _act(self, table: str, seat: int, plan: Plan) -> None:
        """Choose by what the seat sees at this moment, and try."""
        plan.handle = None
        try:
            intent = choose(view_of(self._states[table], seat), self._rng)
        except Exception as error:  # noqa: BLE001  # the table's timers move for a bot that cannot
            log_fault("bot_failed", error, table=table, seat=seat)
            return
        if intent is not None:
            self._post(Entry(table, structs.replace(intent, by=plan.occasion[3])))


def occasion_of(state: State, seat: Seat) -> Occasion | None:
    """Return what there is to do for a seat that a bot or stand-in moves; None: nothing."""
    controller = seat.controller
    round_ = state.round
    if controller == "person" or round_ is None:
        return None
    if state.exchange is not None:
        owed = sum(duty.giver == seat.seat for duty in state.exchange.owed)
        return ("give", round_.deal, owed, controller) if owed else None
    trick = state.trick
    if trick is None or state.phase != "playing" or not round_.holding >> seat.seat & 1:
        return None
    if state.rules.has_turns and trick.turn != seat.seat:
        return None  # T3: the turn's beginning is the occasion
    # Behind a pass that binds there is nothing to do until the next trick opens (P4).
    return None if trick.passed >> seat.seat & 1 else ("play", round_.deal, trick.state, controller)


def mover_of(entry: Entry) -> int | None:
    """Return the seat if the entry is a bot's or stand-in's attempt."""
    intent = entry.intent
    if isinstance(intent, Play | Pass | Give) and intent.by in {"bot", "standin"}:
        return intent.seat
    return None


def _cancel(plan: Plan) -> None:
    if plan.handle is not None:
        plan.handle.cancel()
        plan.handle = None
