"""Folding a log, and what of a log that nobody can have written (DESIGN decision 10)."""

import pytest
from msgspec import structs

from rapid.engine.intents import Tick
from rapid.errors import LogCorrupt
from rapid.table.ports import LogEntry
from rapid.table.recovery import FOLD_SLICE_ENTRIES
from tests.unit.table.desk import RACE_MS, START_MS, TABLE, passes, playing, weakest
from tests.unit.table.folding import entries_of, fold


def played():
    desk = playing()
    desk.do(weakest(desk, 1, by="bot"), START_MS + 1)
    desk.do(passes(desk, 2, by="bot"), START_MS + 2)
    return desk


def test_a_log_folds_to_state_cursor_and_opening_time():
    desk = played()
    past = fold(TABLE, entries_of(desk.log))
    assert past.state == desk.state
    assert past.cursor == desk.log[-1].record.cursor
    assert past.opened_at == START_MS
    assert past.has_log


def test_bare_claims_stand_anywhere_and_change_nothing():
    desk = played()
    entries = entries_of(desk.log)
    claimed = [LogEntry("1-0", None), *entries, LogEntry("2-0", None), LogEntry("3-0", None)]
    assert fold(TABLE, claimed) == fold(TABLE, entries)


def test_a_log_of_claims_alone_is_there_but_holds_nothing():
    past = fold(TABLE, [LogEntry("1-0", None), LogEntry("2-0", None)])
    assert past.state.seq == 0
    assert past.has_log
    assert not fold(TABLE, []).has_log


def test_a_long_log_is_folded_in_slices():
    desk = playing()
    at = START_MS
    while len(desk.log) < 2 * FOLD_SLICE_ENTRIES + 10 and desk.state.phase == "playing":
        at += RACE_MS
        desk.do(Tick(), at)
    # One round has not that many decisions: reconnections fill the log up.
    while len(desk.log) < 2 * FOLD_SLICE_ENTRIES + 10:
        desk.resume(at)
    assert fold(TABLE, entries_of(desk.log)).state == desk.state


def test_those_answered_behind_the_shards_cursor_are_known():
    desk = played()
    asks = [commit.record.answer.ask for commit in desk.log if commit.record.answer]
    everything = fold(TABLE, entries_of(desk.log), "0-0")
    assert everything.answered == frozenset(asks)
    later = fold(TABLE, entries_of(desk.log), desk.log[-2].record.cursor)
    assert later.answered == frozenset(asks[-1:])


@pytest.mark.parametrize("index", range(4))
def test_a_missing_decision_is_found_where_it_is_missing(index):
    entries = entries_of(played().log)
    with pytest.raises(LogCorrupt) as caught:
        fold(TABLE, entries[:index] + entries[index + 1 :])
    assert caught.value.table == TABLE


def test_a_doubled_decision_is_found():
    entries = entries_of(played().log)
    with pytest.raises(LogCorrupt) as caught:
        fold(TABLE, [*entries, structs.replace(entries[-1], id="2-1")])
    assert caught.value.entry == "2-1"


def test_events_that_cannot_follow_are_found_and_no_card_is_told():
    entries = entries_of(played().log)
    wrong = structs.replace(entries[3].record.events[0], cards=("ZZ",), seat=77)
    entries[3] = LogEntry(entries[3].id, structs.replace(entries[3].record, events=(wrong,)))
    with pytest.raises(LogCorrupt) as caught:
        fold(TABLE, entries)
    assert "ZZ" not in str(caught.value)
