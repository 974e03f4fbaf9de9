"""G1-G10: who may sit, leave, host, start and end."""

import pytest

from tests.unit.engine.replay.judge import fault, is_good, refuses, verdict
from tests.unit.engine.replay.logbook import LogBook

PEOPLE = ["person", "person", "bot", "bot"]


def table(kinds=PEOPLE, **changes):
    return LogBook(kinds=list(kinds), seed=3, **changes)


def playing(kinds=PEOPLE, **changes):
    book = table(kinds, **changes)
    book.wait(5).start()
    return book


def results(kinds=PEOPLE, **changes):
    book = playing(kinds, **changes)
    book.play_round()
    return book


def final(kinds=PEOPLE):
    return results(kinds, rounds=1)


def test_G10_seats_are_taken_in_the_lobby_and_at_the_final_standings():
    for book in (table(), final()):
        book.take(4, "person")
        assert is_good(book)
    for book in (playing(), results()):
        book.take(4, "person")
        assert not verdict(book).ok


def test_G10_the_lowest_free_seat_within_the_setting():
    book = table()
    book.take(5, "person")
    assert refuses(book, "seat 4 is the lowest free")
    book = table(most=4)
    book.take(4, "bot")
    assert refuses(book, "no seat 4")
    book = table()
    book.take(1, "bot")
    assert refuses(book, "is taken")


def test_a_closed_door():
    book = table(["person", "bot", "bot"], door="closed")
    book.take(3, "person")
    assert refuses(book, "door is closed")


@pytest.mark.parametrize("name", ["", " x", "x" * 25, "a\u200bb", "a\nb", "\ud800", "e\u0301"])
def test_names_are_trimmed_normal_and_visible(name):
    book = table()
    taken = book.last("seat_taken")
    assert fault(book, taken, name=name) == (taken["seq"], "name of seat_taken is malformed")


def test_levels_are_for_bots():
    book = table()
    for seat, changes in ((0, {"level": "easy"}), (2, {"level": ...})):
        assert "level is for bots" in fault(book, book.last("seat_taken", seat=seat), **changes)[1]


def test_settings_change_in_the_lobby_and_stay_complete():
    book = table()
    book.settings = book.settings | {"rounds": "unlimited"}
    book.emit("settings_changed", settings=book.settings)
    book.wait(1).start()
    assert is_good(book)
    changed = book.last("settings_changed")
    for name in book.settings:
        if name not in {"ruleset", "mode"}:
            rest = {key: value for key, value in book.settings.items() if key != name}
            assert fault(book, changed, settings=rest)[0] == changed["seq"]
    assert "3 seats" not in fault(book, changed, settings=book.settings | {"seats": 3})[1]
    book.emit("settings_changed", settings=book.settings)
    assert refuses(book, "lobby only")


@pytest.mark.parametrize(
    "changes",
    [
        {"rounds": 0}, {"rounds": 51}, {"rounds": True}, {"rounds": None}, {"target": 11}, {"seats": 2}, {"seats": 7},
        {"race_seconds": 0}, {"race_seconds": "10"}, {"action_seconds": -1}, {"standin_grace_seconds": -1},
        {"disconnect": "wait"}, {"bot_level": "expert"}, {"visibility": None}, {"door": "ajar"},
        {"spectator_delay_seconds": 301}, {"options": []}, {"variants": {}},
    ],
    ids=str,
)  # fmt: skip
def test_settings_out_of_range(changes):
    book = table()
    opened = book.lines[0]
    assert fault(book, opened, settings=opened["settings"] | changes)[0] == 1


def test_R10_skip_cannot_be_on_in_rapid_mode():
    book = table()
    variants = book.settings["variants"] | {"skip": True}
    assert "skip cannot be on" in fault(book, book.lines[0], settings=book.settings | {"variants": variants})[1]


def test_G1_three_seats_at_least():
    book = table(["person", "bot"])
    book.emit("game_started", game=1, seats=[0, 1], settings=book.settings)
    assert refuses(book, "2 seats cannot play")


def test_one_salt_a_person_for_the_deal_committed():
    book = table()
    book.salt(0)
    book.salt(1)
    assert is_good(book)
    book.salt(0)
    assert refuses(book, "already")
    book = table()
    book.salt(2)
    assert refuses(book, "no person")
    book = playing()
    book.deal = 1
    book.salt(0)
    assert refuses(book, "deal 2 is committed")


def test_G7_a_freed_seat_takes_its_salt_along():
    book = table()
    book.totals = dict.fromkeys(book.kinds, 0)
    book.standings = []
    book.salt(0)
    book.salt(1)
    book.free(1)
    book.wait(1).start()
    assert is_good(book)


