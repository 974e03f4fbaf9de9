"""R7-R9, G6, G9: what timers may and must do."""

import pytest

from tests.unit.engine.replay.judge import is_good, refuses
from tests.unit.engine.replay.logbook import LogBook


def race(kinds=("bot", "bot", "bot"), connected=(), **changes):
    """A table in the first trick, on which seat 0 has laid its weakest card."""
    book = LogBook(kinds=list(kinds), seed=11, on=(), **changes)
    for seat in connected:
        book.connect(seat)
    book.wait(10).start()
    book.wait(10).play(0, book.options(0)[0])
    return book


def exchange():
    book = LogBook(seats=4, seed=12, on=())
    book.wait(10).start()
    book.play_round()
    book.wait(10).next_round()
    return book


def answer(book, seat=1):
    """A legal play, or a pass where there is none."""
    if book.options(seat):
        book.play(seat, book.options(seat)[0])
    else:
        book.pass_(seat)


def test_R7_a_trick_is_not_closed_before_its_deadline():
    book = race()
    book.at = book.deadline - 1
    book.emit("trick_closed", trick=1, why="timer")
    assert refuses(book, "before its deadline")


def test_R7_nor_opened_by_the_timer_before_it():
    book = LogBook(seats=3, seed=1)
    book.wait(10).start()
    due = book.deadline
    book.deadline = due - 1
    book.fire()
    assert refuses(book, "before its deadline")


def test_R7_at_zero_a_trick_with_cards_closes_and_an_empty_one_opens():
    book = race()
    book.fire()
    book.emit("trick_closed", trick=2, why="timer")
    book.lines[-1]["at"] = book.deadline
    assert refuses(book, "an empty trick is opened")
    book = race()
    book.at = book.deadline
    book.play(1, book.options(1)[0], by="timer")
    assert refuses(book, "a non-empty trick closes")


@pytest.mark.parametrize("late_ms", [0, 1, 5000])
def test_R9_what_is_stamped_at_a_deadline_or_later_comes_after_it_has_fired(late_ms):
    book = race()
    book.at = book.deadline + late_ms
    answer(book)
    assert refuses(book, "did not fire")
    book = race()
    book.at = book.deadline + late_ms
    book.fire()
    answer(book, book.in_round()[0])
    assert is_good(book)


def test_R9_one_stamped_a_millisecond_before_comes_before():
    book = race()
    book.at = book.deadline - 1
    answer(book)
    assert is_good(book)


def test_R9_a_salt_does_not_overtake_a_deadline_either():
    book = race(("person", "bot", "bot"))
    book.at = book.deadline
    book.salt(0)
    assert refuses(book, "did not fire")


def test_R8_passes_do_not_touch_the_timer():
    book = race()
    due = book.deadline
    book.wait(9000).pass_(1)
    book.at = due
    answer(book, 2)
    assert refuses(book, "did not fire")


def test_X3_returns_by_the_timer_at_the_deadline_for_all_who_have_not_given():
    book = exchange()
    book.give(next(iter(book.owes)))
    book.at = book.deadline - 1
    book.give(next(iter(book.owes)), by="timer")
    report = [line for line in book.lines if line["type"] == "given"][-1]
    book.lines = book.lines[: report["seq"]]
    assert refuses(book, "before its deadline")
    book = exchange()
    book.fire()
    assert is_good(book)


def test_X3_the_timer_gives_the_weakest_cards():
    book = exchange()
    book.at = book.deadline
    seat = next(iter(book.owes))
    _, count = book.owes[seat]
    book.give(seat, book.hands[seat][-count:], by="timer")
    assert refuses(book, "by timer these would be")


def test_X3_nobody_gives_behind_the_deadline():
    book = exchange()
    book.at = book.deadline
    book.give(next(iter(book.owes)))
    assert refuses(book, "did not fire")


def test_R9_a_new_authority_starts_the_running_timer_in_full_or_keeps_it():
    for deadline in ("full", "kept"):
        book = race()
        book.resume(2, 4000, book.at + 4000 + 10_000 if deadline == "full" else book.deadline)
        book.fire()
        assert is_good(book)


@pytest.mark.parametrize("off", [-1, 1, 5000])
def test_R9_but_no_other_deadline(off):
    book = race()
    book.resume(2, 4000, book.at + 4000 + 10_000 + off)
    assert refuses(book, "deadline")


def test_R9_behind_a_long_absence_nothing_fires_for_that_time():
    book = race()
    book.resume(2, 60_000, book.at + 70_000)
    answer(book)
    assert is_good(book)


