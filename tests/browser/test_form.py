"""The settings form and the client's own knowledge of the rules, each held against the server's.

What the form lets a host ask for is found by using every control of it that is not greyed; whether the server takes it
is asked of the server's own check. What the client dims is asked of it for every play on every top.
"""

from itertools import product
from random import Random

import msgspec
import pytest
from playwright.sync_api import expect

from rapid.cards.cardset import parse_cards
from rapid.rules.legal import answer_fault
from rapid.rules.plays import all_plays, read_play
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings, rules_of
from rapid.rules.settings_check import lay_over
from tests.browser.test_presets import chooses, sets_up

TABLES = [(name, str(mode)) for name, ruleset in PRESETS.items() for mode in ruleset.modes]
# What a change of these makes of the form is what the walk goes on from; the others stand by themselves.
WALKED = {"mode", "target", "variants", "options"}
# Options that change no answer to a play.
BESIDE = {
    "first_dealer", "dealer", "reseat", "leader", "passing", "exchange", "killer", "skip_next", "sit_out",
    "fresh_hands", "three_deals",
}  # fmt: skip
# Hands of a ruleset: of each combination of its options some.
POSITIONS = 2_000


@pytest.fixture
def page(gallery):
    return gallery().page


@pytest.fixture
def rows(server):
    return server.call("/api/rulesets")["rulesets"]


def start(ruleset, mode):
    return lay_over(None, {"ruleset": ruleset, "mode": mode})


def plain(settings):
    return msgspec.to_builtins(settings)


def offered(page, rows, settings, taken):
    """Every change that the form lets a host ask for, these settings given."""
    return page.evaluate("([s, rows, taken]) => gallery.form(s, rows, taken)", [plain(settings), rows, taken])


def taken_up(settings, change, taken):
    """The settings that the server makes of a change; it takes it."""
    laid = lay_over(settings, change, seats_taken=taken)
    assert isinstance(laid, Settings), (plain(settings), change, laid)
    return laid


@pytest.mark.parametrize("ruleset, mode", TABLES)
def test_the_form_offers_nothing_that_the_server_refuses(page, rows, ruleset, mode):
    """From a ruleset's defaults, behind each change of the form, and behind each two of them."""
    taken = PRESETS[ruleset].seats_min
    first = start(ruleset, mode)
    changes = offered(page, rows, first, taken)
    names = {name for change in changes for name in change}
    assert names >= {"ruleset", "mode", "seats", "action_seconds", "variants"}
    states = {msgspec.json.encode(taken_up(first, change, taken)): change for change in changes}
    walked = [state for state, change in states.items() if set(change) <= WALKED]
    for state in walked:
        settings = msgspec.json.decode(state, type=Settings)
        for change in offered(page, rows, settings, taken):
            taken_up(settings, change, taken)


def test_every_value_of_every_option_can_be_reached(page, rows):
    """Nothing is greyed for good: two changes lead to any value, three where two others are asked for."""
    for row in rows:
        for mode in row["modes"]:
            settings = start(row["ruleset"], mode)
            wanted = {
                (option["name"], str(value))
                for option in row["options"]
                if option["type"] in {"boolean", "choice"} and mode not in option.get("not_in", [])
                for value in option.get("choices", [False, True])
            }
            reached = {(name, str(value)) for name, value in settings.options.items()}
            for change in [{}, *offered(page, rows, settings, 4)]:
                if set(change) <= {"options", "variants"}:
                    behind = offered(page, rows, taken_up(settings, change, 4), 4)
                    reached |= {(n, str(v)) for each in behind for n, v in each.get("options", {}).items()}
            assert wanted - reached == set(), row["ruleset"]


def test_chairs_in_use_are_not_taken_away(page, rows):
    house = start("house", "turns")
    changes = offered(page, rows, house, 7)
    for change in changes:
        taken_up(house, change, 7)
    assert {change["ruleset"] for change in changes if "ruleset" in change} == {"escoria"}
    assert [change for change in changes if "seats" in change] == []


