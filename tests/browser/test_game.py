"""Whole games by clicking, with the hand on the screen held against the server's log after each step."""

from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import expect

from tests.browser.bench import Person, play_round_by, plays_if_possible

# A round ends; how many looks at it that takes depends on the machine.
STEPS_MOST = 2_000


def gives_if_owed(person: Person) -> None:
    give = person.at("give")
    while give.count() and give.is_disabled():
        chosen = person.selected()
        group = person.page.locator("[data-test=hand] .group").nth(len(chosen))
        group.click()
    if give.count():
        give.click()
        give.wait_for(state="detached")


def acts(person: Person) -> None:
    """One step of somebody who plays what can be played, else passes; what moves under the finger is no fault."""
    try:
        if person.at("exchange").count():
            gives_if_owed(person)
        elif person.at("playing").count() and not plays_if_possible(person):
            passing = person.page.locator("[data-test=pass]:not([aria-disabled=true])")
            if passing.count():
                passing.click(timeout=1_000)
    except Late:
        return


def is_settled(*persons: Person) -> bool:
    """Whether all stand at the same event and none has an attempt under way."""
    last = {max((m["seq"] for m in p.received if m["t"] in {"event", "welcome"}), default=0) for p in persons}
    asked = all(
        len([m for m in p.received if m["t"] == "reply"]) >= len([m for m in p.sent if m["t"] not in {"hello", "ping"}])
        for p in persons
    )
    return len(last) == 1 and asked


def play_round(server, table, persons, watcher, *, checks):
    """Until the results show; every so often the hands are compared with the server's."""
    for step in range(STEPS_MOST):
        if persons[0].at("results").count() or persons[0].at("final").count():
            return
        for person in persons:
            acts(person)
        persons[0].page.wait_for_timeout(15)
        if checks and step % checks == 0:
            compare(server, table, persons)
    raise AssertionError("the round did not end")


def compare(server, table, persons):
    """The hand on the screen equals the server's; bots may play on between the two looks, people do not."""
    for _ in range(100):
        if is_settled(*persons):
            break
        persons[0].page.wait_for_timeout(10)
    held = server.hands(table, range(len(persons)))
    for person, hand in zip(persons, held, strict=True):
        # What is on the wire is on the screen with the next frame.
        for _ in range(100):
            if person.hand() == hand:
                break
            person.page.wait_for_timeout(20)
        assert person.hand() == hand


def test_two_browsers_and_bots_play_a_whole_game_and_a_third_watches(people, server):
    place = server.open_table("Ana", rounds=3, seats=4, bot_delay_ms=60)
    friend = server.take_seat(place.table, "Ben")
    ana, ben = people(phone=True).sits(place), people().sits(friend)
    watcher = people().opens(f"/t/{place.table}")
    ana.press("add-bot")
    ana.press("add-bot")
    expect(ana.at("add-bot")).to_be_disabled()
    ana.press("start")
    for number in (1, 2, 3):
        for person in (ana, ben, watcher):
            expect(person.page.get_by_text(f"Round {number} of 3")).to_be_visible()
        play_round(server, place.table, [ana, ben], watcher, checks=6 if number == 2 else 0)
        if number < 3:
            expect(watcher.at("results")).to_be_visible()
            expect(ben.page.get_by_text("Ana goes on with the next round.")).to_be_visible()
            ana.press("next-round")
    ended = server.log(place.table)[-1]
    assert ended["type"] == "game_ended"
    for person in (ana, ben, watcher):
        expect(person.at("final")).to_contain_text("All rounds are played.")
        totals = person.page.locator("tbody tr .total").all_text_contents()
        assert sorted(map(int, totals)) == sorted(ended["totals"].values())
    log = ben.page.get_by_role("link", name="The log of the game").get_attribute("href")
    assert ben.page.request.get(server.url + log).text().startswith('{"log":"rapid"')
    # What a spectator was sent never held a card of a hand.
    assert all("hands" not in event or event["hands"] == {} for event in watcher.events("dealt"))
    ana.press("play-again")
    for person in (ana, ben, watcher):
        expect(person.page.get_by_text("Round 1 of 3")).to_be_visible()


