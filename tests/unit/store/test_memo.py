"""What a process has written is known again by its bytes, on its channel, once, and only where somebody listens."""

import pytest
from msgspec import structs

from rapid.engine.state import blank
from rapid.store.memo import MOST, Memo
from rapid.table.ports import Made
from tests.contract.samples import FIRST, commit, record

BEFORE, AFTER = blank(FIRST), structs.replace(blank(FIRST), seq=1)
HERE, THERE = "feed:here", "feed:there"


@pytest.fixture
def wanted():
    return {HERE}


@pytest.fixture
def memo(wanted):
    memo = Memo()
    memo.listen(wanted)
    return memo


def noted(memo, n=1, channel=HERE, **fields):
    made = structs.replace(commit(1, n), **{"before": BEFORE, "after": AFTER, **fields})
    memo.note(channel, made, made.record, b"%d" % n)


def test_what_is_written_on_a_wanted_channel_is_known_once(memo):
    noted(memo)
    assert memo.take(THERE, b"1") is None
    assert memo.take(HERE, b"2") is None
    assert memo.take(HERE, b"1") == Made(record(1), BEFORE, AFTER)
    assert memo.take(HERE, b"1") is None


def test_nothing_is_kept_that_nobody_wants(memo, wanted):
    noted(memo, 1, THERE)
    wanted.discard(HERE)
    noted(memo, 2)
    assert len(memo) == 0
    wanted |= {HERE, THERE}
    noted(memo, 3, THERE)
    noted(memo, 4)
    memo.forget(THERE)
    assert memo.take(THERE, b"3") is None
    assert memo.take(HERE, b"4") is not None
    assert len(memo) == 0


def test_who_leaves_leaves_nothing_behind_and_others_go_on(memo, wanted):
    others = {HERE, THERE}
    memo.listen(others)
    noted(memo)
    memo.leave(wanted)
    assert len(memo) == 0
    noted(memo, 2)
    assert memo.take(HERE, b"2") is not None
    memo.leave(others)
    noted(memo, 3)
    assert len(memo) == 0


def test_equal_sets_of_two_who_listen_are_two(memo, wanted):
    memo.listen(set(wanted))
    memo.leave(wanted)
    noted(memo)
    assert len(memo) == 1


def test_without_a_state_there_is_nothing_to_know(memo):
    noted(memo, after=None)
    assert len(memo) == 0


def test_what_was_never_pushed_goes_with_what_is_pushed_behind_it(memo):
    for n in range(5):
        noted(memo, n)
    assert memo.take(HERE, b"3") is not None
    assert [memo.take(HERE, b"%d" % n) is not None for n in range(5)] == [False, False, False, False, True]


def test_what_is_never_pushed_does_not_pile_up_and_leaves_room_for_the_next(memo):
    for n in range(3 * MOST):
        noted(memo, n)
        assert len(memo) <= MOST
    assert all(memo.take(HERE, b"%d" % n) for n in range(2 * MOST, 3 * MOST))