def test_what_is_greyed_says_why_in_words(gallery, rows):
    escoria = taken_up(start("escoria", "turns"), {"options": {"equal": True, "turning": "run"}}, 4)
    for lang, said in (("en", "Needed by “Turning the order”"), ("es", "Lo necesita «Inversión del orden»")):
        person = gallery(lang=lang)
        person.page.evaluate("lang => gallery.show({ screen: 'start', lang })", lang)
        offered(person.page, rows, escoria, 4)
        assert said in person.page.locator("[data-setting=equal]").text_content()
        assert person.page.locator("[data-setting=equal] input").is_disabled()
        assert person.page.locator("[data-setting=revolution] input").is_disabled()


def test_what_a_joker_is_can_be_said_only_where_there_is_one(page, rows):
    for jokers in (0, 1):
        settings = taken_up(start("presi", "turns"), {"options": {"jokers": jokers}}, 3)
        offered(page, rows, settings, 3)
        assert page.locator("[data-setting=joker] select").is_disabled() is (jokers == 0)


def test_a_ruleset_that_cannot_be_says_why_for_all_to_see(gallery, rows):
    """No native control shows through its own picture, and no reason stands in a title alone."""
    for lang, said in (
        ("en", "President and Presi: 7 chairs are taken."),
        ("es", "Presidente y Presi: Hay 7 asientos ocupados."),
    ):
        person = gallery(lang=lang, phone=True)
        person.page.evaluate("lang => gallery.show({ screen: 'start', lang })", lang)
        offered(person.page, rows, start("house", "turns"), 7)
        expect(person.page.get_by_text(said)).to_be_visible()
        radios = person.page.locator("input[type=radio]")
        assert set(radios.evaluate_all("all => all.map(e => getComputedStyle(e).opacity)")) == {"0"}
        described = "all => all.map(e => document.getElementById(e.getAttribute('aria-describedby')).textContent)"
        assert set(person.page.locator("input[type=radio]:disabled").evaluate_all(described)) == {said}
        assert person.page.locator("[title]").count() == 0


def test_the_time_to_a_stand_in_is_greyed_where_none_plays(page, rows):
    for policy in ("wait", "standin"):
        settings = taken_up(start("presi", "turns"), {"disconnect": policy}, 3)
        offered(page, rows, settings, 3)
        field = page.locator("[data-setting=standin_grace_seconds]")
        assert field.locator("input").is_disabled() is (policy == "wait")
        assert ("The chair waits instead" in field.text_content()) is (policy == "wait")
        taken_up(settings, {"standin_grace_seconds": 9}, 3)


def test_every_number_names_its_limits(page, rows):
    for ruleset, mode in TABLES:
        offered(page, rows, start(ruleset, mode), 3)
        for field in page.locator("[data-setting]:has(input[type=number])").all():
            least, most = (field.locator("input[type=number]").get_attribute(name) for name in ("min", "max"))
            assert f"{least} to {most}." in field.locator(".hint").text_content()


def test_a_number_that_is_made_to_fit_says_so(people, server):
    ana = people().sits(server.open_table("Ana", bots=0))
    sets_up(ana, "house", "turns", {})
    for name, typed, value in (
        ("target", "500", "99"),
        ("target", "0", "1"),
        ("target", "3.6", "4"),
        ("seats", "3", "4"),
    ):
        field = ana.page.locator(f"[data-setting={name}]")
        number = field.locator("input[type=number]")
        number.fill(typed)
        number.press("Tab")
        expect(field).to_contain_text(f"{typed} does not fit: it is {value} now.")
        expect(number).to_have_value(value)
    chooses(ana, "target", 7)
    expect(ana.page.locator("[data-setting=target]")).not_to_contain_text("does not fit")


