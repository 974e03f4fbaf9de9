"""A table's log folded into its present state, whether entries are pushed or read (DESIGN decision 6)."""

from __future__ import annotations

from enum import Enum

from rapid.engine.events import Resumed
from rapid.engine.evolve import fold
from rapid.engine.state import State, blank
from rapid.errors import LogCorrupt
from rapid.gateway.history import History
from rapid.gateway.packing import Packed
from rapid.table.ports import FIRST_ID, id_order
from rapid.wire.records import Record

LAST_N = (1 << 64) - 1
"""The greatest second half of an id."""


class Step(Enum):
    """What a log entry is to a fold."""

    NEXT = "next"
    """It follows."""
    OLD = "old"
    """It is known."""
    GAP = "gap"
    """It does not follow: something is missing before it, or the log has lost what we know."""


class Fold:
    """State, position, and the last decisions for those who come back with `since`."""

    __slots__ = ("_anew_until", "_epoch", "_first_resumed", "_last", "_n", "_next_push", "history", "last_id", "state")

    def __init__(self, table: str, history_records: int) -> None:
        self.state: State = blank(table)
        self.last_id = FIRST_ID
        self._last: tuple[str, Record] | None = None
        """The last entry that is no claim."""
        self._epoch, self._n, self._next_push = "", 0, ""
        """The id behind `last_id` in its epoch: that of nearly every push."""
        self._first_resumed: int | None = None
        """`seq` of the log's first `resumed`: what stood behind it in a lost tail may be known to somebody.

        Its beginning, if the opening was asked for before the restart behind which its owner came: all of an
        earlier log of this table may have been lost.
        """
        self._anew_until = 0
        """The last `seq` of an opening that may have been decided a second time: with its stamp, and another secret."""
        self.history = History(history_records)

    @property
    def read_from(self) -> str:
        """Return the id behind which to read on: the last decision comes once more, to be compared (`has_lost`)."""
        return FIRST_ID if self._last is None else id_before(self._last[0])

    def has_lost(self, first: tuple[str, Record | None] | None) -> bool:
        """Whether the first entry behind `read_from` (None: there is none) is not the last decision known here.

        Then Redis has lost its tail. Ids alone do not tell: with the tail it may have lost an epoch, which
        it hands out a second time (DESIGN decision 5).
        """
        return self._last is not None and first != self._last

    def step(self, entry_id: str, record: Record | None) -> Step:
        """Return what this entry is; a bare claim (no record) is known or follows."""
        if id_order(entry_id) <= id_order(self.last_id):
            return Step.OLD
        if record is None or record.seq == self.state.seq + 1:
            return Step.NEXT
        return Step.GAP

    def step_of_push(self, entry_id: str, record: Record) -> Step:
        """Return what a pushed entry is: only the very next id of the same epoch follows.

        Another epoch may stand behind a lost tail (DESIGN decision 5), where a `seq` that fits proves
        nothing: the log is read, in which the first entry of the other story shows itself.
        """
        if entry_id == self._next_push and record.seq == self.state.seq + 1:
            return Step.NEXT
        step = self.step(entry_id, record)
        if step is not Step.NEXT or self.last_id == FIRST_ID:
            return step
        (epoch, n), (last_epoch, last_n) = id_order(entry_id), id_order(self.last_id)
        return Step.NEXT if epoch == last_epoch and n == last_n + 1 else Step.GAP

    def take(self, entry_id: str, record: Record | None, data: bytes | None = None) -> Packed | None:
        """Fold an entry that follows; return its events, None for a claim. `LogCorrupt` leaves all as it was.

        `data`: the record's bytes, if they are at hand.
        """
        if record is None:
            self._note_id(entry_id)
            return None
        try:
            state = fold(self.state, record.events, record.at)
        except Exception as error:  # noqa: BLE001  # whatever a wrong log makes of the fold; its text may hold cards
            why = f"events cannot be folded ({type(error).__name__})"
            raise LogCorrupt(self.state.table, entry_id, why) from None
        if self._last is None and id_order(entry_id)[0] > record.at:  # an epoch is a time behind a restart
            self._first_resumed, self._anew_until = record.seq, record.last_seq
        self.state, self._last = state, (entry_id, record)
        self._note_id(entry_id)
        if self._first_resumed is None and isinstance(record.events[0], Resumed):
            self._first_resumed = record.seq
        self.history.add(record, data)
        return Packed(record)

    def _note_id(self, entry_id: str) -> None:
        if entry_id == self._next_push:
            self._n += 1
        else:
            self._epoch, _, n = entry_id.partition("-")
            self._n = int(n)
        self.last_id, self._next_push = entry_id, f"{self._epoch}-{self._n + 1}"

    def has_all_behind(self, seq: int, until: int) -> bool:
        """Whether the history holds every event behind `seq` up to `until`."""
        if seq == until:
            return True
        first = self.history.first_seq
        return seq < until and first is not None and first <= seq + 1

    def is_of_this_story(self, seq: int, at: int | None) -> bool:
        """Whether who knows an event `seq`, stamped `at` (None: not said), knows it as it stands in this log.

        It may stem from a tail that Redis lost, or this fold may. The stamp tells, but not of an opening that
        was decided anew: it has that of its entry both times. Without one it can only be said that behind a loss
        comes a `resumed`: before the first of these nothing else can be meant, if the log has just been read to
        its end.
        """
        if at is not None:
            return seq > self._anew_until and at == self._at_of(seq)
        return self._first_resumed is None or seq < self._first_resumed

    def _at_of(self, seq: int) -> int | None:
        if seq == self.state.seq:
            return self.state.at
        return self.history.at_of(seq)

    def behind(self, seq: int, until: int) -> list[Packed]:
        """Return the decisions that hold the events behind `seq` up to `until`."""
        return self.history.behind(seq, until)


def id_before(entry_id: str) -> str:
    """Return the greatest id that stands before this one."""
    epoch, n = id_order(entry_id)
    return f"{epoch}-{n - 1}" if n else f"{epoch - 1}-{LAST_N}"
