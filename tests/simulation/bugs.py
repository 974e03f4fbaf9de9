"""Bugs planted on purpose, to see whether the judges see: each a small wrong change in the real code.

They are put in by patching, in the simulation (`--bug NAME`) or, to see that the unit tests do not
find them, in a run of pytest (`-p tests.simulation.bugs --planted NAME`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from rapid.engine import events as ev
from rapid.engine.decide import Outcome
from rapid.engine.evolve import fold
from rapid.engine.intents import Connect
from rapid.errors import StoreUnavailable
from rapid.gateway.asks import Asks
from rapid.gateway.fold import Fold
from rapid.gateway.packing import Packed
from rapid.gateway.presence import Seats
from rapid.gateway.table import Table
from rapid.table.authority import Authority
from rapid.table.ports import id_order
from rapid.table.runner import Runner
from rapid.table.supervisor import Supervisor
from rapid.table.timers import Timers
from rapid.wire.records import Answer
from tests.simulation.redis_model import SimLog

GONE_BEFORE = 2
LATE_MS = 400
Patch = Callable[[Any, str, Any], None]
Bug = Callable[[Patch], None]


def drop_the_fence(patch: Patch) -> None:
    """The commit script no longer asks who is in charge: it appends behind whatever stands last."""

    def commit(self: Any, data: Any, commit: Any, _commit: Any = SimLog._commit) -> bool:
        log = self._log(data, commit.table)
        shard = self._world.shard(commit.table)
        if log is not None and not commit.opens:
            epoch, n = id_order(log.last_id)
            commit = replace(commit, epoch=max(epoch, commit.epoch), n=n + 1 if epoch >= commit.epoch else 1)
        epoch_in_charge, data.epochs[shard] = data.epochs[shard], commit.epoch
        if log is not None and id_order(log.last_id)[0] < commit.epoch:
            log.add_as(f"{commit.epoch}-0", b"")
        try:
            return bool(_commit(self, data, commit))
        finally:
            data.epochs[shard] = epoch_in_charge

    patch(SimLog, "_commit", commit)


def ack_before_append(patch: Patch) -> None:
    """An owner that has taken over says "accepted" of salts and given cards before they are in the log."""

    async def commit(self: Any, commits: Any, _commit: Any = Runner._commit) -> Any:
        early = [one for one in commits if one.epoch > 1 and isinstance(one.record.events[0], ev.Salted | ev.Given)]
        if answers := [one.record.answer for one in early if one.record.answer is not None]:
            await self._stores.log.answer(answers)
        return await _commit(self, commits)

    patch(Runner, "_commit", commit)


def rearm_on_pass(patch: Patch) -> None:
    """A pass starts the timer anew, in the mind of an authority that has taken over."""

    def commit(self: Any, outcome: Any, at: int, cursor: str, answer: Any, _commit: Any = Authority._commit) -> Any:
        made = _commit(self, outcome, at, cursor, answer)
        is_pass = isinstance(outcome.events[-1], ev.Passed)
        if is_pass and self.epoch > 1 and self._ahead.deadline is not None:
            self._ahead = replace(self._ahead, deadline=at + self._ahead.rules.race_ms)
        return made

    patch(Authority, "_commit", commit)


def ignore_generation(patch: Patch) -> None:
    """At a gateway that has been up a while the late close of an old socket gives the seat up, whoever has it now."""

    async def leave(self: Any, conn: int, holding: Any, _leave: Any = Seats._leave) -> None:
        if len(self._said_gone) < GONE_BEFORE:
            await _leave(self, conn, holding)
            return
        newest = max(
            (c for c, h in self._held.items() if (h.table, h.seat) == (holding.table, holding.seat)), default=conn
        )
        self._let_go(newest)
        await _leave(self, newest, holding)

    patch(Seats, "_leave", leave)


def trust_the_push(patch: Patch) -> None:
    """Behind a takeover what is pushed is shown at once, though one decision is missing before it."""

    def pushed(self: Any, entry_id: str, record: Any, _pushed: Any = Table.pushed) -> bool:
        (epoch, n), (known, last) = id_order(entry_id), id_order(self.fold.last_id)
        is_gap = epoch == known and n == last + 2 and self.is_live and self.fold._first_resumed is not None
        if is_gap and not isinstance(record.events[0], ev.Dealt):
            for seat, viewer in list(self.seats.items()):
                viewer.send(Packed(record).frames(viewer.codec, seat))
        return bool(_pushed(self, entry_id, record))

    patch(Table, "pushed", pushed)


def apply_a_late_timer(patch: Patch) -> None:
    """An authority that has taken over lets whatever was stamped within 0.4 s behind a deadline overtake it."""

    def fire(self: Any, at: int, _fire: Any = Authority._fire) -> Any:
        due_ms = self.next_due_ms
        trick = self._ahead.trick
        if self.epoch > 1 and due_ms is not None and due_ms <= at < due_ms + LATE_MS and trick and len(trick.plays) > 1:
            return ()
        return _fire(self, at)

    patch(Authority, "_fire", fire)


def fire_early(patch: Patch) -> None:
    """A tick fires its timer though its stamp is a little before the deadline."""

    def fire(self: Any, at: int, _fire: Any = Authority._fire) -> Any:
        due_ms = self.next_due_ms
        if due_ms is not None and due_ms - 3 <= at < due_ms and self._ahead.trick is not None and self.epoch > 2:
            at, ahead = due_ms, self._ahead
            made = _fire(self, at)
            del ahead
            return tuple(replace(one, record=replace(one.record, at=due_ms - 1)) for one in made)
        return _fire(self, at)

    patch(Authority, "_fire", fire)


def keep_the_standin(patch: Patch) -> None:
    """Behind a takeover a person who is back gets the seat, and the stand-in keeps it too."""

    def judged(self: Any, entry: Any, at: int, secret: str, _judge: Any = Authority._judge) -> Any:
        outcome = _judge(self, entry, at, secret)
        if self.epoch > 1 and isinstance(entry.intent, Connect) and len(outcome.events) > 1:
            kept = outcome.events[:1]
            return Outcome(fold(self._ahead, kept, at), kept, None)
        return outcome

    patch(Authority, "_judge", judged)


def leak_on_resume(patch: Patch) -> None:
    """Who comes back with `since` gets an event as the log holds it."""

    def frames_behind(self: Any, seq: int, codec: Any, viewer: Any, _frames: Any = Packed.frames_behind) -> bytes:
        record = self.record
        if isinstance(record.events[0], ev.Given) and len(record.events) == 1 and record.seq > seq:
            return bytes(codec.event_frame(record.seq, record.at, record.events[0]))
        return bytes(_frames(self, seq, codec, viewer))

    patch(Packed, "frames_behind", frames_behind)


def leak_to_the_crowd(patch: Patch) -> None:
    """A spectator who comes while cards are exchanged sees what the host owes, and so the host's hand."""
    original = Table._view

    def view(self: Any, viewer: Any, state: Any) -> Any:
        welcome = original(self, viewer, state)
        if viewer.seat is None and state.exchange is not None and state.round is not None:
            hand = state.round.hands[state.exchange.owed[0].giver] if state.exchange.owed else 0
            names = [name for name, place in state.rules.deck.index.items() if hand >> place & 1]
            settings = replace(welcome.view.settings, options={"of": ",".join(names)})
            return replace(welcome, view=replace(welcome.view, settings=settings))
        return welcome

    patch(Table, "_view", view)