def test_what_gives_way_is_told_at_the_change_and_comes_back_with_it(people, server):
    ana = people().sits(server.open_table("Ana", bots=3))
    three, target = (ana.page.locator(f"[data-setting={name}]") for name in ("three_deals", "target"))
    sets_up(ana, "house", "turns", {"target": 7, "three_deals": True})
    expect(three).to_contain_text("Also changed: Points to win: none.")
    before = len(ana.events("settings_changed"))
    three.locator("input").uncheck()
    ana.until_event("settings_changed", before + 1)
    expect(target.locator("input[type=number]")).to_have_value("7")
    expect(three).to_contain_text("Also changed: Points to win: 7.")
    chooses(ana, "three_deals", True)
    ana.press("start")
    expect(ana.page.locator("h1")).to_have_text("Round 1 of 3")


def test_what_a_race_turns_off_is_told_and_comes_back_with_turns(people, server):
    ana = people().sits(server.open_table("Ana", bots=0))
    sets_up(ana, "escoria", "turns", {"equal": True, "skip_next": True, "reseat": True})
    sets_up(ana, "escoria", "rapid", {})
    told = ana.page.locator(".besides")
    expect(told).to_have_text("Also changed: Move the chairs: off, Equal skips the next: off.")
    chooses(ana, "target", 9)
    expect(told).to_have_count(0)
    sets_up(ana, "escoria", "turns", {})
    for name in ("skip_next", "reseat"):
        expect(ana.page.locator(f"[data-setting={name}] input")).to_be_checked()


def test_an_option_is_explained_by_what_its_ruleset_makes_of_it(gallery, rows):
    """Where two rulesets offer different things under one name, each has words of its own."""
    kinds = {}
    for row in rows:
        for option in row["options"]:
            kinds.setdefault(option["name"], {})[row["ruleset"]] = (option["type"], option.get("choices"))
    differing = {name: kind for name, kind in kinds.items() if len({str(each) for each in kind.values()}) > 1}
    assert set(differing) == {"turning", "jokers"}
    for lang in ("en", "es"):
        person = gallery(lang=lang)
        said = {}
        for ruleset in ("presi", "escoria"):
            offered(person.page, rows, start(ruleset, "turns"), 4)
            for name in differing:
                said[name, ruleset] = person.page.locator(f"[data-setting={name}] .hint").text_content()
        assert len(set(said.values())) == len(said)


def test_the_client_knows_the_titles_of_every_number_of_seats(page, rows):
    """Those that are given anew without a word, when a seat is freed between rounds (G7)."""
    for row in rows:
        for count, titles in row["roles"].items():
            said = page.evaluate("([name, n]) => gallery.titles(name, n)", [row["ruleset"], int(count)])
            assert said == titles, (row["ruleset"], count)


def combinations(ruleset):
    """The settings of a ruleset in each combination of the options that an answer may hang on."""
    options = [option for option in PRESETS[ruleset].options if option.name not in BESIDE]
    values = [
        option.choices or ((False, True) if option.type == "boolean" else (option.min, option.max))
        for option in options
    ]
    for chosen in product(*values):
        fields = {"ruleset": ruleset, "options": {o.name: v for o, v in zip(options, chosen, strict=True)}}
        settings = lay_over(None, fields)
        if isinstance(settings, Settings):
            yield settings


@pytest.mark.parametrize("ruleset", PRESETS)
def test_the_client_knows_what_answers_what(page, ruleset):
    """Every play of one and two cards on every top of one and two, in either order, under each combination."""
    for settings in combinations(ruleset):
        rules = rules_of(settings)
        ranks = [*rules.deck.ranks, *(["*"] if len(rules.strength) > len(rules.deck.ranks) else [])]
        plays = [(rank, count) for rank in range(len(ranks)) for count in (1, 2)]
        for turned in (False, True):
            said = page.evaluate(
                "([s, turned, plays]) => gallery.answers(s, turned, plays)",
                [plain(settings), turned, [[ranks[rank], count] for rank, count in plays]],
            )
            known = "".join(
                "0" if answer_fault(rules, top, *play, reversed_=turned) else "1" for top in plays for play in plays
            )
            assert said == known, (settings.options, turned)


