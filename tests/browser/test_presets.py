"""A whole game of every preset by clicking: chosen in the form, played against bots, with an exchange, to the end."""

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as Late

from rapid.rules.presets import PRESETS
from tests.browser.bench import Person
from tests.browser.test_game import compare

FRENCH = ["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2"]
SPANISH = ["3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2"]
STEPS_MOST = 3_000
GAMES_MOST = 10
# By name: the ruleset, the mode, how many bots, what is set in the form besides, and on what kind of screen.
GAMES = {
    "president": ("president", "turns", 3, {"rounds": 2, "skip": True}, True),
    "presi": ("presi", "turns", 2, {"target": 3}, False),
    "house": ("house", "turns", 4, {"target": 3}, True),
    "escoria": (
        "escoria",
        "turns",
        6,
        {"target": 3, "reseat": True, "larger_sets": "any", "equal": True, "skip_next": True},
        False,
    ),
    "wild": ("presi", "rapid", 3, {"target": 3, "jokers": 4, "joker": "wild", "wild_twos": True}, True),
}

# The last of `president` gives without being asked (X2); the others choose on the screen.
MUST_SEE = {name: {"playing"} if name == "president" else {"exchange", "playing"} for name, *_ in GAMES.values()}


def chooses(person: Person, name: str, value: object) -> None:
    """Sets one field of the form, and waits until the server has taken it."""
    field = person.page.locator(f"[data-setting={name}]")
    before = len(person.events("settings_changed"))
    if value is True:
        field.locator("input").first.check()
    elif isinstance(value, str):
        field.locator("select").select_option(value)
    else:
        field.locator("input[type=number]").fill(str(value))
        person.page.keyboard.press("Tab")
    person.until_event("settings_changed", before + 1)


def sets_up(person: Person, ruleset: str, mode: str, fields: dict) -> None:
    """The host at the form: rules, mode, and what they bring with them."""
    form = person.at("settings")
    for value in (ruleset, mode):
        radio = form.locator(f"input[type=radio][value={value}]")
        if not radio.is_checked():
            before = len(person.events("settings_changed"))
            radio.check(force=True)
            person.until_event("settings_changed", before + 1)
    for name, value in fields.items():
        chooses(person, name, value)


def gives(person: Person) -> None:
    """What is owed, by the words of the screen: the best, the worst, or any; a key picks one card of its rank."""
    give = person.at("give")
    if not give.count():
        return
    told = person.at("exchange-box").locator("h2").text_content() or ""
    # From the button: the headline names people too, and a bot is called by a number.
    count = int((give.locator(".of").text_content() or "").partition("/")[2])
    order = SPANISH if any(card[-1] in "OEB" for card in person.hand()) else FRENCH
    hand = sorted(person.hand(), key=lambda card: (_place(card, order), card == "2O"))
    for card in hand[-count:] if "best" in told else hand[:count]:
        rank = "*" if card.startswith("*") else card[:-1]
        if card == "2O":  # a rank of its own (3.9)
            person.tap(card)
            continue
        person.key({"T": "0", "10": "s", "11": "c", "12": "r"}.get(rank, rank.lower()))
    expect(give).to_be_enabled()
    person.hits(give)
    give.wait_for(state="detached")


def _place(card: str, order: list[str]) -> int:
    return len(order) if card.startswith("*") else order.index(card[:-1])


# Where things stand, at one look: the phase, what may be pressed, the hand's groups that are not dimmed.
_LOOK = """() => {
  const at = test => document.querySelector(`[data-test=${test}]`);
  const keys = which => [...document.querySelectorAll(`[data-test=hand] .group${which}`)].map(e => e.dataset.rank);
  const is_race = document.querySelector('.what')?.textContent.includes('Rapid');
  return {
    phase: ['exchange', 'playing', 'results', 'final'].find(at) ?? null,
    owes: at('give') !== null,
    may_act: is_race || document.querySelector('.own.turn') !== null,
    may_pass: at('pass') !== null && at('pass').ariaDisabled !== 'true',
    free: keys(':not(.dim)'),
  };
}"""


