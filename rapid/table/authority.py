"""The authority of one table: an inbox entry in, effects out. Pure: no clock, no randomness, no I/O.

`decide` chains on tentative state, so that a whole batch is decided before any of it is
written; `settle` makes it the state once the batch is durable. Nothing outside sees
tentative state (DESIGN decisions 4 and 11). Whoever could not make a batch durable throws
the authority away and recovers another from the log.
"""

from __future__ import annotations

from msgspec import Struct

from rapid.engine.decide import Outcome, decide
from rapid.engine.intents import Resume
from rapid.engine.refusals import SPECTATOR, UNAVAILABLE, Refusal
from rapid.engine.state import Seat, State, blank
from rapid.engine.timers import fire_due, next_due
from rapid.table.ports import FIRST_ID, Commit, Row, id_order
from rapid.wire.records import MARK_DIGITS, Answer, Ask, Entry, Record

STEPPED_MS = 1_000
"""No stamp is so far ahead of the estimated time unless a clock was set."""

NOTHING_ANSWERED: frozenset[Ask] = frozenset()


class Effects(Struct, frozen=True):
    """What one entry does: commits in their order, and an answer that is no event.

    `refused`: the attempt came to nothing, whether or not somebody waits for an answer.
    `fault`: a bug of ours met this entry; it is refused and the table goes on as it was.
    """

    commits: tuple[Commit, ...] = ()
    answer: Answer | None = None
    refused: bool = False
    fault: Exception | None = None


class Folded(Struct, frozen=True):
    """What a log that was folded says about its table besides the state."""

    state: State
    cursor: str = FIRST_ID
    opened_at: int = 0
    has_log: bool = False
    """A bare claim counts: the log exists then."""
    answered: frozenset[Ask] = NOTHING_ANSWERED
    """Who was answered by the records behind the shard's cursor."""


class Authority:
    """One table in the charge of one epoch. `state` is what the log holds."""

    def __init__(self, epoch: int, past: Folded) -> None:
        """Take charge behind what was folded; `past.state` may be blank."""
        self.table = past.state.table
        self.epoch = epoch
        self.state = past.state
        self._ahead = past.state
        self._cursor = past.cursor
        self._cursor_order = id_order(past.cursor)
        self._opened_at = past.opened_at
        self._has_log = past.has_log
        self._decided_before = past.cursor
        self._answered = past.answered
        self._row = row_of(past.state, past.opened_at)
        self._n = 0
        self._due_ms: int | None = None
        self._is_due_known = False

    @property
    def is_open(self) -> bool:
        """Whether the table exists and is not closed, as far as the log holds it."""
        return self.state.seq > 0 and self.state.phase != "closed"

    @property
    def has_past(self) -> bool:
        """Whether anything has happened at this table."""
        return self.state.seq > 0

    @property
    def last_id(self) -> str | None:
        """The id that stands last in the log, all that is decided included; None: there is no log."""
        return f"{self.epoch}-{self._n}" if self._n or self._has_log else None

    @property
    def next_due_ms(self) -> int | None:
        """When something fires by itself next, on the clock of the streams, behind all that is decided."""
        if not self._is_due_known:
            self._due_ms, self._is_due_known = next_due(self._ahead), True
        return self._due_ms

    def resume(self, at_ms: int, *, keeps_deadline: bool) -> Effects:
        """Begin: `resumed` is the first event of a new authority (PROTOCOL 4, R9).

        A deadline that passed while nobody was in charge must not fire for that time, so
        even a planned hand-over keeps only one that is still ahead.

        Later than all before it, also while the stream's clock stands still: whoever comes back with the `seq` and
        the time of an event that stood here before a tail was lost must not find this one alike (`since_at`).
        """
        at = max(at_ms, self._ahead.at + 1) if self._ahead.seq else at_ms
        deadline = self._ahead.deadline
        keeps = keeps_deadline and (deadline is None or deadline > at)
        outcome = decide(self._ahead, Resume(epoch=self.epoch, keeps_deadline=keeps), at)
        return Effects(commits=(self._commit(outcome, at, self._cursor, None),))

    def decide(self, entry_id: str, entry: Entry, secret: str = "", *, now_ms: int = 0) -> Effects:
        """Decide one entry behind all decided so far; `secret` as `rapid.engine.decide` wants it.

        An entry that was decided before, by whomever, is not decided again. `now_ms` only says whether its asker has
        given up (`Entry.until_ms`).
        """
        order = id_order(entry_id)
        if order <= self._cursor_order:
            return self._decided_earlier(entry_id, entry)
        # The stream's stamp is the time, never earlier than what has happened (R9).
        stamp = order[0]
        at = max(stamp, self._ahead.at)
        fired = self._fire(at)
        self._cursor, self._cursor_order = entry_id, order
        try:
            is_late = entry.until_ms is not None and _now(now_ms, stamp) > entry.until_ms
            outcome = self._judge(entry, at, secret) if not is_late else Outcome(self._ahead, (), Refusal(UNAVAILABLE))
        except Exception as error:  # noqa: BLE001  # one entry must not stop a table; nothing has changed yet
            answer = _answer(entry, self._ahead.seq, Refusal(UNAVAILABLE))
            return Effects(fired, answer, refused=True, fault=error)
        refused = outcome.refusal is not None
        answer = _answer(entry, outcome.state.seq, outcome.refusal)
        if not outcome.events:
            return Effects(fired, answer, refused)
        return Effects((*fired, self._commit(outcome, at, entry_id, answer)), refused=refused)

    def settle(self) -> None:
        """All that was decided is durable now."""
        self.state = self._ahead

    def _fire(self, at: int) -> tuple[Commit, ...]:
        """What is due at or before `at` comes first; the entry itself is not decided with it."""
        if (due_ms := self.next_due_ms) is None or at < due_ms:
            return ()
        fired: list[Commit] = []
        while (outcome := fire_due(self._ahead, at)) is not None:
            fired.append(self._commit(outcome, at, self._cursor, None))
        return tuple(fired)

    def _judge(self, entry: Entry, at: int, secret: str) -> Outcome:
        """An intent under way while its chair was freed does not count for the next holder."""
        if entry.since is not None:
            seat = self._ahead.seat_at(getattr(entry.intent, "seat", -1))
            if seat is None or seat.since != entry.since or _is_anothers(seat, entry.mark):
                return Outcome(self._ahead, (), Refusal(SPECTATOR))
        return decide(self._ahead, entry.intent, at, secret)

    def _decided_earlier(self, entry_id: str, entry: Entry) -> Effects:
        """A redelivery. What the log answers is answered; a refusal may have been lost on its way.

        What it said is not known any more, but that nothing came of the attempt is. The
        gateway drops an answer that it had before.
        """
        if entry.ask is None or entry.ask in self._answered:
            return Effects()
        if id_order(entry_id) > id_order(self._decided_before):
            return Effects()  # decided by ourselves, and so answered
        return Effects(answer=Answer(entry.ask, self._ahead.seq, Refusal(UNAVAILABLE)))

    def _commit(self, outcome: Outcome, at: int, cursor: str, answer: Answer | None) -> Commit:
        before, self._ahead = self._ahead, outcome.state
        self._is_due_known = False
        assert outcome.state.seq == before.seq + len(outcome.events), "a decision numbers its events without gaps"
        self._n += 1
        opens = before.seq == 0
        if opens:
            self._opened_at = at
        changed = not _is_row_kept(before, outcome.state) and self._renew_row()
        return Commit(
            table=self.table,
            epoch=self.epoch,
            n=self._n,
            record=Record(before.seq + 1, at, cursor, outcome.events, answer),
            row=self._row if changed else None,
            opens=opens and not self._has_log,
            closes=outcome.state.phase == "closed",
        )

    def _renew_row(self) -> bool:
        row = row_of(self._ahead, self._opened_at)
        changed, self._row = row != self._row, row
        return changed