def test_the_host_ends_a_game_and_takes_the_table_back_to_the_lobby(people, server):
    place = server.open_table("Ana", bots=2, seats=4, rounds="unlimited")
    ana = people().sits(place)
    ana.press("start")
    play_round(server, place.table, [ana], None, checks=0)
    ana.press("end-game")
    ana.press("end-game-yes")
    expect(ana.at("final")).to_contain_text("The host ended the game.")
    watcher = people(phone=True).opens(f"/t/{place.table}")
    watcher.page.get_by_label("Your name").fill("Late")
    watcher.page.get_by_role("button", name="Take a seat").click()
    expect(watcher.page.get_by_text("Ana decides what comes next.")).to_be_visible()
    ana.press("to-lobby")
    for person in (ana, watcher):
        expect(person.at("seats")).to_contain_text("Late")


def test_a_round_with_the_keyboard_alone(people, server):
    """Start page to results without a pointer."""
    place = server.open_table("Ana", bots=2, rounds=1)
    ana = people().sits(place)
    ana.at("start").focus()
    ana.page.keyboard.press("Enter")
    ana.at("playing").wait_for()
    keys = {"T": "0"}
    for _ in range(STEPS_MOST):
        if ana.at("final").count():
            break
        free = ana.page.locator("[data-test=hand] .group:not(.dim)").evaluate_all("all => all.map(g => g.dataset.rank)")
        rank = free[0] if free else None
        ana.page.keyboard.press("Escape")
        ana.page.keyboard.press("p" if rank is None else keys.get(rank, rank.lower()))
        if rank is not None:
            ana.page.keyboard.press("Enter")
        ana.page.wait_for_timeout(15)
    expect(ana.at("final")).to_be_visible()
    assert ana.messages("play")
    accepted = [event for event in ana.events("played") if event["seat"] == 0]
    assert accepted


def test_a_key_pressed_again_adds_one_more_of_the_rank(people, server):
    place = server.open_table("Ana", bots=0)
    ana = people().sits(place)
    for name in ("Ben", "Carla"):
        people().sits(server.take_seat(place.table, name))
    ana.press("start")
    ana.at("playing").wait_for()
    held = [card[0] for card in ana.hand()]
    rank = max(set(held), key=held.count)
    for count in [*range(1, held.count(rank) + 1), 0]:
        ana.page.keyboard.press(rank.lower())
        assert len(ana.selected()) == count


def test_what_is_selected_for_the_exchange_outlives_a_lost_connection(people, puppets, server):
    place = server.open_table("Ana", rounds=2)
    first = puppets(place)
    others = [puppets(server.take_seat(place.table, name)) for name in ("Ben", "Carla")]
    assert first.host("start")["ok"]
    for each in (first, *others):
        each.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    play_round_by(first, *others)
    ana = people(phone=True).sits(place)
    ana.press("next-round")
    expect(ana.at("exchange-box")).to_contain_text("Give 2 cards of your choice to Carla")
    assert ana.hand() == server.hand(place.table, 0)
    ana.page.locator("[data-test=hand] .group").first.click()
    chosen = ana.selected()
    assert len(chosen) == 1
    ana.context.set_offline(True)
    expect(ana.at("link-notice")).to_be_visible()
    ana.context.set_offline(False)
    expect(ana.at("link-notice")).to_have_count(0)
    assert ana.selected() == chosen
    got = ana.at("exchange-box").get_by_text("Received")
    expect(got).to_be_visible()
    ana.page.reload()
    expect(got).to_be_visible()
    assert ana.selected() == chosen
    gives_if_owed(ana)
    ana.at("playing").wait_for()
    assert ana.hand() == server.hand(place.table, 0)
