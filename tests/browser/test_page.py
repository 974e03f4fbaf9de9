"""The page as a device treats it: put away and brought back, told to move less, tapped fast."""

import shutil

import pytest
from playwright.sync_api import expect

from tests.browser.bench import PHONE, Person, strongest, weakest
from tests.browser.conftest import FLAGS


@pytest.fixture
def table(server):
    place = server.open_table("Ana")
    return [place, server.take_seat(place.table, "Ben"), server.take_seat(place.table, "Carla")]


def started(ana, *others):
    ana.press("start")
    ana.at("playing").wait_for()
    for puppet in others:
        puppet.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")


def lines(person):
    """The activity, oldest first."""
    return person.at("feed").locator("li").all_text_contents()[::-1]


WATCH = """() => {
  const Real = WebSocket;
  window.made = [];
  window.WebSocket = class extends Real { constructor(...a) { super(...a); window.made.push(this); } };
  addEventListener('pageshow', event => { window.persisted = event.persisted; });
}"""


@pytest.fixture
def cached(chromium, server):
    """Somebody whose browser keeps pages for *back*, as browsers do where no driver forbids it."""
    browser = chromium.browser_type.launch(
        executable_path=shutil.which("chromium"), args=FLAGS, ignore_default_args=["--disable-back-forward-cache"]
    )
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="en")
    context.add_init_script(f"({WATCH})()")
    yield Person(context, server, touches=True)
    browser.close()


def test_back_from_the_browsers_cache_the_table_goes_on_over_one_socket(cached, puppets, table, server):
    cached.sits(table[0])
    ben, carla = puppets(table[1]), puppets(table[2])
    started(cached, ben, carla)
    address = cached.page.url
    cached.page.goto(server.url + "/")
    assert ben.play(weakest(ben.hand()))["ok"]
    cached.page.evaluate("() => history.back()")
    cached.page.wait_for_url(address, wait_until="commit")
    cached.page.wait_for_function("() => window.persisted === true")
    expect(cached.at("pile")).to_contain_text("Ben")
    sockets = cached.page.evaluate("() => [made.length, made.filter(each => each.readyState <= 1).length]")
    assert sockets == [2, 1]
    assert cached.page.evaluate("table => localStorage.getItem('rapid.seat.' + table)", table[0].table)
    before = cached.hand()
    assert before == server.hand(table[0].table, 0)
    cached.tap(strongest(before)[0])
    cached.press("play")
    expect(cached.at("outcome")).to_have_attribute("data-kind", "taken")
    assert len(cached.hand()) < len(before)


def test_the_activity_outlives_a_reload_without_a_doubled_or_a_missing_line(people, puppets, table):
    ana = people(phone=True).sits(table[0])
    ben, carla = puppets(table[1]), puppets(table[2])
    started(ana, ben, carla)
    state = ben.trick_state()
    assert ben.play(weakest(ben.hand()), on=state)["ok"]
    assert not carla.play(strongest(carla.hand()), on=state)["ok"]
    ana.press("open-activity")
    expect(ana.at("feed")).to_contain_text("ms late")
    before = lines(ana)
    address = ana.page.url
    ana.page.goto("about:blank")
    assert carla.ask({"t": "pass", "on": ben.trick_state()})["ok"]
    ana.opens(address)
    ana.press("open-activity")
    expect(ana.at("feed")).to_contain_text("Ana is connected")
    after = lines(ana)
    assert after[: len(before)] == before
    assert after[len(before) :] == ["Ana lost the connection", "Carla passes", "Ana is connected"]
    kept = ana.page.evaluate(
        "() => { dispatchEvent(new PageTransitionEvent('pagehide')); return sessionStorage['rapid.table']; }"
    )
    assert '"feed"' in kept
    assert table[0].token not in kept


def test_what_was_kept_of_a_table_goes_with_it(people, table):
    ana = people().sits(table[1])
    ana.page.reload()
    ana.at("lobby").wait_for()
    assert ana.page.evaluate("() => sessionStorage['rapid.table']")
    ana.press("open-menu")
    ana.press("leave")
    ana.press("leave-yes")
    ana.at("refused").wait_for()
    assert ana.page.evaluate("() => sessionStorage['rapid.table']") is None


MOVES = """() => {
  window.moves = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...a) { window.moves.push(this.className); return animate.apply(this, a); };
  for (const kind of ['animationstart', 'transitionrun']) {
    addEventListener(kind, event => window.moves.push(`${kind} ${event.target.className}`), true);
  }
}"""


@pytest.mark.parametrize("told_by", ["device", "profile", None])
def test_with_less_movement_nothing_flies_and_all_is_shown(people, puppets, table, told_by):
    ana = people(reduced_motion="reduce" if told_by == "device" else "no-preference")
    ana.context.add_init_script(f"({MOVES})()")
    if told_by == "profile":
        ana.opens("/")
        ana.press("open-profile")
        ana.page.get_by_text("reduced").click()
    ana.sits(table[0])
    ben, carla = puppets(table[1]), puppets(table[2])
    started(ana, ben, carla)
    ana.page.evaluate("() => { window.moves.length = 0; }")
    state = ben.trick_state()
    ana.tap(strongest(ana.hand())[0])
    ana.at("play").hover()
    ana.page.mouse.down()
    assert ben.play(weakest(ben.hand()), on=state)["ok"]
    expect(ana.at("pile")).to_contain_text("Ben")
    ana.page.mouse.up()
    expect(ana.at("outcome")).to_have_attribute("data-kind", "beaten")
    assert ben.ask({"t": "react", "emoji": "🔥"})["ok"]
    expect(ana.page.get_by_role("img", name="🔥")).to_be_visible()
    expect(ana.at("photo-finish")).to_contain_text("You")
    moves = ana.page.evaluate("() => window.moves")
    assert bool(moves) is (told_by is None), moves


def test_fast_taps_neither_zoom_nor_select(people, puppets, table):
    ana = people(phone=True).sits(table[0])
    started(ana, puppets(table[1]), puppets(table[2]))
    cdp = ana.context.new_cdp_session(ana.page)
    for test in ("hand", "pass", "pile", "rtt", "felt"):
        box = ana.at(test).bounding_box()
        point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        for count in (2, 3):
            cdp.send(
                "Input.synthesizeTapGesture", point | {"tapCount": count, "duration": 20, "gestureSourceType": "touch"}
            )
    looks = ana.page.evaluate("() => [visualViewport.scale, getSelection().toString(), scrollX, scrollY]")
    assert looks == [1, "", 0, 0]
