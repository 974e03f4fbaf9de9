"""Readers that stop: when it is a fault that none was cut off, and when there was too little to cut for."""

from types import SimpleNamespace

import pytest

from loadtests.generator.plan import Stopped
from loadtests.scenarios.cuts import BUFFER_BYTES, Cuts

ENOUGH, LITTLE = 400_000, 30_000


def cuts(cut: int | None, due_bytes: int, *, readers: int = 2, broken_off: str | None = None) -> Cuts:
    found = Cuts(SimpleNamespace(broken_off=broken_off))
    found.cut, found.stopped = [cut], [Stopped(readers=readers, due_bytes=due_bytes)]
    return found


def test_none_is_a_fault_where_it_is_certain():
    for due_bytes in (ENOUGH, LITTLE):
        assert len(cuts(0, due_bytes).faults(BUFFER_BYTES)) == 1
    assert "2 readers stopped and none was cut off" in cuts(0, ENOUGH).faults(BUFFER_BYTES, only_if_certain=True)[0]
    assert cuts(0, LITTLE).faults(BUFFER_BYTES, only_if_certain=True) == ()


def test_where_none_had_to_be_that_is_said():
    assert "30,000 bytes were due" in cuts(0, LITTLE).unexpected(BUFFER_BYTES)
    assert cuts(0, ENOUGH).unexpected(BUFFER_BYTES) == ""


def test_of_a_server_of_somebody_elses_it_is_said_what_is_not_known():
    assert cuts(0, ENOUGH).unexpected(None).startswith("No slow reader was cut off; whether any had to be is not known")
    assert cuts(None, ENOUGH).unexpected(None).startswith("How many slow readers were cut off is not known")
    for cut in (0, None):
        assert cuts(cut, ENOUGH).faults(None) == ()
        assert cuts(cut, ENOUGH, readers=0).unexpected(None) == ""


@pytest.mark.parametrize("fields", [{"readers": 0}, {"broken_off": "the server is gone"}])
def test_where_nobody_stopped_or_the_run_was_broken_off_there_is_nothing_to_say(fields):
    for due_bytes in (ENOUGH, LITTLE):
        found = cuts(0, due_bytes, **fields)
        assert found.unexpected(BUFFER_BYTES) == ""
        assert found.faults(BUFFER_BYTES, only_if_certain=True) == ()


def test_who_was_cut_off_needs_no_word():
    assert cuts(1, LITTLE).faults(BUFFER_BYTES) == ()
    assert cuts(1, LITTLE).unexpected(BUFFER_BYTES) == ""
    assert cuts(0, LITTLE).faults(None) == ()
