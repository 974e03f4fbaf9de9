"""A log folded from pushes and readings, and its events packed once for each kind of viewer."""

import json

import msgpack
import pytest

from rapid.engine.project import project_event
from rapid.engine.state import blank
from rapid.gateway.fold import Fold, Step, id_before
from rapid.gateway.packing import Packed
from rapid.wire.codec import JSON, MSGPACK
from tests.unit.gateway.bench import NOW, TABLE, FakePipe, Story


@pytest.fixture
def story():
    return Story().opened().seated().started()


def folded(entries, history=100):
    fold = Fold(TABLE, history)
    for entry in entries:
        assert fold.step(entry.id, entry.record) is Step.NEXT
        fold.take(entry.id, entry.record)
    return fold


def test_the_fold_is_the_authoritys_state(story):
    assert folded(story.entries).state == story.state


def test_what_is_known_is_old_and_what_is_missing_a_gap(story):
    fold = Fold(TABLE, 100)
    first, second, third = story.entries[:3]
    assert fold.step(second.id, second.record) is Step.GAP
    fold.take(first.id, first.record)
    assert fold.step(first.id, first.record) is Step.OLD
    assert fold.step(third.id, third.record) is Step.GAP
    assert fold.step(second.id, second.record) is Step.NEXT


def test_a_claim_moves_the_position_only(story):
    fold = folded(story.entries)
    state = fold.state
    assert fold.step("7-0", None) is Step.NEXT
    assert fold.take("7-0", None) is None
    assert (fold.state, fold.last_id) == (state, "7-0")
    assert fold.step("6-9", story.entries[0].record) is Step.OLD


@pytest.mark.parametrize("entry_id, before", [("7-2", "7-1"), ("7-1", "7-0"), ("7-0", f"6-{2**64 - 1}")])
def test_the_id_before(entry_id, before):
    assert id_before(entry_id) == before


def test_a_log_is_read_on_from_the_last_decision_which_must_still_be_there(story):
    fold = folded(story.entries)
    last = story.entries[-1]
    fold.take("7-0", None)
    assert fold.read_from == id_before(last.id)
    assert not fold.has_lost((last.id, last.record))
    assert fold.has_lost(None)
    assert fold.has_lost((last.id, story.entries[-2].record))
    assert fold.has_lost(("7-0", None))
    assert not Fold(TABLE, 100).has_lost(None)


def test_another_story_of_a_newer_epoch_is_a_gap(story):
    fold = folded(story.entries)
    other = Story(epoch=2).opened().entries[0]
    assert fold.step(other.id, other.record) is Step.GAP


def test_a_push_follows_by_its_id_whatever_its_seq(story):
    """Behind a lost tail the newer epoch's second decision may have the very seq that is due here."""
    fold, (first, second, third) = Fold(TABLE, 100), story.entries[:3]
    assert fold.step_of_push(second.id, second.record) is Step.GAP
    assert fold.step_of_push(first.id, first.record) is Step.NEXT
    fold.take(first.id, first.record)
    assert fold.step_of_push(first.id, first.record) is Step.OLD
    for elsewhere in ("1-3", "2-1", "2-2"):
        assert fold.step_of_push(elsewhere, second.record) is Step.GAP
    assert fold.step_of_push(second.id, third.record) is Step.GAP
    assert fold.step_of_push(second.id, second.record) is Step.NEXT


def test_what_the_history_can_give(story):
    fold = folded(story.entries, history=3)
    last, oldest = fold.state.seq, fold.history.first_seq
    assert fold.has_all_behind(last, last)
    assert fold.has_all_behind(oldest - 1, last)
    assert not fold.has_all_behind(oldest - 2, last)
    assert not fold.has_all_behind(last + 1, last)
    assert [packed.record for packed in fold.behind(last - 1, last)] == [story.entries[-1].record]
    assert [packed.record for packed in fold.behind(oldest - 1, last)] == [one.record for one in story.entries[-3:]]
    assert fold.behind(last, last) == []
    assert not Fold(TABLE, 3).has_all_behind(0, 1)
    assert Fold(TABLE, 3).state == blank(TABLE)


def events_of(frames, codec):
    pipe = FakePipe()
    pipe.write(frames)
    return pipe.messages(codec)


@pytest.mark.parametrize("codec", [JSON, MSGPACK])
@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_each_viewer_gets_what_project_shows_it(story, codec, viewer):
    for entry in story.entries:
        shown = events_of(Packed(entry.record).frames(codec, viewer), codec)
        for place, event in enumerate(entry.record.events):
            packed = codec.pack_event(entry.record.seq + place, entry.record.at, project_event(event, viewer))
            expected = json.loads(packed) if codec is JSON else msgpack.unpackb(packed)
            assert shown[place] == expected


def test_what_all_see_alike_is_packed_once(story):
    packed = Packed(story.entries[-2].record)
    assert packed.frames(JSON, None) is packed.frames(JSON, 0) is packed.frames(JSON, 2)
    dealt = Packed(story.entries[-1].record)
    assert dealt.frames(JSON, None) is dealt.frames(JSON, None)
    assert dealt.frames(JSON, 0) != dealt.frames(JSON, 1)


def test_frames_behind_a_seq_in_the_middle_of_a_decision(story):
    packed = Packed(story.entries[-1].record)
    first, last = packed.record.seq, packed.record.last_seq
    for since in range(first - 3, last + 1):
        shown = events_of(packed.frames_behind(since, JSON, 1), JSON)
        assert [event["seq"] for event in shown] == list(range(max(since + 1, first), last + 1))
        assert all(event.get("hands", {"1": 0}).keys() == {"1"} for event in shown)


@pytest.mark.parametrize("epoch, may_be_another", [(1, False), (NOW - 1, False), (NOW + 1, True)])
def test_an_opening_may_be_known_from_a_log_that_was_lost_from_its_beginning(epoch, may_be_another):
    """Behind a restart epochs go on from the time: this owner came later than the opening that it decided.

    Decided twice, the opening has one stamp and two secrets; what follows it is told by its stamp.
    """
    fold = folded(Story(epoch=epoch).opened(NOW).seated().entries)
    opening = fold.behind(0, fold.state.seq)[0].record.last_seq
    for seq in range(1, fold.state.seq + 1):
        assert fold.is_of_this_story(seq, None) is not may_be_another
        assert fold.is_of_this_story(seq, NOW) is not (may_be_another and seq <= opening)
