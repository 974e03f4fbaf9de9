"""Lines on terminals of any width: broken between words, with their indent kept, and nowhere else."""

import fcntl
import io
import itertools
import os
import pty
import struct
import termios

import pytest

from rapid.rules.presets import PRESETS
from rapid_client import parse_view
from rapid_terminal.help import help_lines
from rapid_terminal.screen import Screen
from rapid_terminal.status import status
from rapid_terminal.styles import Line, Style, listed, row
from rapid_terminal.wrap import USUAL_COLUMNS, columns_of, width, wrapped
from tests.unit.clients.peer import lobby, racing, seat
from tests.unit.clients.tables import RULESETS, settings

WIDTHS = (30, 40, 57, 80, 132)
SPANISH_HAND = ["3O", "3C", "3B", "10O", "10B", "11C", "11E", "11B", "12O", "1O", "1B", "1C", "2E", "2O"]


def printed(ruleset, mode):
    """All that is shown at a table when one asks for it, and where things stand."""
    given = settings(ruleset, mode=mode)
    many = [seat(number, f"Player {number}", cards=13, kind="bot", level="normal") for number in range(6)]
    you = {"seat": 0, "hand": SPANISH_HAND, "owes": None, "salted": True}
    play = parse_view(racing(settings=given, seats=many, order=list(range(6)), you=you))
    wait = parse_view(lobby(settings=given, seats=many))
    asked = [*RULESETS.rules(given), *RULESETS.in_full(given), *help_lines(play)]
    return [*asked, *status(play, 12.3), *status(wait, None), RULESETS.summary(given)]


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("ruleset, mode", list(itertools.product(PRESETS, ("rapid", "turns"))))
def test_no_row_is_too_long_no_word_broken_or_lost_and_the_indent_stays(ruleset, mode, columns):
    for text in printed(ruleset, mode):
        line = Line.from_text(text)
        rows = wrapped(line, columns)
        assert all(width(row) <= columns for row in rows), rows
        assert " ".join(rows).split() == line.split()
        assert not [row for row in rows if row != row.rstrip() and row != line]
        begin, *carried = [len(row) - len(row.lstrip(" ")) for row in rows]
        assert begin <= len(line) - len(line.lstrip(" "))
        assert all(indent > begin or (indent == begin and line.stops) for indent in carried), rows
        assert len(set(carried)) <= 1


@pytest.mark.parametrize("columns", WIDTHS)
def test_cards_of_one_rank_and_a_name_with_its_count_stay_together(columns):
    given = settings("presi")
    many = [seat(number, f"Bot {number}", cards=10 + number) for number in range(5)]
    you = {"seat": 0, "hand": SPANISH_HAND, "owes": None, "salted": True}
    view = parse_view(racing(settings=given, seats=many, order=[0, 1, 2, 3, 4], you=you))
    rows = [row for line in status(view, 9.8) for row in wrapped(Line.from_text(line), columns)]
    for whole in ("3 3 3", "10 10", "11 11 11", "1 1 1", *(f"Bot {number} 1{number}" for number in range(1, 5))):
        assert any(whole in row for row in rows), (whole, rows)


def test_looks_go_with_their_words():
    line = Line.of(("  one two ", Style.BOLD), ("three", Style.DIM), (" four", Style.PLAIN))
    first, second = wrapped(line, 14)
    assert (first, second) == ("  one two", "    three four")
    assert first.parts[-1] == ("one two", Style.BOLD)
    assert second.parts[1:] == (("three", Style.DIM), (" four", Style.PLAIN))


def test_a_column_that_there_is_no_room_for_goes_below():
    line = row(("in a trick", "7 · 77", "play by rank"), (14, 18))
    assert wrapped(line, 80) == ["in a trick    7 · 77            play by rank"]
    assert wrapped(line, 40) == ["in a trick    7 · 77", "              play by rank"]
    assert wrapped(row(("", "", "an answer is as many cards"), (14, 18)), 40) == [
        "              an answer is as many cards"
    ]


def test_an_address_is_never_broken():
    address = "http://127.0.0.1:8080/t/abcdefgh2345"
    assert wrapped(Line.from_text(f"Table {address} - send this"), 20) == ["Table", f"  {address}", "  - send this"]


def test_wide_signs_take_the_room_they_take():
    assert wrapped(listed("", ["🔥🔥🔥", "🔥🔥🔥"]), 12) == ["🔥🔥🔥 ·", "  🔥🔥🔥"]


@pytest.fixture
def terminal():
    far, near = pty.openpty()
    os.set_blocking(far, False)
    with os.fdopen(near, "w", encoding="utf-8") as sink:
        yield sink, far
    os.close(far)


@pytest.mark.parametrize("columns, rows", [(12, ["one two", "  three four"]), (40, ["one two three four"])])
def test_a_screen_is_as_wide_as_the_terminal_is_now(terminal, columns, rows):
    sink, far = terminal
    fcntl.ioctl(sink.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    Screen(sink).show(["one two three four"])
    assert os.read(far, 1000).decode().splitlines() == rows


def test_a_terminal_that_does_not_say_how_wide_it_is(terminal):
    sink, _ = terminal
    fcntl.ioctl(sink.fileno(), termios.TIOCSWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
    assert columns_of(sink) == USUAL_COLUMNS


def test_what_is_no_terminal_gets_its_lines_as_they_are():
    sink = io.StringIO()
    Screen(sink).show([*(long := printed("presi", "turns"))])
    assert columns_of(sink) is None
    assert sink.getvalue().splitlines() == long
