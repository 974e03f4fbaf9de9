"""Tables that are set up alike share their settings and rules."""

from msgspec import structs

from rapid.rules import shared as module
from rapid.rules.presets import PRESETS
from rapid.rules.settings import default_settings, rules_of
from rapid.rules.shared import MOST, shared

PRESIDENT = default_settings(PRESETS["president"])


def test_settings_that_are_alike_are_one_object_and_so_are_their_rules():
    first, rules = shared(structs.replace(PRESIDENT, race_seconds=17))
    second, others = shared(structs.replace(PRESIDENT, race_seconds=17))
    assert second is first
    assert others is rules
    assert rules == rules_of(first)


def test_what_is_equal_but_written_otherwise_stays_as_it_was_written():
    whole, _ = shared(structs.replace(PRESIDENT, race_seconds=18))
    broken, _ = shared(structs.replace(PRESIDENT, race_seconds=18.0))
    assert whole == broken
    assert (repr(whole.race_seconds), repr(broken.race_seconds)) == ("18", "18.0")


def test_settings_that_differ_have_their_own_rules():
    one, other = (shared(structs.replace(PRESIDENT, mode=mode)) for mode in ("rapid", "turns"))
    assert (one[0].mode, one[1].has_turns, other[0].mode, other[1].has_turns) == ("rapid", False, "turns", True)


def test_they_do_not_grow_without_end():
    for number in range(2 * MOST):
        settings = structs.replace(PRESIDENT, race_seconds=3 + number / 1000)
        assert shared(settings)[0] == settings
    assert len(module._known) <= MOST