def test_R9_a_kept_deadline_that_passed_meanwhile_lets_raised_entries_be():
    book = race()
    book.resume(2, 60_000, book.deadline)
    answer(book)
    assert is_good(book)
    book = race()
    book.resume(2, 60_000, book.deadline)
    book.wait(1)
    answer(book)
    assert refuses(book, "did not fire")


@pytest.mark.parametrize(
    "epoch, lost_ms, reason", [(2, 1, "lost_ms"), (2, -1, "lost_ms"), (1, 0, "epoch 1 does not follow 1")]
)
def test_resumed_tells_what_was_lost_and_a_higher_epoch(epoch, lost_ms, reason):
    book = race()
    book.resume(1, 1000, book.deadline)
    book.resume(epoch, 1000, book.deadline)
    book.lines[-1]["lost_ms"] += lost_ms
    assert refuses(book, reason)


def test_resumed_has_no_deadline_where_no_timer_runs():
    book = LogBook(seats=3)
    book.resume(2, 100, None)
    assert is_good(book)
    book.resume(3, 100, book.at + 10_000)
    assert refuses(book, "null")


def lost(grace_seconds=5):
    book = race(("person", "person", "bot"), connected=(0, 1), standin_grace_seconds=grace_seconds)
    book.wait(10).disconnect(1)
    return book


def test_G6_a_stand_in_comes_when_the_grace_is_over_and_no_sooner():
    book = lost()
    book.wait(4999).stand_in(1)
    assert refuses(book, "not due before")
    book = lost()
    book.wait(5000).stand_in(1)
    assert is_good(book)


def test_G6_nothing_overtakes_a_stand_in_that_is_due():
    book = lost()
    book.wait(5000).play(2, book.options(2)[0])
    assert refuses(book, "stand-in of seat 1 is due")


def test_G6_the_grace_counts_from_the_start_of_the_game():
    book = LogBook(kinds=["person", "person", "bot"])
    book.connect(0)
    book.wait(9000).start()
    started = book.at
    book.at = started + 4999
    book.stand_in(1)
    assert refuses(book, "not due before")


def test_G6_there_is_no_stand_in_for_who_is_there_or_outside_a_game():
    book = race(("person", "person", "bot"), connected=(0, 1))
    book.wait(6000).stand_in(1)
    assert refuses(book, "needs no stand-in")
    book = LogBook(kinds=["person", "person", "bot"])
    book.wait(6000).stand_in(1)
    assert refuses(book, "needs no stand-in")


def test_G6_a_stand_in_ends_when_the_person_is_back_and_only_then():
    book = lost()
    book.wait(5000).stand_in(1)
    book.standins.clear()
    book.wait(5).connect(1)
    book.wait(5).play(2, book.options(2)[0])
    assert refuses(book, "standin_ended must follow")
    book = lost()
    book.wait(5000).stand_in(1)
    book.emit("standin_ended", seat=1)
    assert refuses(book, "cannot stand here")


def test_G9_a_lost_host_is_followed_after_a_minute_by_the_person_seated_longest():
    book = LogBook(kinds=["person", "person", "person"])
    for seat in (0, 1, 2):
        book.connect(seat)
    book.disconnect(0)
    book.wait(59_999).emit("host_changed", seat=1)
    assert refuses(book, "lost for 59999 ms only")
    book.lines.pop()
    book.wait(1).emit("host_changed", seat=2)
    assert refuses(book, "seated longest is 1")
    book.lines.pop()
    book.emit("host_changed", seat=1)
    assert is_good(book)


def test_G9_and_nothing_overtakes_that():
    book = LogBook(kinds=["person", "person", "person"])
    for seat in (0, 1):
        book.connect(seat)
    book.disconnect(0)
    book.wait(60_000).connect(2)
    assert refuses(book, "a new host is due")


def test_G9_an_idle_table_is_closed_after_ten_minutes():
    for waited, reason in ((599_999, "was connected 599999 ms"), (600_000, None)):
        book = LogBook(kinds=["person", "bot", "bot"])
        book.connect(0)
        book.wait(10).disconnect(0)
        book.wait(waited).emit("table_closed", why="idle")
        assert refuses(book, reason) if reason else is_good(book)
    book = LogBook(kinds=["person", "bot", "bot"])
    book.wait(600_000).connect(0)
    assert refuses(book, "closed as idle")


def test_G9_a_table_that_never_had_a_person_is_not_closed_by_itself():
    for why in ("idle", "empty"):
        book = LogBook(seats=3)
        book.wait(700_000).emit("table_closed", why=why)
        assert refuses(book, "never had a person")
    book = LogBook(seats=3)
    book.emit("table_closed", why="operator")
    assert is_good(book)
    book.wait(1).emit("lobby_opened")
    assert refuses(book, "closed table")
