"""PROTOCOL section 2, `settings`: every field's values, and how a change is laid over what is there."""

import math

import pytest
from msgspec import structs

from rapid.rules.presets import PRESETS, PRESIDENT
from rapid.rules.ruleset import Variants
from rapid.rules.settings import RESET_WITH_RULESET, Settings, default_settings, rules_of, to_ms
from rapid.rules.settings_check import lay_over


def fields_of(laid):
    return [] if isinstance(laid, Settings) else [error.field for error in laid]


def test_the_defaults():
    settings = lay_over(None, {})
    assert settings == default_settings(PRESIDENT)
    assert (settings.ruleset, settings.mode, settings.rounds, settings.target) == ("president", "rapid", 5, None)
    assert (settings.seats, settings.race_seconds, settings.action_seconds) == (6, 10, 30)
    assert (settings.standin_grace_seconds, settings.disconnect, settings.bot_level) == (5, "standin", "normal")
    assert (settings.visibility, settings.door, settings.spectator_delay_seconds) == ("private", "open", 0)
    assert settings.variants.revolution is True
    variants = settings.variants
    others = (variants.four_closes, variants.strongest_closes, variants.finish_with_two, variants.skip)
    assert others == (False, False, False, False)


RANGES = [
    ("rounds", [1, 5, 50, "unlimited"], [0, 51, -1, None, "many", True, 5.0, "5", 2**64, [5], {}]),
    ("target", [None], [11, "none", 0, True]),
    ("seats", [3, 4, 5, 6], [2, 7, 0, True, 4.0, "4", None]),
    ("race_seconds", [3, 10, 60], [2, 61, 0, 3.5, 10.0, True, "10", None, math.nan]),
    ("action_seconds", [5, 30, 120], [4, 121, 5.5, True, None]),
    ("standin_grace_seconds", [0, 5, 60], [-1, 61, 0.5, False, None]),
    ("disconnect", ["standin"], ["wait", "", None, True, ["standin"]]),
    ("bot_level", ["easy", "normal", "hard"], ["", "Easy", None, 1, ["easy"], {}]),
    ("visibility", ["public", "private"], ["secret", None, True]),
    ("door", ["open", "closed"], ["ajar", None, 0]),
    ("spectator_delay_seconds", [0, 300], [-1, 301, True, 1.0, None]),
    ("ruleset", ["president", "presi", "house", "escoria"], ["bridge", None, 1, True, ["president"], {}]),
    ("mode", ["rapid", "turns"], ["slow", None, True, ["rapid"]]),
    ("variants", [{}, {"revolution": False}, {"skip": False}], [None, [], {"x": True}, {"revolution": 1}, "none"]),
    ("options", [{}], [None, [], {"jokers": 2}, {"deck": "spanish40"}]),
    ("bot_delay_ms", [], [0, 100]),  # not without --dev
    ("nothing", [], [1]),
]
GOOD = [(field, value) for field, good, _ in RANGES for value in good]
BAD = [(field, value) for field, _, bad in RANGES for value in bad]


@pytest.mark.parametrize("field, value", GOOD)
def test_values_that_are_right(field, value):
    laid = lay_over(None, {field: value})
    assert isinstance(laid, Settings)
    if field not in {"variants", "options"}:
        assert getattr(laid, field) == value


@pytest.mark.parametrize("field, value", BAD)
def test_values_that_are_wrong(field, value):
    assert fields_of(lay_over(None, {field: value})) == [field]


@pytest.mark.parametrize("value", [None, [], "x", 3, True])
def test_settings_are_a_map(value):
    assert fields_of(lay_over(None, value)) == ["settings"]


def test_refused_as_a_whole_with_a_row_a_field():
    laid = lay_over(None, {"rounds": 99, "seats": 4, "race_seconds": 0, "nothing": 1})
    assert sorted(fields_of(laid)) == ["nothing", "race_seconds", "rounds"]


@pytest.mark.parametrize("group, others", [("options", {"sit_out": 1}), ("variants", {"revolution": 1, "skip": True})])
def test_all_that_is_wrong_in_a_map_is_named_in_its_row(group, others):
    unknown = {"equal": True, "zzz": 3, "x" * 1_000: 1}
    (row,) = lay_over(None, {"ruleset": "house", group: unknown | others})
    assert row.field == group
    assert all(name[:60] in row.message for name in [*unknown, *others])
    assert len(row.message) < 1_000


def test_what_hangs_on_a_ruleset_is_not_judged_without_one():
    fields = {"ruleset": "bridge", "seats": 7, "target": 3, "options": {"sit_out": True}, "variants": {}, "door": 1}
    assert fields_of(lay_over(None, fields)) == ["ruleset", "door"]


@pytest.mark.parametrize("ruleset", ["bridge", None, 7])
@pytest.mark.parametrize("name", RESET_WITH_RULESET)
def test_what_no_ruleset_takes_is_named_beside_an_unknown_ruleset(ruleset, name):
    for wrong in ([], 1.5, "x" * 9, {"nothing": "such"}, True):
        assert fields_of(lay_over(None, {"ruleset": ruleset, name: wrong})) == ["ruleset", name], wrong
    for preset in PRESETS.values():
        fits = getattr(default_settings(preset), name)
        given = structs.asdict(fits) if isinstance(fits, Variants) else fits
        assert fields_of(lay_over(None, {"ruleset": ruleset, name: given})) == ["ruleset"], given