def test_G7_in_a_round_a_seat_is_freed_behind_it_only():
    book = playing()
    book.emit("seat_freed", seat=1, why="left")
    assert refuses(book, "not freed here")
    book = results()
    book.emit("leaving", seat=1, why="left")
    assert refuses(book, "freed at once")


def test_G7_leavers_are_freed_ascending_before_the_game_ends():
    book = playing(["person", "person", "person", "person", "bot", "bot"], rounds=1)
    book.leave(3)
    book.leave(1, why="removed")
    book.play_round()
    assert is_good(book)
    freed = [line for line in book.lines if line["type"] == "seat_freed"]
    assert [line["seat"] for line in freed] == [1, 3]
    assert fault(book, freed[0], seat=3)[0] == freed[0]["seq"]
    assert fault(book, freed[0], why="left")[0] == freed[0]["seq"]
    ended = book.last("game_ended")
    assert not {"1", "3"} & ended["totals"].keys()


def test_G7_a_leaver_is_played_by_a_bot():
    book = playing()
    book.leave(1)
    book.play(1, book.options(1)[0], by="person")
    assert refuses(book, "by is person")


def test_a_bot_is_removed_and_does_not_leave():
    book = playing()
    book.leave(2, why="left")
    assert refuses(book, "a bot does not leave")


def test_G9_a_host_who_leaves_is_followed_at_once_by_the_person_seated_longest():
    book = playing()
    book.leave(0, heir=1)
    assert is_good(book)
    book.lines[-1]["seat"] = 2
    assert refuses(book, "seated longest")
    book.lines.pop()
    book.wait(1).play(1, book.options(1)[0])
    assert refuses(book, "host_changed must follow")


def test_G8_an_interruption_is_neither_missing_nor_made_up():
    book = results(["person", "person", "bot"])
    book.free(1)
    book.wait(1).next_round()
    report = verdict(book)
    assert "game_ended must follow" in report.reason
    book = results()
    book.free(1)
    book.end_game("interrupted")
    assert refuses(book, "why is")


def test_G8_behind_the_last_round_the_game_ends_as_it_should():
    book = playing(["person", "person", "bot"], rounds=1)
    book.leave(1)
    book.play_round()
    assert is_good(book)
    assert book.last("game_ended")["why"] == "rounds"


def test_G4_only_an_unlimited_game_ends_with_winners():
    for rounds, why in ((3, "ended"), ("unlimited", "stopped"), (3, "rounds"), (3, "target")):
        book = results(rounds=rounds)
        book.end_game(why)
        assert refuses(book, "why is")


def test_G2_no_host_ends_a_round():
    book = playing()
    book.emit("game_ended", game=1, why="stopped", winners=[], totals=dict.fromkeys("0123", 0))
    assert refuses(book, "between rounds only")


def test_G3_all_tied_leaders_win():
    book = final()
    ended = book.last("game_ended")
    for winners in ([], [3], [0, 1, 2, 3]):
        if winners != ended["winners"]:
            assert fault(book, ended, winners=winners)[0] == ended["seq"]


def test_G5_no_game_again_behind_a_stopped_one():
    book = results()
    book.end_game("stopped")
    assert is_good(book)
    book.wait(1).start()
    assert "no game may start" in verdict(book).reason
    book = final()
    book.wait(1).start()
    assert is_good(book)


def test_a_cancelled_game_shows_its_secret_and_its_table_closes():
    book = playing()
    book.end_game("cancelled")
    book.open = None
    book.emit("lobby_opened")
    book.emit("table_closed", why="operator")
    assert is_good(book)
    ended = book.last("game_ended")
    assert "exactly if a deal is cut short" in fault(book, ended, secret=...)[1]
    assert fault(book, ended, secret="0" * 64)[0] == ended["seq"]
    book.emit("connection_back", seat=0)
    assert refuses(book, "closed table")


def test_a_running_game_ends_before_its_table_closes():
    book = playing()
    book.emit("table_closed", why="operator")
    assert refuses(book, "a running game ends")


def test_connections_change_each_time():
    book = table()
    book.disconnect(0)
    assert refuses(book, "was not connected")
    book = table()
    book.connect(0)
    book.connect(0)
    assert refuses(book, "connected already")
    book = table()
    book.connect(2)
    assert refuses(book, "no person")
    book = table()
    book.connect(0)
    book.emit("connection_lost", seat=0, until=99)
    assert refuses(book, "until belongs to a chair that waits")