def _is_anothers(seat: Seat, mark: str | None) -> bool:
    """Whether it is known of a seat that its token is not the one with this mark."""
    return mark is not None and seat.token_hash is not None and seat.token_hash[:MARK_DIGITS] != mark


def _now(now_ms: int, stamp_ms: int) -> int:
    """The later of both clocks; but a stamp far ahead is that of a stream whose Redis' clock was set back since."""
    return now_ms if now_ms and stamp_ms > now_ms + STEPPED_MS else max(now_ms, stamp_ms)


def _answer(entry: Entry, seq: int, refusal: Refusal | None) -> Answer | None:
    return None if entry.ask is None else Answer(entry.ask, seq, refusal)


def row_of(state: State, opened_at: int) -> Row | None:
    """Return the table's line in the listings; None before it is open and behind its close."""
    if state.seq == 0 or state.phase == "closed":
        return None
    settings = state.settings
    return Row(
        table=state.table,
        phase=state.phase,
        mode=settings.mode,
        ruleset=settings.ruleset,
        people=len(state.persons),
        bots=sum(seat.kind == "bot" for seat in state.seats),
        seats=settings.seats,
        round=_round_of(state),
        public=settings.visibility == "public",
        opened_at=opened_at,
    )


def _is_row_kept(before: State, after: State) -> bool:
    """A quick look that spares most plays the making of a row."""
    return (
        before.seats is after.seats
        and before.settings is after.settings
        and before.phase == after.phase
        and (
            (before.round is not None and after.round is not None and before.round.number == after.round.number)
            or _round_of(before) == _round_of(after)
        )
    )


def _round_of(state: State) -> int | None:
    """The round in progress or just ended; null outside a game (PROTOCOL 2)."""
    if not state.in_game:
        return None
    return state.round.number if state.round else state.rounds_played or None


def newcomer(table: str, epoch: int) -> Authority:
    """Return the authority of a table that has no log yet."""
    return Authority(epoch, Folded(blank(table)))
