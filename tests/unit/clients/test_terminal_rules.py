"""`rules` tells how a table is played: held to what the engine plays by, for every option of every preset."""

import ast
import re
from pathlib import Path

import msgspec
import pytest

import rapid_terminal
from rapid.rules.presets import PRESETS
from rapid.rules.ruleset import Answer, Dealer, Dealing, Direction, Lead, Passing, Skips, Turning
from rapid.rules.settings import Settings, rules_of
from rapid.rules.settings_check import lay_over
from rapid_terminal.facts import facts_of
from rapid_terminal.rules import rules_lines
from rapid_terminal.settings import TABLE, Rulesets
from tests.unit.clients.tables import ROWS, RULESETS, settings, single_changes

MODES = ("turns", "rapid")
NEEDS = {"joker": {"jokers": 2}, "skip_next": {"equal": True}, "turning": {"equal": True}}
"""What must be on for an option to do anything, or to be allowed."""
LEADS = {Lead.LAST: "last", Lead.FIRST: "first", Lead.DEALERS_LEFT: "dealer"}
DEALINGS = {Dealing.LAST_FIRST: "last_first", Dealing.MOVING: "moving", Dealing.DEALERS_LEFT: "dealer"}


def needed(ruleset, name):
    return {other: value for other, value in NEEDS.get(name, {}).items() if other in settings(ruleset)["options"]}


def laid(ruleset, group, name, value, mode):
    """Settings with one thing changed, and checked; None where this mode has no such thing."""
    fields = {group: {name: value}}
    if group == "options":
        fields = {"options": {**needed(ruleset, name), name: value}}
    checked = lay_over(None, {"ruleset": ruleset, "mode": mode, **fields})
    return checked if isinstance(checked, Settings) else None


def tables():
    """Every preset in both modes, plain and with each single change."""
    for ruleset in PRESETS:
        for mode in MODES:
            yield ruleset, lay_over(None, {"ruleset": ruleset, "mode": mode})
    for ruleset, group, name, value in single_changes():
        for mode in MODES:
            if checked := laid(ruleset, group, name, value, mode):
                yield f"{ruleset}, {name} {value}", checked


@pytest.mark.parametrize("checked", [pytest.param(one, id=f"{name}, {one.mode}") for name, one in tables()])
def test_the_facts_are_those_the_engine_plays_by(checked):
    facts, rules = facts_of(told := msgspec.to_builtins(checked)), rules_of(checked)
    ruleset = rules.ruleset
    assert facts.points == ruleset.points
    assert facts.dealing == DEALINGS[ruleset.dealing]
    assert facts.is_clockwise == (ruleset.direction is Direction.CLOCKWISE)
    assert facts.must_beat == (rules.answer is Answer.HIGHER)
    assert facts.equal_skips == (rules.skips is Skips.ALWAYS)
    assert facts.finish_closes == rules.finish_closes
    assert facts.has_killer == bool(rules.killer)
    assert facts.passes_bind == (rules.passing is Passing.BINDS)
    assert facts.exchange == (str(ruleset.exchange) if ruleset.swaps else "none")
    assert facts.lead_card == (ruleset.lead_card or None)
    assert facts.lead_later == LEADS[ruleset.lead_later]
    assert facts.dealer == str(Dealer(ruleset.dealer))
    assert facts.by_standings == ruleset.order_by_rank
    assert facts.shares_win == ruleset.shares_win
    assert (facts.jokers, facts.wild_jokers and facts.jokers > 0) == (
        ruleset.jokers,
        ruleset.wild_jokers and ruleset.jokers > 0,
    )
    assert facts.wild_twos == ruleset.wild_twos
    assert Turning(facts.turning) is ruleset.turning
    assert facts.larger_sets == str(rules.larger_sets)
    assert facts.two_high_low == ruleset.two_high_low
    assert facts.transparent_threes == (rules.transparent_rank >= 0)
    assert facts.reseat == bool(told["options"].get("reseat"))


def rules_told(given):
    (described,) = [one for one in ROWS if one["ruleset"] == given["ruleset"]]
    return "\n".join(rules_lines(given, described))


@pytest.mark.parametrize("ruleset, group, name, value", list(single_changes()))
def test_whatever_is_changed_changes_what_is_told(ruleset, group, name, value):
    """In one mode at least: what hangs on turns is nothing in a race, and is not told there."""
    told = []
    for mode in MODES:
        if checked := laid(ruleset, group, name, value, mode):
            before = settings(ruleset, mode=mode, options=needed(ruleset, name))
            told.append(rules_told(before) != rules_told(msgspec.to_builtins(checked)))
    assert any(told)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ruleset", list(PRESETS))
