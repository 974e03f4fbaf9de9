"""A table's settings in words (PROTOCOL 2): what is unusual, what was changed, all of them; by every preset."""

import itertools

import pytest

from rapid.rules.presets import PRESETS
from rapid.rules.settings_check import VARIANT_NAMES
from rapid_client import parse_view
from rapid_client.messages import parse_message
from rapid_terminal import settings as in_words
from rapid_terminal.settings import Rulesets, phrase, rounds_of, title
from rapid_terminal.teller import Teller
from tests.unit.clients.peer import event, lobby, welcome
from tests.unit.clients.tables import ROWS, RULESETS, settings, single_changes

NAMES = list(PRESETS)


@pytest.mark.parametrize(
    "given, said",
    [
        (settings(), "president, rapid, 5 rounds, with the usual settings"),
        (settings("presi"), "presi, turns, to 11 points, with the usual settings"),
        (settings("house"), "house, turns, to 11 points, with the usual settings"),
        (settings("escoria"), "escoria, turns, to 11 points, with the usual settings"),
        (
            settings("presi", options={"jokers": 2, "joker": "wild", "wild_twos": True, "deck": "spanish40"}),
            "presi, turns, to 11 points, with deck spanish40, 2 jokers, jokers wild, wild twos",
        ),
        (
            settings("presi", mode="rapid", disconnect="standin", options={"jokers": 1, "killer": False}),
            "presi, rapid, to 11 points, with stand-ins for lost seats, 1 joker, no killer",
        ),
        (
            settings("presi", options={"turning": "order_and_direction", "three": "below_two"}, target=1),
            "presi, turns, to 1 point, with three below two, turning order and direction",
        ),
        (
            settings("house", options={"three_deals": True, "first_dealer": 2}),
            "house, turns, 3 rounds, with seat 3 deals first, three deals",
        ),
        (
            settings("escoria", target="none", options={"jokers": True}),
            "escoria, turns, until the host ends it, with jokers",
        ),
        (
            settings(rounds=1, variants={"revolution": False, "four_closes": True}, race_seconds=5),
            "president, rapid, 1 round, with 5 s to race, no revolution, four closes",
        ),
        (
            # Nobody races there.
            settings(mode="turns", rounds="unlimited", race_seconds=5, seats=4, door="closed", visibility="public"),
            "president, turns, until the host ends it, with 4 seats at most, public, door closed",
        ),
    ],
)
def test_what_differs_from_the_rulesets_own_is_told_with_its_value(given, said):
    assert RULESETS.summary(given) == said


@pytest.mark.parametrize("ruleset, group, name, value", list(single_changes()))
def test_every_variant_and_option_is_told_alone_where_it_is_changed_and_only_there(ruleset, group, name, value):
    usual = settings(ruleset)
    changed = usual | {group: usual[group] | {name: value}}
    said = phrase(name, value)
    assert RULESETS.summary(changed) == f"{title(changed)}, with {said}"
    assert RULESETS.changed(usual, changed) == said
    assert said not in RULESETS.summary(usual)
    assert RULESETS.changed(changed, usual) == phrase(name, usual[group][name])
    assert RULESETS.in_full(usual) != RULESETS.in_full(changed)


def test_no_two_values_are_told_alike():
    told = {}
    for ruleset, group, name, value in single_changes():
        told.setdefault((ruleset, phrase(name, value)), set()).add((group, name, str(value)))
        told.setdefault((ruleset, phrase(name, settings(ruleset)[group][name])), set()).add((group, name, "usual"))
    assert all(len(meant) == 1 for meant in told.values()), told


@pytest.mark.parametrize("ruleset", NAMES)
def test_set_shows_every_setting_with_a_sentence(ruleset):
    usual = settings(ruleset)
    lines = {line.partition(":")[0].strip(): line for line in RULESETS.in_full(usual) if line.startswith("  ")}
    (row,) = [row for row in ROWS if row["ruleset"] == ruleset]
    for option in row["options"]:
        assert option["help"] in lines[option["name"]]
        assert all(choice in lines[option["name"]] for choice in option.get("choices", ()))
    told = {name for name, value in usual.items() if value is not None} - {"variants", "options"}
    expected = told | set(row["variants"]) | {option["name"] for option in row["options"]}
    assert set(lines) == expected
    # A name, a value and at least a few words of what it means.
    assert all(line.endswith(".") and len(line.split()) > 4 for line in lines.values()), lines