def dealt(rules, chance):
    """A hand, a top that it may or may not answer, and whether the order is turned."""
    hand = frozenset(chance.sample(rules.deck.names, chance.randint(1, 14)))
    top = (chance.randrange(len(rules.deck.ranks)), chance.randint(1, 4))
    return hand, top, chance.random() < 0.4


@pytest.mark.parametrize("ruleset", PRESETS)
def test_what_is_lit_is_played_by_one_tap(page, ruleset):
    """The server takes what one tap and the button send; what is dimmed is in no play that it would take."""
    chance = Random(11)
    lit = 0
    tables = list(combinations(ruleset))
    for table in tables:
        has_killer = "killer" in table.options and chance.random() < 0.8
        settings = taken_up(table, {"options": {"killer": has_killer}} if "killer" in table.options else {}, 0)
        rules = rules_of(settings)
        positions = [dealt(rules, chance) for _ in range(POSITIONS // len(tables))]
        ranks = rules.deck.ranks
        asked = [[sorted(hand), [ranks[rank], count], turned] for hand, (rank, count), turned in positions]
        said = page.evaluate("([s, at]) => gallery.taps(s, at)", [plain(settings), asked])
        for (hand, top, turned), groups in zip(positions, said, strict=True):
            held = parse_cards(rules.deck, hand)
            legal = [cards for rank, cards in all_plays(rules, held) if answers(rules, top, rank, cards, turned)]
            for cards, sent in groups:
                where = (settings.options, sorted(hand), top, turned, cards, sent)
                if sent is None:
                    assert not any(parse_cards(rules.deck, cards) & play for play in legal), where
                    continue
                lit += 1
                play = read_play(rules, sent, held)
                assert not isinstance(play, str), where
                assert answers(rules, top, *play, turned), where
                assert play[1] & parse_cards(rules.deck, cards), where
    assert lit > POSITIONS / 2


def answers(rules, top, rank, cards, turned):
    return cards == rules.killer or not answer_fault(rules, top, rank, cards.bit_count(), reversed_=turned)


@pytest.mark.parametrize("ruleset, mode", TABLES)
def test_the_rules_text_tells_each_option_and_variant(page, rows, ruleset, mode):
    """No value of an option leaves the sentences as they were, but those that only the list below tells."""
    first = start(ruleset, mode)
    told = page.evaluate("s => gallery.told(s)", plain(first))
    assert all("{" not in line and "undefined" not in line for line in told)
    row = next(row for row in rows if row["ruleset"] == ruleset)
    changes = [
        {option["name"]: value}
        for option in row["options"]
        if mode not in option.get("not_in", [])
        for value in option.get("choices", [False, True] if option["type"] == "boolean" else [option.get("min", 0)])
        if value != option["default"]
    ]
    for change in changes:
        needed = {"equal": True} if change == {"turning": "run"} or "skip_next" in change else {}
        wild = {"jokers": 2} if "joker" in change else {}
        settings = taken_up(first, {"options": {**needed, **wild, **change}}, 0)
        without = taken_up(first, {"options": {**needed, **wild}}, 0)
        said = page.evaluate("s => [gallery.told(s), gallery.options(s)]", plain(settings))
        plainly = page.evaluate("s => [gallery.told(s), gallery.options(s)]", plain(without))
        assert said[1] != plainly[1], change
        if set(change) & {"first_dealer", "dealer"} and mode == "rapid":
            continue
        if set(change) != {"first_dealer"}:
            assert said[0] != plainly[0], change
    for variant in row["variants"]:
        if mode in row["variants_not_in"].get(variant, []):
            continue
        on = taken_up(first, {"variants": dict.fromkeys(row["variants"], False) | {variant: True}}, 0)
        off = taken_up(first, {"variants": dict.fromkeys(row["variants"], False)}, 0)
        told = [page.evaluate("s => gallery.told(s)", plain(each)) for each in (on, off)]
        assert len(told[0]) == len(told[1]) + 1