def acts(person: Person, look: dict, step: int, *, yields: bool) -> None:
    """One step: one tap on what is not dimmed and the button, else a pass.

    Who yields passes wherever that is possible, and so comes last and has cards to give.
    """
    try:
        if look["may_pass"] and (yields or not look["free"] or step % 5 == 4):
            person.hits(person.at("pass"), timeout=1_000)
        elif look["may_act"] and look["free"]:
            person.key("Escape")
            person.hits(group(person, look["free"][step % len(look["free"])]), timeout=1_000)
            person.hits(person.at("play"), timeout=1_000)
    except Late:
        return


def group(person: Person, key: str) -> Locator:
    return person.page.locator(f"[data-test=hand] [data-rank='{key}']")


def plays_on(server, person: Person, table: str, name: str, *, yields: bool = False) -> set[str]:
    """Until the results of a round or the game; gives what was on the screen on the way."""
    seen: set[str] = set()
    for step in range(STEPS_MOST):
        look = person.page.evaluate(_LOOK)
        if look["phase"] in {"results", "final"}:
            return seen
        if look["phase"] not in seen and look["phase"] is not None:
            seen.add(look["phase"])
            person.fits(f"{name}: {look['phase']}")
            person.cuts_nothing(f"{name}: {look['phase']}")
        if look["owes"]:
            compare(server, table, [person])
            gives(person)
        elif look["phase"] == "playing":
            acts(person, look, step, yields=yields)
        person.page.wait_for_timeout(10)
    raise AssertionError("the round did not end")


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game(people, server, name):
    ruleset, mode, bots, fields, is_phone = GAMES[name]
    place = server.open_table("Ana", bots=0)
    ana = people(phone=is_phone).sits(place)
    sets_up(ana, ruleset, mode, fields)
    for count in range(1, bots + 1):
        ana.press("add-bot")
        expect(ana.at("seats").locator("li[data-seat]")).to_have_count(1 + count)
    ana.fits(f"{name}: lobby")
    ana.cuts_nothing(f"{name}: lobby")
    expect(ana.page.locator("[data-test=settings] .error")).to_have_count(0)
    ana.press("start")
    seen = plays_game(server, ana, place.table, name)
    # Who passes comes last unless another is penalised; whom no exchange reached plays again.
    while "exchange" in MUST_SEE[ruleset] - seen:
        assert len(ana.events("game_ended")) < GAMES_MOST
        ana.press("play-again")
        ana.at("final").wait_for(state="detached")
        seen |= plays_game(server, ana, place.table, name)
    assert seen >= MUST_SEE[ruleset]
    assert ana.events("exchange_opened")
    assert ana.events("given")
    judge(ana, server, place.table, PRESETS[ruleset], 1 + bots)


def plays_game(server, ana: Person, table: str, name: str) -> set[str]:
    seen = plays_on(server, ana, table, name, yields=True)
    while ana.at("results").count():
        ana.fits(f"{name}: results")
        ana.cuts_nothing(f"{name}: results")
        ana.press("next-round")
        ana.at("results").wait_for(state="detached")
        seen |= plays_on(server, ana, table, name)
    return seen


def judge(ana: Person, server, table: str, ruleset, seats: int) -> None:
    """What is shown at the end is what the server's log says."""
    log = server.log(table)
    ended = next(event for event in reversed(log) if event["type"] == "game_ended")
    expect(ana.at("final")).to_contain_text(
        "All rounds are played." if ended["why"] == "rounds" else "The target is reached."
    )
    totals = ana.page.locator("tbody tr .total").all_text_contents()
    assert sorted(map(int, totals)) == sorted(ended["totals"].values())
    last = next(event for event in reversed(log) if event["type"] == "round_ended")
    assert sorted(last["roles"].values()) == sorted(ruleset.roles[seats])
    mine = [event for event in log if event["type"] == "played" and event["seat"] == 0 and event["by"] == "person"]
    assert len(mine) >= 2
    # What the button offers the rules do not refuse, whoever may have been faster.
    whys = {message.get("why") for message in ana.received if message["t"] == "reply"}
    assert not whys & {"too_weak", "wrong_count", "must_match_rank", "not_a_combination"}
    # One gesture, one attempt: what was sent was taken or refused, nothing twice (RULES R3).
    assert len(ana.messages("play")) >= len(mine)