def test_everything_one_must_know_has_its_line(ruleset, mode):
    lines = RULESETS.rules(settings(ruleset, mode=mode))
    labels = [line[:10].strip() for line in lines if line[:10].strip() and line[9] == " "]
    always = ["goal", "acting", "deal", "cards", "a play", "a pass", "a trick", "out", "exchange", "titles", "points"]
    assert [label for label in labels if label in always] == always
    assert {"winning", "time", "lost"} <= set(labels)
    assert ("leading" in labels) is (mode == "turns")
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize(
    "ruleset, fields, has, has_not",
    [
        (
            "president",
            {},
            ["A race", "Anyone opens the next.", "Neutral 1", "5 rounds", "10 s without a play"],
            ["In turns"],
        ),
        ("president", {"mode": "turns"}, ["In turns, clockwise.", "the queen of hearts leads round 1"], ["race"]),
        ("presi", {}, ["anticlockwise", "two of coins", "awaited", "to 11 points", "empties a hand"], ["joker"]),
        ("presi", {"options": {"exchange": "one_free"}}, ["the best card to the President"], ["the two worst"]),
        ("presi", {"options": {"must_beat": True}}, ["and a higher rank"], ["miss its turn"]),
        ("house", {}, ["4 to 7 seats: President, Vice-president, the others none."], ["two of coins"]),
        ("house", {"options": {"fresh_hands": True}}, ["No cards are exchanged."], ["From round 2 on, before"]),
        ("house", {"options": {"three_deals": True, "first_dealer": 1}}, ["3 rounds", "Seat 2 deals first."], ["11"]),
        ("escoria", {}, ["Super underdog -2", "order of the last standings"], []),
        ("escoria", {"target": "none"}, ["for 50 rounds at most"], ["nobody wins"]),
        ("escoria", {"seats": 5}, ["to 4 to 5 seats"], ["6 seats", "7 seats"]),
        ("president", {"variants": {"strongest_closes": True}}, ["closes it: a 2, or a 3 in the turned order"], []),
        ("escoria", {"variants": {"strongest_closes": True}, "options": {"jokers": True}}, ["closes it: a joker."], []),
    ],
)
def test_what_is_told_is_what_was_chosen(ruleset, fields, has, has_not):
    said = rules_told(settings(ruleset, **fields))
    assert [part for part in has if part not in said] == []
    assert [part for part in has_not if part in said] == []


@pytest.mark.parametrize("ruleset", list(PRESETS))
def test_without_the_servers_description_the_rules_are_told_all_the_same(ruleset):
    given = settings(ruleset)
    missing = set(RULESETS.rules(given)) - set(Rulesets().rules(given))
    assert all("seats" in line for line in missing), missing


def test_a_ruleset_that_came_later_is_told_as_far_as_it_is_known():
    assert len(Rulesets().rules({"ruleset": "new", "mode": "turns", "rounds": 5})) > 10


def every_setting():
    for row in ROWS:
        usual = row["defaults"]
        names = [*row["variants"], *(option["name"] for option in row["options"]), *(set(usual) & set(TABLE))]
        yield from ((row["ruleset"], name) for name in sorted(names))


@pytest.mark.parametrize("ruleset, name", list(every_setting()))
def test_each_setting_says_what_it_is_now_and_can_be(ruleset, name):
    given = settings(ruleset)
    said = "\n".join(RULESETS.explain(given, name))
    now = {**given, **given["variants"], **given["options"]}[name]
    if now is None and name != "first_dealer":
        assert said.startswith(f"{name}: not with these rules")
        return
    typed = {True: "on", False: "off", None: "none"}.get(now, now) if isinstance(now, bool | None) else now
    assert said.startswith(f"{name} is {typed} now. ")
    assert " It can be: " in said
    (row,) = [row for row in ROWS if row["ruleset"] == ruleset]
    option = next((one for one in row["options"] if one["name"] == name), {})
    assert all(choice in said.partition("It can be:")[2] for choice in option.get("choices", ()))
    if option.get("type") == "integer":
        assert f"{option['min']} to {option['max']}" in said


@pytest.mark.parametrize("name", ["moon", "skip", "options"])
def test_what_is_no_setting_here_is_said_to_be_none(name):
    [said] = RULESETS.explain(settings("presi"), name)
    assert said == f"there is no setting {name!r} with these rules; set alone shows all"


CLAUSE = re.compile(r"\b(?:[GRTPLCVX]\d{1,2}|\d\.\d{1,2}|RULES|PROTOCOL|Culo|[Aa]sshole|[Ss]cum)\b")
"""What means something only to those who have read the rules that this project keeps for itself."""


def sentences():
    """Every text in the client that is no docstring, with where it stands."""
    for path in Path(rapid_terminal.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
                yield f"{path.name}:{node.lineno}", node.value


def test_no_clause_and_no_other_name_of_a_title_is_printed():
    found = [(where, text) for where, text in sentences() if CLAUSE.search(text) and " " in text]
    assert found == []
    for ruleset in PRESETS:
        for mode in MODES:
            for line in [
                *RULESETS.rules(settings(ruleset, mode=mode)),
                *RULESETS.in_full(settings(ruleset, mode=mode)),
            ]:
                # The values that `set` takes are names of the protocol.
                sentence = re.sub(r"It can be:.*|\(scum\)|\(culo\)|^  \w+: \w+", "", line)
                assert not CLAUSE.search(sentence), line
