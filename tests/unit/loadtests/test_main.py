"""What is left of a run of which something cannot be written, and what is said where it cannot begin."""

import importlib
import io
import json
import sys
from pathlib import Path

import pytest

from loadtests import command
from loadtests.generator.plan import Judged
from loadtests.report.report import Report
from loadtests.under_test.children import NotStarted
from rapid.errors import RapidError
from tests.unit.loadtests.paper import measured


@pytest.fixture
def race(monkeypatch):
    """A run on paper that is over at once."""

    def race(options, display):
        return Report(scenario="race", options=options.shown(), measured=measured(), judged=Judged())

    monkeypatch.setitem(command.SCENARIOS, "race", race)


def test_the_json_is_written_before_the_picture_is_drawn(race, monkeypatch, tmp_path, capsys):
    def draw(report, file):
        raise OSError("no room")

    monkeypatch.setattr(importlib.import_module("loadtests.report.picture"), "draw", draw)
    file = tmp_path / "r.json"
    assert command.run(["race", "--quiet", "--json", str(file), "--picture", str(tmp_path / "r.png")]) == 1
    assert json.loads(file.read_text())["counted"] == 100
    assert capsys.readouterr().err == "loadtest: no picture: no room\n"


def test_a_json_that_finds_no_room_is_said_and_the_text_is_printed(race, capsys):
    assert command.run(["race", "--quiet", "--no-picture", "--json", "/dev/full"]) == 1
    printed = capsys.readouterr()
    assert printed.err == "loadtest: no JSON: [Errno 28] No space left on device\n"
    assert printed.out.startswith("race: 100 intents counted")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_that_has_not_every_letter_gets_the_report(race, monkeypatch, encoding):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    assert command.run(["race", "--quiet", "--no-picture"]) == 0
    assert b"CPU for each intent, " in written.getvalue()


def test_a_text_that_finds_no_room_is_said_and_the_json_is_there(race, monkeypatch, tmp_path, capsys):
    file = tmp_path / "r.json"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert command.run(["race", "--quiet", "--no-picture", "--json", str(file)]) == 1
    assert json.loads(file.read_text())["counted"] == 100
    assert capsys.readouterr().err == "loadtest: no text: [Errno 28] No space left on device\n"


def test_too_few_open_files_are_said_before_anything_is_begun(monkeypatch, capsys):
    monkeypatch.setattr(command, "_raise_open_files", lambda: 64)
    monkeypatch.setitem(command.SCENARIOS, "race", None)
    assert command.run(["race", "--quiet", "--no-picture", "--tables", "50"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "needs 264 open files" in line
    assert "may have 64 (ulimit -Hn)" in line


@pytest.mark.parametrize(
    "error", [NotStarted("serve did not start"), RapidError("Redis did not"), OSError(24, "Too many open files")]
)
def test_what_does_not_start_is_a_line(monkeypatch, capsys, error):
    def race(options, display):
        raise error

    monkeypatch.setitem(command.SCENARIOS, "race", race)
    assert command.run(["race", "--quiet", "--no-picture"]) == 1
    assert capsys.readouterr().err == f"loadtest: {error}\n"
