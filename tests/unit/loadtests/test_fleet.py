"""Generators as processes: who works for long says so, and who says nothing is given up."""

import os
import signal
from multiprocessing import Pipe

import pytest

from loadtests.generator import fleet as fleet_module
from loadtests.generator import upward
from loadtests.generator.fleet import Fleet
from loadtests.generator.plan import Judged, Plan
from loadtests.generator.process import Generator
from loadtests.generator.upward import BEAT


def test_who_works_for_long_says_so(monkeypatch):
    monkeypatch.setattr(upward, "BEAT_SECONDS", 0.01)
    ours, theirs = Pipe()
    generator = Generator(theirs)

    def work(_value: None) -> str:
        assert ours.recv() == BEAT
        assert ours.recv() == BEAT
        return "worked"

    generator.do_work = work
    ours.send(("work", None))
    ours.send(("stop", None))
    generator.run()
    while (said := ours.recv()) == BEAT:
        pass
    assert said == ("done", "worked", [], None)


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), ConnectionResetError("gone")])
def test_what_the_system_refuses_is_said_in_a_line(monkeypatch, error):
    generator = Generator(Pipe()[1])

    def fail(_value: None) -> None:
        raise error

    monkeypatch.setattr(generator, "do_open", fail)
    assert generator._answer("open", Plan(host="", port=0)) == ("failed", str(error))


def test_a_generator_that_says_nothing_is_given_up_and_named(monkeypatch):
    monkeypatch.setattr(fleet_module, "SILENT_SECONDS", 0.5)
    said = []
    with Fleet(1) as fleet:
        fleet.heed = said.append
        os.kill(fleet.pids[0], signal.SIGSTOP)
        assert fleet.tell("judge", [None]) == []
        # Nothing is asked of it any more, and it is waited for no longer.
        assert fleet.tell("judge", [None]) == []
    assert said == fleet.faults == ["generator 1 has said nothing for 0.5 s and is given up: its tables are not judged"]
    assert fleet.broken_off == said[0]


def test_a_beat_is_no_answer(monkeypatch):
    ours, theirs = Pipe()
    fleet = Fleet(1)
    fleet._pipes = [ours]
    theirs.send(BEAT)
    theirs.send(("done", Judged(), [], None))
    assert fleet.answers() == [Judged()]


def test_who_was_not_listened_to_is_not_given_up(monkeypatch):
    """A terminal stops all of a run for an hour, and lets all of it go on."""
    ours, theirs = Pipe()
    fleet = Fleet(1)
    fleet._pipes = [ours]
    times = iter((0.0, 3600.0))
    monkeypatch.setattr(fleet_module, "now_s", lambda: next(times, 3600.0))
    assert fleet.answers(tick=lambda: theirs.send(("done", Judged(), [], None))) == [Judged()]
    assert fleet.faults == []