def test_given_fields_are_laid_over_the_present_ones():
    present = lay_over(None, {"rounds": 9, "seats": 4, "variants": {"four_closes": True}})
    laid = lay_over(present, {"seats": 5, "variants": {"revolution": False}})
    assert (laid.rounds, laid.seats) == (9, 5)
    assert (laid.variants.four_closes, laid.variants.revolution) == (True, False)


@pytest.mark.parametrize("seats, taken, bad", [(3, 3, []), (3, 4, ["seats"]), (6, 6, [])])
def test_seats_below_those_taken_are_refused(seats, taken, bad):
    assert fields_of(lay_over(None, {"seats": seats}, seats_taken=taken)) == bad


@pytest.mark.parametrize(
    "field, value, is_right",
    [
        ("race_seconds", 0.05, True),
        ("race_seconds", 1000, True),
        ("race_seconds", 0, False),
        ("race_seconds", 0.0001, False),
        ("race_seconds", math.inf, False),
        ("race_seconds", math.nan, False),
        ("race_seconds", True, False),
        ("race_seconds", "1", False),
        ("action_seconds", 0.25, True),
        ("standin_grace_seconds", 0, True),
        ("standin_grace_seconds", 0.5, True),
        ("standin_grace_seconds", -0.5, False),
        ("bot_delay_ms", 0, True),
        ("bot_delay_ms", 100, True),
        ("bot_delay_ms", -1, False),
        ("bot_delay_ms", 0.5, False),
    ],
)
def test_with_dev_timers_may_be_anything_positive(field, value, is_right):
    assert isinstance(lay_over(None, {field: value}, dev=True), Settings) is is_right


@pytest.mark.parametrize("seconds, ms", [(10, 10_000), (0.05, 50), (0.0004, 0), (0.0006, 1), (1.2345, 1234)])
def test_deadlines_are_rounded_to_the_millisecond(seconds, ms):
    assert to_ms(seconds) == ms


def test_rules_of_the_settings():
    rules = rules_of(lay_over(None, {"rounds": 7, "race_seconds": 4, "action_seconds": 6, "standin_grace_seconds": 1}))
    assert (rules.rounds, rules.race_ms, rules.action_ms, rules.grace_ms) == (7, 4_000, 6_000, 1_000)
    assert rules_of(lay_over(None, {"rounds": "unlimited"})).rounds is None


HOUSE = {"ruleset": "house"}


@pytest.mark.parametrize(
    "fields, bad",
    [
        ({"options": {"sit_out": True, "fresh_hands": True, "three_deals": True}}, []),
        ({"options": {"first_dealer": 3}}, []),
        ({"options": {"first_dealer": None}}, []),
        ({"options": {"first_dealer": 7}}, ["options"]),
        ({"options": {"first_dealer": -1}}, ["options"]),
        ({"options": {"first_dealer": True}}, ["options"]),
        ({"options": {"sit_out": 1}}, ["options"]),
        ({"options": {"sit_out": None}}, ["options"]),
        ({"options": {"killer": True}}, ["options"]),  # another ruleset's
        ({"options": {"three_deals": True}, "target": None}, []),
        ({"options": {"three_deals": True}, "target": 11}, ["target"]),  # 4.6
        ({"target": None}, ["target"]),
        ({"target": "none"}, ["target"]),
        ({"target": 21}, []),
        ({"rounds": 5}, ["rounds"]),
        ({"rounds": None}, []),
        ({"variants": {"revolution": True, "finish_with_two": True}}, []),
        ({"variants": {"skip": True}}, ["variants"]),  # V5 only in president
        ({"mode": "rapid", "options": {"sit_out": True}}, []),
        ({"seats": 3}, ["seats"]),
        ({"seats": 7}, []),
        ({"disconnect": "wait"}, ["disconnect"]),
    ],
)
def test_the_options_of_house(fields, bad):
    assert fields_of(lay_over(None, HOUSE | fields)) == bad


def test_4_6_three_deals_and_the_target_go_together():
    fixed = lay_over(None, HOUSE | {"options": {"three_deals": True}})
    assert (fixed.target, rules_of(fixed).rounds, rules_of(fixed).target) == (None, 3, None)
    back = lay_over(fixed, {"options": {"three_deals": False}})
    assert (back.target, rules_of(back).rounds) == (11, None)


def test_the_defaults_of_presi():
    settings = lay_over(None, {"ruleset": "presi"})
    assert (settings.mode, settings.rounds, settings.target) == ("turns", None, 11)
    assert (settings.disconnect, settings.seats) == ("wait", 6)
    assert not any(getattr(settings.variants, name) for name in settings.variants.__struct_fields__)
    assert lay_over(settings, {"ruleset": "president"}) == default_settings(PRESIDENT)
