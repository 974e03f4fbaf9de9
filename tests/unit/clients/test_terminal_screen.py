"""What reaches the terminal, and what its keys make."""

import io

import pytest

from rapid_terminal.editor import Editor
from rapid_terminal.options import Look, look_from
from rapid_terminal.screen import Screen
from rapid_terminal.styles import Line, Style


def test_what_could_steer_a_terminal_is_not_written():
    sink = io.StringIO()
    Screen(sink).show(["\x1b[2Jred\u202e\u200b", "ok → 🔥"])
    assert sink.getvalue() == "[2Jred\nok → 🔥\n"


def test_colour_is_around_the_text_and_never_in_it():
    sink = io.StringIO()
    Screen(sink, has_colour=True).show([Line.of(("a\x1b[2J", Style.DIM), ("b", Style.PLAIN)), "c"])
    assert sink.getvalue() == "\x1b[2ma[2J\x1b[0mb\nc\n"


@pytest.mark.parametrize(
    "environ, look",
    [
        ({"TERM": "xterm"}, Look()),
        ({"TERM": "xterm", "NO_COLOR": "1"}, Look(colour=False)),
        ({"TERM": "dumb"}, Look(colour=False, row=False)),
        ({}, Look(colour=False, row=False)),
    ],
)
def test_the_environment_says_what_a_terminal_can_do(environ, look):
    assert look_from(environ) == look


class TestEditor:
    """Keys become a line; Enter takes it."""

    @pytest.mark.parametrize(
        "keys, lines, left",
        [
            (b"77\r", ["77"], ""),
            (b"7\n\n8", ["7", ""], "8"),
            (b"78\x7f7\n", ["77"], ""),
            (b"\x7f\x7f7", [], "7"),
            (b"give 3 4\x17\x17", [], "give "),
            (b"abc\x15q\n", ["q"], ""),
            (b"7\x1b[A\x1b[1;5C\x1bOP\x1bx8\n", ["78"], ""),
            ("react 🔥\r".encode(), ["react 🔥"], ""),
            (b"7\t\x01", [], "7"),
        ],
    )
    def test_keys(self, keys, lines, left):
        whole, bit_by_bit = Editor(), Editor()
        assert whole.feed(keys) == lines
        assert [line for key in keys for line in bit_by_bit.feed(bytes([key]))] == lines
        assert whole.text == bit_by_bit.text == left

    def test_ctrl_d_ends_on_an_empty_line_only(self):
        editor = Editor()
        editor.feed(b"7\x04")
        assert not editor.is_ended
        editor.feed(b"\x7f\x04")
        assert editor.is_ended


def test_a_narrow_encoding_is_no_end():
    sink = io.TextIOWrapper(raw := io.BytesIO(), encoding="ascii")
    Screen(sink).show(["→ 🔥"])
    assert raw.getvalue() == b"? ?\n"
