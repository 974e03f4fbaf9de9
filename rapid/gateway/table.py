"""One table as a gateway follows it: its fold, its viewers, and what each of them is sent, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from rapid.engine.events import AnyEvent, ConnectionLost, Leaving, Passed, Played, SeatFreed, TableClosed
from rapid.engine.state import Seat, State
from rapid.engine.view import view_of
from rapid.errors import LogCorrupt
from rapid.gateway.crowd import Crowd
from rapid.gateway.fanout import Pump, Slices
from rapid.gateway.fold import Fold, Step
from rapid.gateway.losses import Losses, ending_of
from rapid.gateway.options import GatewayOptions
from rapid.gateway.packing import Packed
from rapid.gateway.viewer import Viewer
from rapid.table.ports import Clock, LogEntry
from rapid.table.ports import Log as LogPort
from rapid.wire.close import CLOSED, LEAVING, NO_TABLE, REMOVED, TAKEN_OVER, Ending
from rapid.wire.messages import Presence, Reaction, Welcome
from rapid.wire.records import Answer, Record

_ENDINGS: Final = frozenset((Leaving, SeatFreed, TableClosed))
"""Events that end somebody's connection."""
_PARTINGS: Final = _ENDINGS | {ConnectionLost}
OnAnswer = Callable[[Answer], None]
Partings = dict[Viewer, tuple[Ending, State, Packed]]
"""How who is ended, by which decision, and what stood before it."""
OnLost = Callable[[str, int], None]
"""Told of a seat (table, seat) whose connection is lost, though one is here."""


