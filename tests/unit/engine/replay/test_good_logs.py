"""Logs that are right are found right, whole or unfinished."""

import itertools
import json

import pytest

from rapid.engine.replay.verify import LogReport, verify_lines
from tests.unit.engine.replay.judge import is_good, verdict
from tests.unit.engine.replay.logbook import VARIANTS, LogBook, whole_game

SOME_ON = [on for count in range(5) for on in itertools.combinations(VARIANTS, count)]


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("on", SOME_ON, ids=lambda on: "+".join(on) or "none")
def test_a_whole_game_with_any_seats_and_variants(seats, on):
    assert is_good(whole_game(seats=seats, on=on, seed=seats))


def test_the_report_counts_events_rounds_and_games():
    book = whole_game(rounds=2)
    book.wait(10).start()
    assert verdict(book) == LogReport("abcdefghij", len(book.lines), rounds=2, games=2, ok=True)


def test_a_log_may_end_behind_any_decision_and_nowhere_else():
    book = whole_game(seats=3, rounds=2)
    inside = {"committed", "trick_opened", "exchange_opened", "finished", "round_ended", "trick_closed", "game_ended"}
    for count in range(4, len(book.lines)):
        following = book.lines[count]
        # Alone in their decision or first in it: a timer's close, a play, a pass, a return.
        is_timer = following["type"] == "trick_closed" and following["why"] == "timer"
        starts = is_timer or following["type"] not in inside | {"exchange_closed"}
        starts = starts and not (following["type"] == "dealt" and book.lines[count - 1]["type"] == "game_started")
        starts = starts and not (following["type"] == "given" and book.lines[count - 1].get("by") == "timer")
        report = verdict(book, book.lines[:count])
        assert report.ok == starts, (count, following, report)
        if not starts:
            assert report.seq == count + 1
            assert "the log ends where" in report.reason


def test_several_logs_in_one_file_are_judged_each_by_itself():
    good, other = whole_game(rounds=1), whole_game(rounds=1, seed=2, table="zzzzzzzzz9")
    other.lines[20]["at"] += 3_600_000
    found = list(verify_lines([*good.text(), *other.text(), "", *good.text()]))
    assert [report.ok for report in found] == [True, False, True]
    assert [report.table for report in found] == ["abcdefghij", "zzzzzzzzz9", "abcdefghij"]
    assert found[1].line == len(good.lines) + 1 + 1 + found[1].seq


def test_unknown_events_may_stand_anywhere_and_unknown_fields_too():
    book = whole_game(seats=3, rounds=2)
    lines = []
    for line in book.lines:
        event = dict(line, note={"a": [1.5, None]}, token_hash="x")
        # What names a state moves along with it.
        for name in event.keys() & {"on"}:
            event[name] = event[name] * 2 - 1
        lines.append(dict(event, seq=len(lines) + 1))
        lines.append({"seq": len(lines) + 1, "at": event["at"], "type": "weather", "seat": "none"})
    assert verdict(book, lines).ok


def test_bytes_and_line_ends_are_read_like_text():
    book = whole_game(rounds=1)
    assert next(verify_lines([line.encode() + b"\r\n" for line in book.text()])).ok
    assert next(verify_lines([line + "\n" for line in book.text()])).ok


def without_secrets(book):
    """The log as it is read while its deals are open."""
    lines = json.loads(json.dumps(book.lines))
    for line in lines:
        if line["type"] == "committed":
            del line["secret"]
    return lines


def test_a_secret_may_be_hidden_until_its_deal_has_ended():
    book = whole_game(seats=4, rounds=2)
    assert verdict(book, without_secrets(book)).ok


def test_a_hidden_secret_proves_the_deal_when_shown():
    book = LogBook(seats=3, seed=3)
    book.wait(10).start()
    book.play_round()
    lines = without_secrets(book)
    dealt = next(line for line in lines if line["type"] == "dealt")
    # The card nobody saw changes places with a played one of its rank: no rule but the deal's proof tells them apart.
    left = next(seat for seat, hand in book.hands.items() if hand)
    kept, twin, owner = next(
        (kept, card, line)
        for kept in book.hands[left]
        for line in lines
        if line["type"] == "played" and line["by"] == "bot" and line["seat"] != left
        for card in line["cards"]
        if card[0] == kept[0]
    )
    owner["cards"] = [kept if card == twin else card for card in owner["cards"]]
    for seat, old, new in ((left, kept, twin), (owner["seat"], twin, kept)):
        dealt["hands"][str(seat)] = [new if card == old else card for card in dealt["hands"][str(seat)]]
    report = verdict(book, lines)
    assert (report.ok, report.seq) == (False, dealt["seq"])
    assert "does not follow from the deal's secret" in report.reason


def test_people_come_lose_their_connection_are_stood_in_for_and_leave():
    book = LogBook(kinds=["person", "person", "person", "bot"], seed=5, rounds=3)
    for seat in (0, 1, 2):
        book.connect(seat)
    book.salt(1)
    book.wait(100).start()
    book.salt(0)
    book.wait(20).disconnect(1)
    book.at = max(book.at + 5000, book.at)
    book.stand_in(1)
    opened = next(card for card in sorted(book.hands[0]))
    book.wait(10).play(0, [opened])
    book.wait(5).connect(1)
    book.wait(5).leave(0, heir=1)
    assert is_good(book)
    book.play_round()
    assert 0 not in book.kinds
    assert is_good(book)
    book.wait(10).next_round()
    book.play_round()
    assert is_good(book)


def test_G8_too_few_left_between_rounds_interrupts_the_game():
    book = LogBook(kinds=["person", "person", "bot"], seed=2)
    book.wait(5).start()
    book.play_round()
    book.free(1)
    book.end_game("interrupted")
    book.emit("lobby_opened")
    assert is_good(book)


def test_G9_the_last_person_leaves_in_a_round():
    book = LogBook(kinds=["person", "bot", "bot"])
    book.wait(5).start()
    book.leave(0)
    book.end_game("cancelled")
    book.emit("lobby_opened")
    book.emit("table_closed", why="empty")
    assert is_good(book)


def test_G4_the_host_ends_an_unlimited_game_and_plays_again():
    book = LogBook(seats=3, rounds="unlimited")
    book.wait(5).start()
    book.play_round()
    book.wait(5).end_game("ended")
    book.wait(5).start()
    book.play_round()
    book.end_game("ended")
    book.wait(5).emit("lobby_opened")
    assert is_good(book)


def test_fractions_of_seconds_round_to_the_millisecond():
    book = LogBook(seats=3, race_seconds=0.2505, action_seconds=1)
    book.wait(1).start()
    for line in book.lines:
        if line.get("deadline"):
            line["deadline"] = round(line["deadline"])
    assert is_good(book)
