"""What a process has written is known again by its bytes, at its table, once, and only where somebody follows."""

from msgspec import structs

from rapid.engine.state import blank
from rapid.store.memo import MOST, Memo
from rapid.table.ports import Made
from tests.contract.samples import ELSEWHERE, FIRST, commit, record

BEFORE, AFTER = blank(FIRST), structs.replace(blank(FIRST), seq=1)


def noted(memo, n=1, table=FIRST, **fields):
    made = structs.replace(commit(1, n, table), **{"before": BEFORE, "after": AFTER, **fields})
    memo.note(made, made.record, b"%d" % n)


def test_what_is_written_at_a_followed_table_is_known_once():
    memo = Memo()
    memo.follow(FIRST)
    noted(memo)
    assert memo.take(ELSEWHERE, b"1") is None
    assert memo.take(FIRST, b"2") is None
    assert memo.take(FIRST, b"1") == Made(record(1), BEFORE, AFTER)
    assert memo.take(FIRST, b"1") is None


def test_nothing_is_kept_where_nobody_follows():
    memo = Memo()
    noted(memo)
    memo.follow(FIRST)
    memo.follow(FIRST)
    noted(memo, 2, ELSEWHERE)
    memo.unfollow(FIRST)
    noted(memo, 3)
    memo.unfollow(FIRST)
    noted(memo, 4)
    assert [memo.take(FIRST, b"%d" % n) is not None for n in (1, 3, 4)] == [False, True, False]
    assert len(memo) == 0


def test_without_a_state_there_is_nothing_to_know():
    memo = Memo()
    memo.follow(FIRST)
    noted(memo, after=None)
    assert len(memo) == 0


def test_what_is_never_pushed_does_not_pile_up():
    memo = Memo()
    memo.follow(FIRST)
    for n in range(3 * MOST):
        noted(memo, n)
        assert len(memo) <= MOST
    assert memo.take(FIRST, b"%d" % (3 * MOST - 1)) is not None
