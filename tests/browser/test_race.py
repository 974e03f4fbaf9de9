"""The race: one gesture, one attempt, aimed at what was painted; and everybody sees who won it."""

import pytest
from playwright.sync_api import expect

from tests.browser.bench import ORDER, late_by, late_mark, strongest, weakest


@pytest.fixture
def table(server):
    """Three seats, nobody a bot: all that happens is what the test does."""
    place = server.open_table("Ana")
    return [place, server.take_seat(place.table, "Ben"), server.take_seat(place.table, "Carla")]


@pytest.fixture
def race(table, people, puppets):
    """Ana at a browser, Ben and Carla on strings, the first trick open."""
    ana = people().sits(table[0])
    ben, carla = puppets(table[1]), puppets(table[2])
    ana.press("start")
    ana.at("playing").wait_for()
    for puppet in (ben, carla):
        puppet.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    return ana, ben, carla


def rank_held_once(hand):
    """A rank of which one card is held, high enough to answer most."""
    ranks = [card[0] for card in hand]
    return max((rank for rank in ranks if ranks.count(rank) == 1), key=ORDER.index, default=max(ranks, key=ORDER.index))


def test_a_play_is_taken_and_leaves_the_hand_only_with_the_servers_word(race, server, table):
    ana, *_ = race
    before = ana.hand()
    assert before == server.hand(table[0].table, 0)
    ana.tap(weakest(before)[0])
    chosen = ana.selected()
    assert ana.hand() == before
    ana.press("play")
    expect(ana.at("outcome")).to_have_attribute("data-kind", "taken")
    assert ana.hand() == before - chosen == server.hand(table[0].table, 0)


def test_the_attempt_is_aimed_at_what_was_painted_when_the_pointer_went_down(race):
    """RULES R3: beaten, by whom and by how many milliseconds; the cards stay, selected as they were."""
    ana, ben, _ = race
    before = ana.hand()
    ana.tap(strongest(before)[0])
    chosen = ana.selected()
    painted = ben.trick_state()
    ana.at("play").hover()
    ana.page.mouse.down()
    assert ben.play(weakest(ben.hand()))["ok"]
    expect(ana.at("pile")).to_contain_text("Ben")
    ana.page.mouse.up()
    expect(ana.at("outcome")).to_have_attribute("data-kind", "beaten")
    (attempt,) = ana.messages("play")
    assert attempt["on"] == painted
    late = ana.until_event("race_lost")["late_ms"]
    expect(ana.at("outcome")).to_have_text(f"Ben was faster by {late_by(late)}")
    expect(ana.at("photo-finish")).to_contain_text(f"You {late_mark(late)}")
    assert ana.hand() == before
    assert ana.selected() == chosen


def test_everybody_sees_the_photo_finish(race, people, server, table):
    ana, ben, carla = race
    watcher = people(phone=True).opens(f"/t/{table[0].table}")
    watcher.at("watching").wait_for()
    state = ben.trick_state()
    assert ben.play(weakest(ben.hand()), on=state)["ok"]
    refused = carla.play(strongest(carla.hand()), on=state)
    assert refused["why"] == "stale"
    for person in (ana, watcher):
        expect(person.at("photo-finish")).to_contain_text(f"Carla {late_mark(refused['late_ms'])}")
        expect(person.at("photo-finish")).to_contain_text("Ben")


def test_a_double_click_sends_one_play(race):
    ana, *_ = race
    ana.tap(rank_held_once(ana.hand()))
    ana.at("play").dblclick()
    expect(ana.at("outcome")).to_have_attribute("data-kind", "taken")
    ana.page.wait_for_timeout(150)
    assert len(ana.messages("play")) == 1


def test_a_new_trick_state_clears_nothing_that_is_selected(race):
    ana, ben, _ = race
    ana.tap(strongest(ana.hand())[0])
    chosen = ana.selected()
    assert ben.play(weakest(ben.hand()))["ok"]
    expect(ana.at("pile")).to_contain_text("Ben")
    assert ana.selected() == chosen
    ana.press("play")
    expect(ana.at("outcome")).to_have_attribute("data-kind", "taken")


