"""The authority's core: order, time, redelivery (DESIGN decisions 2, 4, 10; RULES R9)."""

import pytest
from msgspec import structs

from rapid.engine.decide import decide
from rapid.engine.intents import (
    AddBot,
    AddSalt,
    Connect,
    Disconnect,
    Leave,
    Newcomer,
    OpenTable,
    Pass,
    Play,
    Start,
    TakeSeat,
    Tick,
)
from rapid.engine.refusals import SPECTATOR, UNAVAILABLE, Refusal
from rapid.engine.state import blank
from rapid.ids import token_hash
from rapid.rules.presets import PRESIDENT
from rapid.rules.settings import default_settings
from rapid.table.authority import Authority, Folded, newcomer
from rapid.wire.records import Answer, Ask, Entry, mark_of
from tests.unit.table.desk import (
    RACE_MS,
    SECRET,
    START_MS,
    TABLE,
    Desk,
    hand_of,
    open_table,
    passes,
    playing,
    types_of,
    weakest,
)

DEADLINE_MS = START_MS + RACE_MS


def test_an_opening_is_one_commit_that_opens_the_log_and_lists_the_table():
    desk = open_table(bots=2)
    first = desk.log[0]
    assert (first.epoch, first.n, first.opens, first.closes) == (1, 1, True, False)
    assert [event.__struct_config__.tag for event in first.record.events] == [
        "table_opened",
        "committed",
        *["seat_taken"] * 3,
    ]
    assert first.record.seq == 1
    assert first.record.answer is not None
    assert first.record.answer.seq == first.record.last_seq == 5
    assert first.row is not None
    assert (first.row.people, first.row.bots, first.row.seats, first.row.round, first.row.opened_at) == (
        1,
        2,
        6,
        None,
        START_MS,
    )
    assert not desk.log[1].opens


def test_numbers_and_seqs_go_on_without_gaps():
    desk = playing()
    desk.do(weakest(desk, 0, by="person"), START_MS + 100)
    desk.do(Tick(), DEADLINE_MS + 100)
    assert [commit.n for commit in desk.log] == list(range(1, len(desk.log) + 1))
    seq = 0
    for commit in desk.log:
        assert commit.record.seq == seq + 1
        seq = commit.record.last_seq
    assert seq == desk.state.seq


def test_a_row_is_given_only_when_the_line_has_changed():
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS + 1)
    assert [commit.row is not None for commit in desk.log] == [True, False, True, False]
    assert desk.log[2].row is not None
    assert (desk.log[2].row.phase, desk.log[2].row.round) == ("playing", 1)


def test_a_closed_table_leaves_the_listing_and_answers_no_table():
    desk = open_table(bots=0)
    effects = desk.do(Leave(0), START_MS + 1)
    assert effects.commits[-1].closes
    assert effects.commits[-1].row is None
    assert not desk.authority.is_open
    assert desk.authority.next_due_ms is None
    late = desk.do(TakeSeat(Newcomer("Ben", "other")), START_MS + 2)
    assert late.answer is not None
    assert late.answer.refusal is not None
    assert late.answer.refusal.why == "no_table"


def test_a_table_nobody_opened_is_refused_and_writes_nothing():
    desk = Desk()
    effects = desk.do(Connect(0), START_MS)
    assert effects.commits == ()
    refused = desk.do(Start(0), START_MS)
    assert refused.answer is not None
    assert refused.answer.refusal is not None
    assert refused.answer.refusal.why == "no_table"


@pytest.mark.parametrize("stamp", range(DEADLINE_MS - 10, DEADLINE_MS + 11))
def test_R9_a_play_swept_over_the_timers_zero_on_a_non_empty_trick(stamp):
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS)
    state = desk.state
    assert state.deadline == DEADLINE_MS
    strongest = hand_of(desk, 0)[-1:]
    effects = desk.do(Play(0, state.trick.state, strongest), stamp)
    if stamp < DEADLINE_MS:
        # The play comes before the deadline: accepted, no timer fires.
        assert [first for first, *_ in types_of(effects)] == ["played"]
        assert effects.commits[0].record.answer.refusal is None
        assert desk.state.deadline == stamp + RACE_MS
    else:
        # The deadline comes first, and the play is a lost race against the closing.
        assert types_of(effects) == [["trick_closed", "trick_opened"], ["race_lost"]]
        closed, lost = effects.commits
        assert closed.record.events[0].why == "timer"
        assert closed.record.at == lost.record.at == stamp
        assert lost.record.answer.refusal.why == "stale"
        assert strongest[0] in hand_of(desk, 0)
        assert desk.state.deadline == stamp + RACE_MS


