"""What the table shows: a revolution, a delay for spectators, a phone that lies on its side with all in reach."""

import time

from playwright.sync_api import expect

from tests.browser.bench import weakest

LYING = {"width": 640, "height": 360}
# Some seat of three holds four of a kind in every third deal.
DEALS_MOST = 100


def seats_of_three(server, **settings):
    place = server.open_table("Ana", **settings)
    return [place, *(server.take_seat(place.table, name) for name in ("Ben", "Carla"))]


def four_held(hand):
    ranks = [card[0] for card in hand]
    return next((rank for rank in ranks if ranks.count(rank) == 4), None)


def deal_with_four(server, puppets):
    """Tables are opened until a seat is dealt four of a kind: that seat, the rank, and the table's other seats."""
    for _ in range(DEALS_MOST):
        seats = seats_of_three(server)
        assert puppets(seats[0]).host("start")["ok"]
        for place, hand in zip(seats, server.hands(seats[0].table, range(3)), strict=True):
            if rank := four_held(hand):
                return place, rank, [other for other in seats if other != place]
    raise AssertionError("no seat was dealt four of a kind")


def test_a_revolution_is_unmistakable_and_turns_the_order(people, puppets, server):
    theme, lang, word = "dark", "es", "Revolución"
    holder, rank, others = deal_with_four(server, puppets)
    ana = people(phone=True, theme=theme, lang=lang).sits(holder)
    watcher = people(theme=theme, lang=lang).opens(f"/t/{holder.table}")
    watcher.at("playing").wait_for()
    expect(watcher.at("felt")).to_have_attribute("data-revolution", "false")
    ana.tap(rank)
    while len(ana.selected()) < 4:
        ana.tap(rank)
    ana.press("play")
    for person in (ana, watcher):
        expect(person.at("felt")).to_have_attribute("data-revolution", "true")
        expect(person.at("revolution")).to_contain_text(word)
        person.axe("revolution")
        person.fits("revolution")
    for other in others:
        puppet = puppets(other)
        # It came after the play, so its first picture has the four on top.
        state = next(message["view"]["trick"]["state"] for message in puppet.log() if message["t"] == "welcome")
        assert puppet.ask({"t": "pass", "on": state})["ok"]
    # The next trick keeps the order (RULES V1).
    ana.until_event("trick_opened")
    expect(ana.at("pile")).not_to_contain_text("·")
    expect(ana.at("felt")).to_have_attribute("data-revolution", "true")


def test_a_spectator_of_a_delayed_table_is_told_and_has_a_countdown_that_fits_the_picture(people, server):
    delay = 2
    seats = seats_of_three(server, spectator_delay_seconds=delay)
    ana = people().sits(seats[0])
    watcher = people().opens(f"/t/{seats[0].table}")
    expect(watcher.at("watching")).to_contain_text(f"{delay} s behind")
    ana.press("start")
    ana.at("playing").wait_for()
    assert watcher.events("dealt") == []
    watcher.at("playing").wait_for()
    opened = watcher.until_event("trick_opened")
    assert 1000 * time.time() >= opened["at"] + 1000 * delay
    ends = watcher.page.evaluate("""() => new Promise(done => {
      const timer = document.querySelector('[role=timer]');
      const read = () => done(performance.timeOrigin + performance.now() + Number(timer.dataset.leftMs));
      new MutationObserver(read).observe(timer, { attributes: true });
    })""")
    assert abs(ends - opened["deadline"] - 1000 * delay) < 100


def test_a_watcher_is_told_why_no_seat_can_be_taken(people, server):
    watcher = people(phone=True).opens(f"/t/{server.open_table(bots=2, seats=3).table}")
    expect(watcher.at("watching")).to_contain_text("All seats are taken.")
    watcher.opens(f"/t/{server.open_table(door='closed').table}")
    expect(watcher.at("watching")).to_contain_text("The door is closed")
    expect(watcher.at("sit-down")).to_have_count(0)


def test_a_phone_on_its_side_has_the_race_in_reach_whatever_is_open(people, server):
    seats = seats_of_three(server)
    ana = people(phone=True)
    ana.page.set_viewport_size(LYING)
    ana.sits(seats[0])
    ana.fits("lobby")
    ana.press("start")
    ana.at("playing").wait_for()
    for panel in (None, "activity", "rules", "menu"):
        if panel is not None:
            ana.press(f"open-{panel}")
        for shown in ("pile", "hand", "play", "pass"):
            expect(ana.at(shown)).to_be_in_viewport(ratio=0.99)
        expect(ana.page.get_by_role("timer")).to_be_in_viewport(ratio=0.99)
        ana.fits(f"on its side, {panel}")
        if panel is None:
            felt = ana.at("felt").bounding_box()
            chairs = [each.bounding_box() for each in ana.page.locator("[data-test=felt] .seat").all()]
            assert all(felt["x"] <= c["x"] and c["x"] + c["width"] <= felt["x"] + felt["width"] for c in chairs)


def test_a_panel_begins_at_its_top_and_leaves_a_wide_table_whole(people, server):
    seats = seats_of_three(server)
    ana = people().sits(seats[0])
    ana.press("start")
    ana.at("playing").wait_for()
    # Activity stands beside a wide table by itself: it takes no focus.
    expect(ana.at("panel-activity")).to_be_visible()
    expect(ana.at("panel-activity")).not_to_be_focused()
    whole = ana.at("felt").bounding_box()
    ana.page.set_viewport_size({"width": 1280, "height": 420})
    ana.press("open-rules")
    ana.page.locator(".panel .body").evaluate("body => body.scrollTo(0, 200)")
    ana.press("open-menu")
    ana.press("menu-profile")
    expect(ana.at("panel-profile")).to_be_focused()
    assert ana.page.locator(".panel .body").evaluate("body => body.scrollTop") == 0
    ana.page.set_viewport_size({"width": 1280, "height": 800})
    expect(ana.at("panel-profile")).to_be_visible()
    assert ana.at("felt").bounding_box() == whole


def test_the_space_bar_aims_at_what_was_painted_when_it_went_down(people, puppets, server):
    """RULES R3, for a key that clicks only when it comes up again."""
    seats = seats_of_three(server)
    ana = people().sits(seats[0])
    ben = puppets(seats[1])
    ana.press("start")
    ana.at("playing").wait_for()
    ben.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    painted = ben.trick_state()
    ana.page.locator("[data-test=hand] .group").last.click()
    ana.at("play").focus()
    ana.page.keyboard.down(" ")
    assert ben.play(weakest(ben.hand()))["ok"]
    expect(ana.at("pile")).to_contain_text("Ben")
    ana.page.wait_for_function("() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))")
    ana.page.keyboard.up(" ")
    expect(ana.at("outcome")).to_have_attribute("data-kind", "beaten")
    assert ana.messages("play")[-1]["on"] == painted