def test_one_tap_picks_the_number_that_the_trick_asks_for(race):
    ana, ben, _ = race
    hand = ben.hand()
    pairs = sorted((rank for rank in ORDER if sum(card[0] == rank for card in hand) >= 2), key=ORDER.index)
    pair = sorted(card for card in hand if card[0] == pairs[0])[:2]
    assert ben.play(*pair)["ok"]
    expect(ana.at("pile")).to_contain_text("pair of")
    own = ana.hand()
    for rank in {card[0] for card in own}:
        held = sum(card[0] == rank for card in own)
        group = ana.page.locator(f"[data-test=hand] [data-rank='{rank}']")
        can = held >= 2 and ORDER.index(rank) >= ORDER.index(pairs[0])
        assert ("dim" in group.get_attribute("class")) is not can, rank
        if can:
            group.click()
            assert len(ana.selected()) == 2


def test_a_refusal_is_said_in_words_and_spoken(race):
    """What is dimmed can still be selected; the button then offers nothing, and says why when it is pressed."""
    ana, ben, _ = race
    low = weakest(ana.hand())
    assert ben.play(strongest(ben.hand()))["ok"]
    expect(ana.at("pile")).to_contain_text("Ben")
    ana.tap(low[0])
    expect(ana.at("play")).to_be_disabled()
    ana.hits(ana.at("play"), force=True)
    expect(ana.at("outcome")).to_have_attribute("data-kind", "refused")
    expect(ana.at("live-urgent")).to_have_text("Too weak for the trick.")
    assert ana.messages("play") == []


def test_a_pass_shows_for_everyone_and_binds(race):
    ana, ben, _ = race
    expect(ana.at("pass")).to_be_disabled()
    assert ben.play(weakest(ben.hand()))["ok"]
    ana.press("pass")
    expect(ana.page.locator(".own .tag")).to_have_text("passed")
    expect(ana.at("play")).to_be_disabled()
    ben.page.wait_for_function("() => puppet.log.some(m => m.type === 'passed' && m.seat === 0)")


def test_a_reaction_is_seen(race, people, table):
    ana, *_ = race
    watcher = people().opens(f"/t/{table[0].table}")
    watcher.at("watching").wait_for()
    ana.page.get_by_role("button", name="React").click()
    ana.page.get_by_role("button", name="🔥").click()
    expect(watcher.page.get_by_role("img", name="🔥")).to_be_visible()


def test_nothing_that_is_looked_at_hides_the_race(race):
    ana, ben, _ = race
    ana.page.set_viewport_size({"width": 360, "height": 640})
    for panel in ("activity", "rules", "menu"):
        ana.press(f"open-{panel}")
        expect(ana.at(f"panel-{panel}")).to_be_visible()
        for shown in ("pile", "hand", "play", "pass"):
            expect(ana.at(shown)).to_be_in_viewport(ratio=0.99)
        expect(ana.page.get_by_role("timer")).to_be_in_viewport(ratio=0.99)
        ana.press("close-panel")
    ana.press("open-activity")
    assert ben.play(weakest(ben.hand()))["ok"]
    expect(ana.at("feed").locator("li").first).to_contain_text("Ben: a single")


def test_the_countdown_is_the_servers_whatever_the_device_clock_says(table, people, puppets):
    """Within 100 ms, with the device's clock one hour off."""
    ana = people()
    ana.context.add_init_script("{ const now = Date.now; Date.now = () => now() - 3600000; }")
    ana.sits(table[0])
    ana.press("start")
    ana.at("playing").wait_for()
    deadline = ana.until_event("trick_opened")["deadline"]
    ana.page.wait_for_timeout(1_000)
    # The origin of the page's own clock is the true time: only Date lies. Read at the moment the ring is painted.
    ends = ana.page.evaluate("""() => new Promise(done => {
      const timer = document.querySelector('[role=timer]');
      const read = () => done(performance.timeOrigin + performance.now() + Number(timer.dataset.leftMs));
      new MutationObserver(read).observe(timer, { attributes: true });
    })""")
    assert abs(ends - deadline) < 100
    assert ana.page.evaluate("() => Math.abs(Date.now() - performance.timeOrigin - performance.now())") > 3_500_000