class Table:
    """All methods but `catch_up` run within one turn of the loop, so viewers never see half a decision."""

    def __init__(
        self,
        table: str,
        log: LogPort,
        clock: Clock,
        pump: Pump,
        options: GatewayOptions,
        on_answer: OnAnswer,
        on_lost: OnLost,
    ) -> None:
        self.table = table
        fold = self.fold = Fold(table, options.history_records)
        self.seats: dict[int, Viewer] = {}
        self.crowd = Crowd(Slices(pump), clock, lambda: fold.state)
        self.spectators = 0
        """Over all gateways, as last heard, and those of ours who came and went since."""
        self._announced: int | None = 0
        """What everyone here was told last; None: not all were told the same."""
        self.users = 0
        """Connections and requests that need this table to stay in memory."""
        self.used_s = 0.0
        self._log = log
        self._clock = clock
        self._options = options
        self._on_answer = on_answer
        self._on_lost = on_lost
        self._early: list[Answer] = []
        self._reading = asyncio.Lock()
        self._doubts = self._settled_doubts = 0
        self.is_live = False

    @property
    def state(self) -> State:
        """Return the present state."""
        return self.fold.state

    @property
    def exists(self) -> bool:
        """Whether it has been opened and not been closed."""
        return self.state.phase != "closed"

    # What happens at the table

    def pushed(self, entry_id: str, record: Record, data: bytes | None = None) -> bool:
        """Take what was pushed if it follows; False if the log must be read. `data`: the record's bytes."""
        if self.is_in_doubt:
            return False
        step = self.fold.step_of_push(entry_id, record)
        if step is Step.NEXT:
            self._take(entry_id, record, data)
        return step is not Step.GAP

    @property
    def is_in_doubt(self) -> bool:
        """Whether the log has to be read before anything that stands here is certain."""
        return self._doubts != self._settled_doubts

    def doubt(self) -> None:
        """Redis may be another run, without its tail: until the log has been read nothing pushed is taken."""
        self._doubts += 1

    def answered(self, answer: Answer) -> bool:
        """Pass on an answer of the answer stream; one about events still to come waits for them (False).

        In doubt those that stand here may be of another story than those that an `ok` names; a refusal names none.
        """
        if answer.seq > self.state.seq or (answer.refusal is None and self.is_in_doubt):
            self._early.append(answer)
            return False
        self._on_answer(answer)
        return True

    def reacted(self, reaction: Reaction) -> None:
        """Show a reaction to everyone."""
        for viewer in list(self.seats.values()):
            viewer.tell(reaction)
        self.crowd.react(reaction)

    async def catch_up(self) -> None:
        """Read the log from where we stand to its end, in slices; `StoreUnavailable` leaves us where we came to.

        A doubt that comes meanwhile is settled too: what was read may be of the run before.
        """
        async with self._reading:
            await self._read_on()
            while self.is_in_doubt:
                await self._read_on()
            if not self.is_live:
                self.is_live = True
                self.crowd.start()
            self._answer_early()

    async def _read_on(self) -> None:
        doubts, read_from, is_first = self._doubts, self.fold.read_from, True
        while True:
            entries = await self._log.read(self.table, read_from, limit=self._options.read_page)
            if (is_first and self._has_lost(read_from, entries)) or not self._take_all(entries):
                await self._read_anew(doubts)
                break
            if len(entries) < self._options.read_page:
                break
            read_from, is_first = self.fold.last_id, False
        self._settled_doubts = doubts

    def _has_lost(self, read_from: str, entries: list[LogEntry]) -> bool:
        # While the log was read more may have been pushed, and then it was there.
        first = (entries[0].id, entries[0].record) if entries else None
        return read_from == self.fold.read_from and self.fold.has_lost(first)

    def _take_all(self, entries: list[LogEntry]) -> bool:
        for entry in entries:
            step = self.fold.step(entry.id, entry.record)
            if step is Step.GAP:
                return False
            if step is Step.NEXT:
                self._take(entry.id, entry.record)
        return True

    def _take(self, entry_id: str, record: Record | None, data: bytes | None = None) -> None:
        packed = self.fold.take(entry_id, record, data)
        if packed is None:
            return
        answer, first = packed.record.answer, packed.record.events[0]
        # Who has moved gets the events and the reply in one.
        asker = self.seats.get(first.seat) if answer is not None and isinstance(first, Played | Passed) else None
        if asker is not None:
            asker.hold()
        try:
            if self.is_live:
                self._show(packed)
            else:
                self.crowd.read(packed)
            if answer is not None:
                self._on_answer(answer)
        finally:
            if asker is not None:
                asker.release()
        if self._early:
            self._answer_early()
        if not _PARTINGS.isdisjoint(map(type, packed.record.events)):
            for event in packed.record.events:
                self._end_by(event)

    def _answer_early(self) -> None:
        early, self._early = self._early, []
        for answer in early:
            self.answered(answer)

    async def _read_anew(self, doubts: int) -> None:
        """A Redis that came back without its unsynced tail tells another story (DESIGN decision 5).

        Viewers get a `welcome` with a view and go on from there. `doubts`: as many as there were when the reading
        began; with a further one its pages may be of two runs, and the log is read once more.
        """
        fresh = Fold(self.table, self._options.history_records)
        crowd = Crowd(self.crowd.slices, self._clock, lambda: fresh.state)
        answers: list[Answer] = []
        losses = Losses()
        partings: Partings = {}
        while True:
            entries = await self._log.read(self.table, fresh.last_id, limit=self._options.read_page)
            for entry in entries:
                if fresh.step(entry.id, entry.record) is Step.GAP:
                    if self._doubts != doubts:
                        return
                    raise LogCorrupt(self.table, entry.id, "does not follow on what stands before it")
                before = fresh.state
                packed = fresh.take(entry.id, entry.record)
                if packed is not None:
                    crowd.read(packed)
                    losses.take(packed.record.events)
                    self._note_partings(partings, before, packed)
                if entry.record is not None and entry.record.answer is not None:
                    answers.append(entry.record.answer)
            if len(entries) < self._options.read_page:
                break
        self.crowd.stop()
        stood = min(self.state.seq, fresh.state.seq)
        self.fold, self.crowd = fresh, crowd
        crowd.start()
        self.is_live = True
        self._part(partings)
        self._welcome_all(losses, stood)
        # Answers nobody waits for any more are dropped by whoever hears them.
        for answer in answers:
            self._on_answer(answer)

    def _note_partings(self, partings: Partings, before: State, packed: Packed) -> None:
        """Note who held a chair in this story too, up to this decision; whether the story counts is not known yet."""
        if _ENDINGS.isdisjoint(map(type, packed.record.events)):
            return
        for event in packed.record.events:
            for seat, viewer in self.seats.items():
                ending = _ending_at(event, seat)
                if ending is not None and _is_holder(before, viewer):
                    partings.setdefault(viewer, (ending, before, packed))

    def _part(self, partings: Partings) -> None:
        """End them: they are shown the decision, with all before it; no answer that they are owed speaks of more."""
        for viewer, (ending, before, packed) in partings.items():
            seat = viewer.seat
            if seat is not None and self.seats.get(seat) is viewer:
                del self.seats[seat]
                viewer.tell(self._view(viewer, before))
                viewer.send(packed.frames(viewer.codec, seat))
                viewer.part(ending, packed.record.last_seq)

    def _welcome_all(self, losses: Losses, stood: int) -> None:
        """Give everyone a view; `stood`: how far those had come who have never been here."""
        gone = CLOSED if losses.is_closed else NO_TABLE
        for seat, viewer in list(self.seats.items()):
            if self.exists and self.is_held_by(viewer):
                viewer.tell(self._view(viewer, self.state))
                held = self.state.seat_at(seat)
                if held is not None and not held.connected:
                    self._on_lost(self.table, seat)
            elif self.exists and self.has_seat_for(viewer):
                viewer.end(LEAVING)  # taken in the tail, and once more behind it: they come back to where it is now
            else:
                del self.seats[seat]
                viewer.part(losses.why(viewer.token_hash) or (REMOVED if self.exists else gone), stood)
        slices = self.crowd.slices
        if self.exists or losses.is_closed:
            slices.flush()
            for viewer in slices.viewers():
                viewer.tell(self._view(viewer, self.crowd.shown))
        if not self.exists:
            slices.end(gone)

    def _show(self, packed: Packed) -> None:
        if packed.is_same_for_all:
            self._show_alike(packed)
        else:
            for seat, viewer in list(self.seats.items()):
                viewer.send(packed.frames(viewer.codec, seat))
        self.crowd.show(packed)

    def _show_alike(self, packed: Packed) -> None:
        codec, frames = None, b""
        for viewer in list(self.seats.values()):
            if viewer.codec is not codec:
                codec = viewer.codec
                frames = packed.frames(codec, None)
            viewer.send(frames)

    def _end_by(self, event: AnyEvent) -> None:
        for seat, viewer in list(self.seats.items()):
            ending = _ending_at(event, seat)
            if ending is not None:
                del self.seats[seat]
                viewer.part(ending, self.state.seq)
        if isinstance(event, TableClosed):
            self.crowd.slices.end(CLOSED)
        elif isinstance(event, ConnectionLost) and event.seat in self.seats:
            # Of another one that was there: its gateway may have died before it could tell of it, or be gone.
            self._on_lost(self.table, event.seat)

    # Who looks at it

    def seat_of_hash(self, token_hash: str) -> Seat | None:
        """Return the taken chair with this hash of a token."""
        for seat in self.state.seats:
            if seat.token_hash == token_hash:
                return seat
        return None

    def is_held_by(self, viewer: Viewer) -> bool:
        """Whether a seat's viewer still is that of the person who sits there."""
        return _is_holder(self.state, viewer)

    def has_seat_for(self, viewer: Viewer) -> bool:
        """Whether the token that the viewer has shown has a seat, its own or another."""
        held = None if viewer.token_hash is None else self.seat_of_hash(viewer.token_hash)
        return held is not None and held.is_person

    def welcome(self, viewer: Viewer, since: int | None, since_at: int | None = None) -> None:
        """Send the view, or the events since; from here on the viewer gets every event."""
        state = self.state if viewer.seat is not None else self.crowd.shown
        if since is not None and self._may_resume(viewer, since, since_at, state.seq):
            viewer.tell(self._welcome(viewer, since, None))
            for packed in self.fold.behind(since, state.seq):
                viewer.send(packed.frames_behind(since, viewer.codec, viewer.seat))
        else:
            viewer.tell(self._view(viewer, state))
        if viewer.ending is None:
            self._add(viewer)
            viewer.tell(Presence(self.spectators))
            if self.spectators != self._announced:
                self._announced = None

    def _may_resume(self, viewer: Viewer, since: int, since_at: int | None, until: int) -> bool:
        """What a chair's former holder was dealt is not for the one who holds it now."""
        if viewer.since is not None and since < viewer.since:
            return False
        return self.fold.has_all_behind(since, until) and self.fold.is_of_this_story(since, since_at)

    def _view(self, viewer: Viewer, state: State) -> Welcome:
        return self._welcome(viewer, state.seq, view_of(state, viewer.seat))

    def _welcome(self, viewer: Viewer, seq: int, view: object) -> Welcome:
        return Welcome(table=self.table, seat=viewer.seat, seq=seq, now=self.now_ms(viewer), view=view)

    def now_ms(self, viewer: Viewer) -> int:
        """Return what this viewer is told the time is."""
        return self._clock.now_ms() if viewer.seat is not None else self.crowd.now_ms()

    def _add(self, viewer: Viewer) -> None:
        if viewer.seat is None:
            self.crowd.slices.add(viewer)
            self.spectators += 1
            return
        before = self.seats.get(viewer.seat)
        self.seats[viewer.seat] = viewer
        if before is not None and before is not viewer:
            before.end(TAKEN_OVER)

    def remove(self, viewer: Viewer) -> None:
        """The viewer is gone; it may be unknown."""
        if viewer.seat is None:
            before = len(self.crowd.slices)
            self.crowd.slices.remove(viewer.conn)
            self.spectators = max(0, self.spectators + len(self.crowd.slices) - before)
        elif self.seats.get(viewer.seat) is viewer:
            del self.seats[viewer.seat]

    def announce(self, spectators: int) -> None:
        """So many watch: tell everyone if that is news, to whoever came since the last time too."""
        self.spectators = spectators
        if spectators == self._announced:
            return
        self._announced = spectators
        for viewer in list(self.seats.values()):
            viewer.tell(Presence(spectators))
        slices = self.crowd.slices
        slices.send({codec: codec.frame(Presence(spectators)) for codec in slices.codecs})

    def end_all(self, ending: Ending) -> None:
        """Say `bye` to everyone, behind what they are still to be sent."""
        for viewer in list(self.seats.values()):
            viewer.end(ending)
        self.crowd.slices.end(ending)

    def stop(self) -> None:
        """Nothing of this table goes on by itself."""
        self.crowd.stop()


def _ending_at(event: AnyEvent, seat: int) -> Ending | None:
    """Return how this event ends the connection of who has the seat, None if it does not."""
    if isinstance(event, TableClosed):
        return CLOSED
    return ending_of(event) if isinstance(event, Leaving | SeatFreed) and event.seat == seat else None


def _is_holder(state: State, viewer: Viewer) -> bool:
    held = None if viewer.seat is None else state.seat_at(viewer.seat)
    if held is None or not held.is_person:
        return False
    return (held.since, held.token_hash) == (viewer.since, viewer.token_hash)
