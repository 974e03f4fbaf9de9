"""Being lost and found: one socket at a time, nothing sent later, and every end says why."""

import pytest
from playwright.sync_api import expect

from tests.browser.bench import Place, weakest


@pytest.fixture
def table(server):
    place = server.open_table("Ana")
    return [place, server.take_seat(place.table, "Ben"), server.take_seat(place.table, "Carla")]


@pytest.fixture
def race(table, people, puppets):
    ana = people(phone=True).sits(table[0])
    ben = puppets(table[1])
    puppets(table[2])
    ana.press("start")
    ana.at("playing").wait_for()
    ben.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    return ana, ben


def open_sockets(person):
    return [socket for socket in person.sockets if not socket.is_closed()]


def test_offline_in_the_middle_of_a_race_and_back(race, server, table):
    ana, ben = race
    ana.tap(weakest(ana.hand())[0])
    chosen = ana.selected()
    ana.context.set_offline(True)
    expect(ana.at("link-notice")).to_have_attribute("data-kind", "offline")
    expect(ana.at("play")).to_be_disabled()
    ana.at("play").click(force=True)
    ana.key("Enter")
    assert ben.play(weakest(ben.hand()))["ok"]
    ana.context.set_offline(False)
    expect(ana.at("link-notice")).to_have_count(0)
    expect(ana.at("pile")).to_contain_text("Ben")
    assert ana.messages("play") == [], "what was pressed while offline must not be sent later"
    assert ana.selected() == chosen
    assert ana.hand() == server.hand(table[0].table, 0)
    assert len(open_sockets(ana)) == 1
    hellos = ana.messages("hello")
    assert "since" not in hellos[0]
    assert hellos[-1]["since"] > 0, "it goes on from where it stood"


def test_a_reload_in_the_middle_of_a_trick_gives_the_seat_and_the_state_back(race, server, table):
    ana, ben = race
    assert ben.play(weakest(ben.hand()))["ok"]
    expect(ana.at("pile")).to_contain_text("Ben")
    before = ana.hand()
    ana.page.reload()
    expect(ana.at("pile")).to_contain_text("Ben")
    assert ana.hand() == before == server.hand(table[0].table, 0)


def test_a_second_tab_has_the_seat_and_the_first_does_not_fight(race):
    ana, _ = race
    first = ana.page
    ana.page = ana.new_page()
    ana.opens(first.url)
    ana.at("playing").wait_for()
    expect(first.locator("[data-test=refused]")).to_contain_text("Opened elsewhere")
    ana.page.wait_for_timeout(600)
    expect(ana.at("playing")).to_be_visible()
    assert len(open_sockets(ana)) == 1
    first.locator("[data-test=take-over]").click()
    expect(first.locator("[data-test=playing]")).to_be_visible()
    expect(ana.at("refused")).to_contain_text("Opened elsewhere")


def test_the_seat_goes_to_another_device_by_its_link(race, people):
    ana, _ = race
    hand = ana.hand()
    ana.press("open-menu")
    ana.press("menu-seat")
    link = ana.at("qr").get_attribute("data-text")
    tablet = people().opens(link)
    expect(tablet.at("hand")).to_be_visible()
    assert tablet.hand() == hand
    assert "#" not in tablet.page.url, "the secret leaves the address bar"
    expect(ana.at("refused")).to_contain_text("Opened elsewhere")
    tablet.page.reload()
    expect(tablet.at("hand")).to_be_visible()


BLACK_HOLE = """() => {
  const Real = WebSocket;
  window.made = [];
  window.WebSocket = class extends Real {
    constructor(...a) { super(...a); window.made.push(this); }
    send(data) { if (!this.hole) super.send(data); }
    set onmessage(f) { super.onmessage = e => { if (!this.hole) f?.(e); }; }
    set onclose(f) { super.onclose = e => { if (!this.hole) f?.(e); }; }
  };
}"""


def test_back_from_the_background_a_dead_socket_is_found_within_two_seconds(table, people, puppets):
    ana = people(phone=True)
    ana.page.clock.install()
    ana.context.add_init_script(f"({BLACK_HOLE})()")
    ana.sits(table[0])
    ana.page.evaluate("() => { window.made.at(-1).hole = true; }")
    puppets(table[1])
    hidden = "() => { Object.defineProperty(document, 'visibilityState', { get: () => '%s', configurable: true });"
    show = hidden + " document.dispatchEvent(new Event('visibilitychange')); }"
    ana.page.evaluate(show % "hidden")
    ana.page.clock.fast_forward(3_000)
    ana.page.evaluate(show % "visible")
    ana.page.clock.run_for(2_000)
    ana.page.wait_for_function("() => window.made.length >= 2")
    ana.page.clock.resume()
    expect(ana.at("seats").locator("li.lost")).to_have_count(1)
    assert ana.page.evaluate("() => window.made.filter(s => s.readyState <= 1).length") == 1


def test_removed_by_the_host_says_so_and_drops_the_seat(table, people):
    host = people().sits(table[0])
    ben = people().sits(table[1])
    host.page.get_by_role("button", name="Remove Ben").click()
    host.press("remove-yes")
    expect(ben.at("refused")).to_contain_text("The host removed you from the table.")
    assert ben.page.evaluate("() => localStorage.getItem('rapid.seat.' + location.pathname.slice(3))") is None
    ben.press("watch-instead")
    expect(ben.at("watching")).to_be_visible()


def test_a_seat_that_is_not_valid_says_so(people, server, table):
    ana = people().opens(server.link(Place(table[0].table, 0, "x" * 43)))
    expect(ana.at("refused")).to_contain_text("Your seat at this table is not valid any more.")


def test_a_table_that_is_not_there_says_so(people):
    ana = people().opens("/t/zzzzzzzzzzzz")
    expect(ana.at("refused")).to_contain_text("There is no such table, or it is closed.")


def test_leaving_is_asked_once_more_and_final(table, people):
    ana = people().sits(table[1])
    ana.press("open-menu")
    ana.press("leave")
    expect(ana.at("leave-yes")).to_be_focused()
    ana.press("leave-yes")
    expect(ana.at("refused")).to_contain_text("You have left the table.")


def test_an_impossible_state_leads_to_one_resync_then_to_a_plain_message(table, people):
    ana = people()
    # Each frame that tells of new settings is lost on its way: a hole in what the page knows.
    ana.page.route_web_socket(
        "**/ws/**",
        lambda route: route.connect_to_server().on_message(
            lambda frame: None if b"settings_changed" in _bytes(frame) else route.send(frame)
        ),
    )
    ana.opens(ana.server.link(table[0]))
    ana.at("seats").wait_for()
    setting = ana.page.locator("[data-setting=finish_with_two] input")
    setting.click()
    ana.press("add-bot")
    expect(ana.at("seats")).to_contain_text("bot")
    expect(setting).to_be_checked()
    setting.click()
    ana.press("add-bot")
    expect(ana.at("refused")).to_contain_text("Reload the page.")


def _bytes(frame: bytes | str) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()
