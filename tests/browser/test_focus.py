"""The keyboard alone: what closes gives the focus back, and no change of the screen leaves it on nothing."""

import pytest
from playwright.sync_api import expect

from tests.browser.bench import play_round_by

RANKS = "3456789TJQKA2"
# The element that has the focus, by its test name, its label or its tag.
FOCUSED = """() => {
  const e = document.activeElement;
  return e.dataset.test ?? e.dataset.rank ?? e.getAttribute('aria-label') ?? e.tagName.toLowerCase();
}"""


def focused(person):
    return person.page.evaluate(FOCUSED)


def key(person, name):
    person.key(name)


@pytest.fixture
def seats(server):
    place = server.open_table("Ana", rounds=2)
    return [place, *(server.take_seat(place.table, name) for name in ("Ben", "Carla"))]


@pytest.fixture
def race(seats, people, puppets):
    ana = people().sits(seats[0])
    others = [puppets(place) for place in seats[1:]]
    ana.at("start").focus()
    key(ana, "Enter")
    ana.at("playing").wait_for()
    for puppet in others:
        puppet.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    return ana, others


def test_what_closes_gives_the_focus_back_to_what_opened_it(race):
    ana, _ = race
    assert focused(ana) == "main", "the button that started the game is gone"
    for panel in ("rules", "menu"):
        for close in ("Escape", "Enter"):
            ana.at(f"open-{panel}").focus()
            key(ana, "Enter")
            expect(ana.at(f"panel-{panel}")).to_be_focused()
            if close == "Enter":
                ana.at("close-panel").focus()
            key(ana, close)
            expect(ana.at(f"open-{panel}")).to_be_focused()
    for panel in ("profile", "seat", "invite", "keys"):
        key(ana, "Enter")
        ana.at(f"menu-{panel}").focus()
        key(ana, "Enter")
        expect(ana.at(f"panel-{panel}")).to_be_focused()
        if panel == "profile":
            ana.at("panel-profile").get_by_label("Name", exact=True).focus()
        key(ana, "Escape")
        expect(ana.at("open-menu")).to_be_focused()
    key(ana, "Enter")
    ana.at("leave").focus()
    for close in ("Escape", "Tab"):
        key(ana, "Enter")
        expect(ana.at("leave-yes")).to_be_focused()
        key(ana, close)
        if close == "Tab":
            key(ana, "Enter")
        expect(ana.at("leave")).to_be_focused()
    react = ana.page.get_by_role("button", name="React")
    for close in ("Escape", "Enter"):
        react.focus()
        key(ana, "Enter")
        if close == "Enter":
            ana.page.get_by_role("button", name="🎉").focus()
        key(ana, close)
        expect(react).to_be_focused()
    expect(ana.at("panel-menu")).to_be_visible()


def test_a_play_costs_the_keyboard_no_place(race):
    ana, _ = race
    held = ana.hand()
    # The weakest of those that are fewest of their rank, and then the strongest there is: it answers whatever lies.
    single = min(held, key=lambda card: (sum(other[0] == card[0] for other in held), RANKS.index(card[0])))
    group = ana.page.locator(f"[data-test=hand] [data-rank='{single[0]}']")
    group.focus()
    while len(ana.selected()) < sum(card[0] == single[0] for card in held):
        key(ana, " ")
    key(ana, "Enter")
    expect(group).to_have_count(0)
    assert focused(ana) in {card[0] for card in ana.hand()}
    key(ana, max(ana.hand(), key=lambda card: RANKS.index(card[0]))[0].lower())
    ana.at("play").focus()
    key(ana, "Enter")
    ana.page.wait_for_function("() => document.querySelector('[data-test=play]').ariaDisabled === 'true'")
    expect(ana.at("play")).to_be_focused()


def test_from_the_start_page_to_the_race_and_back(people):
    ana = people().opens("/")
    ana.at("play-now").focus()
    key(ana, "Enter")
    ana.at("playing").wait_for()
    assert focused(ana) == "main"
    ana.page.get_by_role("link", name="rapid").focus()
    key(ana, "Enter")
    ana.at("play-now").wait_for()
    assert focused(ana) == "main"


def test_the_end_of_a_round_and_of_a_connection(seats, server, people, puppets):
    ana, ben, carla = (puppets(place) for place in seats)
    assert ana.host("start")["ok"]
    for each in (ana, ben, carla):
        each.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    play_round_by(ben, carla, ana, but_the_last=True)
    person = people().sits(seats[0])
    person.page.locator("[data-test=hand] button").first.focus()
    assert carla.play(*carla.hand())["ok"]
    person.at("results").wait_for()
    assert focused(person) == "main"
    key(person, "Tab")
    assert focused(person) == "next-round"
    key(person, "Enter")
    person.at("exchange").wait_for()
    assert focused(person) == "main"
    second = person.new_page()
    second.goto(f"{server.url}/t/{seats[0].table}")
    person.at("take-over").wait_for()
    assert focused(person) == "refused"