@pytest.mark.parametrize("stamp", range(DEADLINE_MS - 10, DEADLINE_MS + 11))
def test_R9_an_opening_swept_over_the_timers_zero(stamp):
    desk = playing()
    state = desk.state
    effects = desk.do(weakest(desk, 0, by="person"), stamp)
    opened = [e for c in effects.commits for e in c.record.events if e.__struct_config__.tag == "played"]
    # Exactly one play opens the trick, by the timer or by the person.
    assert len(opened) == 1
    assert opened[0].on == state.trick.state
    assert opened[0].by == ("person" if stamp < DEADLINE_MS else "timer")


@pytest.mark.parametrize("late_ms", [0, 1, 500, 25_000])
def test_R9_the_stamp_decides_however_late_the_entry_is_read(late_ms):
    """Read after a tick, or in one batch with it: the order and the stamps alone count."""
    one, batch = playing(), playing()
    for desk in (one, batch):
        desk.do(weakest(desk, 1, by="bot"), START_MS)
    ids = [f"{DEADLINE_MS - 1}-0", f"{DEADLINE_MS + late_ms}-0"]
    entries = [Entry(TABLE, passes(one, 2, by="bot")), Entry(TABLE, Tick())]
    for entry_id, entry in zip(ids, entries, strict=True):
        one.decide(entry_id, entry)
        one.authority.settle()
        batch.decide(entry_id, entry)
    batch.authority.settle()
    assert one.log == batch.log
    assert [c.record.events[0].__struct_config__.tag for c in one.log[-2:]] == ["passed", "trick_closed"]


def test_R9_a_timer_in_front_of_an_entry_does_not_count_that_entry_yet():
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS + 5)
    before = desk.log[-1].record.cursor
    effects = desk.do(passes(desk, 2, by="bot"), START_MS + 5 + RACE_MS)
    assert effects.commits[0].record.cursor == before
    assert effects.commits[0].record.answer is None


def test_a_tick_before_the_deadline_fires_nothing_and_one_behind_it_once():
    desk = playing()
    assert desk.do(Tick(), DEADLINE_MS - 1).commits == ()
    assert types_of(desk.do(Tick(), DEADLINE_MS)) == [["played"]]
    assert desk.do(Tick(), DEADLINE_MS).commits == ()


def test_a_stamp_is_raised_to_the_time_of_the_event_before():
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS + 50)
    # Ids never go back in one stream, but a shard taken anew has resumed at a later time.
    again = desk.recovered()
    again.resume(START_MS + 5_000)
    effects = again.do(passes(again, 2, by="bot"), START_MS + 100)
    assert effects.commits[0].record.at == START_MS + 5_000


def test_R9_the_backlog_of_the_time_without_an_owner_fires_no_deadline():
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS)
    again = desk.recovered()
    resumed_at = DEADLINE_MS + 20_000
    effects = again.resume(resumed_at)
    (event,) = effects.commits[0].record.events
    assert (event.epoch, event.lost_ms, event.deadline) == (2, resumed_at - START_MS, resumed_at + RACE_MS)
    # Posted long behind the old deadline, while nobody was in charge.
    backlog = again.do(passes(again, 2, by="bot"), DEADLINE_MS + 3_000)
    assert types_of(backlog) == [["passed"]]
    assert again.do(Tick(), resumed_at + RACE_MS - 1).commits == ()
    assert types_of(again.do(Tick(), resumed_at + RACE_MS)) == [["trick_closed", "trick_opened"]]


def test_R9_a_planned_hand_over_keeps_the_deadline():
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS)
    again = desk.recovered()
    effects = again.resume(START_MS + 4_000, keeps_deadline=True)
    assert effects.commits[0].record.events[0].deadline == DEADLINE_MS
    assert again.do(Tick(), DEADLINE_MS - 1).commits == ()
    assert types_of(again.do(Tick(), DEADLINE_MS)) == [["trick_closed", "trick_opened"]]


def test_R9_a_planned_hand_over_fires_nothing_for_its_own_duration():
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS)
    again = desk.recovered()
    again.resume(DEADLINE_MS + 40, keeps_deadline=True)
    # Stamped before the old deadline, decided behind it: the hand-over must not turn it into a late play.
    effects = again.do(passes(again, 2, by="bot"), DEADLINE_MS - 5)
    assert types_of(effects) == [["passed"]]


@pytest.mark.parametrize("clock_ms", [-5_000, -1, 0])
def test_a_new_authority_resumes_later_than_all_before_it_whatever_the_clock_says(clock_ms):
    """Found by the simulation: an event of a lost tail had the seq and the time of the one that came in its place."""
    desk = playing()
    (commit,) = desk.recovered().resume(desk.state.at + clock_ms).commits
    assert commit.record.at == desk.state.at + 1


def test_what_is_decided_is_not_state_before_it_is_durable():
    desk = playing()
    before = desk.state
    desk.decide(desk.id_at(START_MS + 1), desk.ask(weakest(desk, 1, by="bot")))
    assert desk.state is before
    desk.authority.settle()
    assert desk.state.trick.last_player == 1