def test_set_tells_values_as_it_takes_them_and_what_is_usual():
    lines = RULESETS.in_full(settings("presi", options={"deck": "spanish40", "wild_twos": True, "jokers": 2}))
    assert lines[:2] == ["presi, turns, to 11 points", "variants:"]
    assert (
        "  deck: spanish40 (usually spanish48). 48 cards, or 40 without the eights and nines. "
        "It can be: spanish48, spanish40."
    ) in lines
    assert (
        "  wild_twos: on (usually off). A two is wild: it may stand for a card of any rank. Not with finish_with_two."
    ) in lines
    assert "  killer: on. The two of coins alone wins any trick." in lines
    assert lines[-1] == "the host changes them in the lobby: set NAME VALUE"


def test_what_hangs_on_something_else_says_on_what():
    lines = "\n".join(RULESETS.in_full(settings("escoria")))
    assert "  skip_next: off. An equal play skips the next seat. It needs equal. Not in rapid mode." in lines
    assert "Run needs equal. Not with revolution." in lines
    assert "or none: until the host ends it, after 50 rounds at most." in lines
    assert "Not in rapid mode." in next(line for line in RULESETS.in_full(settings()) if line.startswith("  skip:"))


def test_every_variant_has_a_sentence():
    assert set(in_words.VARIANTS) == set(VARIANT_NAMES)


@pytest.mark.parametrize("ruleset", NAMES)
def test_without_the_servers_description_all_that_is_on_is_told(ruleset):
    unknown = Rulesets()
    usual = settings(ruleset)
    said = unknown.summary(usual)
    assert said.startswith(f"{title(usual)}, with ")
    for name, value in {**usual["variants"], **usual["options"]}.items():
        assert (phrase(name, value) in said) is (value not in (False, None, "off")), (name, value)
    assert len(unknown.in_full(usual)) > len(usual["options"])


class TestTold:
    """The teller says them at the welcome and whenever they change."""

    def test_at_the_welcome(self):
        view = lobby(settings=settings("presi", options={"deck": "spanish40"}))
        [line] = Teller(0, RULESETS).tell(parse_message(welcome(view)), parse_view(view))
        assert line == "presi, turns, to 11 points, with deck spanish40. You are Ana, seat 1."

    @pytest.mark.parametrize(
        "before, after, said",
        [
            (settings("presi"), settings("presi", options={"jokers": 2, "joker": "wild"}), "2 jokers, jokers wild"),
            (settings("presi", options={"wild_twos": True}), settings("presi"), "no wild twos"),
            (settings(), settings(variants={"four_closes": True, "revolution": False}), "no revolution, four closes"),
            (settings(), settings(mode="turns"), "mode turns"),
            (settings(), settings(rounds=3, race_seconds=5), "3 rounds, 5 s to race"),
            (settings("house"), settings("house", options={"three_deals": True}), "no target, three deals"),
            (settings("escoria"), settings("escoria", target="none"), "until the host ends it"),
            (settings(), settings("house"), "house, turns, to 11 points, with the usual settings"),
            (
                settings(),
                settings("presi", options={"jokers": 2}),
                "presi, turns, to 11 points, with 2 jokers",
            ),
            (settings(), settings(), "as they were"),
        ],
    )
    def test_when_they_change(self, before, after, said):
        teller = Teller(0, RULESETS)
        teller.tell(parse_message(welcome(lobby(settings=before))), parse_view(lobby(settings=before)))
        changed = parse_message(event(21, "settings_changed", settings=after))
        assert teller.tell(changed, parse_view(lobby(settings=after))) == [f"Settings: {said}"]


@pytest.mark.parametrize(
    "given, said",
    [
        (settings(), " of 5"),
        (settings(rounds="unlimited"), ""),
        (settings("presi"), " (to 11 points)"),
        (settings("house", options={"three_deals": True}), " of 3"),
        (settings("escoria", target="none"), ""),
    ],
)
def test_how_far_a_game_goes_stands_at_each_round(given, said):
    assert rounds_of(given) == said


def test_no_setting_of_any_preset_is_told_in_the_words_of_a_program():
    words = ["None", "True", "False", "null", "none", "_"]
    for name, mode in itertools.product(NAMES, ("rapid", "turns")):
        said = RULESETS.summary(settings(name, mode=mode)) + Rulesets().summary(settings(name, mode=mode))
        assert not [word for word in words if word in said], said
