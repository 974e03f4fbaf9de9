"""What may not hold together (RULES 4.6, 5.5, 6, 7, 9, R10): each row of the table refused by name, both ways."""

import pytest
from msgspec import structs

from rapid.rules.exclusions import EXCLUSIONS, exclusions_of
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings, default_settings
from rapid.rules.settings_check import lay_over

PRESIDENT, PRESI, HOUSE, ESCORIA = ({"ruleset": name} for name in PRESETS)
RAPID, TURNS = {"mode": "rapid"}, {"mode": "turns"}


def options(**chosen):
    return {"options": chosen}


def variants(**on):
    return {"variants": on}


def rows_of(laid):
    assert not isinstance(laid, Settings), laid
    return [(row.field, row.message) for row in laid]


def merged(*parts):
    laid = {}
    for part in parts:
        for name, value in part.items():
            laid[name] = {**laid.get(name, {}), **value} if isinstance(value, dict) else value
    return laid


# A row: the ruleset; one side and the other, as they are asked for; who is named if both are; what the row says.
TOGETHER = [
    (PRESIDENT, variants(skip=True), RAPID, ["variants"], "skip cannot be on in rapid mode"),
    (ESCORIA, options(equal=True, skip_next=True), RAPID, ["options"], "skip_next cannot be on in rapid mode"),
    (PRESI, options(leader="president"), RAPID, ["options"], "leader must be culo in rapid mode"),
    (ESCORIA, options(reseat=True), RAPID, ["options"], "reseat cannot be on in rapid mode"),
    (ESCORIA, options(skip_next=True), options(equal=False), ["options"], "skip_next needs equal"),
    (ESCORIA, options(turning="run"), options(equal=False), ["options"], "turning run needs equal"),
    *(
        (ruleset, options(turning=which, **more), variants(revolution=True), ["options", "variants"], "turning and rev")
        for ruleset, which, more in (
            (PRESI, "order", {}),
            (PRESI, "order_and_direction", {}),
            (ESCORIA, "order", {}),
            (ESCORIA, "run", {"equal": True}),
        )
    ),
    (PRESI, options(wild_twos=True), variants(finish_with_two=True), ["options", "variants"], "wild_twos and finish"),
    (HOUSE, options(three_deals=True), {"target": 11}, ["target"], "target must be left out while three_deals is on"),
    (HOUSE, options(three_deals=False), {"target": None}, ["target"], "target must be a number while three_deals"),
    *(
        (
            ruleset,
            options(first_dealer=chair),
            {"seats": seats},
            ["options"],
            f"first_dealer must be a chair there is: {said}",
        )
        for ruleset, chair, seats, said in (
            (HOUSE, 4, 4, "with 4 seats they are 0 to 3"),
            (ESCORIA, 6, 5, "with 5 seats they are 0 to 4"),
            (HOUSE, 6, 6, "with 6 seats they are 0 to 5"),
        )
    ),
]
SYMMETRICAL = [row for row in TOGETHER if row[3] == ["options", "variants"]]
GIVING_WAY = [row for row in TOGETHER if row[2] is RAPID]


@pytest.mark.parametrize("ruleset, one, other, fields, text", TOGETHER)
def test_both_asked_for_are_refused_by_name(ruleset, one, other, fields, text):
    rows = rows_of(lay_over(None, merged(ruleset, one, other)))
    assert [field for field, _ in rows] == fields
    assert all(message.startswith(text) for _, message in rows)


@pytest.mark.parametrize("ruleset, one, other, fields, text", SYMMETRICAL)
def test_one_is_refused_while_the_other_is_on(ruleset, one, other, fields, text):
    for first, second, named in ((one, other, fields[1]), (other, one, fields[0])):
        present = lay_over(None, merged(ruleset, first))
        assert isinstance(present, Settings)
        ((field, message),) = rows_of(lay_over(present, second))
        assert (field, message.startswith(text)) == (named, True)


@pytest.mark.parametrize("name, value", [("skip_next", True), ("turning", "run")])
def test_what_is_needed_may_not_go_while_it_is_needed(name, value):
    present = lay_over(None, merged(ESCORIA, options(equal=True, **{name: value})))
    assert isinstance(present, Settings)
    assert [field for field, _ in rows_of(lay_over(present, options(equal=False)))] == ["options"]
    assert isinstance(lay_over(present, options(equal=False, **{name: default_of("escoria", name)})), Settings)
    alone = rows_of(lay_over(None, merged(ESCORIA, options(**{name: value}))))
    assert [field for field, _ in alone] == ["options"]


