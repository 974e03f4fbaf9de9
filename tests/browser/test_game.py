"""Whole games by clicking, with the hand on the screen held against the server's log after each step."""

import re

import pytest
from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import expect

from tests.browser.bench import Person, hands_since, play_round_by, plays_if_possible, weakest

# A round ends; how many looks at it that takes depends on the machine.
STEPS_MOST = 2_000
LOOKS_MOST = 20


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
    """The hand on the screen is the server's.

    The game goes on meanwhile: bots finish a round or give cards at any moment. So the hand that is read is held
    against the log from where the person stood before it was read; what has come is painted soon.
    """
    for _ in range(LOOKS_MOST):
        seen = [(seat, person.last_seq(), person.hand()) for seat, person in enumerate(persons)]
        log = server.log(table)
        wrong = [(seat, hand) for seat, stood, hand in seen if hand not in hands_since(log, seat, stood)]
        if not wrong:
            return
    raise AssertionError(f"no hand of the server's: {wrong}")


def test_two_browsers_and_bots_play_a_whole_game_and_a_third_watches(people, server):
    place = server.open_table("Ana", rounds=2, seats=4, bot_delay_ms=60)
    friend = server.take_seat(place.table, "Ben")
    ana, ben = people(phone=True).sits(place), people().sits(friend)
    watcher = people().opens(f"/t/{place.table}")
    for seats in (3, 4):
        # The button moves with each chair that comes: nobody presses where it was.
        ana.press("add-bot")
        expect(ana.at("seats").locator("li[data-seat]")).to_have_count(seats)
    expect(ana.at("add-bot")).to_be_disabled()
    ana.press("start")
    for number in (1, 2):
        for person in (ana, ben, watcher):
            expect(person.page.get_by_text(f"Round {number} of 2")).to_be_visible()
        play_round(server, place.table, [ana, ben], watcher, checks=8)
        if number == 1:
            expect(watcher.at("results")).to_be_visible()
            expect(ben.page.get_by_text("Ana goes on with the next round.")).to_be_visible()
            ana.press("next-round")
    # A machine under load may lose a connection for a moment: that is logged behind it.
    ended = next(event for event in reversed(server.log(place.table)) if event["type"] == "game_ended")
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
        expect(person.page.get_by_text("Round 1 of 2")).to_be_visible()


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


def test_a_round_with_the_keyboard_alone(people, puppets, server):
    """Lobby to final standings without a pointer. The others do what the test says, so each step has one outcome."""
    place = server.open_table("Ana", rounds=1)
    others = [puppets(server.take_seat(place.table, name)) for name in ("Ben", "Carla")]
    ana = people().sits(place)
    press = ana.key
    ana.at("start").focus()
    press("Enter")
    ana.at("playing").wait_for()
    for puppet in others:
        puppet.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    ben, carla = others
    assert ben.play(weakest(ben.hand()))["ok"]
    expect(ana.at("pile")).to_contain_text("Ben")
    press("p")
    ana.until_event("passed")
    assert carla.ask({"t": "pass", "on": ben.trick_state()})["ok"]
    trick = 2
    while hand := ana.hand():
        ana.until_event("trick_opened", trick)
        expect(ana.at("pile")).to_contain_text("Anyone opens!")
        rank = weakest(hand)[0]
        count = sum(card[0] == rank for card in hand)
        for _ in range(count):
            press({"T": "0"}.get(rank, rank.lower()))
        assert len(ana.selected()) == count
        press("Enter")
        played = ana.until_event("played", trick)
        for puppet in others:
            puppet.page.wait_for_function("seq => puppet.log.some(m => m.seq >= seq)", arg=played["seq"])
            assert puppet.ask({"t": "pass", "on": played["seq"]})["ok"]
        expect(ana.page.locator(f"[data-test=hand] [data-rank='{rank}']")).to_have_count(0)
        trick += 1
    # Bots play the rest for those who leave.
    for puppet in others:
        assert puppet.ask({"t": "leave"})["ok"]
    expect(ana.at("final")).to_be_visible()
    mine = [event for event in ana.events("played") if event["seat"] == 0]
    assert len(mine) == len(ana.messages("play")) == trick - 2


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
        ana.key(rank.lower())
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


def corners(cards):
    return ", ".join(card[0].replace("T", "10") for card in cards)


def test_what_the_exchange_took_and_brought_stands_on_the_strip_until_ones_first_play(people, puppets, server):
    """The last seat has nothing to choose: its cards go at once, and others come with the first trick."""
    places = [server.open_table("Ana", rounds=2)]
    places += [server.take_seat(places[0].table, name) for name in ("Ben", "Carla")]
    ana, *others = (puppets(place) for place in places)
    assert ana.host("start")["ok"]
    for each in (ana, *others):
        each.page.wait_for_function("() => puppet.log.some(m => m.type === 'trick_opened')")
    play_round_by(ana, *others)
    carla = people(phone=True).sits(places[2])
    assert ana.host("next_round")["ok"]
    taken = carla.until_event("exchange_opened")["moves"][0]["cards"]
    expect(carla.at("exchange-box")).to_contain_text("Given to Ana")
    cards = r"\w+ of \w+ and \w+ of \w+"
    expect(carla.at("live")).to_have_text(re.compile(f"^The server took {cards} from you for Ana$"))
    ana.page.wait_for_function("() => puppet.log.some(m => m.type === 'exchange_opened')")
    assert ana.ask({"t": "give", "round": 2, "cards": sorted(ana.hand())[:2]})["ok"]
    brought = carla.until_event("exchange_closed")["moves"][0]["cards"]
    note = carla.at("swap-note")
    expect(note).to_have_text(f"Gave {corners(taken)} to Ana Got {corners(brought)} from Ana")
    expect(carla.at("live")).to_have_text(re.compile(f"^You got {cards} from Ana$"))
    new = carla.page.locator("[data-test=hand] .card.new")
    assert set(new.evaluate_all("all => all.map(c => c.dataset.card)")) == set(brought)
    carla.press("open-activity")
    expect(carla.at("feed")).to_contain_text(re.compile(f"The server takes {cards} from Carla for Ana"))
    expect(carla.at("feed")).to_contain_text(re.compile(f"Carla gets {cards} from Ana"))
    carla.page.reload()
    expect(note).to_be_visible()
    carla.tap(weakest(carla.hand())[0])
    carla.press("play")
    carla.until_event("played", 1)
    expect(note).to_have_count(0)
    expect(new).to_have_count(0)


@pytest.mark.parametrize("phone", [True, False])
def test_whose_time_ran_out_is_told_what_the_server_did(people, server, phone):
    place = server.open_table("Ana", mode="turns", action_seconds=1)
    for name in ("Ben", "Carla"):
        server.take_seat(place.table, name)
    ana = people(phone=phone).sits(place)
    ana.press("start")
    did = re.compile("^Time ran out: the server (opened with|played|passed)( .+)? for you$")
    expect(ana.at("outcome")).to_have_text(did)
    expect(ana.at("live-urgent")).to_have_text(did)
