"""From the start page to the race, and the ways to a table."""

import time

import pytest
from playwright.sync_api import expect

from tests.browser.bench import plays_if_possible


def test_a_newcomer_is_in_a_race_within_two_clicks_and_plays_within_ten_seconds(people):
    ana = people(phone=True).opens("/")
    began = time.monotonic()
    ana.press("play-now")
    ana.at("playing").wait_for()
    while not plays_if_possible(ana):
        ana.page.wait_for_timeout(20)
    expect(ana.at("outcome")).to_be_visible()
    assert time.monotonic() - began < 10


def test_a_friend_joins_by_the_link_and_both_see_each_other(people):
    ana, ben = people(), people(phone=True)
    ana.opens("/")
    ana.page.get_by_label("Your name").fill("Ana")
    ana.press("open-table")
    ana.at("lobby").wait_for()
    link = ana.at("qr").get_attribute("data-text")
    assert link == ana.page.url
    ben.opens(link)
    expect(ben.at("watching")).to_be_visible()
    ben.page.get_by_label("Your name").fill("Ben")
    ben.page.get_by_role("button", name="Take a seat").click()
    expect(ana.at("seats")).to_contain_text("Ben")
    expect(ben.at("lobby")).to_contain_text("Waiting for Ana to start the game.")
    expect(ben.at("start")).to_have_count(0)


def test_a_code_or_a_link_typed_in_leads_to_the_table(people, server):
    place = server.open_table()
    ana = people().opens("/")
    field = ana.page.get_by_label("Code or link of a table")
    field.fill("what?")
    ana.page.get_by_role("button", name="Join", exact=True).click()
    expect(ana.page.get_by_role("alert")).to_have_text("That is no code or link of a table.")
    field.fill(f"{server.url}/t/{place.table}")
    ana.page.get_by_role("button", name="Join", exact=True).click()
    expect(ana.at("lobby")).to_be_visible()


def test_public_tables_stand_on_the_start_page_with_join_or_watch(people, server):
    server.open_table(visibility="public")
    server.open_table(visibility="public", seats=3, bots=2)
    ana = people().opens("/")
    expect(ana.page.get_by_role("button", name="Watch").first).to_be_visible()
    ana.page.locator("li").get_by_role("button", name="Join").first.click()
    expect(ana.at("watching")).to_be_visible()


def test_the_host_changes_settings_and_guests_see_them_live(people, server):
    place = server.open_table(seats=6)
    host = people().sits(place)
    guest = people().sits(server.take_seat(place.table, "Ben"))
    setting = "[data-setting=finish_with_two] input"
    expect(guest.page.locator(setting)).to_be_disabled()
    host.page.locator(setting).check()
    expect(guest.page.locator(setting)).to_be_checked()
    rounds = host.page.get_by_label("Rounds", exact=True)
    rounds.fill("3")
    rounds.blur()
    expect(guest.page.get_by_label("Rounds", exact=True)).to_have_value("3")
    host.press("add-bot")
    expect(guest.at("seats")).to_contain_text("bot, normal")


def test_a_number_that_does_not_fit_becomes_the_nearest_that_does(people, server):
    host = people().sits(server.open_table())
    rounds = host.page.get_by_label("Rounds", exact=True)
    rounds.fill("99")
    rounds.blur()
    expect(rounds).to_have_value("50")
    expect(host.page.locator("[data-setting=rounds]")).not_to_contain_text("This value does not fit.")


def test_the_profile_is_kept_on_the_device_and_deleted_whole(people):
    ana = people(theme="dark").opens("/")
    ana.press("open-profile")
    ana.page.get_by_text("four colours").click()
    ana.page.get_by_text("Español").click()
    expect(ana.page.get_by_text("Jugar ya")).to_be_visible()
    ana.page.reload()
    expect(ana.page.get_by_text("Jugar ya")).to_be_visible()
    assert ana.page.evaluate("() => document.documentElement.dataset.faces") == "four"
    ana.press("open-profile")
    ana.press("forget")
    ana.press("forget-yes")
    expect(ana.page.get_by_text("Play now")).to_be_visible()
    assert ana.page.evaluate("() => localStorage.length") == 0


def test_everything_works_on_a_plain_address_of_the_local_network(people, server):
    """No secure context: no clipboard, no crypto.subtle."""
    ana = people()
    ana.server = type("Elsewhere", (), {"url": server.url.replace("127.0.0.1", "rapid.test")})()
    ana.opens("/")
    assert ana.page.evaluate("() => [isSecureContext, typeof navigator.clipboard, typeof crypto.subtle]") == [
        False,
        "undefined",
        "undefined",
    ]
    ana.press("play-now")
    ana.at("playing").wait_for()
    assert len(ana.messages("salt")) >= 1
    ana.press("open-menu")
    ana.press("menu-invite")
    ana.page.get_by_role("button", name="Copy").click()
    expect(ana.page.get_by_text("Copied")).to_be_visible()


def test_the_start_page_leads_back_to_a_seat_that_is_held(people, server):
    ana = people(phone=True).sits(server.open_table())
    ana.opens("/")
    ana.hits(ana.at("own-tables").get_by_role("button", name="Back to your seat"))
    expect(ana.at("lobby")).to_contain_text("host · you")


@pytest.mark.parametrize(
    "lang, said, home",
    [
        ("en", "There is nothing at this address.", "To the start page"),
        ("es", "No hay nada en esta dirección.", "A la página de inicio"),
    ],
)
@pytest.mark.parametrize("path", ["/t/", "/t/ABC", "/nosuch", "/assets/gone.js"])
def test_a_mistyped_address_is_told_in_words_and_leads_on(people, path, lang, said, home):
    ana = people(phone=True, lang=lang)
    answer = ana.page.goto(ana.server.url + path)
    assert answer.status == 404
    expect(ana.at("nowhere").get_by_role("heading")).to_have_text(said)
    ana.at("nowhere").get_by_role("link", name=home).click()
    expect(ana.at("play-now")).to_be_visible()
    expect(ana.at("nowhere")).to_have_count(0)
    ana.page.go_back()
    expect(ana.at("nowhere")).to_be_visible()


def test_a_seats_link_in_capitals_leads_to_the_seat(people, server):
    place = server.open_table("Ana")
    ana = people()
    ana.page.goto(f"{server.url}/T/{place.table.upper()}/#seat={place.token}")
    expect(ana.at("start")).to_be_visible()
    assert ana.page.url == f"{server.url}/t/{place.table}"