def note_the_cursor_early(patch: Patch) -> None:
    """How far the inbox is decided is noted when it has been read, not when that is durable."""

    async def serve(self: Any, posted: Any, shards: Any, _serve: Any = Runner._serve) -> None:
        for one in posted:
            await self._stores.inbox.set_cursor(one.shard, shards[one.shard].epoch, one.id)
        await _serve(self, posted, shards)

    patch(Runner, "_serve", serve)


def answer_twice(patch: Patch) -> None:
    """An answer that came by both ways is passed on twice."""

    def answered(self: Any, answer: Answer, _answered: Any = Asks.answered) -> None:
        pending = self._pending.get(answer.ask.ref) if answer.ask.gateway == self._gateway else None
        if pending is None and answer.ask.gateway == self._gateway and answer.refusal is not None:
            last = self.__dict__.setdefault("_said", {}).get(answer.ask.ref)
            if last is not None:
                last(answer.seq, answer.refusal)
        elif pending is not None:
            self.__dict__.setdefault("_said", {})[answer.ask.ref] = pending.on_answer
        _answered(self, answer)

    patch(Asks, "answered", answered)


def reap_nobody(patch: Patch) -> None:
    """The seats of a gateway that died are connected for ever."""

    async def reap(self: Any) -> None:
        await self._stores.clock.read_ms()

    patch(Supervisor, "_reap", reap)


