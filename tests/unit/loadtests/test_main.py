"""What is left of a run whose picture cannot be drawn."""

import importlib
import json

from loadtests import command
from loadtests.generator.plan import Judged
from loadtests.report.report import Report
from tests.unit.loadtests.paper import measured


def test_the_json_is_written_before_the_picture_is_drawn(monkeypatch, tmp_path, capsys):
    def race(options, display):
        return Report(scenario="race", options=options.shown(), measured=measured(), judged=Judged())

    def draw(report, file):
        raise OSError("no room")

    monkeypatch.setitem(command.SCENARIOS, "race", race)
    monkeypatch.setattr(importlib.import_module("loadtests.report.picture"), "draw", draw)
    file = tmp_path / "r.json"
    assert command.run(["race", "--quiet", "--json", str(file), "--picture", str(tmp_path / "r.png")]) == 1
    assert json.loads(file.read_text())["counted"] == 100
    assert capsys.readouterr().err == "loadtest: no picture: no room\n"
