"""Everyone can play: no finding of the checker, nothing too small to hit, where a real game leads.

test_screens.py has every screen in every theme and language, from made-up states.
"""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.bench import ROOT, Place, play_round_by, strongest, weakest

LOCALES = ROOT / "clients" / "web" / "src" / "i18n" / "locales"


def check(person, name):
    person.axe(name)
    person.fits(name)


def walk_panels(person):
    for panel in ("activity", "rules"):
        person.press(f"open-{panel}")
        person.at(f"panel-{panel}").wait_for()
        check(person, panel)
        person.press("close-panel")
    for panel in ("profile", "seat", "invite", "keys"):
        person.press("open-menu")
        person.press(f"menu-{panel}")
        person.at(f"panel-{panel}").wait_for()
        check(person, panel)
        person.press("close-panel")


def test_from_the_start_page_through_a_race_on_a_phone(people, puppets, server):
    theme, lang = "dark", "es"
    person = people(phone=True, theme=theme, lang=lang).opens("/")
    check(person, "start")
    person.press("open-profile")
    check(person, "start with profile")
    place = server.open_table("Ana", rounds=2)
    others = [server.take_seat(place.table, name) for name in ("Ben", "Carla")]
    guest = people(phone=True, theme=theme, lang=lang).sits(others[0])
    check(guest, "lobby as guest")
    guest.page.close()
    ben, carla = puppets(others[0]), puppets(others[1])
    person.sits(place)
    check(person, "lobby as host")
    person.press("start")
    person.at("playing").wait_for()
    check(person, "empty trick")
    state = ben.trick_state()
    person.tap(strongest(person.hand())[0])
    person.at("play").hover()
    person.page.mouse.down()
    ben.play(weakest(ben.hand()), on=state)
    carla.page.wait_for_function("() => puppet.log.some(m => m.type === 'played')")
    carla.play(strongest(carla.hand()), on=state)
    person.page.mouse.up()
    expect(person.at("photo-finish")).to_be_visible()
    check(person, "race")
    walk_panels(person)
    person.press("pass")
    expect(person.page.locator(".own .tag")).to_be_visible()
    check(person, "passed")
    watcher = people(phone=True, theme=theme, lang=lang).opens(f"/t/{place.table}")
    watcher.at("watching").wait_for()
    check(watcher, "watching")
    person.context.set_offline(True)
    person.at("link-notice").wait_for()
    check(person, "offline")


def test_the_ends_of_a_connection(people, server):
    person = people(phone=True)
    person.opens("/t/zzzzzzzzzzzz")
    person.at("refused").wait_for()
    check(person, "no table")
    place = server.open_table("Ana")
    person.opens(server.link(Place(place.table, 0, "x" * 43)))
    person.at("refused").wait_for()
    check(person, "bad token")
    person.page.goto("about:blank")
    person.sits(place)
    second = person.new_page()
    second.goto(f"{server.url}/t/{place.table}")
    person.at("take-over").wait_for()
    check(person, "taken over")


def table_after_a_round(server, puppets, rounds):
    """A table at which Ana, the host, has just won a round; her seat."""
    place = server.open_table("Ana", rounds=rounds)
    ana = puppets(place)
    others = [puppets(server.take_seat(place.table, name)) for name in ("Ben", "Carla")]
    assert ana.host("start")["ok"]
    for each in (ana, *others):
        each.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    play_round_by(ana, *others)
    return place


@pytest.mark.parametrize("theme, lang, phone", [("light", "en", True), ("dark", "es", False)])
def test_results_exchange_and_final(people, puppets, server, theme, lang, phone):
    person = people(phone=phone, theme=theme, lang=lang).sits(table_after_a_round(server, puppets, 2))
    person.at("results").wait_for()
    check(person, "results")
    person.press("next-round")
    person.at("give").wait_for()
    check(person, "exchange")
    for nth in (0, 1):
        person.page.locator("[data-test=hand] .group").nth(nth).click()
    person.press("give")
    person.at("playing").wait_for()
    person.page.goto("about:blank")
    person.sits(table_after_a_round(server, puppets, 1))
    person.at("final").wait_for()
    check(person, "final")


@pytest.mark.parametrize("file", sorted(LOCALES.glob("*.json")), ids=lambda file: Path(file).stem)
def test_each_ruleset_and_option_of_the_server_has_its_sentence(server, file):
    texts = json.loads(file.read_text())
    wanted = []
    for row in server.call("/api/rulesets")["rulesets"]:
        wanted += [f"ruleset.{row['ruleset']}", f"ruleset.{row['ruleset']}.help"]
        wanted += [f"mode.{mode}" for mode in row["modes"]]
        for name in row["variants"]:
            wanted += [f"variant.{name}", f"variant.{name}.help"]
        for option in row["options"]:
            # Where rulesets make different things of an option, each has words of its own.
            own = f"option.{option['name']}.help.{row['ruleset']}"
            wanted += [f"option.{option['name']}", own if own in texts else f"option.{option['name']}.help"]
            wanted += [f"option.{option['name']}.{choice}" for choice in option.get("choices") or []]
        roles = {role for roles in row["roles"].values() for role in roles if not role.startswith("place_")}
        wanted += [f"role.{role}" for role in roles]
    assert [key for key in wanted if key not in texts] == []