@pytest.mark.parametrize("ruleset, one, other, fields, text", GIVING_WAY)
def test_what_needs_turns_gives_way_when_only_the_mode_is_changed(ruleset, one, other, fields, text):
    (group,) = one
    present = lay_over(None, merged(ruleset, TURNS, one))
    assert isinstance(present, Settings)
    in_race = lay_over(present, other)
    assert isinstance(in_race, Settings)
    names = {row.this.name for row in EXCLUSIONS if row.yields}
    fresh = default_settings(PRESETS[ruleset["ruleset"]])
    for name in names & set(one[group]):
        given_way, default = (as_map(getattr(s, group))[name] for s in (in_race, fresh))
        assert given_way == default
    assert [field for field, _ in rows_of(lay_over(in_race, one))] == fields  # and may not come back


def test_4_6_the_target_gives_way_when_only_the_option_is_changed():
    fixed = lay_over(None, merged(HOUSE, options(three_deals=True)))
    assert fixed.target is None
    assert lay_over(fixed, options(three_deals=False)).target == 11
    assert [field for field, _ in rows_of(lay_over(fixed, {"target": 7}))] == ["target"]


@pytest.mark.parametrize("ruleset", [HOUSE, ESCORIA], ids=["house", "escoria"])
@pytest.mark.parametrize("seats", [4, 5, 6, 7])
def test_every_chair_may_deal_first_and_none_that_there_is_not(ruleset, seats):
    """4.1, 5.1: and when chairs go, who was to deal first gives way."""
    for chair in range(8):
        laid = lay_over(None, merged(ruleset, {"seats": seats}, options(first_dealer=chair)))
        assert isinstance(laid, Settings) == (chair < seats), chair
        full = lay_over(None, merged(ruleset, {"seats": 7}, options(first_dealer=chair)))
        if chair < 7:
            fewer = lay_over(full, {"seats": seats})
            assert fewer.options["first_dealer"] == (chair if chair < seats else None)


def as_map(group):
    return group if isinstance(group, dict) else {name: getattr(group, name) for name in group.__struct_fields__}


def default_of(ruleset, name):
    return next(option.default for option in PRESETS[ruleset].options if option.name == name)


def test_every_row_of_the_table_is_tried_here():
    texts = [text for *_, text in TOGETHER]
    assert [row.help for row in EXCLUSIONS if not any(row.help.startswith(text) for text in texts)] == []
    assert {row.this.label for preset in PRESETS.values() for row in exclusions_of(preset)} == {
        row.this.label for row in EXCLUSIONS
    }


def test_several_contradictions_are_all_named_one_row_a_field():
    asked = merged(PRESI, options(turning="order", wild_twos=True), variants(revolution=True, finish_with_two=True))
    rows = dict(rows_of(lay_over(None, asked)))
    assert list(rows) == ["options", "variants"]
    assert all("turning" in text and "wild_twos" in text for text in rows.values())


def test_an_option_says_itself_what_it_needs_and_excludes():
    said = {
        option.name: (option.needs, option.choice_needs, option.excludes, option.not_in)
        for preset in PRESETS.values()
        for option in preset.options
        if (option.needs, option.choice_needs, option.excludes, option.not_in) != (None,) * 4
    }
    assert said == {
        "skip_next": ({"equal": True}, None, None, ("rapid",)),
        "turning": (None, {"run": {"equal": True}}, ("revolution",), None),
        "wild_twos": (None, None, ("finish_with_two",), None),
        "leader": (None, None, None, ("rapid",)),
        "reseat": (None, None, None, ("rapid",)),
    }


@pytest.mark.parametrize("name", ["skip", "revolutions"])
def test_V5_is_a_variant_of_president_alone(name):
    for preset in PRESETS.values():
        laid = lay_over(None, {"ruleset": preset.name, "mode": "turns", "variants": {name: True}})
        assert isinstance(laid, Settings) is (name == "skip" and preset.name == "president")


def test_a_table_opened_before_an_option_came_has_its_default():
    fresh = default_settings(PRESETS["presi"])
    before = structs.replace(fresh, options={"deck": "spanish40", "killer": True})
    assert lay_over(before, {"race_seconds": 7}).options == {**fresh.options, "deck": "spanish40"}
