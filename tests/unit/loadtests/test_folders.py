"""A run's own folder: gone behind it, and what a killed run has left is removed by the next one, and nothing else."""

import fcntl
import tempfile

import pytest

from loadtests.under_test.children import LOCK, own_folder


@pytest.fixture
def place(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left_in(place, name: str, *, has_lock: bool = True):
    folder = place / name
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "log").write_text("x")
    if has_lock:
        (folder / LOCK).touch()
    return folder


def test_a_folder_is_gone_behind_the_block(place):
    with own_folder("rapid-load-") as folder:
        assert folder.parent == place
    assert list(place.iterdir()) == []


def test_what_nobody_holds_any_more_is_removed(place):
    left = left_in(place, "rapid-load-x")
    with own_folder("rapid-load-") as folder:
        assert not left.exists()
        assert folder.exists()


def test_what_may_be_in_use_or_somebody_elses_is_left(place):
    others = left_in(place, "rapid-other-x")
    unproven = left_in(place, "rapid-load-y", has_lock=False)
    linked = left_in(place, "elsewhere")
    (place / "rapid-load-z").symlink_to(linked)
    with own_folder("rapid-load-") as first, own_folder("rapid-load-") as second:
        assert first != second
        assert first.exists()
    for folder in (others, unproven, linked):
        assert (folder / "data" / "log").exists()


def test_what_another_process_holds_is_left(place):
    held = left_in(place, "rapid-load-x")
    with (held / LOCK).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with own_folder("rapid-load-"):
            assert (held / "data" / "log").exists()
