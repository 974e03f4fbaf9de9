"""The spectators of one table, who may see it late (PROTOCOL 3.2, `spectator_delay_seconds`).

What they see is a state of its own, `shown`, which is the live one unless the table has a
delay. Events, views and reactions wait until their `at` is old enough; what was shown never
becomes unseen, so a longer delay only lets the next events wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from rapid.engine.evolve import fold
from rapid.engine.state import State
from rapid.gateway.fanout import Slices
from rapid.gateway.packing import Packed
from rapid.table.ports import Clock
from rapid.wire.codec import Codec
from rapid.wire.messages import Reaction

DELAY_MAX_MS: Final = 300_000
"""PROTOCOL 2; while a log is read, what is younger waits, since the delay is known at its end only."""
REACTIONS_WAITING_MAX: Final = 1_000


class Crowd:
    """`live` gives the table's present state. What waits stands in lists: they are empty as a rule, at every table."""

    __slots__ = ("_clock", "_live", "_reactions", "_timer", "_waiting", "shown", "slices")

    def __init__(self, slices: Slices, clock: Clock, live: Callable[[], State]) -> None:
        self.slices = slices
        self.shown = live()
        self._clock = clock
        self._live = live
        self._waiting: list[Packed] = []
        self._reactions: list[Reaction] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def delay_ms(self) -> int:
        """Return how late spectators see the table."""
        return self._live().settings.spectator_delay_seconds * 1000

    def now_ms(self) -> int:
        """Return what spectators are told the time is."""
        return self._clock.now_ms() - self.delay_ms

    def read(self, packed: Packed) -> None:
        """While the log is read, `live` has come past this record."""
        if not self._waiting and packed.record.at <= self._clock.now_ms() - DELAY_MAX_MS:
            self.shown = self._live()
        else:
            self._waiting.append(packed)

    def start(self) -> None:
        """The log has been read; nobody has been sent anything of it."""
        delay_ms = self.delay_ms
        if delay_ms == 0:
            self._waiting.clear()
            self.shown = self._live()
        until = self._clock.now_ms() - delay_ms
        while self._waiting and self._may_show(self._waiting[0], until, delay_ms):
            self._pass(self._waiting.pop(0))
        self._wait_for_next(until)

    def show(self, packed: Packed) -> None:
        """A decision has been made, and `live` has come past it."""
        if not self._waiting and (live := self._live()).settings.spectator_delay_seconds == 0:
            self.shown = live
            if len(self.slices):
                self._send(packed)
            return
        # Built again when its time has come, and not kept so long.
        packed.forget_frames()
        self._waiting.append(packed)
        self.release()

    def react(self, reaction: Reaction) -> None:
        """A seat has reacted."""
        if len(self._reactions) == REACTIONS_WAITING_MAX:
            del self._reactions[0]
        self._reactions.append(reaction)
        self.release()

    def release(self) -> None:
        """Show whatever is old enough by now."""
        delay_ms = self.delay_ms
        until = self._clock.now_ms() - delay_ms
        while self._waiting and self._may_show(self._waiting[0], until, delay_ms):
            self._release_record(self._waiting.pop(0))
        while self._reactions and (delay_ms == 0 or self._reactions[0].at <= until):
            reaction = self._reactions.pop(0)
            self.slices.send({codec: codec.frame(reaction) for codec in self.slices.codecs})
        self._wait_for_next(until)

    def stop(self) -> None:
        """No timer is left behind."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _may_show(self, packed: Packed, until: int, delay_ms: int) -> bool:
        """The first decision is always shown: without it there is no table to see."""
        return delay_ms == 0 or packed.record.at <= until or packed.record.seq == 1

    def _release_record(self, packed: Packed) -> None:
        self._pass(packed)
        if len(self.slices):
            self._send(packed)

    def _send(self, packed: Packed) -> None:
        frames: dict[Codec, bytes] = {codec: packed.frames(codec, None) for codec in self.slices.codecs}
        self.slices.send(frames)

    def _pass(self, packed: Packed) -> None:
        record = packed.record
        self.shown = fold(self.shown, record.events, record.at) if self._waiting else self._live()

    def _wait_for_next(self, until: int) -> None:
        self.stop()
        times = [packed.record.at for packed in self._waiting[:1]] + [r.at for r in self._reactions[:1]]
        if times:
            wait_s = max(1, min(times) - until) / 1000
            self._timer = asyncio.get_running_loop().call_later(wait_s, self.release)