def test_a_batch_chains_on_what_was_decided_in_it():
    desk = playing()
    on = desk.state.trick.state
    first = desk.decide(desk.id_at(START_MS + 1), desk.ask(Play(1, on, hand_of(desk, 1)[:1], "bot")))
    second = desk.decide(desk.id_at(START_MS + 1), desk.ask(Play(2, on, hand_of(desk, 2)[:1], "bot")))
    assert types_of(first) == [["played"]]
    assert types_of(second) == [["race_lost"]]
    assert second.commits[0].record.answer.refusal.why == "stale"


@pytest.mark.parametrize("moves", range(1, 6))
def test_entries_delivered_again_to_the_next_owner_are_not_applied_twice(moves):
    desk = playing()
    delivered = []
    for n in range(moves):
        seat = n % 4
        entry = desk.ask(weakest(desk, seat, by="person" if seat == 0 else "bot"))
        entry_id = desk.id_at(START_MS + n)
        delivered.append((entry_id, entry))
        desk.decide(entry_id, entry)
        desk.authority.settle()
    again = desk.recovered()
    again.resume(START_MS + 1_000)
    resumed = again.state
    for entry_id, entry in delivered:
        effects = again.decide(entry_id, entry)
        assert effects.commits == ()
    again.authority.settle()
    assert again.state == resumed


def test_a_redelivered_intent_gets_no_second_answer_if_the_log_holds_it_and_one_if_a_refusal_may_be_lost():
    desk = playing()
    accepted = desk.ask(weakest(desk, 1, by="bot"))
    refused = desk.ask(Pass(1, 1, "bot"))
    later = desk.ask(weakest(desk, 0, by="person"))
    ids = [desk.id_at(START_MS + 1) for _ in range(3)]
    for entry_id, entry in zip(ids, (accepted, refused, later), strict=True):
        desk.decide(entry_id, entry)
    desk.authority.settle()
    again = desk.recovered()
    again.resume(START_MS + 2)
    assert again.decide(ids[0], accepted).answer is None
    lost = again.decide(ids[1], refused).answer
    assert lost is not None
    assert (lost.ask, lost.refusal.why) == (refused.ask, UNAVAILABLE)
    assert again.decide(ids[2], later).answer is None


def test_an_entry_seen_twice_by_the_same_owner_does_nothing():
    desk = playing()
    entry_id, entry = desk.id_at(START_MS + 1), desk.ask(weakest(desk, 1, by="bot"))
    desk.decide(entry_id, entry)
    again = desk.decide(entry_id, entry)
    assert (again.commits, again.answer) == ((), None)


def test_folding_the_log_gives_the_live_state():
    desk = playing()
    for n, seat in enumerate((1, 2, 3, 0)):
        desk.do(weakest(desk, seat, by="person" if seat == 0 else "bot"), START_MS + n)
    desk.do(Tick(), DEADLINE_MS + 4)
    assert desk.recovered().state == desk.state


def test_an_intent_still_under_way_does_not_count_for_the_next_holder_of_the_chair():
    desk = open_table(bots=1)
    taken = desk.do(TakeSeat(Newcomer("Ben", "ben")), START_MS + 1)
    since = taken.commits[0].record.seq
    desk.do(Leave(2), START_MS + 2, since=since)
    desk.do(TakeSeat(Newcomer("Cleo", "cleo")), START_MS + 3)
    effects = desk.do(Leave(2), START_MS + 4, since=since)
    assert effects.commits == ()
    assert effects.answer.refusal.why == SPECTATOR
    assert desk.state.seat_at(2).name == "Cleo"


CLEO = token_hash("cleo")


@pytest.mark.parametrize(
    "intent",
    [Leave(2), Connect(2), Disconnect(2), AddSalt(2, 1, "5" * 32), Start(2), Pass(2, 1), Play(2, 1, ("3S",))],
    ids=lambda intent: type(intent).__name__,
)
@pytest.mark.parametrize("mark", [mark_of(token_hash("dan")), mark_of(CLEO), None], ids=["dan's", "her own", "none"])
def test_what_a_void_holder_asks_does_not_count_for_who_sat_down_with_the_same_seq(intent, mark):
    """In the tail that Redis lost somebody else sat down there; an entry of the version before says no mark."""
    desk = open_table(bots=1)
    since = desk.do(TakeSeat(Newcomer("Cleo", CLEO)), START_MS + 1).commits[0].record.seq
    if isinstance(intent, Disconnect):
        desk.do(Connect(2), START_MS + 2)
    before = desk.state
    plain = decide(before, intent, START_MS + 3)
    effects = desk.do(intent, START_MS + 3, since=since, mark=mark)
    if mark in {mark_of(CLEO), None}:
        assert desk.state.seq - before.seq == len(plain.events)
    else:
        assert desk.state == before
        assert effects.answer.refusal == Refusal(SPECTATOR)