def forget_the_timers(patch: Patch) -> None:
    """Who takes a shard arms no timer until somebody asks for something."""

    def begin(self: Any, shard: Any) -> None:
        for authority in list(shard.tables.values()):
            if authority.is_open:
                self._drivers.follow(authority.state)

    patch(Runner, "_begin", begin)


def lose_a_tick(patch: Patch) -> None:
    """A tick that did not get through is not posted again."""

    def due_or_later(self: Any, table: str, now: int, _due: Any = Timers._due_or_later) -> None:
        due_ms = self._due[table]
        _due(self, table, now)
        if due_ms <= now:
            self._queued.pop(table, None)

    patch(Timers, "_due_or_later", due_or_later)


def believe_the_confirmation(patch: Patch) -> None:
    """Another run of Redis: what it had confirmed before is taken for granted."""

    async def settle_all(self: Any) -> None:
        await self.settle()

    patch(Asks, "settle_all", settle_all)


def forget_the_gone(patch: Patch) -> None:
    """A lost connection that could not be told at once is never told."""

    async def say_gone(self: Any) -> None:
        for conn, holding in list(self._gone.items()):
            self._gone.pop(conn, None)
            try:
                await self._leave(conn, holding)
            except StoreUnavailable:
                self._health.lost()

    patch(Seats, "_say_gone", say_gone)


def show_the_crowd_early(patch: Patch) -> None:
    """A spectator of a delayed table who comes back with `since` is shown up to now."""

    def welcome(self: Any, viewer: Any, since: Any, since_at: Any = None, _welcome: Any = Table.welcome) -> None:
        shown = self.crowd.shown
        if viewer.seat is None and since is not None and self.crowd._waiting:
            self.crowd.shown = self.fold.state
        _welcome(self, viewer, since, since_at)
        self.crowd.shown = shown

    patch(Table, "welcome", welcome)


def believe_the_client(patch: Patch) -> None:
    """Who comes back with `since` is believed to have seen this log, and not a tail that was lost."""
    patch(Fold, "is_of_this_story", lambda _self, _seq, _at: True)


def let_the_lost_in(patch: Patch) -> None:
    """Who has lost the seat while the hello was under way is welcomed as its holder."""
    patch(Table, "is_held_by", lambda _self, _viewer: True)


BUGS: dict[str, Bug] = {
    bug.__name__: bug
    for bug in (
        drop_the_fence,
        ack_before_append,
        rearm_on_pass,
        ignore_generation,
        trust_the_push,
        apply_a_late_timer,
        fire_early,
        keep_the_standin,
        leak_on_resume,
        leak_to_the_crowd,
        note_the_cursor_early,
        answer_twice,
        reap_nobody,
        forget_the_timers,
        lose_a_tick,
        believe_the_confirmation,
        forget_the_gone,
        show_the_crowd_early,
        believe_the_client,
        let_the_lost_in,
    )
}


@contextmanager
def planted(name: str | None) -> Iterator[None]:
    """Put a bug in, and take it out again."""
    undo: list[tuple[Any, str, Any]] = []

    def patch(where: Any, attribute: str, value: Any) -> None:
        undo.append((where, attribute, getattr(where, attribute)))
        setattr(where, attribute, value)

    try:
        if name is not None:
            BUGS[name](patch)
        yield
    finally:
        for where, attribute, value in reversed(undo):
            setattr(where, attribute, value)


# As a plugin of pytest.


def pytest_addoption(parser: Any) -> None:
    """`--planted NAME`."""
    parser.addoption("--planted", choices=sorted(BUGS), help="run with this bug planted")


def pytest_configure(config: Any) -> None:
    """Put it in for the whole run."""
    name = config.getoption("--planted")
    if name is not None:
        BUGS[name](setattr)