def test_a_chair_without_a_token_is_known_by_its_seq_alone():
    """In a game the token of one who has left is void, and a bot has none."""
    desk = open_table(bots=1)
    bot = desk.state.seat_at(1)
    assert bot.token_hash is None
    effects = desk.do(Leave(1), START_MS + 1, since=bot.since, mark="0123abcd")
    assert effects.answer.refusal == decide(desk.state, Leave(1), START_MS + 1).refusal


def test_a_bots_move_is_refused_once_the_person_is_back():
    desk = playing()
    desk.do(Disconnect(0), START_MS + 1)
    effects = desk.do(Tick(), START_MS + 1 + 5_000)
    assert types_of(effects) == [["standin_started"]]
    planned = weakest(desk, 0, by="standin")
    desk.do(Connect(0), START_MS + 6_000)
    late = desk.do(planned, START_MS + 6_001)
    assert late.refused
    assert late.answer.refusal.why == "not_in_charge"
    assert desk.state.trick.last_player == -1


def test_a_fault_in_one_decision_is_refused_and_the_table_goes_on(monkeypatch):
    desk = playing()

    def fails(*_args, **_kwargs):
        raise RuntimeError("a bug")

    with monkeypatch.context() as broken:
        broken.setattr("rapid.table.authority.decide", fails)
        effects = desk.do(AddBot(0), START_MS + 1)
    assert effects.commits == ()
    assert isinstance(effects.fault, RuntimeError)
    assert effects.answer.refusal.why == UNAVAILABLE
    assert types_of(desk.do(weakest(desk, 1, by="bot"), START_MS + 2)) == [["played"]]


def test_a_log_with_nothing_but_claims_is_gone_on_with():
    past = Folded(blank(TABLE), has_log=True)
    authority = Authority(3, past)
    assert not authority.has_past
    first = open_table().log[0]
    entry = Entry(TABLE, _opening(), Ask("gateway", 1))
    effects = authority.decide(f"{START_MS}-0", entry, SECRET)
    assert (effects.commits[0].opens, effects.commits[0].n, effects.commits[0].epoch) == (False, 1, 3)
    assert effects.commits[0].record.events == first.record.events


def _opening():
    return OpenTable(TABLE, default_settings(PRESIDENT), Newcomer("Ann", "hash"), 3)


def test_secrets_are_those_handed_in_and_shown_to_nobody_by_the_row():
    authority = newcomer(TABLE, 1)
    effects = authority.decide(f"{START_MS}-0", Entry(TABLE, _opening()), SECRET)
    committed = effects.commits[0].record.events[1]
    assert committed.secret == SECRET
    assert SECRET not in repr(structs.asdict(effects.commits[0].row))


def test_a_stamp_from_before_the_clock_was_set_back_makes_nobody_late():
    desk = open_table(bots=1, seats=6)
    asked = structs.replace(desk.ask(TakeSeat(Newcomer("Bob", "hash2"))), until_ms=START_MS + 100)
    assert desk.authority.decide(desk.id_at(START_MS + 30_000), asked, now_ms=START_MS + 50).commits
    desk.authority.settle()
    again = structs.replace(desk.ask(TakeSeat(Newcomer("Cy", "hash3"))), until_ms=START_MS + 100)
    assert not desk.authority.decide(desk.id_at(START_MS + 30_001), again, now_ms=START_MS + 101).commits


def test_who_has_given_up_is_refused_whatever_was_asked_and_the_table_goes_on():
    desk = open_table(bots=1, seats=6)
    before = desk.state
    asked = structs.replace(desk.ask(TakeSeat(Newcomer("Bob", "hash2"))), until_ms=START_MS + 100)
    effects = desk.authority.decide(desk.id_at(START_MS + 50), asked, now_ms=START_MS + 101)
    assert effects.commits == ()
    assert effects.answer == Answer(asked.ask, before.seq, Refusal(UNAVAILABLE))
    # In time by both clocks, that of the entry and that of whoever decides.
    again = structs.replace(desk.ask(TakeSeat(Newcomer("Bob", "hash2"))), until_ms=START_MS + 100)
    assert desk.authority.decide(desk.id_at(START_MS + 100), again, now_ms=START_MS + 100).commits
    desk.authority.settle()
    stamped = structs.replace(desk.ask(TakeSeat(Newcomer("Cy", "hash3"))), until_ms=START_MS + 100)
    assert not desk.authority.decide(desk.id_at(START_MS + 101), stamped, now_ms=START_MS + 100).commits
    assert [seat.name for seat in desk.state.seats if seat.kind == "person"] == ["Ann", "Bob"]
